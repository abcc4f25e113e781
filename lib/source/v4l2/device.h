/* SPDX-License-Identifier: MIT */
/* An open camera node: its capabilities, and how its failures are reported. */
#ifndef ZCI_SOURCE_V4L2_DEVICE_H
#define ZCI_SOURCE_V4L2_DEVICE_H

#include "core/log.h"
#include "source/v4l2/port.h"

struct zci_v4l2_device {
    struct zci_v4l2_port port; /* fd -1: closed */
    struct zci_v4l2_caps caps;
    char *path;
    const struct zci_log *log;
};

/* Opens the node and checks that it can capture video by streaming. Also after a failure `dev` may
 * be closed. */
zcs_status zci_v4l2_device_open(struct zci_v4l2_device *dev, const char *path,
                                const struct zci_v4l2_calls *calls, const struct zci_log *log);
void zci_v4l2_device_close(struct zci_v4l2_device *dev);

/* Opens a node of any kind; `caps` tells its kind. */
zcs_status zci_v4l2_device_open_any(struct zci_v4l2_device *dev, const char *path,
                                    const struct zci_v4l2_calls *calls, const struct zci_log *log);
/* Closes the node; `path` and `caps` stay. */
void zci_v4l2_device_close_node(struct zci_v4l2_device *dev);

/* 1: the driver fills buffers with the CPU, so slots should be cached memory. */
int zci_v4l2_device_cpu_writes(const struct zci_v4l2_device *dev);

/* 1: the writer of a loopback device may overwrite the driver's buffers while they are read, so
 * frames must be copied out of them. */
int zci_v4l2_device_shares_buffers(const struct zci_v4l2_device *dev);

/* The status that an errno of a call means. */
zcs_status zci_v4l2_status_of(const char *call, int error);

/* Logs "PATH: CALL: text of the errno: advice" and returns the status for it. */
zcs_status zci_v4l2_fail(const struct zci_v4l2_device *dev, const char *call, int error);

/* 1: `error` is EBUSY and the request should be repeated; a growing pause has passed. 0 after a few
 * tries. *tries starts at 0. */
int zci_v4l2_retry_busy(int error, unsigned *tries);

#endif
