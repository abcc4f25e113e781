/* SPDX-License-Identifier: MIT */
/* The freshness proof on the host backend with a digest put in front of it: when it runs, when it ends, what
 * a stale frame does, and what happens where it cannot be done. */
#define _GNU_SOURCE
#include "alias_source.h"
#include "backend/backend.h"
#include "context/context.h"
#include "starve.h"
#include "zcstream/zcstream.h"

enum { FRAMES = 20 };

static struct {
    struct zci_backend_ops ops;
    const struct zci_backend_ops *real;
    uint64_t digests;
    uint64_t differ_at; /* the digest of that number is another */
    uint64_t fail_at;
    zcs_status fail_with;
    zcs_status no_more; /* what a further allocation gives */
} front;

static uint32_t warnings;

static void count(void *user, enum zcs_log_level level, const char *line)
{
    (void)user;
    warnings += level == ZCS_LOG_WARNING && strstr(line, "old data") != NULL;
}

static zcs_status front_alloc(struct zci_backend *backend, enum zcs_role role, size_t bytes,
                              struct zci_memory *out)
{
    if (role == ZCS_ROLE_INGEST_CACHED && front.no_more != ZCS_OK)
        return front.no_more;
    const zcs_status status = front.real->memory_alloc(backend, role, bytes, out);
    if (status == ZCS_OK && role == ZCS_ROLE_INGEST)
        out->kind = ZCS_MEMORY_WC;
    return status;
}

static zcs_status front_digest(struct zci_backend *backend, uint32_t device,
                               const struct zci_memory *memory, size_t bytes, uint64_t *out)
{
    (void)backend, (void)device;
    CHECK(bytes % 16 == 0 && bytes <= memory->bytes);
    front.digests++;
    if (front.digests == front.fail_at)
        return front.fail_with;
    *out = front.digests == front.differ_at;
    for (size_t i = 0; i < bytes; i++)
        *out = *out * 31 + ((const uint8_t *)memory->host)[i];
    return ZCS_OK;
}

/* A context over the front; `digest` 0: the backend has none. */
static zcs_context *open_context(int digest)
{
    const struct zcs_params params = {.backend = ZCS_BACKEND_HOST, .host_threads = 1, .log = count};
    zcs_context *ctx = NULL;
    CHECK_EQ(zcs_open(&params, &ctx), ZCS_OK);
    front.real = ctx->backend->ops;
    front.ops = *front.real;
    front.ops.memory_alloc = front_alloc;
    front.ops.memory_digest = digest ? front_digest : NULL;
    ctx->backend->ops = &front.ops;
    return ctx;
}

static zcs_status run(int digest, uint64_t limit, struct zcs_stream_stats *stats)
{
    const struct zcs_stream_params chain = {.stages = "none", .frames = limit};
    zcs_context *ctx = open_context(digest);
    zcs_stream *stream = NULL;
    const struct zcs_frame *frame = NULL;
    zcs_source *source = alias_open(ctx, 61, 33, FRAMES);
    zcs_status status = zcs_stream_create(ctx, source, &chain, &stream);
    if (status == ZCS_OK) {
        while ((status = zcs_stream_next(stream, 10000000000, &frame)) == ZCS_OK) {
            CHECK(alias_whole(frame));
            zcs_frame_unref(&frame);
        }
        zcs_stream_stats(stream, stats);
    }
    zcs_stream_destroy(&stream);
    zcs_source_close(&source);
    zcs_close(&ctx);
    return status;
}

static void reset(void)
{
    memset(&front, 0, sizeof front);
    warnings = 0;
}

static void fresh(void)
{
    struct zcs_stream_stats stats;
    reset();
    CHECK_EQ(run(1, 0, &stats), ZCS_EOF);
    CHECK_EQ(stats.freshness, ZCS_FRESHNESS_FRESH);
    CHECK_EQ(stats.fresh_frames, 8);
    CHECK(stats.fresh_ns > 0);
    CHECK_EQ(front.digests, 1 + 2 * 8);
    CHECK_EQ(stats.memory, ZCS_MEMORY_WC);
    CHECK_EQ(stats.processed, FRAMES);
    CHECK_EQ(stats.lost[ZCS_LOSS_STALE], 0);
    reset();
    CHECK_EQ(run(1, 3, &stats), ZCS_EOF);
    CHECK_EQ(stats.freshness, ZCS_FRESHNESS_CHECKING);
    CHECK_EQ(stats.fresh_frames, 3);
}

