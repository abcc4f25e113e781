/* SPDX-License-Identifier: MIT */
/* An open camera node: what it is, and how its failures are told. */
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

/* Opens the node, once, and checks that it delivers pictures. On failure `dev` may be closed all the same. */
zcs_status zci_v4l2_device_open(struct zci_v4l2_device *dev, const char *path,
                                const struct zci_v4l2_calls *calls, const struct zci_log *log);
void zci_v4l2_device_close(struct zci_v4l2_device *dev);

/* The same of a node of any kind: what it is shows in `caps`. */
zcs_status zci_v4l2_device_look(struct zci_v4l2_device *dev, const char *path,
                                const struct zci_v4l2_calls *calls, const struct zci_log *log);
/* Closes the node; what it was is still known. */
void zci_v4l2_device_leave(struct zci_v4l2_device *dev);

/* 1: the driver fills buffers with the CPU, so that slots should be cached memory. */
int zci_v4l2_device_cpu_writes(const struct zci_v4l2_device *dev);

/* 1: the driver's buffers are its feeder's as well, which writes into those that a reader has, so that they can
 * only be copied out of. */
int zci_v4l2_device_shares_buffers(const struct zci_v4l2_device *dev);

/* Logs "PATH: CALL: what errno says: what to do" and returns the status for it. */
zcs_status zci_v4l2_trouble(const struct zci_v4l2_device *dev, const char *call, int error);

/* Whether a request that failed with EBUSY should be made again: a few times, with growing pauses. *tries
 * begins at 0. */
int zci_v4l2_again(int error, unsigned *tries);

#endif
