/* SPDX-License-Identifier: MIT */
/* Several streams in one loop: turns, ends, holding, and frames matched by their times. */
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/time.h>
#include <time.h>

#include "backend/backend.h"
#include "context/context.h"
#include "stream_setup.h"

#define MS INT64_C(1000000)
#define MAX 4u

struct bed {
    zcs_context *ctx;
    zcs_source *source[MAX];
    zcs_stream *stream[MAX];
    zcs_set *set;
    uint32_t count;
};

static uint8_t memory[32 * 16];

static void add(struct bed *bed)
{
    const struct zcs_stream_params params = {.stages = "none", .results = 8};
    const uint32_t i = bed->count++;
    uint32_t member = MAX;
    CHECK_EQ(zcs_stream_create(bed->ctx, bed->source[i], &params, &bed->stream[i]), ZCS_OK);
    CHECK_EQ(zcs_set_add(bed->set, bed->stream[i], &member), ZCS_OK);
    CHECK_EQ(member, i);
    CHECK_EQ(zcs_set_add(bed->set, bed->stream[i], &member), ZCS_ERR_ARG);
}

static void begin(struct bed *bed, const struct zcs_set_params *params)
{
    *bed = (struct bed){.ctx = setup_context(2, NULL)};
    CHECK_EQ(zcs_set_create(bed->ctx, params, &bed->set), ZCS_OK);
}

static void add_push(struct bed *bed)
{
    struct zcs_push_params params = {.queue = 64};
    CHECK_EQ(zcs_image_init(&params.image, ZCS_PIXFMT_GREY, 32, 16, 0), ZCS_OK);
    CHECK_EQ(zcs_source_open_push(bed->ctx, &params, &bed->source[bed->count]), ZCS_OK);
    add(bed);
}

static void add_pattern(struct bed *bed, uint64_t frames, const char *inject)
{
    const struct zcs_pattern_params params = {
        .format = ZCS_PIXFMT_GREY, .width = 32, .height = 16, .frames = frames, .inject = inject};
    CHECK_EQ(zcs_source_open_pattern(bed->ctx, &params, &bed->source[bed->count]), ZCS_OK);
    add(bed);
}

static void end(struct bed *bed)
{
    zcs_set_destroy(&bed->set);
    for (uint32_t i = 0; i < bed->count; i++) {
        zcs_stream_destroy(&bed->stream[i]);
        zcs_source_close(&bed->source[i]);
    }
    zcs_close(&bed->ctx);
}

static void push(struct bed *bed, uint32_t member, uint64_t sequence, int64_t time_ns)
{
    const struct zcs_push_meta meta = {
        .sequence = sequence, .time_ns = time_ns, .clock = ZCS_CLOCK_MONOTONIC};
    CHECK_EQ(zcs_source_push(bed->source[member], memory, &meta, NULL, NULL), ZCS_OK);
}

/* All frames of all, each in order; none of them waits for another that has more. */
static void turns(void)
{
    struct bed bed;
    struct zcs_set_event event;
    uint64_t got[3] = {0};
    uint32_t ended = 0;
    zcs_status status;
    begin(&bed, NULL);
    add_pattern(&bed, 30, NULL);
    add_pattern(&bed, 300, NULL);
    add_pattern(&bed, 300, "gone=20");
    while ((status = zcs_set_next(bed.set, -1, &event)) == ZCS_OK) {
        if (event.status != ZCS_OK) {
            CHECK(event.frame == NULL && ((ended >> event.member) & 1) == 0);
            CHECK_EQ(event.status, event.member == 2 ? ZCS_ERR_GONE : ZCS_EOF);
            CHECK_EQ(zcs_set_member(bed.set, event.member), event.status);
            ended |= 1u << event.member;
            continue;
        }
        CHECK_EQ(event.frame->sequence, got[event.member]++);
        zcs_frame_unref(&event.frame);
    }
    CHECK_EQ(status, ZCS_EOF);
    CHECK_EQ(ended, 7);
    CHECK(got[0] == 30 && got[1] == 300 && got[2] == 20);
    CHECK_EQ(zcs_set_member(bed.set, 3), ZCS_ERR_ARG);
    end(&bed);
}