/* The third frame: one is lost, the others go on in cached slots, and a limit counts what was processed. */
static void stale(uint64_t limit)
{
    struct zcs_stream_stats stats;
    reset();
    front.differ_at = 1 + 2 * 2 + 1;
    CHECK_EQ(run(1, limit, &stats), ZCS_EOF);
    CHECK_EQ(stats.freshness, ZCS_FRESHNESS_STALE);
    CHECK_EQ(stats.fresh_frames, 3);
    CHECK_EQ(front.digests, 1 + 2 * 3);
    CHECK(stats.memory != ZCS_MEMORY_WC && stats.memory != ZCS_MEMORY_NONE);
    CHECK_EQ(stats.lost[ZCS_LOSS_STALE], 1);
    CHECK_EQ(stats.captured, limit ? limit : FRAMES - 1);
    CHECK_EQ(stats.processed, stats.captured);
    CHECK_EQ(warnings, 1);
}

/* The slots that it goes over to wake who sleeps for want of one, as the first ones did. */
static void is_woken(uint64_t stale_at)
{
    struct starve starve = {.keeps = 0};
    const struct zcs_stream_params chain = {.stages = "none",
                                            .memory = ZCS_MEMORY_POLICY_WC,
                                            .tap = starve_tap,
                                            .tap_user = &starve,
                                            .tap_frames = 2};
    struct zcs_stream_stats stats;
    reset();
    front.differ_at = stale_at;
    zcs_context *ctx = open_context(1);
    zcs_source *source = alias_open(ctx, 61, 33, UINT64_MAX);
    CHECK_EQ(zcs_stream_create(ctx, source, &chain, &starve.stream), ZCS_OK);
    starve_and_wake(&starve);
    zcs_stream_stats(starve.stream, &stats);
    CHECK_EQ(stats.lost[ZCS_LOSS_STALE], stale_at != 0);
    zcs_stream_destroy(&starve.stream);
    zcs_source_close(&source);
    zcs_close(&ctx);
}

static void cannot(void)
{
    struct zcs_stream_stats stats;
    reset();
    CHECK_EQ(run(0, 0, &stats), ZCS_EOF);
    CHECK_EQ(stats.freshness, ZCS_FRESHNESS_UNKNOWN);
    CHECK_EQ(stats.processed, FRAMES);
    reset();
    front.fail_at = 1;
    front.fail_with = ZCS_ERR_UNSUPPORTED;
    CHECK_EQ(run(1, 0, &stats), ZCS_EOF);
    CHECK_EQ(stats.freshness, ZCS_FRESHNESS_UNKNOWN);
    CHECK_EQ(front.digests, 1);
}

/* Each digest fails in turn, then the memory for the new slots. */
static void failing(void)
{
    struct zcs_stream_stats stats = {.captured = 0};
    for (uint64_t n = 1; n <= 17; n++) {
        reset();
        front.fail_at = n;
        front.fail_with = ZCS_ERR_DEVICE;
        CHECK_EQ(run(1, 0, &stats), ZCS_ERR_DEVICE);
        CHECK(n == 1 || stats.lost[ZCS_LOSS_ERROR] == 1);
        CHECK(n == 1 || stats.captured == stats.processed + 1);
    }
    reset();
    front.differ_at = 4;
    front.no_more = ZCS_ERR_NOMEM;
    CHECK_EQ(run(1, 0, &stats), ZCS_ERR_NOMEM);
    CHECK_EQ(stats.lost[ZCS_LOSS_STALE], 1);
    CHECK_EQ(stats.slots, 0);
}

int main(void)
{
    CHECK(strcmp(zcs_freshness_name(ZCS_FRESHNESS_FRESH), "fresh") == 0);
    fresh();
    stale(0);
    stale(3);
    stale(10);
    is_woken(0);
    is_woken(2); /* the first frame's first digest */
    cannot();
    failing();
    return 0;
}
