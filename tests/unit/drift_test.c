/* SPDX-License-Identifier: MIT */
/* What a stream takes for drift, and what not: on a clock that stands still between looks at it, so that all
 * times are exact. A device does frames one after another; they may be seen complete several at a time, as
 * where a copy engine takes its streams by turns. The host backend stands for it. */
#define PLAYED_LOOK_NS 20
#include "os/clock.h"
#include "played_clock.h"
#include "stand_in_frame_ctx.h"

enum { DEVICES = 2, BUFFERS = 16, WIDTH = 32, HEIGHT = 8, FRAMES = 800 };
enum { POLL_NS = 800, MAPPED_NS = 100000, WHOLE_NS = 700000 };

struct scene {
    const char *what;
    uint32_t in_flight, devices;
    uint32_t bunches[2]; /* frames seen complete together, by turns; 0: each when it is */
    int64_t apart_ns;    /* between those of a bunch */
    uint32_t burst;      /* frames that the source has at a time ... */
    int64_t idle_ns;     /* ... and after which it has none, */
    int64_t wake_ns;     /* so that a device takes longer for its next */
    uint32_t app_every;  /* after so many results the application takes ... */
    int64_t app_ns;      /* ... so long */
    int64_t took_ns;     /* by a frame, once all is measured */
    int drifts;          /* whether that is to be seen */
};

static struct {
    const struct scene *scene; /* NULL: while routes are measured */
    int64_t ready_ns[STAND_IN_FRAME_CTXS];
    int64_t began_ns[DEVICES]; /* when the device had nothing to do before */
    int64_t free_ns[DEVICES];  /* when it has done all that it was given */
    uint32_t submits;
} front;

/* ---- devices ---- */

/* When a frame is seen complete that is done `done_ns` after the device began: with the last of its bunch. */
static int64_t seen_after(const struct scene *scene, int64_t done_ns)
{
    const int64_t sizes[] = {scene->bunches[0], scene->bunches[1]};
    const int64_t period_ns = (sizes[0] + sizes[1]) * scene->took_ns;
    if (period_ns == 0)
        return done_ns;
    const int64_t begin_ns = (done_ns - 1) / period_ns * period_ns;
    const int64_t first_ns = begin_ns + sizes[0] * scene->took_ns;
    const int64_t seen_ns = done_ns <= first_ns ? first_ns : begin_ns + period_ns;
    return seen_ns + scene->apart_ns * (front.submits % sizes[0]);
}

static int64_t time_of(const struct scene *scene, enum zcs_route route)
{
    if (route != ZCS_ROUTE_MAPPED)
        return WHOLE_NS;
    return scene != NULL ? scene->took_ns : MAPPED_NS;
}

static zcs_status frame_ctx_submit(struct zci_frame_ctx *fctx, const struct zci_job *job)
{
    const uint32_t index = stand_in_find(fctx), device = stand_in.inflight[index].device;
    const struct scene *scene = front.scene;
    const int64_t now_ns = zci_now_ns(), rested_ns = now_ns - front.free_ns[device];
    front.submits++;
    if (rested_ns > 0) {
        const int woken = scene != NULL && scene->idle_ns > 0 && rested_ns > scene->idle_ns / 2;
        front.began_ns[device] = front.free_ns[device] = now_ns + (woken ? scene->wake_ns : 0);
    }
    front.free_ns[device] += time_of(scene, job->route);
    const int64_t done_ns = front.free_ns[device] - front.began_ns[device];
    front.ready_ns[index] =
        front.began_ns[device] + (scene != NULL ? seen_after(scene, done_ns) : done_ns);
    const zcs_status status = stand_in_submit(fctx, job);
    return status == ZCS_OK ? stand_in.real->frame_ctx_wait(fctx, -1) : status;
}

static zcs_status frame_ctx_poll(struct zci_frame_ctx *fctx, struct zci_job_result *out)
{
    pass(POLL_NS);
    if (zci_now_ns() < front.ready_ns[stand_in_find(fctx)])
        return ZCS_AGAIN;
    return stand_in.real->frame_ctx_poll(fctx, out);
}

static zcs_status frame_ctx_wait(struct zci_frame_ctx *fctx, int64_t timeout_ns)
{
    const int64_t left_ns = front.ready_ns[stand_in_find(fctx)] - zci_now_ns();
    const int over = timeout_ns >= 0 && timeout_ns < left_ns;
    if (left_ns > 0)
        pass(over ? timeout_ns : left_ns);
    return over ? ZCS_AGAIN : ZCS_OK;
}

