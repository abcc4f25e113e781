/* SPDX-License-Identifier: MIT */
/* A set's waits without end: given up where only the application could end them, because it holds all results or holds
 * members back; not where others may still give something. The cases run at the same time, since each takes a second. */
#include <pthread.h>
#include <time.h>
#include <unistd.h>

#include "os/clock.h"
#include "push_setup.h"
#include "stream_setup.h"

#define MS INT64_C(1000000)
#define LONG_AFTER_MS 1500 /* such a wait was given up */

enum { MEMBERS = 2, MAX = 16 };

struct bed {
    zcs_context *ctx;
    zcs_source *source[MEMBERS];
    zcs_stream *stream[MEMBERS];
    zcs_set *set;
    const struct zcs_frame *kept[MAX];
    uint32_t count;
};

static void begin(struct bed *bed)
{
    const struct zcs_stream_params params = {.stages = "none", .in_flight = 1, .results = 1};
    const struct zcs_set_params pairs = {.waiting = 2};
    *bed = (struct bed){.ctx = setup_context(1, NULL)};
    CHECK_EQ(zcs_set_create(bed->ctx, &pairs, &bed->set), ZCS_OK);
    for (uint32_t i = 0, at; i < MEMBERS; i++) {
        bed->source[i] = push_open(bed->ctx, 64);
        CHECK_EQ(zcs_stream_create(bed->ctx, bed->source[i], &params, &bed->stream[i]), ZCS_OK);
        CHECK_EQ(zcs_set_add(bed->set, bed->stream[i], &at), ZCS_OK);
    }
}

static void end(struct bed *bed)
{
    zcs_set_destroy(&bed->set);
    for (uint32_t i = 0; i < MEMBERS; i++) {
        zcs_stream_destroy(&bed->stream[i]);
        zcs_source_close(&bed->source[i]);
    }
    while (bed->count > 0)
        zcs_frame_unref(&bed->kept[--bed->count]);
    zcs_close(&bed->ctx);
}

static void push(const struct bed *bed, uint32_t member, uint64_t frames)
{
    static uint8_t memory[PUSH_WIDTH * PUSH_HEIGHT];
    for (uint64_t i = 0; i < frames; i++) {
        const struct zcs_push_meta meta = {
            .sequence = i, .time_ns = (int64_t)i * MS, .clock = ZCS_CLOCK_MONOTONIC};
        CHECK_EQ(zcs_source_push(bed->source[member], memory, &meta, NULL, NULL), ZCS_OK);
    }
}

static void keep(struct bed *bed, const struct zcs_frame *frame)
{
    CHECK(bed->count < MAX);
    bed->kept[bed->count++] = frame;
}

/* What is there now, and none of it is given back. */
static void keep_all(struct bed *bed)
{
    struct zcs_set_event event;
    while (zcs_set_next(bed->set, 500 * MS, &event) == ZCS_OK)
        keep(bed, event.frame);
}

static void *later(void *argument)
{
    const struct timespec pause = {.tv_sec = LONG_AFTER_MS / 1000,
                                   .tv_nsec = LONG_AFTER_MS % 1000 * MS};
    nanosleep(&pause, NULL);
    push(argument, 1, 1);
    return NULL;
}

/* Without end. ZCS_AGAIN comes after a second, not at once and not much later. */
static zcs_status next(struct bed *bed, uint32_t *member)
{
    struct zcs_set_event event = {.frame = NULL};
    const int64_t began_ns = zci_now_ns();
    const zcs_status status = zcs_set_next(bed->set, -1, &event);
    const int64_t took_ns = zci_now_ns() - began_ns;
    CHECK(status != ZCS_AGAIN || (took_ns >= 1000 * MS && took_ns < 8000 * MS));
    *member = event.member;
    zcs_frame_unref(&event.frame);
    return status;
}

static void *give_one_back(void *argument)
{
    struct bed *bed = argument;
    const struct timespec pause = {.tv_nsec = 50 * MS};
    nanosleep(&pause, NULL);
    zcs_frame_unref(&bed->kept[--bed->count]);
    return NULL;
}