static int64_t cpu_ns(void)
{
    struct timespec t;
    CHECK(clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t) == 0);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

/* A held member gives nothing, wakes nobody, and goes on where it was. */
static void held(void)
{
    struct bed bed;
    struct zcs_set_event event;
    begin(&bed, NULL);
    add_push(&bed);
    add_push(&bed);
    zcs_set_pause(bed.set, 0, 1);
    zcs_set_pause(bed.set, 9, 1);
    push(&bed, 0, 0, 0);
    push(&bed, 1, 7, 0);
    CHECK_EQ(zcs_set_next(bed.set, -1, &event), ZCS_OK);
    CHECK(event.member == 1 && event.frame->sequence == 7);
    zcs_frame_unref(&event.frame);
    const int64_t before_ns = cpu_ns();
    CHECK_EQ(zcs_set_next(bed.set, 200 * MS, &event), ZCS_AGAIN);
    CHECK(cpu_ns() - before_ns < 40 * MS);
    struct pollfd fd = {.fd = zcs_set_fd(bed.set), .events = POLLIN};
    CHECK_EQ(poll(&fd, 1, 0), 0);
    zcs_set_pause(bed.set, 0, 0);
    CHECK_EQ(poll(&fd, 1, 1000), 1);
    CHECK_EQ(zcs_set_next(bed.set, -1, &event), ZCS_OK);
    CHECK(event.member == 0 && event.frame->sequence == 0);
    zcs_frame_unref(&event.frame);
    end(&bed);
}

static void drop(const struct zcs_frame **frames)
{
    for (uint32_t i = 0; i < MAX; i++)
        zcs_frame_unref(&frames[i]);
}

/* Times in ms; -1 ends. Every match is checked, and who was left over. */
static void match(const int64_t *a, const int64_t *b, int64_t tolerance_ms, const char *wanted,
                  uint64_t left_a, uint64_t left_b)
{
    struct bed bed;
    const struct zcs_set_params params = {.tolerance_ns = tolerance_ms * MS};
    const struct zcs_frame *frames[MAX] = {NULL};
    struct zcs_set_stats stats;
    char text[256] = "";
    uint64_t matches = 0;
    zcs_status status;
    begin(&bed, &params);
    add_push(&bed);
    add_push(&bed);
    for (uint64_t i = 0; a[i] >= 0; i++)
        push(&bed, 0, i, a[i] * MS);
    for (uint64_t i = 0; b[i] >= 0; i++)
        push(&bed, 1, i, b[i] * MS);
    zcs_source_push_end(bed.source[0]);
    zcs_source_push_end(bed.source[1]);
    while ((status = zcs_set_match(bed.set, -1, frames)) == ZCS_OK) {
        const size_t used = strlen(text);
        snprintf(text + used, sizeof text - used, "%d-%d ", (int)frames[0]->sequence,
                 (int)frames[1]->sequence);
        drop(frames);
        matches++;
    }
    CHECK_EQ(status, ZCS_EOF);
    if (strcmp(text, wanted) != 0)
        fprintf(stderr, "got '%s' instead of '%s'\n", text, wanted);
    CHECK(strcmp(text, wanted) == 0);
    zcs_set_stats(bed.set, &stats);
    CHECK_EQ(stats.members, 2);
    CHECK_EQ(stats.matches, matches);
    CHECK_EQ(stats.unmatched[0], left_a);
    CHECK_EQ(stats.unmatched[1], left_b);
    end(&bed);
}
#define TIMES(...) ((const int64_t[]){__VA_ARGS__, -1})

static void matches(void)
{
    match(TIMES(0, 33, 66, 100), TIMES(2, 35, 68, 102), 5, "0-0 1-1 2-2 3-3 ", 0, 0);
    match(TIMES(0, 33, 66, 100), TIMES(2, 68, 102), 5, "0-0 2-1 3-2 ", 1, 0);
    match(TIMES(66, 100), TIMES(0, 33, 66, 100), 0, "0-2 1-3 ", 0, 2);
    match(TIMES(0, 33), TIMES(16, 50), 5, "", 2, 2);
    match(TIMES(0, 10, 20, 30, 40, 50, 60), TIMES(0, 30, 60), 3, "0-0 3-1 6-2 ", 4, 0);
    match(TIMES(0, 33), TIMES(5, 38), 5, "0-0 1-1 ", 0, 0);
    match(TIMES(0, 33), TIMES(6, 39), 5, "", 2, 2);
}

