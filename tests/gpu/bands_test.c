/* SPDX-License-Identifier: MIT */
/* Bands over a stand-in for CUDA that computes: whatever a frame is cut by, up to eight devices
 * give the plan's bits; who adds up is waited for, nobody else; a device without rows of a pass
 * runs nothing of it. */
#include "check.h"
#include "upside_down.h"

#include "backend/cuda/group.h"
#include "core/partition.h"
#include "gpu/fake_api.h"
#include "gpu/open_over.h"
#include "gpu/plain_kernels.h"
#include "plan_make.h"
#include "plan_run.h"
#include "zcstream/cuda.h"

enum { MAX = 8, STEP = SANITIZED ? 3 : 1, WIDTH = 30, FRAMES = 2 };

static const struct zci_cuda_group *group; /* that runs; NULL: none */
static int can_map = 1;

/* What the frame contexts have been told in this frame. */
static struct {
    uint32_t passes[MAX], combines[MAX], records[MAX], awaits[MAX][MAX];
    int recorded[MAX], awaited[MAX][MAX]; /* the latest await is of the latest record */
} told;

static uint32_t place_of_stream(const void *stream)
{
    for (uint32_t i = 0; i < group->count; i++)
        if (group->contexts[i]->kernel_stream->handle == stream)
            return i;
    return MAX;
}

static uint32_t place_of_event(const void *event)
{
    for (uint32_t i = 0; i < group->count; i++)
        if (group->events[i] == event)
            return i;
    return MAX;
}

static int event_record(void *event, void *stream)
{
    const uint32_t place = group != NULL ? place_of_event(event) : MAX;
    if (place < MAX) {
        CHECK_EQ(place_of_stream(stream), place);
        told.records[place]++;
        told.recorded[place] = 1;
        for (uint32_t i = 0; i < MAX; i++)
            told.awaited[i][place] = 0;
    }
    return fake_cuda.event_record(event, stream);
}

static int stream_wait_event(void *stream, void *event)
{
    const uint32_t place = place_of_stream(stream), other = place_of_event(event);
    CHECK(place < MAX && other < MAX && place != other && told.recorded[other]);
    told.awaits[place][other]++;
    told.awaited[place][other] = 1;
    return fake_cuda.stream_wait_event(stream, event);
}

/* Parts of others are read behind their event. */
static int copy(void *to, const void *from, size_t bytes, enum zci_cuda_copy_kind kind,
                void *stream)
{
    for (uint32_t i = 0; group != NULL && i < group->count; i++) {
        const uint8_t *parts = (const uint8_t *)group->contexts[i]->state->partial_sums;
        const size_t end = sizeof group->contexts[i]->state->partial_sums;
        const uint32_t place = place_of_stream(stream);
        if ((const uint8_t *)from >= parts && (const uint8_t *)from < parts + end)
            CHECK(place < MAX && (place == i || told.awaited[place][i]));
    }
    return fake_cuda.copy(to, from, bytes, kind, stream);
}

static int launch_pass(void *argument, void *stream)
{
    for (uint32_t i = 0; i < group->count; i++)
        for (uint32_t p = 0; p < group->plan->pass_count; p++) {
            if (argument != &group->contexts[i]->steps[p].pass)
                continue;
            CHECK(place_of_stream(stream) == i &&
                  (int)group->contexts[i]->device == fake_state.device);
            plain_pass(group->contexts[i], p);
            plain_signal(&group->contexts[i]->steps[p].pass.finish);
            told.passes[i]++;
            return 0;
        }
    CHECK(!"a pass of the team's");
    return 1;
}

static int launch(const void *kernel, uint32_t blocks, uint32_t threads, void **arguments,
                  void *stream)
{
    CHECK(kernel != NULL);
    if (group == NULL)
        return fake_cuda.launch(kernel, blocks, threads, arguments, stream);
    if (threads == 1) {
        plain_signal(arguments[0]);
        return 0;
    }
    if (kernel != zck_cuda_combine_kernel())
        return launch_pass(arguments[0], stream);
    plain_combine(arguments[0]);
    told.combines[place_of_stream(stream)]++;
    return 0;
}

static int device_properties(int device, struct zci_cuda_properties *out)
{
    const int error = fake_cuda.device_properties(device, out);
    out->can_map = can_map;
    return error;
}

/* ---- what they should have been told ---- */

static int has(uint32_t place, uint32_t p)
{
    return !zci_rows_none(group->contexts[place]->partition.rows[p]);
}

/* Bands: who has rows of a pass has some of all passes before. */
static int is_exchanged(uint32_t p)
{
    const struct zci_pass *pass = &group->plan->passes[p];
    uint32_t count = 0;
    for (uint32_t i = 0; i < group->count; i++)
        count += (uint32_t)has(i, p);
    return pass->custom < 0 && count > 1 &&
           (pass->reduce.kind == ZCI_REDUCE_WB || pass->reduce.kind == ZCI_REDUCE_RANGE);
}

