/* SPDX-License-Identifier: MIT */
/* The V4L2 source's object, which the files of this folder share. */
#ifndef ZCI_SOURCE_V4L2_SOURCE_H
#define ZCI_SOURCE_V4L2_SOURCE_H

#include "os/fork_guard.h"
#include "source/source.h"
#include "source/v4l2/buffers.h"
#include "source/v4l2/camera.h"
#include "source/v4l2/negotiate.h"
#include "source/v4l2/watchdog.h"

struct zci_v4l2_reconnect {
    int64_t limit_ns;      /* 0: no reconnect, a camera that disconnects ends the source */
    int64_t lost_since_ns; /* CLOCK_MONOTONIC; 0: it is connected */
    int64_t give_up_ns;    /* when waiting ends */
    int64_t next_probe_ns; /* when it is looked for next */
    int64_t last_frame_ns; /* when the latest frame came; 0: none did */
    uint8_t resumed;       /* no frame has come since capture resumed */
    uint8_t delivered;     /* a good frame has come since then */
    char *device, *input;  /* copies of the texts of `params` */
    struct zcs_v4l2_params params;
    struct zci_v4l2_identity identity;
    struct zci_v4l2_snapshot snapshot;
    struct zci_log warning_log; /* the source's log, with errors as warnings: they end nothing */
    struct zci_log probe_log;   /* keeps the first error in `error` */
    char error[256];            /* why a camera that was found could not be reopened */
};

/* A driver's 32-bit frame numbers as 64-bit numbers that only grow. {0} before the first frame. */
struct zci_v4l2_sequence {
    uint64_t number;    /* of the latest frame */
    uint64_t accounted; /* frames lost since then that head.lost already has */
    uint32_t last;      /* the driver's number of the latest frame */
    uint8_t started;
    uint8_t restarted; /* the driver starts to count again: its next number shows no gap */
};

struct zci_v4l2_source {
    struct zcs_source head;
    struct zci_v4l2_device dev;
    struct zcs_camera camera;
    struct zci_v4l2_negotiated negotiated;
    enum zcs_path wanted_path; /* NONE: any memory mode */
    int64_t stall_ns;
    enum zcs_role role; /* of the slots */
    uint32_t slots;     /* wanted */
    struct zci_v4l2_reconnect reconnect;
    struct zci_v4l2_buffers buffers;
    struct zci_v4l2_sequence sequence;
    struct zci_v4l2_watchdog watchdog;
    struct zci_fork_guard fork_guard; /* a forked child inherits the open node */
    int streaming;
    uint32_t failed_dequeues; /* in a row, with EIO */
    uint32_t empty_dequeues;  /* in a row, with EAGAIN */
    int64_t
        backoff_until_ns; /* the descriptor is neither polled nor read until then; 0: no backoff */
    size_t mode;          /* memory_mode.c's, in use */
    uint8_t mode_proven;  /* it has given a good frame */
    uint32_t frames_after_change; /* since the driver reported a source change */
    uint32_t logged;              /* bit 1 << enum zcs_loss: the first of these was logged */
    char reason[512];             /* head.path_reason */
};

/* zcs_source_open_v4l2 with the given calls. */
zcs_status zci_v4l2_open(zcs_context *ctx, const struct zcs_v4l2_params *params,
                         const struct zci_v4l2_calls *calls, zcs_source **out);

#endif
