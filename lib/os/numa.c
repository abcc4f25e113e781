/* SPDX-License-Identifier: MIT */
/* NUMA nodes from sysfs, and the two system calls for memory policy, which the C library does not
 * wrap. */
#define _DEFAULT_SOURCE /* syscall */
#include "os/numa.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define PREFERRED 1 /* MPOL_PREFERRED */
#define PATH_BYTES 512

/* One node: "0". Several: "0-1", "0,2". */
static int has_several(const char *root)
{
    char path[PATH_BYTES], text[64] = "";
    snprintf(path, sizeof path, "%s/sys/devices/system/node/online", root);
    FILE *file = fopen(path, "r");
    if (file == NULL)
        return 0;
    const size_t got = fread(text, 1, sizeof text - 1, file);
    fclose(file);
    text[got] = '\0';
    return strpbrk(text, "-,") != NULL;
}

int zci_numa_of_pci_at(const char *root, const char *address)
{
    char path[PATH_BYTES], lower[32];
    int node = -1;
    size_t i = 0;
    for (; address[i] != '\0' && i + 1 < sizeof lower; i++)
        lower[i] = (char)tolower((unsigned char)address[i]);
    lower[i] = '\0';
    if (i == 0 || strchr(lower, '/') != NULL || !has_several(root))
        return -1;
    snprintf(path, sizeof path, "%s/sys/bus/pci/devices/%s/numa_node", root, lower);
    FILE *file = fopen(path, "r");
    if (file == NULL)
        return -1;
    if (fscanf(file, "%d", &node) != 1 || node < 0 || node >= ZCI_MAX_NODES)
        node = -1;
    fclose(file);
    return node;
}

int zci_numa_of_pci(const char *address)
{
    return zci_numa_of_pci_at("", address);
}

void zci_numa_prefer(int node, struct zci_numa_hold *hold)
{
    *hold = (struct zci_numa_hold){.held = 0};
#if defined(SYS_get_mempolicy) && defined(SYS_set_mempolicy)
    unsigned long mask[sizeof hold->mask / sizeof *hold->mask] = {0};
    const unsigned long max = ZCI_MAX_NODES + 1; /* the kernel counts one less */
    if (node < 0 || node >= ZCI_MAX_NODES ||
        syscall(SYS_get_mempolicy, &hold->mode, hold->mask, (unsigned long)ZCI_MAX_NODES, NULL,
                0UL) != 0)
        return;
    mask[(unsigned)node / (8 * sizeof *mask)] |= 1UL << (unsigned)node % (8 * sizeof *mask);
    hold->held = syscall(SYS_set_mempolicy, PREFERRED, mask, max) == 0;
#else
    (void)node;
#endif
}

void zci_numa_restore(const struct zci_numa_hold *hold)
{
#if defined(SYS_set_mempolicy)
    if (hold->held)
        (void)!syscall(SYS_set_mempolicy, hold->mode, hold->mask, (unsigned long)ZCI_MAX_NODES + 1);
#else
    (void)hold;
#endif
}
