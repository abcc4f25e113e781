/* SPDX-License-Identifier: MIT */
/* Latency: a histogram of durations, and what a stream measured of its frames. */
#ifndef ZCSTREAM_LATENCY_H
#define ZCSTREAM_LATENCY_H

#include "zcstream/stream.h"

#ifdef __cplusplus
extern "C" {
#endif

#define ZCS_HISTOGRAM_SUB_BITS 6 /* each octave has 2^6 buckets of equal width */
#define ZCS_HISTOGRAM_BUCKETS ((64 - ZCS_HISTOGRAM_SUB_BITS + 1) << ZCS_HISTOGRAM_SUB_BITS)

/* Durations in memory of fixed size. Percentiles are exact within 1.6 percent. {0} is empty.
 * Threads: one at a time. */
struct zcs_histogram {
    uint64_t buckets[ZCS_HISTOGRAM_BUCKETS];
    uint64_t count;
    uint64_t max_ns;
};

/* Negative durations count as 0. */
void zcs_histogram_add(struct zcs_histogram *histogram, int64_t duration_ns);

/* Nearest-rank percentile: the upper end of its bucket. 0 if the histogram is empty. */
uint64_t zcs_histogram_percentile(const struct zcs_histogram *histogram, unsigned percent);

/* Adds the durations of `from` to `to`. */
void zcs_histogram_merge(struct zcs_histogram *to, const struct zcs_histogram *from);

/* The legs of a result's way.
 *   driver   zcs_frame.time_ns: the end of the frame, or with ZCS_FRAME_EXPOSURE_START the start of
 *            its exposure
 *   capture  captured_ns: the library has the frame
 *   result   result_ns: the library saw the complete result, in order. The result lies in host
 *            memory, or with device_results in device memory */
enum zcs_latency_leg {
    ZCS_LATENCY_DRIVER_TO_CAPTURE,
    ZCS_LATENCY_CAPTURE_TO_RESULT,
    ZCS_LATENCY_DRIVER_TO_RESULT,
    ZCS_LATENCY_LEGS
};
struct zcs_latency {
    uint64_t count; /* frames; 0: the percentiles are meaningless */
    uint64_t p50_ns;
    uint64_t p95_ns;
    uint64_t p99_ns;
    uint64_t max_ns;
    uint64_t without;    /* frames whose driver time is not comparable with the other times */
    const char *because; /* why the latest of them is not; NULL: all are. Static storage */
};
/* Of all results so far. */
void zcs_stream_latency(const zcs_stream *stream, enum zcs_latency_leg leg,
                        struct zcs_latency *out);

/* The histogram itself, to merge the histograms of several streams, for example of a camera that
 * changed its frame size. The stream owns it. NULL: no such leg. */
const struct zcs_histogram *zcs_stream_histogram(const zcs_stream *stream,
                                                 enum zcs_latency_leg leg);

/* Why the frame's time_ns is not comparable with CLOCK_MONOTONIC; NULL: it is. `live` 0: the frame
 * comes from a recording. Static storage. Any thread. */
const char *zcs_frame_time_refused(const struct zcs_frame *frame, int live);

#ifdef __cplusplus
}
#endif
#endif
