/* SPDX-License-Identifier: MIT */
/* Demosaicing against a double-precision model, and on constant mosaics to the very border. */
#include <math.h>

#include "check.h"
#include "kernels/demosaic_pixel.h"
#include "kernels/cpu/table.h"

enum { MAX = 20 };

struct mosaic {
    uint32_t width, height, cfa, depth;
    uint32_t v[MAX][MAX];
};

/* 0 red, 1 green, 2 blue. */
static int color_at(const struct mosaic *m, int x, int y)
{
    const int dx = (x + (int)(m->cfa & 1) + 2) % 2, dy = (y + (int)(m->cfa >> 1) + 2) % 2;
    return dx != dy ? 1 : dx ? 2 : 0;
}

/* Mirrored without repeating the border, as often as it takes. */
static double at(const struct mosaic *m, int x, int y)
{
    const int w = (int)m->width, h = (int)m->height;
    while (x < 0 || x >= w)
        x = x < 0 ? -x : 2 * (w - 1) - x;
    while (y < 0 || y >= h)
        y = y < 0 ? -y : 2 * (h - 1) - y;
    return m->v[y][x];
}

/* The paper's figure 2, in eighths: green at red and blue; the row's own colour at green; red at blue. */
static const double green[5][5] = {
    {0, 0, -1, 0, 0}, {0, 0, 2, 0, 0}, {-1, 2, 4, 2, -1}, {0, 0, 2, 0, 0}, {0, 0, -1, 0, 0}};
static const double along[5][5] = {
    {0, 0, 0.5, 0, 0}, {0, -1, 0, -1, 0}, {-1, 4, 5, 4, -1}, {0, -1, 0, -1, 0}, {0, 0, 0.5, 0, 0}};
static const double diagonal[5][5] = {{0, 0, -1.5, 0, 0},
                                      {0, 2, 0, 2, 0},
                                      {-1.5, 0, 6, 0, -1.5},
                                      {0, 2, 0, 2, 0},
                                      {0, 0, -1.5, 0, 0}};

static double filtered(const struct mosaic *m, int x, int y, const double f[5][5], int transposed)
{
    double sum = 0;
    for (int j = 0; j < 5; j++)
        for (int i = 0; i < 5; i++)
            sum += (transposed ? f[i][j] : f[j][i]) * at(m, x + i - 2, y + j - 2);
    return sum / 8;
}

static double mhc(const struct mosaic *m, int x, int y, int c)
{
    const int own = color_at(m, x, y);
    if (own == c)
        return at(m, x, y);
    if (c == 1)
        return filtered(m, x, y, green, 0);
    if (own != 1)
        return filtered(m, x, y, diagonal, 0);
    return filtered(m, x, y, along, color_at(m, x + 1, y) != c);
}

/* The mean of the nearest samples of the colour, those next to it or, failing these, diagonal ones. */
static double bilinear(const struct mosaic *m, int x, int y, int c)
{
    for (int reach = 0; reach <= 2; reach++) {
        double sum = 0;
        int count = 0;
        for (int j = -1; j <= 1; j++)
            for (int i = -1; i <= 1; i++)
                if (abs(i) + abs(j) == reach && color_at(m, x + i, y + j) == c) {
                    sum += at(m, x + i, y + j);
                    count++;
                }
        if (count)
            return sum / count;
    }
    return -1;
}

/* Rows with a sentinel behind them, each in memory of exactly its size. */
struct rows {
    void *in[MAX];
    void *out;
    size_t in_bytes, out_bytes;
};

static struct rows rows_new(const struct mosaic *m)
{
    struct rows r = {.in_bytes = m->width * (m->depth / 8),
                     .out_bytes = 4 * m->width * (m->depth / 8)};
    for (uint32_t y = 0; y < m->height; y++) {
        r.in[y] = malloc(r.in_bytes);
        CHECK(r.in[y]);
        for (uint32_t x = 0; x < m->width; x++)
            if (m->depth == 8)
                ((uint8_t *)r.in[y])[x] = (uint8_t)m->v[y][x];
            else
                ((uint16_t *)r.in[y])[x] = (uint16_t)m->v[y][x];
    }
    r.out = malloc(r.out_bytes);
    CHECK(r.out);
    return r;
}

static void rows_free(struct rows *r, uint32_t height)
{
    for (uint32_t y = 0; y < height; y++)
        free(r->in[y]);
    free(r->out);
}

