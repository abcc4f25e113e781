/* SPDX-License-Identifier: MIT */
/* A stream under failure: every allocation, system call and backend call of a short run fails once, and
 * from then on; nothing leaks, nothing hangs, and the next run is whole. */
#include <errno.h>

#include "fault/wrap.h"
#include "backend/backend.h"
#include "context/context.h"
#include "stream_setup.h"

enum { FRAMES = 5 };

/* The backend's table with counting fronts; `left` calls succeed before one fails. */
static struct {
    struct zci_backend_ops ops;
    const struct zci_backend_ops *real;
    int64_t left;
    int sticky, failed;
} front;

static int fails(void)
{
    if (front.left-- > 0)
        return 0;
    if (front.left < -1 && !front.sticky)
        return 0;
    front.failed++;
    return 1;
}

static zcs_status front_alloc(struct zci_backend *backend, enum zcs_role role, size_t bytes,
                              struct zci_memory *out)
{
    return fails() ? ZCS_ERR_NOMEM : front.real->memory_alloc(backend, role, bytes, out);
}

static zcs_status front_create(struct zci_backend *backend, const struct zci_group *group,
                               struct zci_notifier *notifier, int *failed_device,
                               struct zci_frame_ctx **out)
{
    return fails() ? ZCS_ERR_DEVICE
                   : front.real->frame_ctx_create(backend, group, notifier, failed_device, out);
}

static zcs_status front_submit(struct zci_frame_ctx *fctx, const struct zci_job *job)
{
    return fails() ? ZCS_ERR_DEVICE : front.real->frame_ctx_submit(fctx, job);
}

static zcs_status front_poll(struct zci_frame_ctx *fctx, struct zci_job_result *out)
{
    const zcs_status status = front.real->frame_ctx_poll(fctx, out);
    return status == ZCS_OK && fails() ? ZCS_ERR_DEVICE : status;
}

static void put_front(zcs_context *ctx)
{
    front.real = ctx->backend->ops;
    front.ops = *front.real;
    front.ops.memory_alloc = front_alloc;
    front.ops.frame_ctx_create = front_create;
    front.ops.frame_ctx_submit = front_submit;
    front.ops.frame_ctx_poll = front_poll;
    ctx->backend->ops = &front.ops;
}

static zcs_status take_all(zcs_stream *stream, uint64_t *count, uint64_t *digest)
{
    const struct zcs_frame *frame = NULL;
    zcs_status status;
    while ((status = zcs_stream_next(stream, 10000000000, &frame)) == ZCS_OK) {
        CHECK(frame->flags & ZCS_FRAME_DIGEST);
        *digest = *digest * 31 + frame->digest;
        ++*count;
        zcs_frame_unref(&frame);
    }
    CHECK(status != ZCS_AGAIN); /* a hang */
    return status;
}

static zcs_status run(int with_front, uint64_t *digest)
{
    zcs_context *ctx = NULL;
    zcs_source *source = NULL;
    zcs_stream *stream = NULL;
    uint64_t count = 0;
    *digest = 0;
    const struct zcs_params params = {.backend = ZCS_BACKEND_HOST, .host_threads = 2};
    const struct zcs_pattern_params pattern = {
        .name = "zone", .format = ZCS_PIXFMT_SRGGB10, .width = 40, .height = 22, .frames = FRAMES};
    const struct zcs_stream_params chain = {.stages = "black=64,wb,demosaic,gamma,digest"};
    zcs_status status = zcs_open(&params, &ctx);
    if (status == ZCS_OK && with_front)
        put_front(ctx);
    if (status == ZCS_OK)
        status = zcs_source_open_pattern(ctx, &pattern, &source);
    if (status == ZCS_OK)
        status = zcs_stream_create(ctx, source, &chain, &stream);
    if (status == ZCS_OK)
        status = take_all(stream, &count, digest);
    CHECK(status < 0 || (status == ZCS_EOF && count == FRAMES));
    setup_close(&stream, &source, &ctx);
    return status;
}

static uint64_t expected;

static void run_whole(void)
{
    uint64_t digest;
    CHECK_EQ(run(0, &digest), ZCS_EOF);
    CHECK(expected == 0 || digest == expected);
    expected = digest;
}

static void each_call(enum wrap_kind kind, enum wrap_mode mode, int error)
{
    const struct wrap_outstanding before = wrap_outstanding();
    uint64_t failures = 0, n = 1, digest;
    for (;; n++) {
        wrap_fail_nth(kind, n, mode, error);
        const zcs_status status = run(0, &digest);
        const uint64_t failed = wrap_failed();
        wrap_reset();
        CHECK(wrap_same(before, wrap_outstanding()));
        CHECK(status < 0 || digest == expected);
        failures += status < 0;
        if (failed == 0)
            break;
        CHECK(n < 5000);
    }
    CHECK(failures > 2);
    run_whole();
}

static void each_backend_call(int sticky)
{
    const struct wrap_outstanding before = wrap_outstanding();
    uint64_t digest;
    int64_t n = 0;
    for (;; n++) {
        front.left = n;
        front.sticky = sticky;
        front.failed = 0;
        const zcs_status status = run(1, &digest);
        CHECK(wrap_same(before, wrap_outstanding()));
        CHECK(front.failed == 0 || status < 0 || digest == expected);
        if (front.failed == 0)
            break;
    }
    CHECK(n > 3 + 2 * FRAMES);
    run_whole();
}

int main(void)
{
    run_whole();
    each_call(WRAP_ALLOC, WRAP_ONCE, ENOMEM);
    each_call(WRAP_ALLOC, WRAP_ON, ENOMEM);
    each_call(WRAP_SYSTEM, WRAP_ONCE, EIO);
    each_call(WRAP_SYSTEM, WRAP_ON, EMFILE);
    each_backend_call(0);
    each_backend_call(1);
    return 0;
}
