/* SPDX-License-Identifier: MIT */
/* Streams over several devices: every dispatch gives the same bits in the same order; devices that fail, at
 * any call, are taken out, and no frame is lost or doubled while one is left. The host backend stands for
 * several devices, with a front that fails those that it is told to. */
#include "backend/backend.h"
#include "context/context.h"
#include "frame/pool.h"
#include "stream_setup.h"

enum { DEVICES = 3, FRAMES = 12, FRAME_CTXS = 64 };

static const char chain[] = "black=64,wb=auto,demosaic=mhc,gamma,digest";
static const char other_chain[] = "demosaic=bilinear,gray,stretch,digest";

/* The backend's table with fronts that know which frame context has which devices. */
static struct {
    struct zci_backend_ops ops;
    const struct zci_backend_ops *real;
    struct {
        struct zci_frame_ctx *fctx;
        uint32_t devices[ZCS_MAX_DEVICES], count, looks;
    } inflight[FRAME_CTXS];
    uint32_t late;        /* looks at a frame context until its frame is seen to be complete */
    uint64_t calls;       /* of all fronts that can fail */
    uint64_t fail_at;     /* 0: never */
    uint32_t fail_device; /* from then on, each call that it takes part in */
    uint32_t fail_all;    /* 1: every device */
    uint64_t polls_of[DEVICES];
} front;

static uint32_t device_count(const struct zci_backend *backend)
{
    (void)backend;
    return DEVICES;
}

/* Each at a node of its own; this machine need not have them. */
static void device_info(const struct zci_backend *backend, uint32_t device,
                        struct zcs_device_info *out)
{
    front.real->device_info(backend, device, out);
    out->node = (int)device;
}

/* The place of the device that fails in this call; -1: none. */
static int failing(const uint32_t *devices, uint32_t count)
{
    if (front.fail_at == 0 || ++front.calls < front.fail_at)
        return -1;
    for (uint32_t i = 0; i < count; i++)
        if (front.fail_all || devices[i] == front.fail_device)
            return (int)i;
    return -1;
}

static int find(const struct zci_frame_ctx *fctx)
{
    int i = 0;
    while (front.inflight[i].fctx != fctx)
        CHECK(++i < FRAME_CTXS);
    return i;
}

static zcs_status front_create(struct zci_backend *backend, const struct zci_group *group,
                               struct zci_notifier *notifier, int *failed_device,
                               struct zci_frame_ctx **out)
{
    *failed_device = failing(group->devices, group->count);
    if (*failed_device >= 0)
        return ZCS_ERR_DEVICE;
    const zcs_status status =
        front.real->frame_ctx_create(backend, group, notifier, failed_device, out);
    if (status != ZCS_OK)
        return status;
    const int i = find(NULL);
    front.inflight[i].fctx = *out;
    front.inflight[i].count = group->count;
    memcpy(front.inflight[i].devices, group->devices, sizeof group->devices);
    return status;
}

static void front_destroy(struct zci_frame_ctx **fctx)
{
    front.inflight[find(*fctx)].fctx = NULL;
    front.real->frame_ctx_destroy(fctx);
}

static zcs_status front_submit(struct zci_frame_ctx *fctx, const struct zci_job *job)
{
    const int i = find(fctx);
    const int failed_device = failing(front.inflight[i].devices, front.inflight[i].count);
    front.inflight[i].looks = 0;
    if (failed_device < 0)
        return front.real->frame_ctx_submit(fctx, job);
    fctx->failed_device = failed_device;
    return ZCS_ERR_DEVICE;
}

static zcs_status front_poll(struct zci_frame_ctx *fctx, struct zci_job_result *out)
{
    const int i = find(fctx);
    if (++front.inflight[i].looks <= front.late)
        return ZCS_AGAIN;
    const zcs_status status = front.real->frame_ctx_poll(fctx, out);
    if (status != ZCS_OK)
        return status;
    const int failed_device = failing(front.inflight[i].devices, front.inflight[i].count);
    fctx->failed_device = failed_device;
    for (uint32_t k = 0; k < front.inflight[i].count; k++)
        front.polls_of[front.inflight[i].devices[k]]++;
    return failed_device < 0 ? ZCS_OK : ZCS_ERR_DEVICE;
}

static zcs_context *open_front(int *lines)
{
    zcs_context *ctx = setup_context(2, lines);
    memset(&front, 0, sizeof front);
    front.real = ctx->backend->ops;
    front.ops = *front.real;
    front.ops.device_count = device_count;
    front.ops.device_info = device_info;
    front.ops.frame_ctx_create = front_create;
    front.ops.frame_ctx_destroy = front_destroy;
    front.ops.frame_ctx_submit = front_submit;
    front.ops.frame_ctx_poll = front_poll;
    ctx->backend->ops = &front.ops;
    return ctx;
}

