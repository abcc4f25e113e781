/* SPDX-License-Identifier: MIT */
/* Source */
#ifndef ZCI_SOURCE_V4L2_SOURCE_H
#define ZCI_SOURCE_V4L2_SOURCE_H

#include "os/fork_guard.h"
#include "source/source.h"
#include "source/v4l2/buffers.h"
#include "source/v4l2/camera.h"
#include "source/v4l2/identity.h"
#include "source/v4l2/negotiate.h"
#include "source/v4l2/watchdog.h"

struct zci_v4l2_reconnect {
    int64_t limit_ns;     /* 0: a camera that goes ends the source */
    int64_t since_ns;     /* CLOCK_MONOTONIC when it went; 0: it is there */
    int64_t until_ns;     /* then it is given up */
    int64_t look_ns;      /* when it is looked for next */
    int64_t frame_ns;     /* when the latest frame came; 0: none did */
    uint8_t back;         /* no frame has come since it came back */
    uint8_t proven;       /* a good frame has */
    char *device, *input; /* the texts of `wanted` */
    struct zcs_v4l2_params wanted;
    struct zci_v4l2_identity identity;
    struct zci_v4l2_values values; /* of its controls */
    struct zci_log gentle;         /* the source's log, with errors as warnings: they end nothing */
    struct zci_log silent;         /* keeps the first error in `why` */
    char why[256];                 /* it was found, but not to be had */
};

/* {0} before the first frame. */
struct zci_v4l2_sequence {
    uint64_t number;  /* of the latest frame */
    uint64_t counted; /* frames lost since then that are in the ledger already */
    uint32_t last;    /* the driver's number of it */
    uint8_t started;
    uint8_t restarted; /* the driver begins to count anew: its next number says nothing */
};

struct zci_v4l2_source {
    struct zcs_source head;
    struct zci_v4l2_device dev;
    struct zcs_camera camera; /* its controls */
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
