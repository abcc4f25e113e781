/* SPDX-License-Identifier: MIT */
/* One thing timed on several sides in turn: a chain over frames of one format, through the public API. */
#ifndef ZCS_TESTS_MEASURE_H
#define ZCS_TESTS_MEASURE_H

#include <time.h>

#include "zcstream/zcstream.h"

enum { MAX_SIDES = 3, MAX_ROUNDS = 99 };

/* Where it is computed: a column of the table. */
struct side {
    char name[32];
    zcs_context *ctx;
    clockid_t
        clock; /* one core is timed by the process's time, which other processes do not stretch */
};

struct measured {
    struct zcs_image image;    /* of the source */
    double seconds[MAX_SIDES]; /* a frame: the median of the rounds */
    enum zcs_pixfmt result;
};

/* `rounds` rounds, each on every side in turn, of as many frames as take about `round_ns`. Returns 0
 * where the chain does not fit the format. */
int measure(const struct side *sides, unsigned side_count, unsigned rounds, int64_t round_ns,
            const struct zcs_pattern_params *pattern, const char *chain, struct measured *out);

#endif