static uint64_t expected[2][FRAMES]; /* digests of either chain */

/* Everything that comes, in order; how it ended. */
static zcs_status drain(zcs_stream *stream, uint32_t chains, uint64_t *results)
{
    const struct zcs_frame *frame = NULL;
    zcs_status status;
    while ((status = zcs_stream_next(stream, 20000000000, &frame)) == ZCS_OK) {
        const uint64_t number = *results / chains;
        CHECK_EQ(frame->sequence, number);
        CHECK_EQ(frame->chain, *results % chains);
        CHECK(frame->flags & ZCS_FRAME_DIGEST);
        CHECK(frame->digest == expected[frame->chain][number]);
        ++*results;
        zcs_frame_unref(&frame);
    }
    CHECK(status != ZCS_AGAIN); /* a hang */
    return status;
}

static void fill_expected(void)
{
    static const char *const chains[] = {chain, other_chain};
    for (int i = 0; i < 2; i++) {
        zcs_context *ctx = setup_context(1, NULL);
        zcs_source *source = setup_pattern(ctx, ZCS_PIXFMT_SRGGB10, FRAMES, 0);
        const struct zcs_stream_params params = {.stages = chains[i]};
        zcs_stream *stream = NULL;
        const struct zcs_frame *frame = NULL;
        CHECK_EQ(zcs_stream_create(ctx, source, &params, &stream), ZCS_OK);
        for (int n = 0; n < FRAMES; n++) {
            CHECK_EQ(zcs_stream_next(stream, -1, &frame), ZCS_OK);
            expected[i][n] = frame->digest;
            zcs_frame_unref(&frame);
        }
        setup_close(&stream, &source, &ctx);
    }
}

static struct zcs_stream_params params_of(enum zcs_dispatch dispatch)
{
    static const char *const both[] = {chain, other_chain};
    struct zcs_stream_params params = {.dispatch = dispatch, .stages = chain};
    if (dispatch == ZCS_DISPATCH_BROADCAST) {
        params.stages = NULL;
        params.chains = both;
        params.chain_count = 2;
    }
    return params;
}

/* One run; what it tells of itself agrees with what came. */
static zcs_status run(enum zcs_dispatch dispatch, const uint32_t *devices, uint32_t count,
                      struct zcs_stream_stats *stats)
{
    zcs_context *ctx = open_front(NULL);
    front.late = 2 * DEVICES; /* so that each device gets frames while others are at work */
    front.ops.polled = 1;
    zcs_source *source = setup_pattern(ctx, ZCS_PIXFMT_SRGGB10, FRAMES, 0);
    struct zcs_stream_params params = params_of(dispatch);
    const uint32_t chains = params.chain_count ? params.chain_count : 1;
    zcs_stream *stream = NULL;
    uint64_t results = 0;
    params.device_count = count;
    memcpy(params.devices, devices, count * sizeof *devices);
    CHECK_EQ(zcs_stream_create(ctx, source, &params, &stream), ZCS_OK);
    const zcs_status status = drain(stream, chains, &results);
    zcs_stream_stats(stream, stats);
    CHECK_EQ(stats->device_count, count);
    CHECK_EQ(stats->captured, stats->processed + stats->lost[ZCS_LOSS_ERROR]);
    CHECK_EQ(stats->processed, results / chains);
    setup_close(&stream, &source, &ctx);
    return status;
}

static void test_modes(void)
{
    static const uint32_t lists[][4] = {{0}, {0, 1}, {0, 0}, {2, 0, 1}, {0, 0, 0, 0}};
    static const uint32_t counts[] = {1, 2, 2, 3, 4};
    for (int dispatch = ZCS_DISPATCH_FRAMES; dispatch <= ZCS_DISPATCH_BROADCAST; dispatch++)
        for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
            struct zcs_stream_stats stats;
            CHECK_EQ(run((enum zcs_dispatch)dispatch, lists[i], counts[i], &stats), ZCS_EOF);
            CHECK_EQ(stats.processed, FRAMES);
            CHECK(stats.devices_lost == 0 && stats.redone == 0);
            for (uint32_t k = 0; k < counts[i]; k++) {
                CHECK_EQ(stats.devices[k].index, lists[i][k]);
                CHECK(stats.devices[k].frames > 0 || counts[i] > 3);
            }
        }
}

