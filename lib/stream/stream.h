/* SPDX-License-Identifier: MIT */
/* The stream object: what zcs_stream_create builds and zcs_stream_next runs.
 *
 *   source --intake--> slot --lanes--> result --> application
 *
 * The only place that knows sources and backends. */
#ifndef ZCI_STREAM_STREAM_H
#define ZCI_STREAM_STREAM_H

#include "core/drift.h"
#include "core/route.h"
#include "frame/context.h"
#include "stream/freshness.h"
#include "stream/intake.h"
#include "stream/lanes.h"
#include "stream/timing.h"
#include "stream/waiter.h"

struct zcs_stream {
    zcs_context *ctx;
    struct zci_backend *backend; /* a reference */
    zcs_source *source;
    struct zci_plan plan;
    struct zci_waiter waiter;
    struct zci_intake intake;
    struct zci_lanes lanes;
    struct zci_pool *results;
    enum zcs_route route;
    const char *route_reason; /* static, or choice.reason */
    struct zci_route_choice choice;
    uint32_t candidates; /* bits 1 << enum zcs_route: those to choose among; 0: nothing to choose */
    struct zci_drift drift; /* of frames on the chosen route */
    int drifted;            /* 1: measure anew as soon as no lane is busy */
    enum zcs_wait wait;
    void (*tap)(void *user, const struct zcs_frame *captured); /* NULL: none */
    void *tap_user;
    enum zcs_memory memory;
    uint32_t slots; /* asked of the source */
    struct zci_freshness freshness;
    struct zci_timing timing;
    uint64_t processed, failed, cpu_bytes_copied;
    zcs_status broken; /* < 0: what every further next returns */
};

#endif
