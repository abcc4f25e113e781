/* SPDX-License-Identifier: MIT */
/* A stream whose slots are all kept by its tap, and a thread that gives one back once the stream is asleep. */
#ifndef ZCS_TESTS_STARVE_H
#define ZCS_TESTS_STARVE_H

#include <pthread.h>
#include <sched.h>

#include "check.h"
#include "os/clock.h"
#include "stream/stream.h"

#define STARVE_MAX 64u
#define STARVE_LONG_NS INT64_C(5000000000)

struct starve {
    zcs_stream *stream;
    int keeps; /* 0: frames pass */
    const struct zcs_frame *kept[STARVE_MAX];
    uint32_t count;
};

/* The stream's tap; `user` is the struct starve. */
static inline void starve_tap(void *user, const struct zcs_frame *captured)
{
    struct starve *starve = user;
    if (!starve->keeps)
        return;
    CHECK(starve->count < STARVE_MAX);
    starve->kept[starve->count++] = zcs_frame_ref(captured);
}

/* The notifier is wanted while the stream is asleep, or about to be: what is given back now is either heard at once or
 * has to wake it. */
static inline void *starve_give_back(void *argument)
{
    struct starve *starve = argument;
    while (atomic_load(&starve->stream->waiter.notifier.waiters) == 0)
        sched_yield();
    const struct zcs_frame *frame = starve->kept[--starve->count];
    zcs_frame_unref(&frame);
    return NULL;
}

/* The source has frames as long as it has slots: takes all, then sleeps until one comes home. Nobody else polls the
 * stream's descriptor. */
static inline void starve_and_wake(struct starve *starve)
{
    const struct zcs_frame *frame = NULL;
    zcs_status status;
    pthread_t thread;
    starve->keeps = 1;
    while ((status = zcs_stream_next(starve->stream, 0, &frame)) == ZCS_OK ||
           zci_stream_busy(starve->stream) > 0) {
        CHECK(status == ZCS_OK || status == ZCS_AGAIN);
        zcs_frame_unref(&frame);
    }
    CHECK_EQ(status, ZCS_AGAIN);
    CHECK(starve->count > 0);
    CHECK_EQ(pthread_create(&thread, NULL, starve_give_back, starve), 0);
    const int64_t began_ns = zci_now_ns();
    CHECK_EQ(zcs_stream_next(starve->stream, STARVE_LONG_NS, &frame), ZCS_OK);
    CHECK(zci_now_ns() - began_ns < STARVE_LONG_NS); /* else it is the last look that found it */
    CHECK_EQ(pthread_join(thread, NULL), 0);
    zcs_frame_unref(&frame);
    starve->keeps = 0;
    while (starve->count > 0)
        zcs_frame_unref(&starve->kept[--starve->count]);
}

#endif
