/* SPDX-License-Identifier: MIT */
/* NUMA nodes: which node a device belongs to, and preferring that node for memory. */
#ifndef ZCI_OS_NUMA_H
#define ZCI_OS_NUMA_H

#define ZCI_MAX_NODES 64

/* The node of the PCI device at `address`, such as 0000:3B:00.0; -1: unknown, or the machine has
 * one node. */
int zci_numa_of_pci(const char *address);

/* The same with sysfs below `root` ("" is this machine): for tests. */
int zci_numa_of_pci_at(const char *root, const char *address);

/* The calling thread's saved memory policy. */
struct zci_numa_hold {
    int held; /* 1: another policy is set */
    int mode;
    unsigned long mask[ZCI_MAX_NODES / (8 * sizeof(unsigned long))];
};

/* From now on the thread's memory comes from `node`, or from another node when that one is full.
 * Has no effect for -1, or where the system refuses. */
void zci_numa_prefer(int node, struct zci_numa_hold *hold);
void zci_numa_restore(const struct zci_numa_hold *hold);

#endif
