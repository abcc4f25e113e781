/* SPDX-License-Identifier: MIT */
/* How many frames a device has in work where low latency is asked for: the quick one alone, or,
 * where no frame context can be quick, as many as ever. CUDA is a stand-in. */
#include "gpu/fake_api.h"
#include "gpu/open_over.h"

static zcs_status pass_on(void *user, const struct zcs_view *in, const struct zcs_view *out,
                          void *cuda_stream)
{
    (void)user, (void)in, (void)out, (void)cuda_stream;
    return ZCS_OK;
}

static zcs_source *open_pattern(zcs_context *ctx)
{
    const struct zcs_pattern_params pattern = {
        .format = ZCS_PIXFMT_SRGGB10P, .width = 326, .height = 243, .frames = 100};
    zcs_source *source = NULL;
    CHECK_EQ(zcs_source_open_pattern(ctx, &pattern, &source), ZCS_OK);
    return source;
}

static zcs_stream *create(zcs_context *ctx, zcs_source *source,
                          const struct zcs_stream_params *params, uint32_t inflight, int held)
{
    zcs_stream *stream = NULL;
    struct zcs_stream_stats stats;
    CHECK_EQ(zcs_stream_create(ctx, source, params, &stream), ZCS_OK);
    zcs_stream_stats(stream, &stats);
    CHECK_EQ(stats.in_flight, inflight);
    CHECK((stats.reserved_sms > 0) == held && (stats.low_latency_reason != NULL) == !held);
    return stream;
}

static zcs_context *open_stand_in(uint32_t devices)
{
    zcs_context *ctx = NULL;
    fake_state = (struct fake_state){.devices = (int)devices};
    CHECK_EQ(open_over(fake_around(&fake_cuda), NULL, &ctx), ZCS_OK);
    return ctx;
}

static void one(uint32_t devices, const struct zcs_stream_params *params, uint32_t inflight,
                int held)
{
    zcs_context *ctx = open_stand_in(devices);
    zcs_source *source = open_pattern(ctx);
    zcs_stream *stream = create(ctx, source, params, inflight, held);
    zcs_stream_destroy(&stream);
    zcs_source_close(&source);
    zcs_close(&ctx);
}

/* The device is the first one's. */
static void two_streams(const struct zcs_stream_params *params)
{
    zcs_context *ctx = open_stand_in(1);
    zcs_source *sources[] = {open_pattern(ctx), open_pattern(ctx)};
    zcs_stream *first = create(ctx, sources[0], params, 1, 1);
    zcs_stream *second = create(ctx, sources[1], params, 2, 0);
    zcs_stream_destroy(&first);
    zcs_stream_destroy(&second);
    zcs_source_close(&sources[0]);
    zcs_source_close(&sources[1]);
    zcs_close(&ctx);
}

/* Device 1 is another stream's, and the chain that could hold a device is the one that runs
 * there. */
static void broadcast(void)
{
    static const struct zcs_custom_stage custom = {.name = "own", .cuda_fn = pass_on};
    static const char *const chains[] = {"demosaic,own", "demosaic"};
    const struct zcs_stream_params holder = {.stages = "demosaic",
                                             .route = ZCS_ROUTE_MAPPED,
                                             .low_latency = 1,
                                             .devices = {1},
                                             .device_count = 1};
    const struct zcs_stream_params both = {.chains = chains,
                                           .chain_count = 2,
                                           .custom = &custom,
                                           .custom_count = 1,
                                           .route = ZCS_ROUTE_MAPPED,
                                           .dispatch = ZCS_DISPATCH_BROADCAST,
                                           .low_latency = 1};
    zcs_context *ctx = open_stand_in(2);
    zcs_source *sources[] = {open_pattern(ctx), open_pattern(ctx)};
    zcs_stream *first = create(ctx, sources[0], &holder, 1, 1);
    zcs_stream *other = create(ctx, sources[1], &both, 4, 0);
    zcs_stream_destroy(&first);
    zcs_stream_destroy(&other);
    zcs_source_close(&sources[0]);
    zcs_source_close(&sources[1]);
    zcs_close(&ctx);
}

int main(void)
{
    static const struct zcs_custom_stage custom = {.name = "own", .cuda_fn = pass_on};
    struct zcs_stream_params params = {
        .stages = "black=64,demosaic", .route = ZCS_ROUTE_MAPPED, .low_latency = 1};
    one(1, &params, 1, 1);
    one(2, &params, 2, 1);
    two_streams(&params);
    params.in_flight = 3;
    one(1, &params, 3, 1);
    params.in_flight = 0;
    params.dispatch = ZCS_DISPATCH_BANDS;
    one(1, &params, 1, 1);
    one(2, &params, 2, 0);
    params.dispatch = ZCS_DISPATCH_FRAMES;
    params.stages = "demosaic,own";
    params.custom = &custom;
    params.custom_count = 1;
    one(1, &params, 2, 0);
    broadcast();
    return 0;
}
