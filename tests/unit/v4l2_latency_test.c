/* SPDX-License-Identifier: MIT */
/* Latency since the driver's timestamp: measured where the clock allows it, else refused with the
 * reason. */
#include "unit/v4l2_script.h"

#include "os/clock.h"

#define AGE_NS INT64_C(250000000) /* far more than any step of the test takes */

static struct script s;
static struct script_log text;

static struct script_frame frame_at(uint32_t sequence, uint32_t flags, int64_t time_ns)
{
    return (struct script_frame){.sequence = sequence,
                                 .bytes_used = SCRIPT_FULL,
                                 .flags = flags,
                                 .seconds = time_ns / 1000000000,
                                 .micro = time_ns % 1000000000 / 1000};
}

/* Runs `count` frames of these flags and times; *out and *flags are of the run and its last
 * frame. */
static void measure(uint32_t flags, int64_t time_ns, uint32_t count, struct zcs_latency *out,
                    uint32_t *last)
{
    struct script_frame frames[8];
    const struct zcs_v4l2_params params = {.device = "/dev/video7"};
    zcs_context *ctx = script_context(&text);
    zcs_source *source = NULL;
    zcs_stream *stream = NULL;
    struct zcs_latency all;
    script_init(&s);
    for (uint32_t i = 0; i < count; i++)
        frames[i] = frame_at(i, flags, time_ns);
    s.frames = frames;
    s.frame_count = count;
    s.endless = 0;
    CHECK_EQ(zci_v4l2_open(ctx, &params, &s.calls, &source), ZCS_OK);
    CHECK_EQ(zcs_stream_create(ctx, source, NULL, &stream), ZCS_OK);
    for (uint32_t i = 0; i < count; i++) {
        const struct zcs_frame *frame = NULL;
        CHECK_EQ(zcs_stream_next(stream, 1000000000, &frame), ZCS_OK);
        *last = frame->flags;
        zcs_frame_unref(&frame);
    }
    zcs_stream_latency(stream, ZCS_LATENCY_CAPTURE_TO_RESULT, &all);
    CHECK_EQ(all.count, count);
    CHECK(all.because == NULL);
    zcs_stream_latency(stream, ZCS_LATENCY_DRIVER_TO_RESULT, &all);
    zcs_stream_latency(stream, ZCS_LATENCY_DRIVER_TO_CAPTURE, out);
    CHECK_EQ(all.count, out->count);
    CHECK(all.p50_ns >= out->p50_ns);
    zcs_stream_destroy(&stream);
    zcs_source_close(&source);
    zcs_close(&ctx);
}

int main(void)
{
    struct zcs_latency got;
    uint32_t flags = 0;
    const int64_t now_ns = zci_now_ns();
    measure(V4L2_BUF_FLAG_TIMESTAMP_MONOTONIC, now_ns - AGE_NS, 5, &got, &flags);
    CHECK_EQ(got.count, 5);
    CHECK_EQ(got.without, 0);
    CHECK(got.because == NULL);
    CHECK(got.p50_ns >= AGE_NS && got.p50_ns < AGE_NS + 2000000000);
    CHECK(got.p50_ns <= got.p95_ns && got.p95_ns <= got.p99_ns && got.p99_ns <= got.max_ns);
    CHECK_EQ(flags, 0);
    measure(V4L2_BUF_FLAG_TIMESTAMP_MONOTONIC | V4L2_BUF_FLAG_TSTAMP_SRC_SOE, now_ns - AGE_NS, 1,
            &got, &flags);
    CHECK_EQ(flags, ZCS_FRAME_EXPOSURE_START);
    measure(V4L2_BUF_FLAG_TIMESTAMP_COPY, now_ns - AGE_NS, 3, &got, &flags);
    CHECK_EQ(got.count, 0);
    CHECK_EQ(got.without, 3);
    CHECK(strstr(got.because, "feeder") != NULL);
    measure(0, now_ns - AGE_NS, 1, &got, &flags);
    CHECK(strstr(got.because, "does not say what clock") != NULL);
    measure(V4L2_BUF_FLAG_TIMESTAMP_MONOTONIC, 0, 1, &got, &flags);
    CHECK(strstr(got.because, "no time") != NULL);
    measure(V4L2_BUF_FLAG_TIMESTAMP_MONOTONIC, now_ns + 100 * AGE_NS, 1, &got, &flags);
    CHECK_EQ(got.count, 0);
    CHECK(strstr(got.because, "later than the frames") != NULL);
    measure(V4L2_BUF_FLAG_TIMESTAMP_MONOTONIC, -5 * AGE_NS, 1, &got, &flags);
    CHECK_EQ(got.count, 0);
    CHECK(strstr(got.because, "negative") != NULL);
    return 0;
}
