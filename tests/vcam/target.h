/* SPDX-License-Identifier: MIT */
/* The program that is watched: its memory, descriptors and mappings, from outside.
 *
 * Failures are negative errno values. `tid` may be any thread's, `pid` is the process's. */
#ifndef VCAM_TARGET_H
#define VCAM_TARGET_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

int vcam_target_read(pid_t tid, uint64_t from, void *to, size_t bytes);
int vcam_target_write(pid_t tid, uint64_t to, const void *from, size_t bytes);
/* Cut off at room - 1 characters. */
int vcam_target_string(pid_t tid, uint64_t from, char *to, size_t room);

pid_t vcam_target_process(pid_t tid);
/* A descriptor of ours for the same open file; the caller closes it. */
int vcam_target_descriptor(pid_t pid, int fd);
/* Whether all of these bytes are mapped for reading and writing. */
int vcam_target_writable(pid_t pid, uint64_t at, size_t bytes);
/* Whether a file with this inode is mapped anywhere. */
int vcam_target_maps(pid_t pid, uint64_t inode);
/* Whether a signal that the thread does not block waits for it. */
int vcam_target_signalled(pid_t tid);
uint64_t vcam_inode(int fd);

#endif