static uint32_t mirrored(int y, int n)
{
    while (y < 0 || y >= n)
        y = y < 0 ? -y : 2 * (n - 1) - y;
    return (uint32_t)y;
}

static void run_row(const struct zck_table *table, const struct mosaic *m, const struct rows *r,
                    uint32_t y, enum zci_stencil stencil)
{
    const void *five[5];
    for (int k = 0; k < 5; k++)
        five[k] = r->in[mirrored((int)y + k - 2, (int)m->height)];
    if (stencil == ZCI_STENCIL_BILINEAR)
        five[0] = five[4] = NULL;
    table->stencil[stencil][m->depth == 16](five, r->out, m->width, y, m->cfa);
}

static void compare(const struct mosaic *m, enum zci_stencil stencil)
{
    const double max = m->depth == 8 ? 255 : 65535;
    struct rows r = rows_new(m);
    for (uint32_t y = 0; y < m->height; y++) {
        run_row(zck_table_best(), m, &r, y, stencil);
        for (uint32_t i = 0; i < 4 * m->width; i++) {
            const int x = (int)(i / 4), c = (int)(i % 4);
            const double model = c == 3                       ? max
                                 : stencil == ZCI_STENCIL_MHC ? mhc(m, x, (int)y, c)
                                                              : bilinear(m, x, (int)y, c);
            const double clamped = model < 0 ? 0 : model > max ? max : model;
            const uint32_t got = m->depth == 8 ? ((uint8_t *)r.out)[i] : ((uint16_t *)r.out)[i];
            CHECK_EQ(got, floor(clamped + 0.5));
        }
    }
    rows_free(&r, m->height);
}

static void random_mosaics(uint32_t depth)
{
    uint64_t seed = depth;
    for (uint32_t w = 2; w <= MAX; w++)
        for (uint32_t h = 2; h <= MAX; h++)
            for (uint32_t cfa = 0; cfa < 4; cfa++) {
                struct mosaic m = {w, h, cfa, depth, {{0}}};
                const int extremes = (int)(test_random(&seed) % 2);
                for (uint32_t i = 0; i < w * h; i++) {
                    const uint64_t v = test_random(&seed) >> 20;
                    const uint32_t max = (1u << depth) - 1;
                    m.v[i / w][i % w] = extremes ? (v & 1 ? max : 0) : (uint32_t)v & max;
                }
                compare(&m, ZCI_STENCIL_MHC);
                compare(&m, ZCI_STENCIL_BILINEAR);
            }
}

/* Constant colours give a constant picture, borders included, at every small size and order. */
static void constant_mosaics(uint32_t depth)
{
    const uint32_t value[3] = {depth == 8 ? 200 : 51400, depth == 8 ? 100 : 25701,
                               depth == 8 ? 50 : 12849};
    for (uint32_t w = 2; w <= 9; w++)
        for (uint32_t h = 2; h <= 9; h++)
            for (uint32_t cfa = 0; cfa < 4; cfa++)
                for (int s = ZCI_STENCIL_BILINEAR; s <= ZCI_STENCIL_MHC; s++) {
                    struct mosaic m = {w, h, cfa, depth, {{0}}};
                    for (uint32_t i = 0; i < w * h; i++)
                        m.v[i / w][i % w] = value[color_at(&m, (int)(i % w), (int)(i / w))];
                    struct rows r = rows_new(&m);
                    for (uint32_t y = 0; y < h; y++) {
                        run_row(zck_table_best(), &m, &r, y, (enum zci_stencil)s);
                        for (uint32_t i = 0; i < 4 * w; i++) {
                            const uint32_t got =
                                depth == 8 ? ((uint8_t *)r.out)[i] : ((uint16_t *)r.out)[i];
                            CHECK_EQ(got, i % 4 == 3 ? (1u << depth) - 1 : value[i % 4]);
                        }
                    }
                    rows_free(&r, h);
                }
}

static void mirrors(void)
{
    for (int32_t n = 2; n <= MAX; n++)
        for (int32_t i = -200; i <= 200; i++) {
            int32_t k = i;
            while (k < 0 || k >= n)
                k = k < 0 ? -k : 2 * (n - 1) - k;
            CHECK_EQ(zck_mirror(i, n), k);
        }
}

int main(void)
{
    mirrors();
    constant_mosaics(8);
    constant_mosaics(16);
    random_mosaics(8);
    random_mosaics(16);
    return 0;
}
