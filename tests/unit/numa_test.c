/* SPDX-License-Identifier: MIT */
/* Memory nodes: a device's from a made-up sysfs, and the thread's policy set and put back. */
#define _DEFAULT_SOURCE /* syscall */
#include "check.h"

#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "os/numa.h"

static char root[] = "/tmp/zcs-numa-XXXXXX";

static void put(const char *path, const char *text)
{
    char full[256];
    snprintf(full, sizeof full, "%s/%s", root, path);
    for (char *slash = full + strlen(root) + 1; (slash = strchr(slash, '/')) != NULL; slash++) {
        *slash = '\0';
        (void)mkdir(full, 0700);
        *slash = '/';
    }
    FILE *file = fopen(full, "w");
    CHECK(file != NULL);
    fputs(text, file);
    fclose(file);
}

static void check_nodes(void)
{
    CHECK(mkdtemp(root) != NULL);
    CHECK_EQ(zci_numa_of_pci_at(root, "0000:3B:00.0"), -1); /* nothing is there */
    put("sys/bus/pci/devices/0000:3b:00.0/numa_node", "1\n");
    put("sys/bus/pci/devices/0000:86:00.0/numa_node", "-1\n");
    put("sys/devices/system/node/online", "0\n");
    CHECK_EQ(zci_numa_of_pci_at(root, "0000:3B:00.0"), -1); /* one node */
    put("sys/devices/system/node/online", "0-1\n");
    CHECK_EQ(zci_numa_of_pci_at(root, "0000:3B:00.0"), 1);
    CHECK_EQ(zci_numa_of_pci_at(root, "0000:86:00.0"), -1); /* the firmware does not say */
    CHECK_EQ(zci_numa_of_pci_at(root, "0000:99:00.0"), -1);
    CHECK_EQ(zci_numa_of_pci_at(root, "../0000:3b:00.0"), -1);
    CHECK_EQ(zci_numa_of_pci_at(root, ""), -1);
    char command[64];
    snprintf(command, sizeof command, "rm -r %s", root);
    CHECK_EQ(system(command), 0);
}

static long mode(void)
{
    int now = -1;
    return syscall(SYS_get_mempolicy, &now, NULL, 0UL, NULL, 0UL) == 0 ? now : -1;
}

static void check_policy(void)
{
    struct zci_numa_hold hold;
    const long before = mode();
    if (before < 0)
        SKIP("this system has no memory policies");
    zci_numa_prefer(-1, &hold);
    CHECK(!hold.held && mode() == before);
    zci_numa_restore(&hold);
    zci_numa_prefer(63, &hold); /* a node that there is not: refused */
    CHECK(!hold.held && mode() == before);
    zci_numa_restore(&hold);
    zci_numa_prefer(0, &hold);
    CHECK(hold.held && mode() == 1);
    struct zci_numa_hold inner;
    zci_numa_prefer(0, &inner);
    zci_numa_restore(&inner);
    CHECK_EQ(mode(), 1);
    zci_numa_restore(&hold);
    CHECK_EQ(mode(), before);
}

int main(void)
{
    check_nodes();
    check_policy();
    return 0;
}
