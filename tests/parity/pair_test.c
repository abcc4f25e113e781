/* SPDX-License-Identifier: MIT */
/* Demosaicing two pixels at once against one at a time, to the bit, in both frame contexts. */
#include "check.h"
#include "kernels/demosaic_pixel.h"
#include "kernels/load_pixel.h"

enum { ROWS = 6, COLUMNS = 8 };

/* What a formula reads of a pixel, and what must come out. */
struct sums {
    uint32_t c, d, h1, v1, h2, v2;
    uint32_t cross, diagonal, along, four, two;
};

static void expect(struct sums *s, uint32_t maximum)
{
    const int32_t c = (int32_t)s->c, d = (int32_t)s->d, max = (int32_t)maximum;
    const int32_t h1 = (int32_t)s->h1, h2 = (int32_t)s->h2;
    const int32_t v1 = (int32_t)s->v1, v2 = (int32_t)s->v2;
    s->cross = (uint32_t)zck_mhc_cross(c, h1, v1, h2, v2, max);
    s->diagonal = (uint32_t)zck_mhc_diagonal(c, d, h2, v2, max);
    s->along = (uint32_t)zck_mhc_along(c, d, h1, h2, v2, max);
    s->four = (uint32_t)zck_bilinear_four(d);
    s->two = (uint32_t)zck_bilinear_two(h1);
}

static uint32_t pair_of(uint32_t left, uint32_t right)
{
    return left | right << 16;
}

static void check_pair(uint32_t pair, uint32_t left, uint32_t right)
{
    CHECK_EQ(zck_pair_left(pair), left);
    CHECK_EQ(zck_pair_right(pair), right);
}

static void compare(const struct sums *a, const struct sums *b, uint32_t max)
{
    const uint32_t c = pair_of(a->c, b->c), d = pair_of(a->d, b->d);
    const uint32_t h1 = pair_of(a->h1, b->h1), h2 = pair_of(a->h2, b->h2);
    const uint32_t v1 = pair_of(a->v1, b->v1), v2 = pair_of(a->v2, b->v2);
    check_pair(zck_pair_cross(c, h1, v1, h2, v2, max), a->cross, b->cross);
    check_pair(zck_pair_diagonal(c, d, h2, v2, max), a->diagonal, b->diagonal);
    check_pair(zck_pair_along(c, d, h1, h2, v2, max), a->along, b->along);
    check_pair(zck_pair_four(d), a->four, b->four);
    check_pair(zck_pair_two(h1), a->two, b->two);
}

/* All sums at either end of what they can be, in the one frame context and in the other: a formula's total is
 * greatest and least there. Every greatest sample. */
static void test_extremes(void)
{
    struct sums s[64];
    for (uint32_t max = 1; max <= ZCK_PAIR_MAX; max++) {
        for (uint32_t i = 0; i < 64; i++) {
            s[i] = (struct sums){.c = i & 1u ? max : 0,
                                 .d = i & 2u ? 4 * max : 0,
                                 .h1 = i & 4u ? 2 * max : 0,
                                 .v1 = i & 8u ? 2 * max : 0,
                                 .h2 = i & 16u ? 2 * max : 0,
                                 .v2 = i & 32u ? 2 * max : 0};
            expect(&s[i], max);
        }
        for (uint32_t i = 0; i < 64; i++)
            for (uint32_t k = 0; k < 64; k++)
                compare(&s[i], &s[k], max);
    }
}

static uint32_t below(uint64_t *state, uint32_t end)
{
    return (uint32_t)((test_random(state) >> 32) % end);
}

static struct sums any_sums(uint64_t *state, uint32_t max)
{
    struct sums s = {.c = below(state, max + 1),
                     .d = below(state, 4 * max + 1),
                     .h1 = below(state, 2 * max + 1),
                     .v1 = below(state, 2 * max + 1),
                     .h2 = below(state, 2 * max + 1),
                     .v2 = below(state, 2 * max + 1)};
    expect(&s, max);
    return s;
}

static void test_random_sums(void)
{
    uint64_t state = 20261130;
    for (uint32_t max = 1; max <= ZCK_PAIR_MAX; max++)
        for (int i = 0; i < 500; i++) {
            const struct sums a = any_sums(&state, max), b = any_sums(&state, max);
            compare(&a, &b, max);
        }
}

/* Every total in one frame context, the least, the greatest and itself in the other. */
static void test_clamp(void)
{
    const uint32_t bias = 12288, max = 16383;
    for (uint32_t sum = 0; sum <= 40960; sum++) {
        const uint32_t expected = (uint32_t)zck_clamp((int32_t)sum - (int32_t)bias, (int32_t)max);
        CHECK_EQ(zck_pair_clamp(pair_of(sum, 0), bias, max), expected);
        CHECK_EQ(zck_pair_clamp(pair_of(0, sum), bias, max), pair_of(0, expected));
        CHECK_EQ(zck_pair_clamp(pair_of(sum, 40960), bias, max), pair_of(expected, max));
        CHECK_EQ(zck_pair_clamp(pair_of(sum, sum), bias, max), pair_of(expected, expected));
    }
}

