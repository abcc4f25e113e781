/* SPDX-License-Identifier: MIT */
/* Reductions and what becomes of their sums, against models of their own; any split gives the same. */
#include <math.h>

#include "check.h"
#include "core/plan.h"
#include "kernels/reduce_pixel.h"
#include "kernels/cpu/table.h"

enum { SIDE = 40 };

struct picture {
    struct zci_pixel pixel;
    uint32_t width, height, channels;
    uint32_t v[SIDE][SIDE][4];
    uint16_t rows16[SIDE][4 * SIDE];
    uint8_t rows8[SIDE][4 * SIDE];
};

static struct picture pic;
static uint64_t seed = 17;

/* `bright`: how many of 8 samples are near or at the top. */
static void draw(uint32_t layout, uint32_t depth, uint32_t cfa, uint32_t bright)
{
    const uint32_t max = (1u << depth) - 1;
    pic.pixel = (struct zci_pixel){(uint8_t)layout, (uint8_t)depth, (uint8_t)cfa};
    pic.width = 1 + (uint32_t)(test_random(&seed) % SIDE);
    pic.height = 1 + (uint32_t)(test_random(&seed) % SIDE);
    pic.channels = layout == ZCI_RGBA ? 4 : 1;
    for (uint32_t y = 0; y < pic.height; y++)
        for (uint32_t i = 0; i < pic.channels * pic.width; i++) {
            const uint32_t c = i % pic.channels;
            uint32_t v = (uint32_t)(test_random(&seed) >> 30) % max / (1 + c + (i + y) % 3);
            if (test_random(&seed) % 8 < bright)
                v = max - (uint32_t)(test_random(&seed) % (depth == 8 ? 9 : 2570));
            v = c == 3 ? max : v;
            pic.v[y][i / pic.channels][c] = v;
            pic.rows8[y][i] = (uint8_t)v;
            pic.rows16[y][i] = (uint16_t)v;
        }
}

static const void *row(uint32_t y)
{
    return pic.pixel.depth == 8 ? (const void *)pic.rows8[y] : pic.rows16[y];
}

/* Rows are added in several heaps, which are then merged in another order. */
static struct zci_dynamic reduced(enum zci_reduce_kind kind)
{
    const struct zci_reduce reduce = {(uint8_t)kind, 0, pic.pixel, pic.width, pic.height};
    const uint32_t heaps = 1 + (uint32_t)(test_random(&seed) % 4);
    struct zci_sums sums[4], all;
    struct zci_dynamic out = {{1, 2, 3}, {4, 5, 6}, 7};
    for (uint32_t i = 0; i < heaps; i++)
        zci_sums_init(&sums[i]);
    for (uint32_t y = 0; y < pic.height; y++)
        zck_table_best()->reduce[kind][pic.pixel.depth == 16](&reduce, y % 2 ? row(y - 1) : NULL,
                                                              row(y), y, &sums[y / 2 % heaps]);
    zci_sums_init(&all);
    for (uint32_t i = heaps; i-- > 0;)
        zci_sums_merge(&all, &sums[i]);
    zci_sums_finish(&reduce, &all, &out);
    return out;
}

static uint32_t color_of(uint32_t x, uint32_t y)
{
    const uint32_t dx = (x + pic.pixel.cfa) % 2, dy = (y + (pic.pixel.cfa >> 1)) % 2;
    return dx != dy ? 1 : dx ? 2 : 0;
}

static int unclipped(uint32_t x, uint32_t y, uint32_t size)
{
    const double limit = ((1u << pic.pixel.depth) - 1) * 251 / 256.0;
    for (uint32_t j = 0; j < size; j++)
        for (uint32_t i = 0; i < size; i++)
            for (uint32_t c = 0; c < (pic.channels == 4 ? 3 : 1); c++)
                if (!(pic.v[y + j][x + i][c] < limit))
                    return 0;
    return 1;
}

/* The means of the colours over unclipped cells or pixels; 0 where there are none. */
static int means(double mean[3])
{
    const uint32_t size = pic.pixel.layout == ZCI_BAYER ? 2 : 1;
    double sum[3] = {0, 0, 0};
    uint32_t count = 0;
    for (uint32_t y = 0; y + size <= pic.height; y += size)
        for (uint32_t x = 0; x + size <= pic.width; x += size) {
            if (!unclipped(x, y, size))
                continue;
            count++;
            for (uint32_t i = 0; i < size * size && size == 2; i++)
                sum[color_of(x + i % 2, y + i / 2)] += pic.v[y + i / 2][x + i % 2][0];
            for (uint32_t c = 0; c < 3 && size == 1; c++)
                sum[c] += pic.v[y][x][c];
        }
    for (int c = 0; c < 3; c++)
        mean[c] = count ? sum[c] / (c == 1 && size == 2 ? 2.0 * count : count) : 0;
    return count > 0;
}

