/* SPDX-License-Identifier: MIT */
/* A histogram of durations in fixed memory. Percentiles are within 1.6 percent for any count.
 * */
#include "zcstream/latency.h"

#define SUB (1u << ZCS_HISTOGRAM_SUB_BITS)

/* Below SUB a bucket is one value; above, `shift` low bits are dropped so that SUB..2 * SUB - 1 are
 * left. */
static unsigned bucket_of(uint64_t value)
{
    unsigned shift = 0;
    while (value >> shift >= 2 * SUB)
        shift++;
    return shift * SUB + (unsigned)(value >> shift);
}

static uint64_t upper_end(unsigned bucket)
{
    if (bucket < 2 * SUB)
        return bucket;
    const unsigned shift = bucket / SUB - 1;
    return (((uint64_t)(bucket - shift * SUB) + 1) << shift) - 1;
}

void zcs_histogram_add(struct zcs_histogram *histogram, int64_t duration_ns)
{
    const uint64_t value = duration_ns > 0 ? (uint64_t)duration_ns : 0;
    histogram->buckets[bucket_of(value)]++;
    histogram->count++;
    if (value > histogram->max_ns)
        histogram->max_ns = value;
}

void zcs_histogram_merge(struct zcs_histogram *to, const struct zcs_histogram *from)
{
    for (unsigned i = 0; i < ZCS_HISTOGRAM_BUCKETS; i++)
        to->buckets[i] += from->buckets[i];
    to->count += from->count;
    if (from->max_ns > to->max_ns)
        to->max_ns = from->max_ns;
}

uint64_t zcs_histogram_percentile(const struct zcs_histogram *histogram, unsigned percent)
{
    const uint64_t rank = (histogram->count * percent + 99) / 100;
    uint64_t seen = 0;
    for (unsigned i = 0; i < ZCS_HISTOGRAM_BUCKETS; i++) {
        seen += histogram->buckets[i];
        if (seen >= rank && seen > 0)
            return upper_end(i) < histogram->max_ns ? upper_end(i) : histogram->max_ns;
    }
    return 0;
}