/* What waits when a stream is stopped might have had partners; what waits when a source ends has none. */
static void stopped_or_ended(int stopped)
{
    struct bed bed;
    const struct zcs_frame *frames[MAX] = {NULL};
    struct zcs_set_stats stats;
    begin(&bed, NULL);
    add_push(&bed);
    add_push(&bed);
    for (uint64_t n = 0; n < 3; n++)
        push(&bed, 0, n, (int64_t)n * MS);
    push(&bed, 1, 0, 0);
    CHECK_EQ(zcs_set_match(bed.set, -1, frames), ZCS_OK);
    drop(frames);
    CHECK_EQ(zcs_set_match(bed.set, 50 * MS, frames), ZCS_AGAIN);
    if (stopped)
        zcs_stream_stop(bed.stream[1]);
    else
        zcs_source_push_end(bed.source[1]);
    CHECK_EQ(zcs_set_match(bed.set, -1, frames), ZCS_EOF);
    zcs_set_stats(bed.set, &stats);
    CHECK_EQ(stats.unmatched[0], stopped ? 0 : 2);
    CHECK_EQ(stats.left[0], stopped ? 2 : 0);
    CHECK_EQ(stats.exhausted, !stopped);
    end(&bed);
}

/* Of three, one ends by itself and one is stopped: what the third has is without partners, in any order. */
static void stopped_and_ended(uint32_t by_itself, uint32_t stopped)
{
    struct bed bed;
    const struct zcs_frame *frames[MAX] = {NULL};
    struct zcs_set_stats stats;
    begin(&bed, NULL);
    for (int i = 0; i < 3; i++)
        add_push(&bed);
    const uint32_t third = 3 - by_itself - stopped;
    push(&bed, third, 0, 0);
    CHECK_EQ(zcs_set_match(bed.set, 50 * MS, frames), ZCS_AGAIN);
    zcs_set_stats(bed.set, &stats);
    CHECK(stats.exhausted == 0 && stats.waiting[third] == 1);
    zcs_source_push_end(bed.source[by_itself]);
    zcs_stream_stop(bed.stream[stopped]);
    zcs_set_pause(bed.set, by_itself, 0); /* all are asked in the same round */
    zcs_set_pause(bed.set, stopped, 0);
    CHECK_EQ(zcs_set_match(bed.set, -1, frames), ZCS_EOF);
    CHECK_EQ(zcs_set_member(bed.set, by_itself), ZCS_EOF);
    CHECK_EQ(zcs_set_member(bed.set, stopped), ZCS_EOF);
    zcs_set_stats(bed.set, &stats);
    CHECK(stats.exhausted == 1 && stats.unmatched[third] == 1 && stats.left[third] == 0);
    end(&bed);
}

/* Whatever comes next belongs together, however late it is. */
static void any_distance(void)
{
    struct bed bed;
    const struct zcs_set_params params = {.tolerance_ns = INT64_MAX, .waiting = 2};
    const struct zcs_frame *frames[MAX] = {NULL};
    struct zcs_set_stats stats;
    begin(&bed, &params);
    add_push(&bed);
    add_push(&bed);
    for (uint64_t n = 0; n < 4; n++)
        push(&bed, 0, n, (int64_t)n * 33 * MS);
    CHECK_EQ(zcs_set_match(bed.set, 300 * MS, frames), ZCS_AGAIN);
    zcs_set_stats(bed.set, &stats);
    CHECK_EQ(stats.unmatched[0], 0);
    push(&bed, 1, 0, INT64_C(1000000) * MS);
    CHECK_EQ(zcs_set_match(bed.set, -1, frames), ZCS_OK);
    CHECK(frames[0]->sequence == 0 && frames[1]->sequence == 0);
    drop(frames);
    end(&bed);
}

static void hear(void *user, enum zcs_log_level level, const char *line)
{
    const char *words = "100 frames in a row had no partners within 1.000 ms: those of all streams "
                        "were 10.000 ms apart at best";
    *(int *)user += level == ZCS_LOG_WARNING && strcmp(line, words) == 0;
}

