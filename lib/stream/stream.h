/* SPDX-License-Identifier: MIT */
/* The stream object: what zcs_stream_create builds and zcs_stream_next runs.
 *
 *   source --intake--> slot --frame contexts of each branch--> results --> application
 *
 * The only place that knows sources and backends. */
#ifndef ZCI_STREAM_STREAM_H
#define ZCI_STREAM_STREAM_H

#include "zcstream/latency.h"
#include "context/context.h"
#include "core/route.h"
#include "stream/drift.h"
#include "stream/inflight.h"
#include "stream/intake.h"
#include "stream/waiter.h"

/* One chain of a stream: its frame contexts, results and route. A broadcast has several, whose
 * frames are the same slots; every other stream has one. */
struct zci_branch {
    uint32_t index;
    struct zci_plan plan;
    struct zci_inflight inflight;
    struct zci_pool *results;
    enum zcs_route route;
    const char *route_reason; /* static, or the text of `choice` */
    struct zci_route_choice choice;
    /* the routes to choose among, bits 1 << enum zcs_route; 0: there is nothing to choose */
    uint32_t candidates;
    struct zci_drift drift; /* of frames on the chosen route */
    int drifted;            /* 1: measure again as soon as no frame context is busy */
};

#define ZCI_FRESHNESS_FRAMES 8u /* twice each slot of a usual stream */

struct zci_freshness {
    enum zcs_freshness state;
    uint32_t frames; /* frames checked */
    int64_t ns;      /* time that the checks took, together */
};

/* How long the frames took, leg by leg. {0}: there was no frame so far. */
struct zci_timing {
    struct zcs_histogram legs[ZCS_LATENCY_LEGS];
    uint64_t without;
    const char *because;
};

/* Low latency: what the persistent kernels of the stream's devices reserve. */
struct zci_latency {
    uint32_t reserved_sms; /* of all devices together, at the start */
    const char *reason;    /* static; why a device reserves none, or NULL */
};

struct zcs_stream {
    zcs_context *ctx;
    struct zci_backend *backend; /* a reference */
    zcs_source *source;
    struct zci_waiter waiter;
    uint32_t fd_epoch; /* version of the source's descriptor that the waiter has */
    struct zci_intake intake;
    struct zci_branch *branches; /* at least one */
    uint32_t branch_count;
    uint32_t turn; /* the branch whose result is handed out next */
    /* 1: of the frame whose results are being handed out, an earlier result failed */
    int turn_failed;
    enum zcs_dispatch dispatch;
    enum zcs_wait wait;
    void (*tap)(void *user, const struct zcs_frame *captured); /* NULL: none */
    void *tap_user;
    enum zcs_memory memory;
    uint32_t slots; /* the number that the source was asked for */
    struct zci_memory
        sample; /* a frame to measure routes with, if slots have no memory; bytes 0: none */
    struct zci_freshness freshness;
    struct zci_latency latency;
    struct zci_timing timing;
    uint64_t processed, failed, cpu_bytes_copied;
    int stopped;       /* the application stopped it */
    zcs_status broken; /* < 0: every further call of zcs_stream_next returns this */
};

/* Adds the durations of a result of `source`. */
void zci_timing_add(struct zci_timing *timing, const zcs_source *source,
                    const struct zcs_frame *result);

/* The number of frames that branches are processing. */
uint32_t zci_stream_busy(const struct zcs_stream *stream);

/* How long an endless wait lasts while only the application can end it. */
#define ZCI_STUCK_WAIT_NS INT64_C(1000000000)

/* 1: nothing is in flight and nothing can be, because the application holds all results, or all of
 * one chain of several. */
int zci_stream_is_stuck(const struct zcs_stream *stream);

#endif
