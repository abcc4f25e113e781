/* SPDX-License-Identifier: MIT */
/* The tests' few macros: a failed check prints its place and ends the program with 1; 77 is a skip. */
#ifndef ZCS_TESTS_CHECK_H
#define ZCS_TESTS_CHECK_H

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A sanitizer is built in: it is slow, and keeps memory that was freed. */
#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define SANITIZED 1
#endif
#endif
#if !defined(SANITIZED) && (defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__))
#define SANITIZED 1
#endif
#ifndef SANITIZED
#define SANITIZED 0
#endif

#define CHECK(condition)                                                                           \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            fprintf(stderr, "%s:%d: failed: %s\n", __FILE__, __LINE__, #condition);                \
            exit(1);                                                                               \
        }                                                                                          \
    } while (0)

#define CHECK_EQ(a, b)                                                                             \
    do {                                                                                           \
        const long long a_ = (long long)(a), b_ = (long long)(b);                                  \
        if (a_ != b_) {                                                                            \
            fprintf(stderr, "%s:%d: failed: %s == %s (%lld, %lld)\n", __FILE__, __LINE__, #a, #b,  \
                    a_, b_);                                                                       \
            exit(1);                                                                               \
        }                                                                                          \
    } while (0)

#define SKIP(reason)                                                                               \
    do {                                                                                           \
        printf("skipped: %s\n", reason);                                                           \
        exit(77);                                                                                  \
    } while (0)

/* A small deterministic generator (xorshift64*; Vigna 2016, doi:10.1145/2845077). */
static inline uint64_t test_random(uint64_t *state)
{
    uint64_t x = *state;
    x ^= x >> 12;
    x ^= x << 25;
    x ^= x >> 27;
    *state = x;
    return x * 0x2545F4914F6CDD1DULL;
}

#endif
