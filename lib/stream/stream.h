/* SPDX-License-Identifier: MIT */
/* The stream object: what zcs_stream_create builds and zcs_stream_next runs.
 *
 *   source --intake--> slot --frame contexts of each branch--> results --> application
 *
 * The only place that knows sources and backends. */
#ifndef ZCI_STREAM_STREAM_H
#define ZCI_STREAM_STREAM_H

#include "context/context.h"
#include "stream/branch.h"
#include "stream/freshness.h"
#include "stream/intake.h"
#include "stream/timing.h"
#include "stream/low_latency.h"
#include "stream/waiter.h"

struct zcs_stream {
    zcs_context *ctx;
    struct zci_backend *backend; /* a reference */
    zcs_source *source;
    struct zci_waiter waiter;
    uint32_t fd_epoch; /* of the source's descriptor that the waiter has */
    struct zci_intake intake;
    struct zci_branch *branches; /* at least one */
    uint32_t branch_count;
    uint32_t turn;   /* whose result is handed out next */
    int turn_failed; /* of the frame whose turn it is, a result before was not to be had */
    enum zcs_dispatch dispatch;
    enum zcs_wait wait;
    void (*tap)(void *user, const struct zcs_frame *captured); /* NULL: none */
    void *tap_user;
    enum zcs_memory memory;
    uint32_t slots; /* asked of the source */
    struct zci_memory
        sample; /* a frame to measure routes with, where slots have no memory; bytes 0: none */
    struct zci_freshness freshness;
    struct zci_latency latency;
    struct zci_timing timing;
    uint64_t processed, failed, cpu_bytes_copied;
    int stopped;       /* by the application */
    zcs_status broken; /* < 0: what every further next returns */
};

/* Frames that some branch works on. */
uint32_t zci_stream_busy(const struct zcs_stream *stream);

/* How long an endless wait lasts when only the application can end it. */
#define ZCI_STUCK_WAIT_NS INT64_C(1000000000)

/* 1: nothing is in work, nor can be: the application holds all results, also those of one chain of several. */
int zci_stream_is_stuck(const struct zcs_stream *stream);

#endif
