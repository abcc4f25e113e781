/* SPDX-License-Identifier: MIT */
/* A histogram of durations of fixed size: percentiles within 1.6 percent, however many there are. */
#ifndef ZCAPP_LATENCY_H
#define ZCAPP_LATENCY_H

#include <stdint.h>

#define LATENCY_SUB_BITS 6 /* each octave has so many equal buckets: 2^6 */
#define LATENCY_BUCKETS ((64 - LATENCY_SUB_BITS + 1) << LATENCY_SUB_BITS)

/* {0} is empty. */
struct latency {
    uint64_t buckets[LATENCY_BUCKETS];
    uint64_t count;
    uint64_t max_ns;
};

/* Negative durations count as 0. */
void latency_add(struct latency *latency, int64_t duration_ns);

/* The least duration that `percent` of all do not exceed (nearest rank; the upper end of its bucket).
 * 0 when empty. */
uint64_t latency_percentile(const struct latency *latency, unsigned percent);

#endif