/* As run, with failures from the nth call on. */
static zcs_status run_failing(enum zcs_dispatch dispatch, uint64_t at, int all,
                              struct zcs_stream_stats *stats, uint64_t *calls)
{
    int lines = 0;
    zcs_context *ctx = open_front(NULL);
    zcs_source *source = setup_pattern(ctx, ZCS_PIXFMT_SRGGB10, FRAMES, 0);
    struct zcs_stream_params params = params_of(dispatch);
    const uint32_t chains = params.chain_count ? params.chain_count : 1;
    zcs_stream *stream = NULL;
    uint64_t results = 0;
    (void)lines;
    front.fail_at = at;
    front.fail_device = 1;
    front.fail_all = all != 0;
    memset(stats, 0, sizeof *stats);
    zcs_status status = zcs_stream_create(ctx, source, &params, &stream);
    if (status == ZCS_OK) {
        status = drain(stream, chains, &results);
        const struct zcs_frame *none = NULL;
        CHECK_EQ(zcs_stream_next(stream, 0, &none), status); /* for good */
        zcs_stream_stats(stream, stats);
        CHECK_EQ(stats->processed, results / chains);
        CHECK_EQ(stats->captured, stats->processed + stats->lost[ZCS_LOSS_ERROR]);
    }
    *calls = front.calls;
    setup_close(&stream, &source, &ctx);
    for (int i = 0; i < FRAME_CTXS; i++)
        CHECK(front.inflight[i].fctx == NULL);
    return status;
}

static void test_one_fails(enum zcs_dispatch dispatch)
{
    struct zcs_stream_stats stats;
    uint64_t calls = 1, redone = 0, lost = 0;
    for (uint64_t n = 1; n <= calls; n++) {
        CHECK_EQ(run_failing(dispatch, n, 0, &stats, &calls), ZCS_EOF);
        CHECK_EQ(stats.processed, FRAMES);
        CHECK_EQ(stats.lost[ZCS_LOSS_ERROR], 0);
        CHECK(!stats.devices[0].lost && !stats.devices[2].lost);
        CHECK_EQ(stats.devices_lost, stats.devices[1].lost);
        redone += stats.redone;
        lost += stats.devices_lost;
    }
    CHECK(redone > 0 && lost > 0);
}

static void test_all_fail(enum zcs_dispatch dispatch)
{
    struct zcs_stream_stats stats;
    uint64_t calls = 1, ends = 0;
    for (uint64_t n = 1; n <= calls && n < 200; n++) {
        const zcs_status status = run_failing(dispatch, n, 1, &stats, &calls);
        CHECK(status == ZCS_ERR_DEVICE || status == ZCS_EOF);
        CHECK(status == ZCS_ERR_DEVICE || stats.processed == FRAMES);
        ends += status == ZCS_ERR_DEVICE;
    }
    CHECK(ends > 10);
}

static int nodes_of[FRAMES];

static void note_node(void *user, const struct zcs_frame *captured)
{
    (void)user;
    nodes_of[captured->sequence] = ((const struct zci_slot *)captured)->node;
}

/* Slots are at the nodes of the devices by turns, and idle devices get those at theirs. */
static void test_nodes(void)
{
    zcs_context *ctx = open_front(NULL);
    front.late = 2 * DEVICES; /* so that all slots are out at once */
    front.ops.polled = 1;
    zcs_source *source = setup_pattern(ctx, ZCS_PIXFMT_SRGGB10, FRAMES, 0);
    struct zcs_stream_params params = {.stages = chain, .tap = note_node, .slots = DEVICES};
    zcs_stream *stream = NULL;
    const struct zcs_frame *frame = NULL;
    uint32_t near = 0, seen = 0;
    CHECK_EQ(zcs_stream_create(ctx, source, &params, &stream), ZCS_OK);
    while (zcs_stream_next(stream, -1, &frame) == ZCS_OK) {
        const int node = nodes_of[frame->sequence];
        CHECK(node >= 0 && node < DEVICES);
        seen |= 1u << node;
        near += frame->device == (uint32_t)node;
        zcs_frame_unref(&frame);
    }
    CHECK_EQ(seen, 7);
    CHECK(near > FRAMES / 2);
    setup_close(&stream, &source, &ctx);
}

static int stage_calls, stage_fails_at;

static zcs_status fail_stage(void *user, const struct zcs_view *in, const struct zcs_view *out,
                             uint32_t first, uint32_t last)
{
    (void)user;
    memcpy((uint8_t *)out->data + first * out->stride_bytes,
           (const uint8_t *)in->data + first * in->stride_bytes, (last - first) * in->stride_bytes);
    return __atomic_add_fetch(&stage_calls, 1, __ATOMIC_RELAXED) == stage_fails_at ? ZCS_ERR_IO
                                                                                   : ZCS_OK;
}

