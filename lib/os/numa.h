/* SPDX-License-Identifier: MIT */
/* Memory nodes of machines with several: which one a device is at, and memory taken there. */
#ifndef ZCI_OS_NUMA_H
#define ZCI_OS_NUMA_H

#define ZCI_MAX_NODES 64

/* The node of the PCI device at `address`, such as 0000:3B:00.0; -1: not known, or the machine has one node. */
int zci_numa_of_pci(const char *address);

/* The same, of a machine as `root` shows it ("" is this one): for tests. */
int zci_numa_of_pci_at(const char *root, const char *address);

/* The calling thread's memory policy, while another is set. */
struct zci_numa_hold {
    int held, mode;
    unsigned long mask[ZCI_MAX_NODES / (8 * sizeof(unsigned long))];
};

/* Memory that is touched or pinned from now on comes from `node` where there is some, else from elsewhere. Nothing
 * happens for -1, or where the system refuses. */
void zci_numa_prefer(int node, struct zci_numa_hold *hold);
void zci_numa_restore(const struct zci_numa_hold *hold);

#endif
