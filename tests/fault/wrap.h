/* SPDX-License-Identifier: MIT */
/* Stands between the library and the C library (linker option --wrap): counts calls, makes the n-th one
 * fail, and knows what was taken and not given back. Calls that the C library makes itself are not seen.
 *
 *     for (uint64_t n = 1; n < 1000; n++) {
 *         wrap_fail_nth(WRAP_ALLOC, n, WRAP_ONCE, ENOMEM);
 *         const zcs_status status = the_thing();
 *         const uint64_t failed = wrap_failed();
 *         wrap_reset();
 *         if (failed == 0)
 *             break;
 *     }
 *
 * All functions: any thread. */
#ifndef ZCS_TESTS_FAULT_WRAP_H
#define ZCS_TESTS_FAULT_WRAP_H

#include <stdint.h>

enum wrap_kind {
    WRAP_ALLOC, /* malloc calloc realloc posix_memalign aligned_alloc mmap */
    WRAP_SYSTEM, /* open fstat pread read lseek writev ftruncate eventfd epoll_create1 epoll_ctl timerfd_create
                    pthread_create */
    WRAP_KIND_COUNT
};

enum wrap_mode {
    WRAP_ONCE, /* the n-th call fails */
    WRAP_ON,   /* the n-th and all later ones fail */
};

/* Nothing fails from now on; call counts begin at 0. What is outstanding stays known. */
void wrap_reset(void);

/* Resets, then lets the n-th call (from 1) of that kind fail with `error` in errno (functions which
 * return their error return it). */
void wrap_fail_nth(enum wrap_kind kind, uint64_t n, enum wrap_mode mode, int error);

/* Calls of that kind since the last reset. */
uint64_t wrap_calls(enum wrap_kind kind);

/* Calls that were made to fail since the last reset. */
uint64_t wrap_failed(void);

/* What the program holds now. */
struct wrap_outstanding {
    int64_t allocations;
    int64_t mappings;
    int64_t files;
};
struct wrap_outstanding wrap_outstanding(void);

/* 1 where both hold the same; otherwise 0, and the difference is printed. */
int wrap_same(struct wrap_outstanding before, struct wrap_outstanding after);

#endif