/* ---- a source whose frames are pushed again as soon as they are let go, burst by burst ---- */

static struct {
    zcs_source *source;
    uint8_t memory[BUFFERS][WIDTH * HEIGHT];
    void *unused[BUFFERS];
    uint32_t unused_count, left;
    uint64_t next;
} feed;

static void release(void *user, void *memory)
{
    (void)user;
    feed.unused[feed.unused_count++] = memory;
}

static void push_all(void)
{
    for (; feed.unused_count > 0 && feed.left > 0; feed.left--) {
        const struct zcs_push_meta meta = {.sequence = feed.next++};
        void *memory = feed.unused[--feed.unused_count];
        CHECK_EQ(zcs_source_push(feed.source, memory, &meta, release, NULL), ZCS_OK);
    }
}

static void open_feed(zcs_context *ctx)
{
    struct zcs_push_params params = {.queue = BUFFERS};
    memset(&feed, 0, sizeof feed);
    CHECK_EQ(zcs_image_init(&params.image, ZCS_PIXFMT_GREY, WIDTH, HEIGHT, 0), ZCS_OK);
    CHECK_EQ(zcs_source_open_push(ctx, &params, &feed.source), ZCS_OK);
    for (uint32_t i = 0; i < BUFFERS; i++)
        feed.unused[feed.unused_count++] = feed.memory[i];
}

static void run_frames(const struct scene *scene, zcs_stream *stream)
{
    for (uint32_t i = 0; i < FRAMES; i++) {
        const struct zcs_frame *frame = NULL;
        if (i % scene->burst == 0) {
            feed.left = scene->burst < FRAMES - i ? scene->burst : FRAMES - i;
            pass(scene->idle_ns);
        }
        push_all();
        CHECK_EQ(zcs_stream_next(stream, -1, &frame), ZCS_OK);
        CHECK_EQ(frame->sequence, i);
        zcs_frame_unref(&frame);
        if (scene->app_every > 0 && i % scene->app_every == 0)
            pass(scene->app_ns);
    }
}

/* ---- what the stream says of it ---- */

static void judge(const struct scene *scene, const char *reason)
{
    const char *anew = strstr(reason, "anew, as mapped took ");
    printf("%s: %s\n", scene->what, reason);
    CHECK_EQ(anew != NULL, scene->drifts);
    if (anew == NULL)
        return;
    const double took_us = strtod(anew + strlen("anew, as mapped took "), NULL);
    const double wanted_us = (double)scene->took_ns / 1000.0 / scene->devices;
    CHECK(took_us > wanted_us * 0.8 && took_us < wanted_us * 1.15);
}

static void play(const struct scene *scene)
{
    const struct zci_backend_ops ops = {.frame_ctx_submit = frame_ctx_submit,
                                        .frame_ctx_poll = frame_ctx_poll,
                                        .frame_ctx_wait = frame_ctx_wait};
    memset(&front, 0, sizeof front);
    zcs_context *ctx = stand_in_open(NULL, DEVICES, &ops);
    zcs_stream *stream = NULL;
    struct zcs_stream_stats stats;
    struct zcs_stream_params params = {
        .stages = "none", .in_flight = scene->in_flight, .wait = ZCS_WAIT_SPIN};
    params.device_count = scene->devices;
    params.devices[1] = 1;
    params.results = scene->in_flight * scene->devices + 2;
    open_feed(ctx);
    CHECK_EQ(zcs_stream_create(ctx, feed.source, &params, &stream), ZCS_OK);
    front.scene = scene;
    run_frames(scene, stream);
    zcs_stream_stats(stream, &stats);
    CHECK_EQ(stats.processed, FRAMES);
    CHECK_EQ(stats.route, ZCS_ROUTE_MAPPED);
    judge(scene, stats.route_reason);
    zcs_stream_destroy(&stream);
    zcs_source_close(&feed.source);
    zcs_close(&ctx);
}

