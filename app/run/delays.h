/* SPDX-License-Identifier: MIT */
/* How long frames took, from the driver's time to the file's appearance: measured, and told. */
#ifndef ZCAPP_RUN_DELAYS_H
#define ZCAPP_RUN_DELAYS_H

#include "zcstream/latency.h"

#include "app/cli/console.h"
#include "app/run/json.h"

/* Up to the file's appearance, from: the driver's time, where it can be compared; captured_ns;
 * result_ns. */
struct file_delays {
    struct zcs_histogram driver, capture, result;
};

/* The file of `frame` appeared at now_ns. `live` 0: the frame was recorded before. */
void file_delays_add(struct file_delays *delays, const struct zcs_frame *frame, int live,
                     int64_t now_ns);

/* Of a stream's frames; {0}: none so far. */
struct stream_delays {
    struct zcs_histogram legs[ZCS_LATENCY_LEGS];
    uint64_t without; /* as of struct zcs_latency */
    const char *because;
};

/* Adds what the stream has measured. */
void stream_delays_add(struct stream_delays *delays, const zcs_stream *stream);

/* Of streams before, and of the present one (may be NULL). */
void stream_delays_legs(const struct stream_delays *before, const zcs_stream *stream,
                        struct zcs_latency legs[ZCS_LATENCY_LEGS]);

struct delays {
    struct zcs_latency legs[ZCS_LATENCY_LEGS]; /* of the input's streams */
    const struct file_delays *files;           /* NULL: none */
    enum zcs_clock clock;                      /* of the latest frame, as the next */
    int exposure_start;                        /* its time is when the exposure began */
};

/* The report's latency_us and timestamps. */
void delays_put(struct json *json, const struct delays *delays);

/* A line for each leg, at level INFO, behind `label` where there is one. */
void delays_tell(const struct delays *delays, const char *label, struct console *console);

#endif