static void check_awaits(uint32_t place, uint32_t other)
{
    uint32_t awaits = 0;
    for (uint32_t p = 0; p + 1 < group->plan->pass_count; p++)
        awaits += is_exchanged(p) && has(place, p + 1) &&
                  !zci_rows_none(group->contexts[other]->partition.sums[p]);
    CHECK_EQ(told.awaits[place][other], place == other ? 0 : awaits);
}

static void check_told(uint32_t place)
{
    uint32_t passes = 0, combines = 0, records = 0;
    for (uint32_t p = 0; p < group->plan->pass_count; p++) {
        int read = 0;
        passes += has(place, p) && group->plan->passes[p].custom < 0;
        if (p + 1 == group->plan->pass_count || !is_exchanged(p))
            continue;
        combines += (uint32_t)has(place, p + 1);
        for (uint32_t i = 0; i < group->count; i++)
            read |= i != place && has(i, p + 1);
        records += read && !zci_rows_none(group->contexts[place]->partition.sums[p]);
    }
    CHECK_EQ(told.passes[place], passes);
    CHECK_EQ(told.combines[place], combines);
    CHECK_EQ(told.records[place], records);
    for (uint32_t i = 0; i < group->count; i++)
        check_awaits(place, i);
}

/* ---- frames ---- */

static zcs_status turn_all(void *user, const struct zcs_view *in, const struct zcs_view *out,
                           void *stream)
{
    (void)stream;
    return upside_down(user, in, out, 0, in->height);
}

static const struct zcs_custom_stage custom = {
    .name = "turn", .host_fn = upside_down, .cuda_fn = turn_all};

static struct zci_plan plan;
static struct zci_memory source, result;
static uint32_t without_result; /* devices that had work, and no rows of the result */
static uint32_t without_sums;   /* that needed what others add up */

static void check_result(const struct zci_group *wanted, const struct zci_job_result *done)
{
    struct zci_dynamic states[ZCI_MAX_STATES];
    struct plain expected = plan_run(&plan, source.host, states);
    const size_t row = (size_t)expected.width * zci_pixel_bytes(expected.pixel);
    for (uint32_t y = 0; y < expected.height; y++)
        CHECK(memcmp((uint8_t *)result.host + y * plan.image_stride[0], plain_at(&expected, 0, y),
                     row) == 0);
    if (plan.digest_state >= 0)
        CHECK(done->digest == states[plan.digest_state].digest);
    const uint32_t maker = zci_group_result_device(wanted);
    CHECK(!zci_rows_none(wanted->partitions[maker].rows[plan.pass_count - 1]));
    CHECK_EQ(done->cuda_device, wanted->devices[maker]);
    CHECK(done->device_data == (can_map ? result.host : (void *)group->contexts[maker]->images[0]));
    CHECK(done->cuda_stream == group->contexts[maker]->kernel_stream->handle);
    free(expected.data);
}

static void run_frame(const struct zci_group *wanted, struct zci_frame_ctx *fctx,
                      enum zcs_route route)
{
    static uint64_t seed = 1;
    const struct zci_job job = {.source = source.host,
                                .source_memory = &source,
                                .result = result.host,
                                .result_memory = &result,
                                .route = route};
    struct zci_job_result done;
    for (size_t i = 0; i < plan.source.size_bytes; i++)
        ((uint8_t *)source.host)[i] = (uint8_t)test_random(&seed);
    memset(result.host, 0xa5, plan.image_bytes[0]);
    memset(&told, 0, sizeof told);
    CHECK_EQ(zci_cuda_group_submit(fctx, &job), ZCS_OK);
    CHECK_EQ(zci_cuda_group_wait(fctx, 1000000000), ZCS_OK);
    CHECK_EQ(zci_cuda_group_poll(fctx, &done), ZCS_OK);
    check_result(wanted, &done);
    for (uint32_t i = 0; i < group->count; i++)
        check_told(i);
}

static void run_group(struct zci_backend *cuda, const struct zci_group *wanted)
{
    struct zci_frame_ctx *fctx = NULL;
    int failed_device = -1;
    CHECK_EQ(zci_cuda_group_create(cuda, wanted, NULL, &failed_device, &fctx), ZCS_OK);
    group = (const struct zci_cuda_group *)fctx;
    for (uint32_t i = 0; i < group->count; i++) {
        without_result += has(i, 0) && !has(i, plan.pass_count - 1);
        without_sums += plan.pass_count > 1 && has(i, 1) && is_exchanged(0) &&
                        zci_rows_none(group->contexts[i]->partition.sums[0]);
    }
    for (int route = can_map ? ZCS_ROUTE_MAPPED : ZCS_ROUTE_STAGED; route <= ZCS_ROUTE_WHOLE;
         route++)
        for (uint32_t frame = 0; frame < FRAMES; frame++)
            run_frame(wanted, fctx, (enum zcs_route)route);
    group = NULL;
    zci_cuda_group_destroy(&fctx);
}

