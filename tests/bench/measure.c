/* SPDX-License-Identifier: MIT */
/* One thing timed on several sides in turn: a chain over frames of one format, through the public API. */
#include "bench/measure.h"

#include "check.h"

enum { BUFFERS = 4 }; /* so that a frame is not in a cache because it was the last one */

/* One side of a measurement: frames of a pattern in memory of the context's, pushed again and again. */
struct flow {
    zcs_context *ctx;
    clockid_t clock;
    zcs_source *source;
    zcs_stream *stream;
    void *buffers[BUFFERS];
    uint64_t pushed;
    unsigned frames; /* a round */
    double seconds[MAX_ROUNDS];
};

static int64_t now_ns(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

static void draw(struct flow *flow, const struct zcs_pattern_params *pattern,
                 struct zcs_image *image)
{
    zcs_source *drawn = NULL;
    CHECK_EQ(zcs_source_open_pattern(flow->ctx, pattern, &drawn), ZCS_OK);
    zcs_source_image(drawn, image);
    for (int i = 0; i < BUFFERS; i++) {
        const struct zcs_frame *frame = NULL;
        CHECK_EQ(zcs_source_next(drawn, -1, &frame), ZCS_OK);
        CHECK_EQ(zcs_memory_alloc(flow->ctx, ZCS_ROLE_INGEST, image->size_bytes, &flow->buffers[i]),
                 ZCS_OK);
        memcpy(flow->buffers[i], frame->host, image->size_bytes);
        CHECK_EQ(zcs_memory_register(flow->ctx, flow->buffers[i], image->size_bytes), ZCS_OK);
        zcs_frame_unref(&frame);
    }
    zcs_source_close(&drawn);
}

static int start(struct flow *flow, const struct side *side,
                 const struct zcs_pattern_params *pattern, const char *chain,
                 struct zcs_image *image)
{
    const struct zcs_stream_params params = {.stages = chain};
    flow->ctx = side->ctx;
    flow->clock = side->clock;
    draw(flow, pattern, image);
    const struct zcs_push_params push = {.image = *image, .queue = BUFFERS};
    CHECK_EQ(zcs_source_open_push(flow->ctx, &push, &flow->source), ZCS_OK);
    return zcs_stream_create(flow->ctx, flow->source, &params, &flow->stream) == ZCS_OK;
}

static void finish(struct flow *flow)
{
    zcs_stream_destroy(&flow->stream);
    zcs_source_close(&flow->source);
    for (int i = 0; i < BUFFERS; i++)
        if (flow->buffers[i] != NULL) {
            CHECK_EQ(zcs_memory_release(flow->ctx, flow->buffers[i]), ZCS_OK);
            zcs_memory_free(flow->ctx, &flow->buffers[i]);
        }
}

/* The seconds of `frames` frames, the queue never empty. */
static double run(struct flow *flow, unsigned frames, enum zcs_pixfmt *result)
{
    const struct zcs_frame *frame = NULL;
    const uint64_t last = flow->pushed + frames;
    const int64_t begin = now_ns(flow->clock);
    for (unsigned done = 0; done < frames; done++) {
        while (flow->pushed < last) {
            const struct zcs_push_meta meta = {.sequence = flow->pushed};
            const zcs_status status = zcs_source_push(
                flow->source, flow->buffers[flow->pushed % BUFFERS], &meta, NULL, NULL);
            if (status == ZCS_AGAIN)
                break;
            CHECK_EQ(status, ZCS_OK);
            flow->pushed++;
        }
        CHECK_EQ(zcs_stream_next(flow->stream, -1, &frame), ZCS_OK);
        *result = frame->image.format;
        zcs_frame_unref(&frame);
    }
    return (double)(now_ns(flow->clock) - begin) * 1e-9;
}

/* As many frames as take about round_ns, at least as many as keep frame contexts and queue busy. */
static unsigned frames_for(struct flow *flow, int64_t round_ns, enum zcs_pixfmt *result)
{
    (void)run(flow, BUFFERS, result);
    const double each = run(flow, BUFFERS, result) / BUFFERS;
    const double frames = (double)round_ns * 1e-9 / each;
    return frames < BUFFERS ? BUFFERS : frames > 10000 ? 10000 : (unsigned)frames;
}

static int order(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

int measure(const struct side *sides, unsigned side_count, unsigned rounds, int64_t round_ns,
            const struct zcs_pattern_params *pattern, const char *chain, struct measured *out)
{
    struct flow flows[MAX_SIDES] = {0};
    int fits = 1;
    for (unsigned s = 0; s < side_count && fits; s++)
        fits = start(&flows[s], &sides[s], pattern, chain, &out->image);
    for (unsigned s = 0; s < side_count && fits; s++)
        flows[s].frames = frames_for(&flows[s], round_ns, &out->result);
    for (unsigned r = 0; r < rounds && fits; r++)
        for (unsigned s = 0; s < side_count; s++)
            flows[s].seconds[r] = run(&flows[s], flows[s].frames, &out->result) / flows[s].frames;
    for (unsigned s = 0; s < side_count; s++) {
        qsort(flows[s].seconds, rounds, sizeof *flows[s].seconds, order);
        out->seconds[s] = flows[s].seconds[rounds / 2];
        if (flows[s].ctx != NULL)
            finish(&flows[s]);
    }
    return fits;
}
