/* SPDX-License-Identifier: MIT */
/* Shares of a frame: whatever devices there are, bands and relays give the plan's bits, on every route, by
 * whatever the bands are cut; every row of the result and every row of a sum belongs to one device. */
#include "check.h"
#include "upside_down.h"

#include "core/format.h"
#include "core/partition.h"
#include "backend/backend.h"
#include "context/context.h"
#include "plan_make.h"
#include "plan_run.h"
#include "stream_setup.h"

enum { MAX = 8, STEP = SANITIZED ? 3 : 1 };

static zcs_context *ctx;

static const struct zcs_custom_stage stages[] = {{.name = "turn", .host_fn = upside_down}};

/* The result's rows without padding, and the digest. */
static void check_against(const struct zci_plan *plan, const struct plain *expected,
                          const struct zci_dynamic *states, const uint8_t *result,
                          const struct zci_job_result *done)
{
    const size_t row = (size_t)expected->width * zci_pixel_bytes(expected->pixel);
    for (uint32_t y = 0; y < expected->height; y++)
        CHECK(memcmp(result + y * plan->image_stride[0], plain_at(expected, 0, y), row) == 0);
    if (plan->digest_state >= 0)
        CHECK(done->digest == states[plan->digest_state].digest);
}

static void run_group(const struct zci_group *group, const uint8_t *source,
                      const struct plain *expected, const struct zci_dynamic *states)
{
    const struct zci_backend_ops *ops = ctx->backend->ops;
    uint8_t *result = malloc(group->plan->image_bytes[0]);
    struct zci_frame_ctx *fctx = NULL;
    int failed_device = -1;
    CHECK_EQ(ops->frame_ctx_create(ctx->backend, group, NULL, &failed_device, &fctx), ZCS_OK);
    for (int route = ZCS_ROUTE_MAPPED; route <= ZCS_ROUTE_WHOLE; route++) {
        const struct zci_job job = {
            .source = source, .result = result, .route = (enum zcs_route)route};
        struct zci_job_result done;
        memset(result, 0xA5, group->plan->image_bytes[0]);
        CHECK_EQ(ops->frame_ctx_submit(fctx, &job), ZCS_OK);
        CHECK_EQ(ops->frame_ctx_wait(fctx, -1), ZCS_OK);
        CHECK_EQ(ops->frame_ctx_poll(fctx, &done), ZCS_OK);
        check_against(group->plan, expected, states, result, &done);
    }
    ops->frame_ctx_destroy(&fctx);
    free(result);
}

/* Each row of pass `p` is in exactly one of the shares' ranges. */
static void check_once(const struct zci_group *group, uint32_t p, int sums)
{
    for (uint32_t y = 0; y < group->plan->passes[p].height; y++) {
        uint32_t times = 0;
        for (uint32_t i = 0; i < group->count; i++) {
            const struct zci_partition *partition = &group->partitions[i];
            const struct zci_rows rows = sums ? partition->sums[p] : partition->rows[p];
            times += y >= rows.first && y < rows.last;
        }
        CHECK_EQ(times, 1);
    }
}

static void check_partitions(const struct zci_group *group)
{
    const struct zci_plan *plan = group->plan;
    check_once(group, plan->pass_count - 1, 0);
    CHECK(!zci_rows_none(
        group->partitions[zci_group_result_device(group)].rows[plan->pass_count - 1]));
    for (uint32_t p = 0; p < plan->pass_count; p++) {
        if (plan->passes[p].reduce.kind != ZCI_REDUCE_NONE)
            check_once(group, p, 1);
        for (uint32_t i = 0; i < group->count; i++) {
            const struct zci_rows rows = group->partitions[i].rows[p];
            CHECK(rows.first % ZCI_PARTITION_ROWS == 0);
            CHECK(rows.last % ZCI_PARTITION_ROWS == 0 || rows.last == plan->passes[p].height);
        }
    }
}

