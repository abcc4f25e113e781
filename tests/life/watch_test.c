/* SPDX-License-Identifier: MIT */
/* A stream's descriptor, for programs with a loop of their own: readable whenever zcs_stream_next has something to do,
 * whoever could have said so, and silent otherwise. One call for each time that it is readable. */
#include <poll.h>
#include <pthread.h>
#include <time.h>
#include <unistd.h>

#include "push_setup.h"
#include "stream_setup.h"

#include "os/clock.h"
#include "backend/backend.h"
#include "context/context.h"

enum { LONG_MS = 10000, FRAMES = 4, MAX_HELD = 8, MAX_WAKES = 10 };
#define MS INT64_C(1000000)

static void nap(int64_t ms)
{
    const struct timespec time = {.tv_nsec = (long)(ms * MS)};
    nanosleep(&time, NULL);
}

static int readable(const zcs_stream *stream, int ms)
{
    struct pollfd fd = {.fd = zcs_stream_fd(stream), .events = POLLIN};
    return poll(&fd, 1, ms);
}

/* The stream's next word that is not ZCS_AGAIN. */
static zcs_status take(zcs_stream *stream, const struct zcs_frame **out)
{
    zcs_status status = ZCS_AGAIN;
    while (status == ZCS_AGAIN) {
        CHECK_EQ(readable(stream, LONG_MS), 1);
        status = zcs_stream_next(stream, 0, out);
    }
    return status;
}

static void take_all(zcs_stream *stream, uint64_t count)
{
    const struct zcs_frame *frame = NULL;
    for (uint64_t i = 0; i < count; i++) {
        CHECK_EQ(take(stream, &frame), ZCS_OK);
        CHECK_EQ(frame->sequence, i);
        zcs_frame_unref(&frame);
    }
}

/* ---- a tap that keeps captured frames: their slots do not come home, and ring no notifier ---- */

static const struct zcs_frame *kept[MAX_HELD];
static uint32_t kept_count;

static void keep(void *user, const struct zcs_frame *captured)
{
    (void)user;
    CHECK(kept_count < MAX_HELD);
    zcs_frame_ref(captured);
    kept[kept_count++] = captured;
}

static void let_go(void)
{
    while (kept_count > 0)
        zcs_frame_unref(&kept[--kept_count]);
}

/* ---- frame contexts that are told what to say ---- */

static const struct zci_backend_ops *real;
static struct zci_backend_ops played;
static int shut; /* 1: no frame is seen complete */

static zcs_status gated_poll(struct zci_frame_ctx *fctx, struct zci_job_result *out)
{
    return shut ? ZCS_AGAIN : real->frame_ctx_poll(fctx, out);
}

static zcs_status quiet_create(struct zci_backend *backend, const struct zci_group *group,
                               struct zci_notifier *notifier, int *failed_device,
                               struct zci_frame_ctx **out)
{
    (void)notifier;
    return real->frame_ctx_create(backend, group, NULL, failed_device, out);
}

/* Frames that are complete together have all been announced when the first is taken. */
static void together(zcs_context *ctx)
{
    const struct zcs_stream_params params = {
        .in_flight = FRAMES, .results = FRAMES, .tap = keep, .tap_frames = FRAMES};
    const struct zcs_frame *frames[FRAMES], *none = NULL;
    real = ctx->backend->ops;
    played = *real;
    played.frame_ctx_poll = gated_poll;
    ctx->backend->ops = &played;
    zcs_source *source = push_open(ctx, MAX_HELD);
    zcs_stream *stream = NULL;
    CHECK_EQ(zcs_stream_create(ctx, source, &params, &stream), ZCS_OK);
    CHECK_EQ(readable(stream, 0), 1); /* the first time in any case */
    CHECK_EQ(zcs_stream_next(stream, 0, &none), ZCS_AGAIN);
    CHECK_EQ(readable(stream, 0), 0);
    for (uint64_t i = 0; i < FRAMES; i++)
        push_frame(source, i);
    CHECK_EQ(readable(stream, 0), 1);
    shut = 1;
    CHECK_EQ(zcs_stream_next(stream, 0, &none), ZCS_AGAIN); /* all are begun */
    nap(200);
    CHECK_EQ(zcs_stream_next(stream, 0, &none), ZCS_AGAIN); /* and complete */
    shut = 0;
    CHECK_EQ(zcs_stream_next(stream, 0, &frames[0]), ZCS_OK);
    for (uint64_t i = 1; i < FRAMES; i++) {
        CHECK_EQ(readable(stream, 0), 1);
        CHECK_EQ(zcs_stream_next(stream, 0, &frames[i]), ZCS_OK);
    }
    for (int wakes = 0; readable(stream, 0) == 1; wakes++) {
        CHECK(wakes < MAX_WAKES);
        CHECK_EQ(zcs_stream_next(stream, 0, &none), ZCS_AGAIN);
    }
    for (uint64_t i = 0; i < FRAMES; i++)
        zcs_frame_unref(&frames[i]);
    let_go();
    zcs_stream_destroy(&stream);
    zcs_source_close(&source);
    ctx->backend->ops = real;
}