/* Two cameras out of step, or in step for one frame in the middle: how often that is told. */
static void out_of_step(uint64_t in_step, int wanted)
{
    struct bed bed = {.count = 0};
    int told = 0;
    const struct zcs_params params = {
        .backend = ZCS_BACKEND_HOST, .host_threads = 1, .log = hear, .log_user = &told};
    const struct zcs_set_params near = {.tolerance_ns = MS};
    const struct zcs_frame *frames[MAX] = {NULL};
    uint64_t matches = 0;
    CHECK_EQ(zcs_open(&params, &bed.ctx), ZCS_OK);
    CHECK_EQ(zcs_set_create(bed.ctx, &near, &bed.set), ZCS_OK);
    add_push(&bed);
    add_push(&bed);
    for (uint64_t n = 0; n < 60; n++) {
        const int64_t time_ns = (int64_t)n * 40 * MS;
        push(&bed, 0, n, time_ns);
        push(&bed, 1, n, n == in_step ? time_ns : time_ns + 10 * MS);
    }
    zcs_source_push_end(bed.source[0]);
    zcs_source_push_end(bed.source[1]);
    zcs_status status;
    while ((status = zcs_set_match(bed.set, -1, frames)) == ZCS_OK) {
        matches++;
        drop(frames);
    }
    CHECK_EQ(status, ZCS_EOF);
    CHECK_EQ(matches, in_step < 60);
    CHECK_EQ(told, wanted);
    end(&bed);
}

/* A member that failed is missed by nobody; one that is only silent makes the live others go on, and old frames
 * are given up meanwhile, without spinning. */
static void silent_and_failed(void)
{
    struct bed bed;
    const struct zcs_set_params params = {.tolerance_ns = 5 * MS, .waiting = 2};
    const struct zcs_frame *frames[MAX] = {NULL};
    struct zcs_set_stats stats;
    begin(&bed, &params);
    add_push(&bed);
    add_push(&bed);
    for (uint64_t i = 0; i < 6; i++)
        push(&bed, 0, i, (int64_t)i * 33 * MS);
    const int64_t before_ns = cpu_ns();
    CHECK_EQ(zcs_set_match(bed.set, 600 * MS, frames), ZCS_AGAIN);
    CHECK(cpu_ns() - before_ns < 25 * MS);
    zcs_set_stats(bed.set, &stats);
    CHECK(stats.unmatched[0] >= 3 && stats.unmatched[0] <= 5);
    CHECK(stats.waiting[0] >= 1 && stats.waiting[0] <= 2 && stats.waiting[1] == 0);
    push(&bed, 1, 0, 5 * 33 * MS);
    CHECK_EQ(zcs_set_match(bed.set, -1, frames), ZCS_OK);
    CHECK(frames[0]->sequence == 5 && frames[1]->sequence == 0);
    drop(frames);
    end(&bed);

    begin(&bed, &params);
    add_pattern(&bed, 50, NULL);
    add_pattern(&bed, 50, "gone=10");
    uint64_t both = 0, alone = 0;
    zcs_status status;
    const struct zcs_set_params wide = {.tolerance_ns = INT64_C(60000) * MS};
    zcs_set_destroy(&bed.set);
    CHECK_EQ(zcs_set_create(bed.ctx, &wide, &bed.set), ZCS_OK);
    for (uint32_t i = 0, member; i < 2; i++)
        CHECK_EQ(zcs_set_add(bed.set, bed.stream[i], &member), ZCS_OK);
    while ((status = zcs_set_match(bed.set, -1, frames)) == ZCS_OK) {
        CHECK(frames[0] != NULL);
        both += frames[1] != NULL;
        alone += frames[1] == NULL;
        drop(frames);
    }
    CHECK_EQ(status, ZCS_EOF);
    CHECK(both == 10 && alone == 40);
    CHECK_EQ(zcs_set_member(bed.set, 1), ZCS_ERR_GONE);
    end(&bed);
}