static uint8_t *noise(size_t bytes)
{
    uint64_t random = 88172645463325252u;
    uint8_t *data = malloc(bytes);
    for (size_t i = 0; i < bytes; i++)
        data[i] = (uint8_t)test_random(&random);
    return data;
}

/* The bands that are chosen, and all that could be. */
static void run_bands(const struct zci_plan *plan, uint32_t count, const uint8_t *source,
                      const struct plain *expected, const struct zci_dynamic *states)
{
    static const uint32_t devices[MAX] = {0};
    static struct zci_group group;
    zci_group_split_rows(plan, devices, count, &group);
    check_partitions(&group);
    run_group(&group, source, expected, states);
    for (uint32_t p = 0; p < plan->pass_count && group.count > 1; p++) {
        const int even = p + 1 == plan->pass_count;
        if (!even && plan->passes[p].reduce.kind == ZCI_REDUCE_NONE)
            continue;
        zci_partition_rows(plan, even ? ZCI_SPLIT_EVENLY : p, count, group.partitions);
        check_partitions(&group);
        run_group(&group, source, expected, states);
    }
}

/* On up to `most` devices. */
static void check_devices(enum zcs_pixfmt format, uint32_t width, uint32_t height,
                          const char *chain, uint32_t max)
{
    static const uint32_t devices[MAX] = {0};
    static struct zci_plan plan, cut;
    static struct zci_group group;
    struct zci_dynamic states[ZCI_MAX_STATES], ignored[ZCI_MAX_STATES];
    struct zci_plan_params params = {.stages = chain, .custom = stages, .custom_count = 1};
    plan_make(&plan, format, width, height, &params);
    uint8_t *source = noise(plan.source.size_bytes);
    struct plain expected = plan_run(&plan, source, states);
    for (uint32_t count = 1; count <= max; count += count < 2 ? 1 : STEP) {
        run_bands(&plan, count, source, &expected, states);
        params.min_passes = count;
        plan_make(&cut, format, width, height, &params);
        struct plain same = plan_run(&cut, source, ignored);
        CHECK(same.width == expected.width && same.height == expected.height);
        CHECK(memcmp(same.data, expected.data,
                     (size_t)same.width * same.height * zci_pixel_bytes(expected.pixel)) == 0);
        zci_group_pipeline(&cut, devices, count, &group);
        CHECK(group.count == (count < cut.pass_count ? count : cut.pass_count));
        check_partitions(&group);
        run_group(&group, source, &expected, states);
        free(same.data);
        zci_plan_finish(&cut);
    }
    free(expected.data);
    free(source);
    zci_plan_finish(&plan);
}

static void check_chain(enum zcs_pixfmt format, uint32_t width, uint32_t height, const char *chain)
{
    check_devices(format, width, height, chain, MAX);
}

static void test_chains(void)
{
    static const char *const bayer[] = {
        "none",
        "digest",
        "black=64:white=1000,wb=auto,demosaic=mhc,ccm,gamma",
        "wb=auto,demosaic=bilinear,stretch,gamma,digest",
        "digest,demosaic,flip=v,stretch,crop=18x40+2+20,digest",
        "flip=both,demosaic=mhc,gray,stretch,digest",
        "demosaic,turn,gamma,digest",
        "demosaic,turn",
        "crop=20x16+4+90,wb=auto,demosaic",
        "wb=auto,demosaic=mhc,flip=v,digest",
        "digest,demosaic,stretch,crop=20x40+2+100",
        "demosaic=mhc,digest,crop=16x16+0+0",
        "wb=auto,demosaic,crop=16x1+3+149,digest",
        "wb=auto,demosaic,flip=v,crop=20x70+2+11,digest,flip=both,stretch,crop=9x33+1+30",
        "digest,demosaic,turn,crop=30x21+1+3,stretch,flip=v",
    };
    static const uint32_t heights[] = {150, 163};
    for (size_t i = 0; i < sizeof bayer / sizeof *bayer; i++)
        for (size_t k = 0; k < sizeof heights / sizeof *heights; k++)
            check_chain(ZCS_PIXFMT_SRGGB10P, 32, heights[k], bayer[i]);
    check_chain(ZCS_PIXFMT_SRGGB10, 6, 3, "wb=auto,demosaic=mhc,digest"); /* less than a share */
    check_chain(ZCS_PIXFMT_NV12, 22, 97, "flip=v,wb=auto,stretch,digest");
    check_chain(ZCS_PIXFMT_YUV420, 21, 403, "stretch,digest");
    check_chain(ZCS_PIXFMT_Y16, 17, 80, "stretch,digest");
}

