/* SPDX-License-Identifier: MIT */
/* What a stream reports of itself: counts, devices, and how long frames took. */
#include "stream/stream.h"

#include <string.h>

/* A device is lost once one of the chains has found it so. */
static void fill_devices(const struct zcs_stream *stream, struct zcs_stream_stats *out)
{
    const struct zci_inflight *inflight = &stream->branches[0].inflight;
    out->device_count = inflight->params.device_count;
    for (uint32_t i = 0; i < out->device_count; i++)
        out->devices[i].index = inflight->entries[i].device;
    for (uint32_t b = 0; b < stream->branch_count; b++) {
        out->redone += stream->branches[b].inflight.redone;
        for (uint32_t i = 0; i < out->device_count; i++) {
            const struct zci_entry *entry = &stream->branches[b].inflight.entries[i];
            out->devices[i].lost |= entry->lost;
            out->devices[i].frames += entry->frames;
        }
    }
    for (uint32_t i = 0; i < out->device_count; i++)
        out->devices_lost += out->devices[i].lost != 0;
}

/* A device that was taken out reserves nothing any more. */
static void fill_latency(const struct zcs_stream *stream, struct zcs_stream_stats *out)
{
    for (uint32_t b = 0; b < stream->branch_count; b++)
        for (uint32_t i = 0; i < stream->branches[b].inflight.count; i++)
            out->reserved_sms += stream->branches[b].inflight.flights[i].reserved_sms;
    out->low_latency_reason = stream->latency.reason;
    if (out->reserved_sms < stream->latency.reserved_sms)
        out->low_latency_reason = "a device that held some was taken out";
}

void zcs_stream_stats(const zcs_stream *stream, struct zcs_stream_stats *out)
{
    const struct zci_branch *first = &stream->branches[0];
    *out = (struct zcs_stream_stats){
        .captured = stream->intake.captured,
        .skipped = stream->intake.skipped,
        .processed = stream->processed,
        .cpu_bytes_copied = stream->cpu_bytes_copied,
        .path = stream->source->path,
        .route = first->route,
        .route_reason = first->route_reason,
        .memory = stream->memory,
        .freshness = stream->freshness.state,
        .fresh_frames = stream->freshness.frames,
        .fresh_ns = stream->freshness.ns,
        .slots = stream->source->pool != NULL ? zci_pool_count(stream->source->pool) : 0,
        .image = first->plan.result,
    };
    for (uint32_t i = 0; i < stream->branch_count; i++)
        out->in_flight += stream->branches[i].inflight.count;
    fill_devices(stream, out);
    fill_latency(stream, out);
    for (int i = 0; i < ZCS_LOSS_COUNT; i++)
        out->lost[i] = stream->source->lost[i];
    out->lost[ZCS_LOSS_ERROR] += stream->failed;
    out->lost[ZCS_LOSS_STALE] += stream->freshness.state == ZCS_FRESHNESS_STALE;
    out->lost[ZCS_LOSS_POLICY] += stream->intake.dropped;
}

zcs_status zcs_stream_image(const zcs_stream *stream, uint32_t chain, struct zcs_image *out)
{
    if (stream == NULL || out == NULL || chain >= stream->branch_count)
        return ZCS_ERR_ARG;
    *out = stream->branches[chain].plan.result;
    return ZCS_OK;
}

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
