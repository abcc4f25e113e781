/* SPDX-License-Identifier: MIT */
/* How long frames take: a histogram for anything, and what a stream has measured of its frames. */
#ifndef ZCSTREAM_LATENCY_H
#define ZCSTREAM_LATENCY_H

#include "zcstream/stream.h"

#ifdef __cplusplus
extern "C" {
#endif

#define ZCS_HISTOGRAM_SUB_BITS 6 /* each octave has so many equal buckets: 2^6 */
#define ZCS_HISTOGRAM_BUCKETS ((64 - ZCS_HISTOGRAM_SUB_BITS + 1) << ZCS_HISTOGRAM_SUB_BITS)

/* Durations, in fixed memory: percentiles within 1.6 percent, however many there are. {0} is empty. Threads: one at
 * a time. */
struct zcs_histogram {
    uint64_t buckets[ZCS_HISTOGRAM_BUCKETS];
    uint64_t count;
    uint64_t max_ns;
};

/* Negative durations count as 0. */
void zcs_histogram_add(struct zcs_histogram *histogram, int64_t duration_ns);

/* The least duration that `percent` of all do not exceed (nearest rank; the upper end of its bucket). 0 when
 * empty. */
uint64_t zcs_histogram_percentile(const struct zcs_histogram *histogram, unsigned percent);

/* Adds all that `from` holds to `to`. */
void zcs_histogram_merge(struct zcs_histogram *to, const struct zcs_histogram *from);

/* The legs of a result's way. The driver's time is zcs_frame.time_ns, at the end of the frame or the start of its
 * exposure (ZCS_FRAME_EXPOSURE_START); capture is captured_ns, the frame in the library's hand; result is result_ns,
 * the result seen complete, in its turn, where results lie: in host memory, or with device_results on the device. */
enum zcs_latency_leg {
    ZCS_LATENCY_DRIVER_TO_CAPTURE,
    ZCS_LATENCY_CAPTURE_TO_RESULT,
    ZCS_LATENCY_DRIVER_TO_RESULT,
    ZCS_LATENCY_LEGS
};
struct zcs_latency {
    uint64_t count; /* frames; 0: the numbers below say nothing */
    uint64_t p50_ns, p95_ns, p99_ns, max_ns;
    uint64_t
        without; /* frames whose driver's time cannot be compared with the clock of the others ... */
    const char
        *because; /* ... and why the latest could not; NULL: there was none. Static storage */
};
/* Of all results so far. */
void zcs_stream_latency(const zcs_stream *stream, enum zcs_latency_leg leg,
                        struct zcs_latency *out);

/* The durations themselves, for adding up those of several streams, such as those of a camera whose frames get
 * another size. The stream's; NULL: no such leg. */
const struct zcs_histogram *zcs_stream_histogram(const zcs_stream *stream,
                                                 enum zcs_latency_leg leg);

/* Why the frame's time_ns cannot be compared with CLOCK_MONOTONIC times; NULL: it can. `live` 0: the frame was
 * recorded before. Static storage. Any thread. */
const char *zcs_frame_time_refused(const struct zcs_frame *frame, int live);

#ifdef __cplusplus
}
#endif
#endif