/* Enough rows for several chunks of the staged route, of which the window leaves most out. */
static void test_chunks(void)
{
    check_devices(ZCS_PIXFMT_SRGGB8, 9000, 500, "demosaic,digest,crop=64x40+32+8,stretch,digest",
                  2);
}

/* Every input row that an output row is made of, and no more than there is. */
static void check_input(const struct zci_pass *pass, struct zci_rows of)
{
    const struct zci_rows in = zci_partition_input(pass, of);
    const int32_t reach = pass->stencil != ZCI_STENCIL_NONE ? 2 : 0;
    uint32_t min = UINT32_MAX, max = 0;
    for (int32_t y = (int32_t)of.first; y < (int32_t)of.last; y++)
        for (int32_t k = y - reach; k <= y + reach; k++) {
            const int32_t row = zck_mirror(k, (int32_t)pass->height);
            const uint32_t from =
                pass->window.y +
                (uint32_t)(pass->window.flip_v ? (int32_t)pass->height - 1 - row : row);
            min = from < min ? from : min;
            max = from > max ? from : max;
        }
    CHECK_EQ(in.first, min);
    CHECK_EQ(in.last, max + 1);
}

static void test_input(void)
{
    struct zci_pass pass = {.custom = -1, .in_height = 90, .height = 50};
    pass.window = (struct zci_window){.y = 7, .height = 50};
    for (int flip = 0; flip < 2; flip++)
        for (int stencil = ZCI_STENCIL_NONE; stencil < ZCI_STENCIL_COUNT; stencil++) {
            pass.stencil = (uint8_t)stencil;
            pass.window.flip_v = (uint8_t)flip;
            check_input(&pass, (struct zci_rows){0, 16});
            check_input(&pass, (struct zci_rows){16, 32});
            check_input(&pass, (struct zci_rows){48, 50});
            check_input(&pass, (struct zci_rows){0, 50});
        }
    CHECK(zci_rows_none(zci_partition_input(&pass, (struct zci_rows){16, 16})));
}

static void test_relay_is_even(void)
{
    static const uint32_t devices[2] = {0, 1};
    static struct zci_plan plan;
    static struct zci_group group;
    const struct zci_plan_params params = {
        .stages = "turn,turn,turn,turn", .custom = stages, .custom_count = 1, .min_passes = 2};
    plan_make(&plan, ZCS_PIXFMT_GREY, 64, 64, &params);
    zci_group_pipeline(&plan, devices, 2, &group);
    CHECK_EQ(group.count, 2);
    uint32_t stages_of[2] = {0, 0};
    for (uint32_t i = 0; i < 2; i++)
        for (uint32_t p = 0; p < plan.pass_count; p++)
            stages_of[i] +=
                plan.passes[p].custom >= 0 && !zci_rows_none(group.partitions[i].rows[p]);
    CHECK_EQ(stages_of[0], 2);
    CHECK_EQ(stages_of[1], 2);
    CHECK(group.devices[0] == 0 && group.devices[1] == 1);
    zci_plan_finish(&plan);
}

int main(void)
{
    static int lines;
    ctx = setup_context(3, &lines);
    test_chains();
    test_chunks();
    test_input();
    test_relay_is_even();
    zcs_close(&ctx);
    return 0;
}
