/* SPDX-License-Identifier: MIT */
/* The camera's name in the file system: opened, looked at, asked for access. */
#ifndef VCAM_NODE_H
#define VCAM_NODE_H

#include <linux/seccomp.h>

#include "vcam/supervise.h"

/* A call about a path or a descriptor that is none of the cameras' goes on as it is. */
void vcam_node_open(struct vcam_supervisor *v, const struct seccomp_notif *n);
void vcam_node_stat(struct vcam_supervisor *v, const struct seccomp_notif *n);
void vcam_node_access(struct vcam_supervisor *v, const struct seccomp_notif *n);

#endif
