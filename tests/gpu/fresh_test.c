/* SPDX-License-Identifier: MIT */
/* The freshness proof with CUDA: slots in write-combined memory that the kernel writes through
 * its own mapping; and a look that is made to differ, on a stand-in too. */
#define _GNU_SOURCE
#include "alias_source.h"
#include "backend/cuda/cuda.h"
#include "backend/backend.h"
#include "context/context.h"
#include "gpu/fake_api.h"
#include "zcstream/zcstream.h"

enum { FRAMES = 40 };

/* `pixels` 0: the kernels are a stand-in's, and write none. */
static void run(const struct zci_cuda_api *api, uint64_t stale_at, int pixels,
                struct zcs_stream_stats *stats)
{
    const struct zcs_params params = {.backend = ZCS_BACKEND_HOST, .host_threads = 1};
    zcs_context *ctx = NULL;
    struct zci_backend *backend = NULL;
    zcs_stream *stream = NULL;
    const struct zcs_frame *frame = NULL;
    fake_state = (struct fake_state){.stale_at = stale_at};
    CHECK_EQ(zcs_open(&params, &ctx), ZCS_OK);
    CHECK_EQ(zci_cuda_open(api, &ctx->log, &backend), ZCS_OK);
    zci_backend_unref(&ctx->backend);
    ctx->backend = backend;
    zcs_source *source = alias_open(ctx, 1920, 1080, FRAMES);
    CHECK_EQ(zcs_stream_create(
                 ctx, source,
                 &(struct zcs_stream_params){.stages = "none", .route = ZCS_ROUTE_MAPPED}, &stream),
             ZCS_OK);
    zcs_status status;
    while ((status = zcs_stream_next(stream, 10000000000, &frame)) == ZCS_OK) {
        CHECK(!pixels || alias_whole(frame));
        zcs_frame_unref(&frame);
    }
    CHECK_EQ(status, ZCS_EOF);
    zcs_stream_stats(stream, stats);
    zcs_stream_destroy(&stream);
    zcs_source_close(&source);
    zcs_close(&ctx);
    CHECK_EQ(fake_state.alive, 0);
}

static void check(const struct zci_cuda_api *of, int pixels)
{
    const struct zci_cuda_api *api = fake_around(of);
    struct zcs_stream_stats stats;
    run(api, 0, pixels, &stats);
    printf("1080p, %s: %s, %u frames, %.1f us each\n", zcs_memory_name(stats.memory),
           zcs_freshness_name(stats.freshness), stats.fresh_frames,
           (double)stats.fresh_ns / 1000.0 / (stats.fresh_frames ? stats.fresh_frames : 1));
    if (stats.freshness == ZCS_FRESHNESS_UNKNOWN)
        return;
    CHECK(stats.fresh_frames > 0 && stats.fresh_frames <= 8);
    CHECK_EQ(fake_state.probes, 1 + 2 * stats.fresh_frames);
    CHECK_EQ(stats.processed + stats.lost[ZCS_LOSS_STALE], FRAMES);
    run(api, 4, pixels, &stats); /* the second frame's first look */
    CHECK_EQ(stats.freshness, ZCS_FRESHNESS_STALE);
    CHECK(stats.memory == ZCS_MEMORY_CACHED);
    CHECK_EQ(stats.lost[ZCS_LOSS_STALE], 1);
    CHECK_EQ(stats.processed, FRAMES - 1);
    CHECK_EQ(fake_state.probes, 5);
}

int main(void)
{
    int devices = 0;
    check(&fake_cuda, 0);
    if (zci_cuda_runtime.device_count(&devices) == 0 && devices > 0) {
        check(&zci_cuda_runtime, 1);
        printf("on a GPU too\n");
    }
    return 0;
}
