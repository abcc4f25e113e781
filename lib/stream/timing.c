/* SPDX-License-Identifier: MIT */
/* How long a stream's frames took, leg by leg. */
#include "stream/timing.h"

#include <string.h>

#include "stream/stream.h"

const char *zcs_frame_time_refused(const struct zcs_frame *frame, int live)
{
    switch (frame->clock) {
    case ZCS_CLOCK_NONE:
        return "frames have no time";
    case ZCS_CLOCK_MEDIA:
        return "times count from the input's own start, or were copied from a feeder";
    case ZCS_CLOCK_UNKNOWN:
        return "the driver does not say what clock its times are of";
    case ZCS_CLOCK_MONOTONIC:
        break;
    }
    if (!live)
        return "times are those of a recording";
    if (frame->time_ns < 0)
        return "the driver's times are negative";
    return frame->time_ns > frame->captured_ns ? "the driver's times are later than the frames"
                                               : NULL;
}

void zci_timing_add(struct zci_timing *timing, const zcs_source *source,
                    const struct zcs_frame *result)
{
    const int live = strcmp(source->ops->kind, "replay") != 0;
    const char *because = zcs_frame_time_refused(result, live);
    zcs_histogram_add(&timing->legs[ZCS_LATENCY_CAPTURE_TO_RESULT],
                      result->result_ns - result->captured_ns);
    if (because != NULL) {
        timing->without++;
        timing->because = because;
        return;
    }
    zcs_histogram_add(&timing->legs[ZCS_LATENCY_DRIVER_TO_CAPTURE],
                      result->captured_ns - result->time_ns);
    zcs_histogram_add(&timing->legs[ZCS_LATENCY_DRIVER_TO_RESULT],
                      result->result_ns - result->time_ns);
}

const struct zcs_histogram *zcs_stream_histogram(const zcs_stream *stream, enum zcs_latency_leg leg)
{
    return (unsigned)leg < ZCS_LATENCY_LEGS ? &stream->timing.legs[leg] : NULL;
}

void zcs_stream_latency(const zcs_stream *stream, enum zcs_latency_leg leg, struct zcs_latency *out)
{
    const struct zci_timing *timing = &stream->timing;
    if ((unsigned)leg >= ZCS_LATENCY_LEGS) {
        *out = (struct zcs_latency){.count = 0};
        return;
    }
    const struct zcs_histogram *of = &timing->legs[leg];
    *out = (struct zcs_latency){
        .count = of->count,
        .p50_ns = zcs_histogram_percentile(of, 50),
        .p95_ns = zcs_histogram_percentile(of, 95),
        .p99_ns = zcs_histogram_percentile(of, 99),
        .max_ns = of->max_ns,
    };
    if (leg == ZCS_LATENCY_CAPTURE_TO_RESULT)
        return;
    out->without = timing->without;
    out->because = timing->because;
}
