/* SPDX-License-Identifier: MIT */
/* The host backend while allocations and system calls fail: nothing leaks, each failure is one line, and
 * with fewer workers or slots the work is done all the same. */
#include "check.h"
#include "fault/wrap.h"

#include <errno.h>

#include "zcstream/zcstream.h"
#include "backend/backend.h"
#include "core/format.h"
#include "context/context.h"
#include "frame/pool.h"
#include "group.h"

static int errors;

static void count_errors(void *user, enum zcs_log_level level, const char *line)
{
    (void)user;
    (void)line;
    errors += level == ZCS_LOG_ERROR;
}

static void make_plan(struct zci_plan *plan)
{
    *plan = (struct zci_plan){.pass_count = 2, .digest_state = -1};
    CHECK(zcs_image_init(&plan->source, ZCS_PIXFMT_GREY, 64, 48, 0) == ZCS_OK);
    zci_load_make(&plan->load, &plan->source, 8);
    for (int i = 0; i < 2; i++) {
        plan->image_stride[i] = 128;
        plan->image_bytes[i] = (size_t)128 * 48;
        plan->passes[i] = (struct zci_pass){.in = i == 0 ? ZCI_IMAGE_SOURCE : 1,
                                            .out = i == 0 ? 1 : 0,
                                            .custom = -1,
                                            .loaded = plan->load.pixel,
                                            .pixel = plan->load.pixel,
                                            .window = {.width = 64, .height = 48},
                                            .in_width = 64,
                                            .in_height = 48,
                                            .width = 64,
                                            .height = 48};
    }
}

struct parts {
    zcs_context *ctx;
    struct zci_pool *pool;
    struct zci_frame_ctx *fctx;
    void *memory;
};

static zcs_status make_parts(struct parts *parts, const struct zci_plan *plan)
{
    const struct zcs_params params = {
        .backend = ZCS_BACKEND_HOST, .host_threads = 3, .log = count_errors};
    zcs_status status = zcs_open(&params, &parts->ctx);
    if (status != ZCS_OK)
        return status;
    struct zci_backend *backend = parts->ctx->backend;
    const struct zci_pool_params slots = {
        .backend = backend, .bytes = plan->image_bytes[0], .count = 3, .min = 2, .what = "slots"};
    status = zci_pool_create(&slots, &parts->pool);
    if (status == ZCS_OK)
        status = frame_ctx_alone(backend, 0, plan, NULL, &parts->fctx);
    if (status == ZCS_OK)
        status =
            zcs_memory_alloc(parts->ctx, ZCS_ROLE_INGEST, plan->source.size_bytes, &parts->memory);
    if (status == ZCS_OK)
        status = zcs_memory_register(parts->ctx, parts->memory, plan->source.size_bytes);
    return status;
}

static void run_frame(const struct parts *parts, const struct zci_plan *plan)
{
    const struct zci_backend_ops *ops = parts->fctx->backend->ops;
    struct zci_slot *slot = zci_pool_take(parts->pool);
    const uint64_t calls = wrap_calls(WRAP_ALLOC);
    memset(parts->memory, 7, plan->source.size_bytes);
    for (int route = ZCS_ROUTE_MAPPED; route <= ZCS_ROUTE_WHOLE; route++) {
        const struct zci_job job = {
            .source = parts->memory, .result = slot->memory.host, .route = (enum zcs_route)route};
        struct zci_job_result out;
        CHECK(ops->frame_ctx_submit(parts->fctx, &job) == ZCS_OK);
        CHECK(ops->frame_ctx_wait(parts->fctx, -1) == ZCS_OK);
        CHECK(ops->frame_ctx_poll(parts->fctx, &out) == ZCS_OK);
        CHECK_EQ(((uint8_t *)slot->memory.host)[47 * 128 + 63], 7);
    }
    CHECK_EQ(wrap_calls(WRAP_ALLOC), calls);
    zci_slot_unref(slot);
}

static void destroy_parts(struct parts *parts)
{
    if (parts->fctx != NULL)
        parts->fctx->backend->ops->frame_ctx_destroy(&parts->fctx);
    zci_pool_drop(&parts->pool);
    if (parts->memory != NULL)
        zcs_memory_free(parts->ctx, &parts->memory);
    zcs_close(&parts->ctx);
}

/* The whole life with the n-th call failing; returns how many calls did. */
static uint64_t live(enum wrap_kind kind, uint64_t n, enum wrap_mode mode,
                     const struct zci_plan *plan)
{
    const struct wrap_outstanding before = wrap_outstanding();
    struct parts parts = {0};
    errors = 0;
    wrap_fail_nth(kind, n, mode, kind == WRAP_ALLOC ? ENOMEM : EAGAIN);
    const zcs_status status = make_parts(&parts, plan);
    const uint64_t failed = wrap_failed();
    if (status == ZCS_OK)
        run_frame(&parts, plan);
    else
        CHECK_EQ(status, ZCS_ERR_NOMEM);
    CHECK_EQ(errors, status == ZCS_OK ? 0 : 1);
    CHECK(status == ZCS_OK || failed > 0);
    wrap_reset();
    destroy_parts(&parts);
    CHECK(wrap_same(before, wrap_outstanding()));
    return failed;
}

int main(void)
{
    static struct zci_plan plan;
    make_plan(&plan);
    for (int kind = 0; kind < WRAP_KIND_COUNT; kind++)
        for (int mode = WRAP_ONCE; mode <= WRAP_ON; mode++) {
            uint64_t n = 1;
            while (live((enum wrap_kind)kind, n, (enum wrap_mode)mode, &plan) > 0)
                CHECK(n++ < 1000);
            printf("kind %d, mode %d: %d calls\n", kind, mode, (int)n - 1);
            CHECK(n > 4);
        }
    return 0;
}
