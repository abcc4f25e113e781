/* SPDX-License-Identifier: MIT */
/* A monotonic clock that stands still but for what a test lets pass and PLAYED_LOOK_NS for each look at it, so that
 * all times are exact. For programs linked with --wrap=clock_gettime; define PLAYED_LOOK_NS first. */
#ifndef ZCS_TESTS_PLAYED_CLOCK_H
#define ZCS_TESTS_PLAYED_CLOCK_H

#include <stdatomic.h>
#include <stdint.h>
#include <time.h>

static _Atomic int64_t played_ns = 1000000000;

int __real_clock_gettime(clockid_t id, struct timespec *out);
int __wrap_clock_gettime(clockid_t id, struct timespec *out);

int __wrap_clock_gettime(clockid_t id, struct timespec *out)
{
    if (id != CLOCK_MONOTONIC)
        return __real_clock_gettime(id, out);
    const int64_t now_ns = atomic_fetch_add(&played_ns, PLAYED_LOOK_NS);
    *out = (struct timespec){.tv_sec = now_ns / 1000000000, .tv_nsec = now_ns % 1000000000};
    return 0;
}

static inline void pass(int64_t ns)
{
    atomic_fetch_add(&played_ns, ns);
}

#endif