/* However the frame is cut. */
static void run_chain(struct zci_backend *cuda, enum zcs_pixfmt format, uint32_t height,
                      const char *chain)
{
    const struct zci_plan_params params = {.stages = chain, .custom = &custom, .custom_count = 1};
    const uint32_t devices[MAX] = {3, 1, 2, 0, 4, 5, 6, 7};
    static struct zci_group wanted;
    plan_make(&plan, format, WIDTH, height, &params);
    CHECK_EQ(cuda->ops->memory_alloc(cuda, ZCS_ROLE_INGEST, plan.source.size_bytes, &source),
             ZCS_OK);
    CHECK_EQ(cuda->ops->memory_alloc(cuda, ZCS_ROLE_READBACK, plan.image_bytes[0], &result),
             ZCS_OK);
    for (uint32_t count = 2; count <= MAX; count += STEP) {
        zci_group_split_rows(&plan, devices, count, &wanted);
        run_group(cuda, &wanted);
        for (uint32_t p = 0; p < plan.pass_count; p++) {
            if (plan.passes[p].reduce.kind == ZCI_REDUCE_NONE)
                continue;
            zci_partition_rows(&plan, p, count, wanted.partitions);
            run_group(cuda, &wanted);
        }
        zci_partition_rows(&plan, ZCI_SPLIT_EVENLY, count, wanted.partitions);
        run_group(cuda, &wanted);
    }
    cuda->ops->memory_free(cuda, &source);
    cuda->ops->memory_free(cuda, &result);
    zci_plan_finish(&plan);
}

static void run_chains(const struct zci_cuda_api *api)
{
    static const char *const chains[] = {
        "none",
        "black=64,wb=auto,demosaic=mhc,ccm,gamma,digest",
        "demosaic=mhc,digest,crop=16x16+3+0",
        "wb=auto,demosaic=mhc,crop=20x33+2+110,digest",
        "wb=auto,demosaic=bilinear,flip=v,stretch,digest,crop=9x70+1+30",
        "digest,wb=auto,demosaic,flip=both,crop=21x20+1+3,stretch",
        "digest,demosaic,turn,crop=30x21+0+3,stretch,flip=v",
        "digest,crop=20x40+0+75,demosaic,stretch,flip=v", /* one of two adds all up, both need it */
    };
    const struct zci_log quiet = {.fn = NULL};
    struct zci_backend *cuda = NULL;
    CHECK_EQ(zci_cuda_open(api, &quiet, &cuda), ZCS_OK);
    for (size_t i = 0; i < sizeof chains / sizeof *chains; i++)
        run_chain(cuda, ZCS_PIXFMT_SRGGB10P, 163, chains[i]);
    run_chain(cuda, ZCS_PIXFMT_SRGGB10, 3, "wb=auto,demosaic=mhc,digest,flip=v");
    run_chain(cuda, ZCS_PIXFMT_SRGGB8, 40, "wb=auto,demosaic,crop=20x20+1+5,digest");
    run_chain(cuda, ZCS_PIXFMT_NV12, 150, "wb=auto,flip=v,stretch,digest,crop=8x16+1+120");
    zci_backend_unref(&cuda);
    CHECK(without_result > 0 && without_sums > 0);
    printf("%s memory: devices without rows of the result %u times, without sums %u times\n",
           can_map ? "mapped" : "copied", without_result, without_sums);
}

/* The frame names a device that makes some of it: of a crop at the bottom the second does. */
static void check_stream(const struct zci_cuda_api *api)
{
    const struct zcs_pattern_params pattern = {
        .format = ZCS_PIXFMT_SRGGB8, .width = 64, .height = 160, .frames = FRAMES};
    const struct zcs_stream_params params = {.stages = "demosaic,digest,crop=64x32+0+128",
                                             .dispatch = ZCS_DISPATCH_BANDS,
                                             .devices = {0, 1},
                                             .device_count = 2,
                                             .route = ZCS_ROUTE_MAPPED};
    zcs_context *ctx = NULL;
    zcs_source *from = NULL;
    zcs_stream *stream = NULL;
    const struct zcs_frame *frame = NULL;
    struct zcs_cuda_frame made;
    CHECK_EQ(open_over(api, NULL, &ctx), ZCS_OK);
    CHECK_EQ(zcs_source_open_pattern(ctx, &pattern, &from), ZCS_OK);
    CHECK_EQ(zcs_stream_create(ctx, from, &params, &stream), ZCS_OK);
    for (uint32_t i = 0; i < FRAMES; i++) {
        CHECK_EQ(zcs_stream_next(stream, -1, &frame), ZCS_OK);
        CHECK_EQ(frame->device, 1);
        CHECK_EQ(zcs_frame_cuda(frame, &made), ZCS_OK);
        CHECK_EQ(made.cuda_device, 1);
        CHECK(frame->device_data == frame->host);
        zcs_frame_unref(&frame);
    }
    zcs_stream_destroy(&stream);
    zcs_source_close(&from);
    zcs_close(&ctx);
}

int main(void)
{
    struct zci_cuda_api api = fake_cuda;
    api.event_record = event_record;
    api.stream_wait_event = stream_wait_event;
    api.copy = copy;
    api.launch = launch;
    api.device_properties = device_properties;
    fake_state.devices = MAX;
    run_chains(&api);
    can_map = 0;
    run_chains(&api);
    check_stream(&fake_cuda);
    return 0;
}