static void gray_world(void)
{
    double mean[3];
    const int any = means(mean);
    const struct zci_dynamic got = reduced(ZCI_REDUCE_WB);
    double gain[3] = {1, 1, 1}, min = 1e300;
    if (any && mean[0] + mean[1] + mean[2] > 0)
        for (int c = 0; c < 3; c++)
            gain[c] = mean[c] > 0 ? (mean[1] > 0 ? mean[1] : 1e-9) / mean[c] : 1e30;
    for (int c = 0; c < 3; c++)
        min = gain[c] < min ? gain[c] : min;
    for (int c = 0; c < 3; c++) {
        const double q12 = gain[c] / min * 4096;
        CHECK(fabs((double)got.gain[c] - (q12 > 65535 ? 65535 : q12)) <= 0.5 + 1e-6);
        CHECK(got.gain[c] >= 4096 && got.gain[c] < 65536);
    }
    CHECK(got.scale.sub == 4 && got.digest == 7);
}

static void range(void)
{
    uint32_t min = UINT32_MAX, max = 0;
    for (uint32_t i = 0; i < pic.width * pic.height; i++)
        for (uint32_t c = 0; c < (pic.channels == 4 ? 3 : 1); c++) {
            const uint32_t v = pic.v[i / pic.width][i % pic.width][c];
            min = v < min ? v : min;
            max = v > max ? v : max;
        }
    const struct zci_dynamic got = reduced(ZCI_REDUCE_RANGE);
    const struct zci_scale want = zci_scale_make(min, max - min, (1u << pic.pixel.depth) - 1);
    CHECK(got.scale.sub == min && got.scale.span == max - min && got.scale.mul == want.mul);
    CHECK(got.gain[0] == 1 && got.digest == 7);
}

/* As the header of the digest states it, written a second time. */
static uint64_t mix(uint64_t z)
{
    z = z + 0x9E3779B97F4A7C15ULL;
    z = (z ^ (z / 1073741824)) * 0xBF58476D1CE4E5B9ULL;
    z = (z ^ (z / 134217728)) * 0x94D049BB133111EBULL;
    return z ^ (z / 2147483648);
}

static void digest(void)
{
    uint64_t want = 0;
    for (uint64_t y = 0; y < pic.height; y++)
        for (uint64_t x = 0; x < pic.width; x++)
            for (uint64_t c = 0; c < (pic.channels == 4 ? 3 : 1); c++)
                want += mix((((y * 262144 + x) * 4 + c) * 65536) + pic.v[y][x][c]);
    const struct zci_dynamic got = reduced(ZCI_REDUCE_DIGEST);
    CHECK(got.digest == want);
    CHECK(got.gain[0] == 1 && got.scale.sub == 4);
    /* One sample more or less, or elsewhere, is another digest. */
    const uint32_t y = (uint32_t)(test_random(&seed) % pic.height);
    pic.rows8[y][0] ^= 1;
    pic.rows16[y][0] ^= 1;
    CHECK(reduced(ZCI_REDUCE_DIGEST).digest != want);
    pic.rows8[y][0] ^= 1;
    pic.rows16[y][0] ^= 1;
}

/* Rows too wide for sums of 32 bits, and sums beyond Q12's room. */
static void wide(void)
{
    const uint32_t width = 262144;
    const struct zci_reduce reduce = {ZCI_REDUCE_WB, 0, {ZCI_BAYER, 16, 0}, width, 2};
    uint16_t *line = malloc(width * sizeof *line);
    struct zci_sums sums;
    struct zci_dynamic out;
    CHECK(line);
    for (uint32_t x = 0; x < width; x++)
        line[x] = 64255;
    zci_sums_init(&sums);
    zck_table_best()->reduce[ZCI_REDUCE_WB][1](&reduce, line, line, 1, &sums);
    CHECK(sums.sum[0] == 64255ULL * width / 2 && sums.sum[1] == 64255ULL * width);
    CHECK_EQ(sums.count, width / 2);
    for (uint32_t x = 0; x < width; x++)
        line[x] = 64256;
    zci_sums_init(&sums);
    zck_table_best()->reduce[ZCI_REDUCE_WB][1](&reduce, line, line, 1, &sums);
    CHECK_EQ(sums.count, 0);
    free(line);
    sums = (struct zci_sums){{1ULL << 50, 1ULL << 52, 1ULL << 48}, 1, 0, 0, 0};
    zci_sums_finish(&reduce, &sums, &out);
    CHECK(out.gain[0] == 2 * 4096 && out.gain[1] == 4096 && out.gain[2] == 8 * 4096);
    sums = (struct zci_sums){{100, 0, 300}, 1, 0, 0, 0};
    zci_sums_finish(&reduce, &sums, &out);
    CHECK(out.gain[0] == 3 * 4096 && out.gain[1] == 65535 && out.gain[2] == 4096);
    sums = (struct zci_sums){{0, 0, 0}, 1, 0, 0, 0};
    zci_sums_finish(&reduce, &sums, &out);
    CHECK(out.gain[0] == 4096 && out.gain[1] == 4096 && out.gain[2] == 4096);
}

int main(void)
{
    for (uint32_t i = 0; i < 3000; i++) {
        const uint32_t layout = i % 3, depth = i % 2 ? 8 : 16;
        draw(layout, depth, layout == ZCI_BAYER ? i / 6 % 4 : 0, i % 7 == 0 ? 8 : i % 3);
        if (layout != ZCI_MONO)
            gray_world();
        range();
        digest();
    }
    wide();
    return 0;
}
