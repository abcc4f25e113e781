/* SPDX-License-Identifier: MIT */
/* Reaches into the program by process_vm_readv, pidfd_getfd and /proc. */
#define _GNU_SOURCE /* process_vm_readv, syscall */
#include "vcam/target.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

int vcam_target_read(pid_t tid, uint64_t from, void *to, size_t bytes)
{
    const struct iovec local = {to, bytes}, remote = {(void *)(uintptr_t)from, bytes};
    const ssize_t got = process_vm_readv(tid, &local, 1, &remote, 1, 0);
    return got < 0 ? -errno : got == (ssize_t)bytes ? 0 : -EFAULT;
}

int vcam_target_write(pid_t tid, uint64_t to, const void *from, size_t bytes)
{
    const struct iovec local = {(void *)(uintptr_t)from, bytes};
    const struct iovec remote = {(void *)(uintptr_t)to, bytes};
    const ssize_t got = process_vm_writev(tid, &local, 1, &remote, 1, 0);
    return got < 0 ? -errno : got == (ssize_t)bytes ? 0 : -EFAULT;
}

/* Page by page, since what is behind the string need not be mapped. */
int vcam_target_string(pid_t tid, uint64_t from, char *to, size_t room)
{
    size_t have = 0;
    while (have + 1 < room) {
        size_t piece = 4096 - ((from + have) & 4095);
        if (piece > room - 1 - have)
            piece = room - 1 - have;
        const int error = vcam_target_read(tid, from + have, to + have, piece);
        if (error != 0)
            return error;
        if (memchr(to + have, '\0', piece) != NULL)
            return 0;
        have += piece;
    }
    to[have] = '\0';
    return 0;
}

/* The number behind `key` in /proc/TID/status. */
static int status_number(pid_t tid, const char *key, const char *scan, uint64_t *out)
{
    char name[64], line[256];
    snprintf(name, sizeof name, "/proc/%d/status", (int)tid);
    FILE *file = fopen(name, "re");
    if (file == NULL)
        return -errno;
    int found = 0;
    while (!found && fgets(line, sizeof line, file) != NULL)
        found = strncmp(line, key, strlen(key)) == 0 && sscanf(line + strlen(key), scan, out) == 1;
    fclose(file);
    return found ? 0 : -ENOENT;
}

pid_t vcam_target_process(pid_t tid)
{
    uint64_t pid = 0;
    return status_number(tid, "Tgid:", "%" SCNu64, &pid) == 0 ? (pid_t)pid : tid;
}

int vcam_target_signalled(pid_t tid)
{
    uint64_t own = 0, shared = 0, blocked = 0;
    (void)status_number(tid, "SigPnd:", "%" SCNx64, &own);
    (void)status_number(tid, "ShdPnd:", "%" SCNx64, &shared);
    (void)status_number(tid, "SigBlk:", "%" SCNx64, &blocked);
    return ((own | shared) & ~blocked) != 0;
}

int vcam_target_descriptor(pid_t pid, int fd)
{
    const int process = (int)syscall(SYS_pidfd_open, pid, 0);
    if (process < 0)
        return -errno;
    const int got = (int)syscall(SYS_pidfd_getfd, process, fd, 0);
    const int error = errno;
    close(process);
    return got < 0 ? -error : got;
}

/* Calls `visit` for each mapping until it returns other than 0, which is the result. */
static int each_mapping(pid_t pid,
                        int (*visit)(void *user, uint64_t first, uint64_t end, const char *mode,
                                     uint64_t inode),
                        void *user)
{
    char name[64], line[8192], mode[8];
    snprintf(name, sizeof name, "/proc/%d/maps", (int)pid);
    FILE *file = fopen(name, "re");
    if (file == NULL)
        return -errno;
    int result = 0;
    while (result == 0 && fgets(line, sizeof line, file) != NULL) {
        uint64_t first, end, inode;
        if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %7s %*s %*s %" SCNu64, &first, &end, mode,
                   &inode) == 4)
            result = visit(user, first, end, mode, inode);
    }
    fclose(file);
    return result;
}

struct range {
    uint64_t at, end;
};

/* Mappings come in order of their addresses. */
static int cover(void *user, uint64_t first, uint64_t end, const char *mode, uint64_t inode)
{
    struct range *range = user;
    (void)inode;
    if (end <= range->at)
        return 0;
    if (first > range->at || mode[0] != 'r' || mode[1] != 'w')
        return -EFAULT;
    range->at = end;
    return range->at >= range->end;
}

int vcam_target_writable(pid_t pid, uint64_t at, size_t bytes)
{
    struct range range = {at, at + bytes};
    return each_mapping(pid, cover, &range) == 1;
}

static int has_inode(void *user, uint64_t first, uint64_t end, const char *mode, uint64_t inode)
{
    (void)first, (void)end, (void)mode;
    return inode == *(const uint64_t *)user;
}

int vcam_target_maps(pid_t pid, uint64_t inode)
{
    return each_mapping(pid, has_inode, &inode) == 1;
}

uint64_t vcam_inode(int fd)
{
    struct stat info;
    return fstat(fd, &info) == 0 ? (uint64_t)info.st_ino : 0;
}