/* A result that is given back in the meantime is the end of the wait as ever. */
static void *all_results_held(void *unused)
{
    struct bed bed;
    uint32_t member;
    pthread_t thread;
    begin(&bed);
    push(&bed, 0, 30);
    push(&bed, 1, 30);
    keep_all(&bed);
    CHECK_EQ(next(&bed, &member), ZCS_AGAIN);
    CHECK_EQ(pthread_create(&thread, NULL, give_one_back, &bed), 0);
    CHECK_EQ(next(&bed, &member), ZCS_OK);
    CHECK_EQ(pthread_join(thread, NULL), 0);
    end(&bed);
    return unused;
}

static void *another_may_give(void *unused)
{
    struct bed bed;
    uint32_t member;
    pthread_t thread;
    begin(&bed);
    push(&bed, 0, 30);
    keep_all(&bed);
    CHECK_EQ(pthread_create(&thread, NULL, later, &bed), 0);
    CHECK_EQ(next(&bed, &member), ZCS_OK);
    CHECK_EQ(member, 1);
    CHECK_EQ(pthread_join(thread, NULL), 0);
    end(&bed);
    return unused;
}

static void *the_other_is_held_back(void *unused)
{
    struct bed bed;
    uint32_t member;
    begin(&bed);
    push(&bed, 0, 30);
    keep_all(&bed);
    zcs_set_pause(bed.set, 1, 1);
    push(&bed, 1, 1);
    CHECK_EQ(next(&bed, &member), ZCS_AGAIN);
    end(&bed);
    return unused;
}

/* Those of one member are missed in each match, however many the other has, which drops its oldest meanwhile. */
static void *match_misses_held_results(void *unused)
{
    struct bed bed;
    const struct zcs_frame *frames[MEMBERS] = {NULL};
    struct zcs_set_stats stats;
    zcs_status status;
    int64_t began_ns;
    begin(&bed);
    push(&bed, 0, 60);
    push(&bed, 1, 60);
    while (began_ns = zci_now_ns(), (status = zcs_set_match(bed.set, -1, frames)) == ZCS_OK) {
        keep(&bed, frames[0]);
        zcs_frame_unref(&frames[1]);
    }
    CHECK_EQ(status, ZCS_AGAIN);
    const int64_t took_ns = zci_now_ns() - began_ns;
    CHECK(took_ns >= 1000 * MS && took_ns < 8000 * MS);
    zcs_set_stats(bed.set, &stats);
    CHECK(bed.count > 0 && stats.unmatched[1] > 0);
    end(&bed);
    return unused;
}

/* The set itself has all results of one member, which wait for the other's. */
static void *match_waits_for_a_silent_one(void *unused)
{
    struct bed bed;
    const struct zcs_frame *frames[MEMBERS] = {NULL};
    pthread_t thread;
    begin(&bed);
    const struct zcs_set_params any = {.tolerance_ns = INT64_MAX, .waiting = 8};
    zcs_set_destroy(&bed.set);
    CHECK_EQ(zcs_set_create(bed.ctx, &any, &bed.set), ZCS_OK);
    for (uint32_t i = 0, at; i < MEMBERS; i++)
        CHECK_EQ(zcs_set_add(bed.set, bed.stream[i], &at), ZCS_OK);
    push(&bed, 0, 30);
    CHECK_EQ(pthread_create(&thread, NULL, later, &bed), 0);
    CHECK_EQ(zcs_set_match(bed.set, -1, frames), ZCS_OK);
    for (uint32_t i = 0; i < MEMBERS; i++)
        zcs_frame_unref(&frames[i]);
    CHECK_EQ(pthread_join(thread, NULL), 0);
    end(&bed);
    return unused;
}

int main(void)
{
    static void *(*const cases[])(void *) = {all_results_held, another_may_give,
                                             the_other_is_held_back, match_misses_held_results,
                                             match_waits_for_a_silent_one};
    enum { COUNT = sizeof cases / sizeof *cases };
    pthread_t threads[COUNT];
    alarm(20);
    for (int i = 0; i < COUNT; i++)
        CHECK_EQ(pthread_create(&threads[i], NULL, cases[i], NULL), 0);
    for (int i = 0; i < COUNT; i++)
        CHECK_EQ(pthread_join(threads[i], NULL), 0);
    return 0;
}
