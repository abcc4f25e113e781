/* SPDX-License-Identifier: MIT */
/* PNG's filters as loops that compilers vectorise, and the choice by what coding would cost. */
#include "app/output/png_filter.h"

#include <string.h>

#include "app/output/deflate.h"

static int distance(int a, int b)
{
    return a > b ? a - b : b - a;
}

static uint8_t paeth(int a, int b, int c)
{
    const int to_a = distance(b, c), to_b = distance(a, c), to_c = distance(a + b, 2 * c);
    const int min = to_b <= to_c ? b : c;
    return (uint8_t)(to_a <= to_b && to_a <= to_c ? a : min);
}

/* The first `left` bytes are filtered as the others: the bytes before them are 0. */
void png_filter_row(uint8_t *restrict out, unsigned filter, const uint8_t *row,
                    const uint8_t *before, size_t bytes, size_t left)
{
    const uint8_t *beside = row - left, *across = before - left;
    switch (filter) {
    case 1:
        for (size_t i = 0; i < bytes; i++)
            out[i] = (uint8_t)(row[i] - beside[i]);
        break;
    case 2:
        for (size_t i = 0; i < bytes; i++)
            out[i] = (uint8_t)(row[i] - before[i]);
        break;
    case 3:
        for (size_t i = 0; i < bytes; i++)
            out[i] = (uint8_t)(row[i] - (uint8_t)((beside[i] + before[i]) >> 1));
        break;
    case 4:
        for (size_t i = 0; i < bytes; i++)
            out[i] = (uint8_t)(row[i] - paeth(beside[i], before[i], across[i]));
        break;
    default:
        memcpy(out, row, bytes);
    }
}

/* log2 in 1/4096, straight between powers of two; off by 0.09 at most. */
static uint64_t log2_4096(uint32_t value)
{
    uint32_t power = 0;
    while (value >> power > 1)
        power++;
    return power * 4096 + (uint32_t)(((uint64_t)value << 12 >> power) - 4096);
}

/* What coding with the best code would take, in 1/4096 bits. */
static uint64_t cost(const uint8_t *data, size_t bytes)
{
    uint32_t counts[DEFLATE_LITERALS], total = 0;
    uint64_t sum = 0;
    const uint64_t beside = deflate_count(counts, data, bytes);
    for (unsigned s = 0; s < DEFLATE_LITERALS; s++) {
        if (counts[s] == 0)
            continue;
        sum += counts[s] * log2_4096(counts[s]);
        total += counts[s];
    }
    return beside * 4096 + total * log2_4096(total) - sum;
}

unsigned png_filter_best(uint8_t *scratch, const uint8_t *row, const uint8_t *before, size_t bytes,
                         size_t left)
{
    unsigned best = 0;
    uint64_t min = UINT64_MAX;
    for (unsigned filter = 0; filter < PNG_FILTERS; filter++) {
        png_filter_row(scratch, filter, row, before, bytes, left);
        const uint64_t now = cost(scratch, bytes);
        if (now < min) {
            min = now;
            best = filter;
        }
    }
    return best;
}