/* Full queues that are dropped as a whole are filled again at once, and by the set's descriptor. */
static void old_frames(int by_descriptor)
{
    struct bed bed;
    const struct zcs_frame *frames[MAX] = {NULL};
    int64_t before_ns;
    struct timespec now;
    int looks = 0;
    zcs_status status;
    begin(&bed, NULL);
    add_push(&bed);
    add_push(&bed);
    for (uint64_t i = 0; i < 64; i++)
        push(&bed, 0, i, (int64_t)i * MS);
    push(&bed, 1, 0, 63 * MS);
    CHECK(clock_gettime(CLOCK_MONOTONIC, &now) == 0);
    before_ns = now.tv_sec * 1000 * MS + now.tv_nsec;
    while ((status = zcs_set_match(bed.set, by_descriptor ? 0 : -1, frames)) == ZCS_AGAIN) {
        struct pollfd fd = {.fd = zcs_set_fd(bed.set), .events = POLLIN};
        CHECK_EQ(poll(&fd, 1, 2000), 1);
        CHECK(++looks < 1000);
    }
    CHECK_EQ(status, ZCS_OK);
    CHECK(frames[0]->sequence == 63 && frames[1]->sequence == 0);
    CHECK(clock_gettime(CLOCK_MONOTONIC, &now) == 0);
    CHECK(now.tv_sec * 1000 * MS + now.tv_nsec - before_ns < 250 * MS);
    drop(frames);
    end(&bed);
}

static volatile sig_atomic_t alarms;

static void on_alarm(int number)
{
    (void)number;
    if (++alarms > 60)
        abort();
}

/* A further stream in the place of one that ended: its frames come under the same number. */
static void replaced(void)
{
    struct bed bed;
    struct zcs_set_event event;
    const struct zcs_stream_params params = {.stages = "none", .results = 8};
    uint64_t got[2] = {0};
    uint32_t ends = 0;
    begin(&bed, NULL);
    add_pattern(&bed, 30, NULL);
    add_pattern(&bed, 30, "gone=20");
    CHECK_EQ(zcs_set_replace(bed.set, 0, bed.stream[0]), ZCS_ERR_ARG);
    CHECK_EQ(zcs_set_replace(bed.set, 2, bed.stream[0]), ZCS_ERR_ARG);
    while (zcs_set_next(bed.set, -1, &event) == ZCS_OK) {
        got[event.member] += event.frame != NULL;
        zcs_frame_unref(&event.frame);
        if (event.status == ZCS_OK)
            continue;
        ends++;
        if (event.member == 0 || event.status == ZCS_EOF)
            continue;
        const struct zcs_pattern_params other = {
            .format = ZCS_PIXFMT_GREY, .width = 16, .height = 16, .frames = 7};
        zcs_stream_destroy(&bed.stream[1]);
        zcs_source_close(&bed.source[1]);
        CHECK_EQ(zcs_source_open_pattern(bed.ctx, &other, &bed.source[1]), ZCS_OK);
        CHECK_EQ(zcs_stream_create(bed.ctx, bed.source[1], &params, &bed.stream[1]), ZCS_OK);
        CHECK_EQ(zcs_set_replace(bed.set, 1, bed.stream[1]), ZCS_OK);
        CHECK_EQ(zcs_set_replace(bed.set, 1, bed.stream[1]), ZCS_ERR_ARG);
    }
    CHECK(got[0] == 30 && got[1] == 27 && ends == 3);
    end(&bed);
}

/* A signal ends a wait for a silent member, also where another's queue is full. */
static void signalled(void)
{
    struct bed bed;
    const struct zcs_set_params params = {.waiting = 2};
    const struct zcs_frame *frames[MAX] = {NULL};
    const struct itimerval often = {{.tv_usec = 50000}, {.tv_usec = 50000}}, never = {{0}, {0}};
    struct sigaction action = {.sa_handler = on_alarm};
    begin(&bed, &params);
    add_pattern(&bed, 50, NULL);
    add_push(&bed);
    CHECK_EQ(sigaction(SIGALRM, &action, NULL), 0);
    CHECK_EQ(setitimer(ITIMER_REAL, &often, NULL), 0);
    CHECK_EQ(zcs_set_match(bed.set, -1, frames), ZCS_AGAIN);
    CHECK_EQ(setitimer(ITIMER_REAL, &never, NULL), 0);
    end(&bed);
}

/* The host backend as two devices whose work is not seen complete while `blind`. */
static struct {
    struct zci_backend_ops ops;
    const struct zci_backend_ops *real;
    int blind;
    int patient; /* work is waited for instead of told not to be complete */
} front;