/* A stage that fails is no device's fault: no device is taken out for it, and nothing is tried again. */
static void test_stage_fails(void)
{
    static const struct zcs_custom_stage stage = {.name = "bad", .host_fn = fail_stage};
    zcs_context *ctx = open_front(NULL);
    zcs_source *source = setup_pattern(ctx, ZCS_PIXFMT_GREY, FRAMES, 0);
    const struct zcs_stream_params params = {.stages = "bad", .custom = &stage, .custom_count = 1};
    zcs_stream *stream = NULL;
    const struct zcs_frame *frame = NULL;
    struct zcs_stream_stats stats;
    zcs_status status;
    stage_fails_at = 9;
    CHECK_EQ(zcs_stream_create(ctx, source, &params, &stream), ZCS_OK);
    while ((status = zcs_stream_next(stream, 20000000000, &frame)) == ZCS_OK)
        zcs_frame_unref(&frame);
    CHECK_EQ(status, ZCS_ERR_DEVICE);
    zcs_stream_stats(stream, &stats);
    CHECK(stats.devices_lost == 0 && stats.redone == 0 && stats.lost[ZCS_LOSS_ERROR] > 0);
    setup_close(&stream, &source, &ctx);
}

static void refuse(zcs_context *ctx, const struct zcs_stream_params *params, zcs_status why)
{
    zcs_source *source = setup_pattern(ctx, ZCS_PIXFMT_SRGGB10, FRAMES, 0);
    zcs_stream *stream = NULL;
    CHECK_EQ(zcs_stream_create(ctx, source, params, &stream), why);
    CHECK(stream == NULL);
    zcs_source_close(&source);
}

static void test_refusals(void)
{
    static const char *const chains[] = {"demosaic", "nonsense"};
    int lines = 0;
    zcs_context *ctx = open_front(&lines);
    refuse(ctx, &(struct zcs_stream_params){.dispatch = ZCS_DISPATCH_BROADCAST}, ZCS_ERR_ARG);
    refuse(ctx, &(struct zcs_stream_params){.chains = chains, .chain_count = 1}, ZCS_ERR_ARG);
    refuse(ctx,
           &(struct zcs_stream_params){
               .dispatch = ZCS_DISPATCH_BROADCAST, .chains = chains, .chain_count = 2},
           ZCS_ERR_FORMAT);
    refuse(ctx, &(struct zcs_stream_params){.devices = {3}, .device_count = 1},
           ZCS_ERR_UNSUPPORTED);
    CHECK_EQ(lines, 4);
    zcs_close(&ctx);
}

/* Each chain's picture, and slots that all have read. */
static void test_broadcast(void)
{
    zcs_context *ctx = open_front(NULL);
    zcs_source *source = setup_pattern(ctx, ZCS_PIXFMT_SRGGB10, FRAMES, 0);
    struct zcs_stream_params params = params_of(ZCS_DISPATCH_BROADCAST);
    zcs_stream *stream = NULL;
    struct zcs_image images[2], none;
    params.slots = 2; /* which would not last long if they did not come home */
    CHECK_EQ(zcs_stream_create(ctx, source, &params, &stream), ZCS_OK);
    for (uint32_t i = 0; i < 2; i++)
        CHECK_EQ(zcs_stream_image(stream, i, &images[i]), ZCS_OK);
    CHECK_EQ(zcs_stream_image(stream, 2, &none), ZCS_ERR_ARG);
    CHECK(images[0].format == ZCS_PIXFMT_RGBA32 && images[1].format == ZCS_PIXFMT_Y16);
    uint64_t results = 0;
    CHECK_EQ(drain(stream, 2, &results), ZCS_EOF);
    CHECK_EQ(results, 2 * FRAMES);
    CHECK_EQ(front.polls_of[0] + front.polls_of[2], FRAMES); /* of the first chain */
    CHECK_EQ(front.polls_of[1], FRAMES);
    setup_close(&stream, &source, &ctx);
}

int main(void)
{
    fill_expected();
    test_modes();
    for (int dispatch = ZCS_DISPATCH_FRAMES; dispatch <= ZCS_DISPATCH_BROADCAST; dispatch++) {
        test_one_fails((enum zcs_dispatch)dispatch);
        test_all_fail((enum zcs_dispatch)dispatch);
    }
    test_nodes();
    test_stage_fails();
    test_refusals();
    test_broadcast();
    return 0;
}
