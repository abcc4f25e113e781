/* SPDX-License-Identifier: MIT */
/* A camera's device node: its permissions, the processes that have it open, its USB port. */
#include "app/doctor/device_node.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "app/doctor/machine.h"

#define HIGH_SPEED 480u /* Mbit/s of USB 2.0 */

static int in_group(gid_t group)
{
    gid_t groups[256];
    const int count = getgroups(256, groups);
    for (int i = 0; i < count; i++)
        if (groups[i] == group)
            return 1;
    return getegid() == group;
}

static void advise_permission(const char *device, const struct stat *node,
                              struct findings *findings)
{
    const struct group *group = getgrgid(node->st_gid);
    const char *name = group != NULL ? group->gr_name : "?";
    const int group_may = (node->st_mode & 060) == 060;
    if (group_may && node->st_gid != 0 && !in_group(node->st_gid))
        findings_advice(findings,
                        "your user may not open %s: 'sudo usermod -aG %s USER' and a new login put "
                        "it into the group that may",
                        device, name);
    else if (!group_may)
        findings_advice(findings,
                        "%s has mode %03o: no group may read and write it; a udev rule with "
                        "GROUP=\"video\", MODE=\"0660\" is usual",
                        device, (unsigned)node->st_mode & 0777);
    else
        findings_advice(findings,
                        "%s may not be opened although its group is '%s': is this a container "
                        "without the device?",
                        device, name);
}

static void advise_missing(const char *device, int error, struct findings *findings)
{
    if (error != ENOENT)
        findings_advice(findings, "%s cannot be looked at", device);
    else if (machine_container() != NULL)
        findings_advice(findings,
                        "there is no %s in this container: it is to be passed in, as by docker run "
                        "--device %s; or it is not plugged in",
                        device, device);
    else
        findings_advice(findings,
                        "there is no %s: is the camera plugged in, and its driver loaded? 'dmesg' "
                        "may say; zcapp --list-devices names those that are there",
                        device);
}

int device_node_check(const char *device, struct findings *findings)
{
    struct stat node;
    if (stat(device, &node) != 0) {
        const int error = errno;
        findings_fact(findings, "node", "%s: %s", device, strerror(error));
        advise_missing(device, error, findings);
        return 0;
    }
    const struct group *group = getgrgid(node.st_gid);
    findings_fact(findings, "node", "%s, mode %03o, group %s", device,
                  (unsigned)node.st_mode & 0777, group != NULL ? group->gr_name : "?");
    if (access(device, R_OK | W_OK) == 0)
        return 1;
    advise_permission(device, &node, findings);
    return 0;
}

/* 1: process `pid` has the node open. */
static int has_open(const char *pid, dev_t node)
{
    char folder[300], path[600];
    int found = 0;
    snprintf(folder, sizeof folder, "/proc/%s/fd", pid);
    DIR *dir = opendir(folder);
    for (const struct dirent *entry; dir != NULL && !found && (entry = readdir(dir)) != NULL;) {
        struct stat there;
        snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        found = stat(path, &there) == 0 && S_ISCHR(there.st_mode) && there.st_rdev == node;
    }
    if (dir != NULL)
        closedir(dir);
    return found;
}

unsigned device_node_holders(const char *device, struct findings *findings)
{
    struct stat node;
    unsigned count = 0;
    DIR *dir = stat(device, &node) == 0 ? opendir("/proc") : NULL;
    for (const struct dirent *entry; dir != NULL && (entry = readdir(dir)) != NULL;) {
        char path[300], name[64];
        if (!isdigit((unsigned char)entry->d_name[0]) || atol(entry->d_name) == (long)getpid() ||
            !has_open(entry->d_name, node.st_rdev))
            continue;
        snprintf(path, sizeof path, "/proc/%s/comm", entry->d_name);
        (void)machine_read_line(path, name, sizeof name);
        findings_fact(findings, "open in", "process %s (%s)", entry->d_name, name);
        count++;
    }
    if (dir != NULL)
        closedir(dir);
    return count;
}

/* Reads a file of the USB device, the parent of the node's interface. */
static void read_usb(const struct stat *node, const char *name, char *out, size_t bytes)
{
    char path[128];
    snprintf(path, sizeof path, "/sys/dev/char/%u:%u/device/../%s", major(node->st_rdev),
             minor(node->st_rdev), name);
    (void)machine_read_line(path, out, bytes);
}

unsigned device_node_usb(const char *device, struct findings *findings)
{
    struct stat node;
    char speed[32], version[32], bus[32];
    if (stat(device, &node) != 0 || !S_ISCHR(node.st_mode))
        return 0;
    read_usb(&node, "speed", speed, sizeof speed);
    read_usb(&node, "version", version, sizeof version);
    read_usb(&node, "busnum", bus, sizeof bus);
    const unsigned mbit = (unsigned)strtoul(speed, NULL, 10);
    if (mbit == 0)
        return 0;
    const char *usb = version + strspn(version, " ");
    findings_fact(findings, "usb", "%s Mbit/s, bus %s, the device is of USB %s", speed, bus, usb);
    if (mbit < HIGH_SPEED)
        findings_advice(findings,
                        "the camera runs at %s Mbit/s, slower than USB 2.0: another cable or port, "
                        "without an old hub between",
                        speed);
    else if (mbit == HIGH_SPEED && strtod(usb, NULL) > 2.0)
        findings_advice(findings,
                        "the camera says USB %s and runs at 480 Mbit/s: if it is made for USB 3, a "
                        "USB 3 port and cable make it faster",
                        usb);
    return mbit;
}