static uint32_t two_devices(const struct zci_backend *backend)
{
    (void)backend;
    return 2;
}

static zcs_status blind_poll(struct zci_frame_ctx *fctx, struct zci_job_result *out)
{
    if (front.blind)
        return ZCS_AGAIN;
    if (front.patient)
        (void)front.real->frame_ctx_wait(fctx, 1000 * MS);
    return front.real->frame_ctx_poll(fctx, out);
}

static void put_front(struct bed *bed)
{
    front.real = bed->ctx->backend->ops;
    front.ops = *front.real;
    front.ops.device_count = two_devices;
    front.ops.frame_ctx_poll = blind_poll;
    bed->ctx->backend->ops = &front.ops;
}

/* Two that have a frame whenever they are asked: they take turns. */
static void in_turns(void)
{
    struct bed bed;
    struct zcs_set_event event;
    uint32_t last = 2;
    begin(&bed, NULL);
    put_front(&bed);
    add_push(&bed);
    add_push(&bed);
    for (uint64_t i = 0; i < 40; i++)
        push(&bed, (uint32_t)(i & 1), i / 2, 0);
    front.patient = 1;
    for (int i = 0; i < 6; i++) {
        CHECK_EQ(zcs_set_next(bed.set, -1, &event), ZCS_OK);
        CHECK(event.member != last);
        last = event.member;
        zcs_frame_unref(&event.frame);
    }
    front.patient = 0;
    bed.ctx->backend->ops = front.real;
    end(&bed);
}

/* Each stream alone would begin with the first device. */
static void share_devices(void)
{
    struct bed bed;
    struct zcs_set_event event;
    int used[2] = {0};
    begin(&bed, NULL);
    put_front(&bed);
    add_push(&bed);
    add_push(&bed);
    for (int round = 0; round < 3; round++) {
        front.blind = 1;
        for (uint32_t i = 0; i < 2; i++)
            push(&bed, i, (uint64_t)round, 0);
        CHECK_EQ(zcs_set_next(bed.set, 20 * MS, &event), ZCS_AGAIN);
        front.blind = 0;
        used[0] = used[1] = 0;
        for (uint32_t i = 0; i < 2; i++) {
            const struct zcs_frame *frame = NULL;
            CHECK_EQ(zcs_stream_next(bed.stream[i], -1, &frame), ZCS_OK);
            used[frame->device]++;
            zcs_frame_unref(&frame);
        }
        CHECK(used[0] == 1 && used[1] == 1);
    }
    bed.ctx->backend->ops = front.real;
    CHECK_EQ(atomic_load(&bed.ctx->backend->busy[0]), 0);
    end(&bed);
}

static void wrong(void)
{
    struct bed bed;
    zcs_set *set = NULL;
    const struct zcs_set_params negative = {.tolerance_ns = -1}, many = {.waiting = 65};
    const struct zcs_frame *frames[MAX] = {NULL};
    struct zcs_set_event event;
    begin(&bed, NULL);
    CHECK_EQ(zcs_set_create(NULL, NULL, &set), ZCS_ERR_ARG);
    CHECK_EQ(zcs_set_create(bed.ctx, &negative, &set), ZCS_ERR_ARG);
    CHECK_EQ(zcs_set_create(bed.ctx, &many, &set), ZCS_ERR_ARG);
    CHECK(set == NULL);
    CHECK_EQ(zcs_set_match(bed.set, 0, frames), ZCS_ERR_ARG);
    CHECK_EQ(zcs_set_next(bed.set, 0, &event), ZCS_EOF);
    zcs_set_destroy(&set);
    end(&bed);
}

int main(void)
{
    turns();
    in_turns();
    held();
    matches();
    stopped_or_ended(0);
    stopped_or_ended(1);
    stopped_and_ended(0, 1);
    stopped_and_ended(1, 0);
    stopped_and_ended(2, 0);
    any_distance();
    out_of_step(UINT64_MAX, 1);
    out_of_step(30, 0);
    silent_and_failed();
    old_frames(0);
    old_frames(1);
    signalled();
    replaced();
    share_devices();
    wrong();
    return 0;
}