struct window {
    uint32_t v[ROWS][COLUMNS];
};

static void fill(struct window *w, uint64_t *state, uint32_t max, int kind)
{
    for (uint32_t r = 0; r < ROWS; r++)
        for (uint32_t c = 0; c < COLUMNS; c++) {
            const uint32_t coin = below(state, 2) ? max : 0;
            w->v[r][c] = kind == 0 ? below(state, max + 1) : kind == 1 ? coin : r * 40 + c;
            if (w->v[r][c] > max)
                w->v[r][c] = max;
        }
}

static struct zck_pair_around pack(const struct window *w)
{
    struct zck_pair_around a;
    for (uint32_t r = 0; r < ROWS; r++) {
        uint32_t words[COLUMNS / 2];
        for (uint32_t i = 0; i < COLUMNS / 2; i++)
            words[i] = pair_of(w->v[r][2 * i], w->v[r][2 * i + 1]);
        zck_pair_row(words, a.v[r]);
    }
    return a;
}

static int32_t at(const struct window *w, int row, int column)
{
    return (int32_t)w->v[row][column];
}

/* Pixel k of row n, one at a time. */
static struct zck_pair_colors alone(const struct window *w, int n, int k, int has_own, int is_mhc,
                                    int32_t max)
{
    const int r = n + 2, x = k + 2;
    const int32_t c = at(w, r, x), h1 = at(w, r, x - 1) + at(w, r, x + 1);
    const int32_t h2 = at(w, r, x - 2) + at(w, r, x + 2);
    const int32_t v1 = at(w, r - 1, x) + at(w, r + 1, x), v2 = at(w, r - 2, x) + at(w, r + 2, x);
    const int32_t d =
        at(w, r - 1, x - 1) + at(w, r - 1, x + 1) + at(w, r + 1, x - 1) + at(w, r + 1, x + 1);
    int32_t own = c, green = c, other;
    if (has_own && is_mhc) {
        green = zck_mhc_cross(c, h1, v1, h2, v2, max);
        other = zck_mhc_diagonal(c, d, h2, v2, max);
    } else if (has_own) {
        green = zck_bilinear_four(h1 + v1);
        other = zck_bilinear_four(d);
    } else {
        own = is_mhc ? zck_mhc_along(c, d, h1, h2, v2, max) : zck_bilinear_two(h1);
        other = is_mhc ? zck_mhc_along(c, d, v1, v2, h2, max) : zck_bilinear_two(v1);
    }
    return (struct zck_pair_colors){(uint32_t)own, (uint32_t)green, (uint32_t)other};
}

static uint32_t packed(struct zck_pair_colors c, int red)
{
    return zck_rgba8(red ? c.own : c.other, c.green, red ? c.other : c.own);
}

/* `way`: a bit each for the pair, the row, whether it has its own colour, and the method. */
static void compare_window(const struct window *w, const struct zck_pair_around *a, unsigned way,
                           uint32_t max)
{
    const int k = way & 1, n = way >> 1 & 1, has_own = way >> 2 & 1, is_mhc = way >> 3 & 1;
    const struct zck_pair_colors left = alone(w, n, k, has_own, is_mhc, (int32_t)max);
    const struct zck_pair_colors right = alone(w, n, k + 2, has_own, is_mhc, (int32_t)max);
    const struct zck_pair_colors pair =
        is_mhc ? zck_pair_mhc(a, n, k, has_own, max) : zck_pair_bilinear(a, n, k, has_own);
    check_pair(pair.own, left.own, right.own);
    check_pair(pair.green, left.green, right.green);
    check_pair(pair.other, left.other, right.other);
    for (int red = 0; red < 2 && max <= 255; red++) {
        uint32_t pixels[2];
        zck_pair_rgba8(pair, red, pixels);
        CHECK_EQ(pixels[0], packed(left, red));
        CHECK_EQ(pixels[1], packed(right, red));
    }
}

static void test_windows(void)
{
    uint64_t state = 3;
    for (uint32_t max = 1; max <= ZCK_PAIR_MAX; max += max < 255 ? 1 : 3)
        for (int i = 0; i < 60; i++) {
            struct window w;
            fill(&w, &state, max, i % 3);
            const struct zck_pair_around a = pack(&w);
            for (unsigned way = 0; way < 16; way++)
                compare_window(&w, &a, way, max);
        }
}

int main(void)
{
    test_clamp();
    test_extremes();
    test_random_sums();
    test_windows();
    return 0;
}