/* Frame contexts that ring no notifier, as a GPU's. */
static void polled(zcs_context *ctx)
{
    const struct zcs_stream_params params = {.in_flight = 1};
    const struct zcs_frame *none = NULL;
    real = ctx->backend->ops;
    played = *real;
    played.frame_ctx_poll = gated_poll;
    played.polled = 1;
    played.frame_ctx_create = quiet_create;
    ctx->backend->ops = &played;
    zcs_source *source = push_open(ctx, MAX_HELD);
    zcs_stream *stream = NULL;
    CHECK_EQ(zcs_stream_create(ctx, source, &params, &stream), ZCS_OK);
    for (uint64_t i = 0; i < FRAMES; i++)
        push_frame(source, i);
    shut = 1;
    CHECK_EQ(readable(stream, 0), 1);
    CHECK_EQ(zcs_stream_next(stream, 0, &none), ZCS_AGAIN);
    shut = 0;
    take_all(stream, FRAMES);
    zcs_stream_destroy(&stream);
    zcs_source_close(&source);
    ctx->backend->ops = real;
}

/* ---- sources ---- */

/* A source without a descriptor, which always has one. */
static void always(zcs_context *ctx)
{
    const struct zcs_pattern_params pattern = {
        .format = ZCS_PIXFMT_GREY, .width = 32, .height = 16, .frames = FRAMES};
    const struct zcs_stream_params params = {
        .in_flight = 1, .results = FRAMES, .tap = keep, .tap_frames = FRAMES};
    const struct zcs_frame *frames[FRAMES], *none = NULL;
    zcs_source *source = NULL;
    zcs_stream *stream = NULL;
    CHECK_EQ(zcs_source_open_pattern(ctx, &pattern, &source), ZCS_OK);
    CHECK_EQ(zcs_stream_create(ctx, source, &params, &stream), ZCS_OK);
    for (int i = 0; i < FRAMES; i++)
        CHECK_EQ(take(stream, &frames[i]), ZCS_OK);
    CHECK_EQ(take(stream, &none), ZCS_EOF); /* though there is no slot for another one */
    let_go();
    for (int i = 0; i < FRAMES; i++)
        zcs_frame_unref(&frames[i]);
    zcs_stream_destroy(&stream);
    zcs_source_close(&source);
}

/* A time that is over is forgotten when there is nothing to do: the application holds all results. */
static void paced(zcs_context *ctx)
{
    const struct zcs_pattern_params pattern = {.format = ZCS_PIXFMT_GREY,
                                               .width = 32,
                                               .height = 16,
                                               .fps_num = 200,
                                               .fps_den = 1,
                                               .pace = 1};
    const struct zcs_stream_params params = {.in_flight = 1, .results = 1};
    const struct zcs_frame *frames[MAX_HELD], *none = NULL;
    zcs_source *source = NULL;
    zcs_stream *stream = NULL;
    uint32_t held = 0;
    int wakes = 0;
    CHECK_EQ(zcs_source_open_pattern(ctx, &pattern, &source), ZCS_OK);
    CHECK_EQ(zcs_stream_create(ctx, source, &params, &stream), ZCS_OK);
    while (readable(stream, 100) == 1) {
        if (zcs_stream_next(stream, 0, &frames[held]) == ZCS_OK)
            CHECK(++held < MAX_HELD);
        else
            CHECK(++wakes < MAX_WAKES * MAX_HELD);
    }
    CHECK(held > 0);
    CHECK_EQ(readable(stream, 50), 0);
    zcs_frame_unref(&frames[--held]);
    CHECK_EQ(take(stream, &none), ZCS_OK);
    zcs_frame_unref(&none);
    while (held > 0)
        zcs_frame_unref(&frames[--held]);
    zcs_stream_destroy(&stream);
    zcs_source_close(&source);
}

static void *let_one_go(void *user)
{
    nap(30);
    zcs_frame_unref(&kept[0]);
    return user;
}

/* Who sleeps for want of a slot wakes up when one comes home; what is kept may outlive the stream. */
static void kept_by_tap(zcs_context *ctx)
{
    const struct zcs_pattern_params pattern = {
        .format = ZCS_PIXFMT_GREY, .width = 32, .height = 16};
    const struct zcs_stream_params params = {.in_flight = 1, .slots = 2, .tap = keep};
    const struct zcs_frame *frame = NULL;
    zcs_source *source = NULL;
    zcs_stream *stream = NULL;
    pthread_t other;
    CHECK_EQ(zcs_source_open_pattern(ctx, &pattern, &source), ZCS_OK);
    CHECK_EQ(zcs_stream_create(ctx, source, &params, &stream), ZCS_OK);
    while (zcs_stream_next(stream, 200 * MS, &frame) == ZCS_OK)
        zcs_frame_unref(&frame);
    CHECK(kept_count > 1);
    CHECK_EQ(pthread_create(&other, NULL, let_one_go, NULL), 0);
    const int64_t begin_ns = zci_now_ns();
    CHECK_EQ(zcs_stream_next(stream, LONG_MS * MS, &frame), ZCS_OK);
    CHECK(zci_now_ns() - begin_ns < LONG_MS / 2 * MS);
    CHECK_EQ(pthread_join(other, NULL), 0);
    zcs_frame_unref(&frame);
    zcs_stream_destroy(&stream);
    let_go();
    zcs_source_close(&source);
}

int main(void)
{
    alarm(60);
    zcs_context *ctx = setup_context(2, NULL);
    together(ctx);
    always(ctx);
    paced(ctx);
    polled(ctx);
    kept_by_tap(ctx);
    zcs_close(&ctx);
    return 0;
}