// clang-format off
#define STEADY .burst = FRAMES
#define AS_MEASURED STEADY, .took_ns = MAPPED_NS
#define SLOWER STEADY, .took_ns = MAPPED_NS * 3 / 2, .drifts = 1
static const struct scene scenes[] = {
    {"one by one, one in flight", 1, 1, AS_MEASURED},
    {"one by one", 3, 1, AS_MEASURED},
    {"all together", 3, 1, .bunches = {3}, AS_MEASURED},
    {"three of four together", 4, 1, .bunches = {3}, AS_MEASURED},
    {"three of four, 5 us apart", 4, 1, .bunches = {3}, .apart_ns = 5000, AS_MEASURED},
    {"two of three together", 3, 1, .bunches = {2}, AS_MEASURED},
    {"two of three, 5 us apart", 3, 1, .bunches = {2}, .apart_ns = 5000, AS_MEASURED},
    {"three of five together", 5, 1, .bunches = {3}, AS_MEASURED},
    {"one, three, one, three of four", 4, 1, .bunches = {1, 3}, AS_MEASURED},
    {"one, three, one, three of five", 5, 1, .bunches = {1, 3}, AS_MEASURED},
    {"three together on both devices", 4, 2, .bunches = {3}, AS_MEASURED},

    {"three of four, of which the first holds the application up", 4, 1, .bunches = {3},
     .app_every = 3, .app_ns = 2 * MAPPED_NS, AS_MEASURED},
    {"three of four, collected one by one", 4, 1, .bunches = {3},
     .app_every = 1, .app_ns = MAPPED_NS / 2, AS_MEASURED},
    {"one, three of four, collected late", 4, 1, .bunches = {1, 3},
     .app_every = 4, .app_ns = 9 * MAPPED_NS, AS_MEASURED},
    {"a slow application", 3, 1, .app_every = 1, .app_ns = 3 * MAPPED_NS, AS_MEASURED},
    {"a slow application, one in flight", 1, 1, .app_every = 1, .app_ns = 9 * MAPPED_NS, AS_MEASURED},
    {"an application that sleeps now and then", 2, 1, .app_every = 16, .app_ns = 100 * MAPPED_NS, AS_MEASURED},

    {"bursts of what is in flight, each after a rest", 4, 1, .burst = 4, .idle_ns = 200 * MAPPED_NS,
     .wake_ns = 9 * MAPPED_NS, .took_ns = MAPPED_NS},
    {"bursts together, each after a rest", 4, 1, .bunches = {3}, .burst = 4, .idle_ns = 200 * MAPPED_NS,
     .wake_ns = 9 * MAPPED_NS, .took_ns = MAPPED_NS},
    {"longer bursts, each after a rest", 4, 1, .bunches = {3}, .burst = 20, .idle_ns = 200 * MAPPED_NS,
     .wake_ns = 9 * MAPPED_NS, .took_ns = MAPPED_NS},
    {"single frames of a camera, on a device that wakes up for each", 3, 1, .burst = 1, .idle_ns = 300 * MAPPED_NS,
     .wake_ns = 9 * MAPPED_NS, .took_ns = MAPPED_NS},

    {"slower, one in flight", 1, 1, SLOWER},
    {"slower, one by one", 3, 1, SLOWER},
    {"slower, all together", 3, 1, .bunches = {3}, SLOWER},
    {"slower, three of four together", 4, 1, .bunches = {3}, SLOWER},
    {"slower, three of four, 5 us apart", 4, 1, .bunches = {3}, .apart_ns = 5000, SLOWER},
    {"slower, one, three, one, three of four", 4, 1, .bunches = {1, 3}, SLOWER},
    {"slower, on both devices", 4, 2, .bunches = {3}, SLOWER},
    {"slower, with an application that takes half as long", 3, 1, .app_every = 1, .app_ns = MAPPED_NS / 2, SLOWER},
    {"slower, three of four, collected one by one", 4, 1, .bunches = {3},
     .app_every = 1, .app_ns = MAPPED_NS / 4, SLOWER},
    {"slower, in bursts", 4, 1, .burst = 100, .idle_ns = 200 * MAPPED_NS, .took_ns = MAPPED_NS * 3 / 2, .drifts = 1},
    {"slower, single frames of a camera, one in flight", 1, 1, .burst = 1, .idle_ns = 300 * MAPPED_NS,
     .took_ns = MAPPED_NS * 3 / 2, .drifts = 1},
};
// clang-format on

int main(void)
{
    for (size_t i = 0; i < sizeof scenes / sizeof *scenes; i++)
        play(&scenes[i]);
    return 0;
}
