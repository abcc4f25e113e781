/* SPDX-License-Identifier: MIT */
/* Latencies of frames, from the driver's time to the finished file: measured, reported, logged. */
#ifndef ZCAPP_RUN_LATENCY_H
#define ZCAPP_RUN_LATENCY_H

#include "zcstream/latency.h"

#include "app/cli/console.h"
#include "app/run/json.h"

/* The latency until the file is complete. It starts at the driver's time, if that can be compared
 * with CLOCK_MONOTONIC; at captured_ns; at result_ns. */
struct file_latency {
    struct zcs_histogram driver, capture, result;
};

/* The file of `frame` was complete at now_ns. `live` 0: the frame comes from a recording. */
void file_latency_add(struct file_latency *latency, const struct zcs_frame *frame, int live,
                      int64_t now_ns);

/* The latency of the frames of several streams. {0}: no frames yet. */
struct stream_latency {
    struct zcs_histogram legs[ZCS_LATENCY_LEGS];
    uint64_t without; /* as in struct zcs_latency */
    const char *because;
};

/* Adds the measurements of a stream. */
void stream_latency_add(struct stream_latency *latency, const zcs_stream *stream);

/* The sum of earlier streams and of the current one (may be NULL). */
void stream_latency_legs(const struct stream_latency *before, const zcs_stream *stream,
                         struct zcs_latency legs[ZCS_LATENCY_LEGS]);

struct latency_summary {
    struct zcs_latency legs[ZCS_LATENCY_LEGS]; /* of the input's streams */
    const struct file_latency *files;          /* NULL: none */
    enum zcs_clock clock;                      /* the clock of the latest frame's time */
    int exposure_start;                        /* 1: that time is the start of the exposure */
};

/* Writes "latency_us" and "timestamps" into the report. */
void latency_put(struct json *json, const struct latency_summary *summary);

/* Logs a line for each leg at level INFO, after `label` (may be NULL). */
void latency_log(const struct latency_summary *summary, const char *label, struct console *console);

#endif
