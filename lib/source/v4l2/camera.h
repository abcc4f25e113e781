/* SPDX-License-Identifier: MIT */
/* The camera as a source: the object that the files of this folder share. */
#ifndef ZCI_SOURCE_V4L2_CAMERA_H
#define ZCI_SOURCE_V4L2_CAMERA_H

#include "os/fork_guard.h"
#include "source/source.h"
#include "source/v4l2/reconnect.h"
#include "source/v4l2/buffers.h"
#include "source/v4l2/handle.h"
#include "source/v4l2/negotiate.h"
#include "source/v4l2/sequence.h"
#include "source/v4l2/watchdog.h"

struct zci_v4l2_camera {
    struct zcs_source head;
    struct zci_v4l2_device dev;
    struct zcs_camera handle; /* its controls */
    struct zci_v4l2_agreed agreed;
    enum zcs_path wanted_path; /* NONE: the whole ladder */
    int64_t stall_ns;
    enum zcs_role role; /* of the slots, and how many were wanted */
    uint32_t slots;
    struct zci_v4l2_reconnect reconnect;
    struct zci_v4l2_buffers buffers;
    struct zci_v4l2_sequence sequence;
    struct zci_v4l2_watchdog watchdog;
    struct zci_fork_guard
        fork_guard; /* the process that opened it; its child has the same open node */
    int streaming;
    uint32_t failed_in_row; /* DQBUF with EIO */
    uint32_t empty_looks;   /* DQBUF in a row that gave nothing */
    int64_t
        rest_until_ns; /* poll tells of an error, and DQBUF of none: the descriptor is let be; 0: not */
    uint32_t after_signal; /* frames since the driver told of another signal */
    uint32_t told;         /* bit 1 << enum zcs_loss: the first of these was logged */
    char reason[512];      /* head.path_reason */
};

/* zcs_source_open_v4l2 on the calls given. */
zcs_status zci_v4l2_open(zcs_context *ctx, const struct zcs_v4l2_params *params,
                         const struct zci_v4l2_calls *calls, zcs_source **out);

#endif
