/* SPDX-License-Identifier: MIT */
/* Scales, gains, curves, matrices and gray against exact or double-precision models. */
#include <math.h>

#include "check.h"
#include "core/plan.h"
#include "kernels/point_pixel.h"
#include "kernels/cpu/table.h"

enum { CODES = 65536 };

static uint16_t in16[4 * CODES], out16[4 * CODES];
static uint8_t in8[4 * CODES], out8[4 * CODES];

static const struct zci_pixel mono8 = {ZCI_MONO, 8, 0}, mono16 = {ZCI_MONO, 16, 0};

static void run(const struct zci_op *op, const struct zci_table *tables, uint32_t width, uint32_t y)
{
    const int deep_in = op->in.depth == 16, deep_out = op->out.depth == 16;
    const zck_op_fn fn = zck_table_best()->op[op->kind][deep_in][deep_out];
    CHECK(fn);
    fn(op, NULL, tables, deep_in ? (const void *)in16 : in8, deep_out ? (void *)out16 : out8, width,
       y);
}

static void fill_codes(void)
{
    for (uint32_t i = 0; i < CODES; i++)
        in16[i] = (uint16_t)i, in8[i] = (uint8_t)i;
}

/* round half up of (v - sub) / span * max, exactly. */
static uint64_t scaled(uint64_t v, uint64_t sub, uint64_t span, uint64_t max)
{
    const uint64_t d = v < sub ? 0 : v - sub > span ? span : v - sub;
    return span == 0 ? 0 : (2 * d * max + span) / (2 * span);
}

static void scale_all(uint32_t sub, uint32_t span, struct zci_pixel in, struct zci_pixel out)
{
    const uint32_t max = (1u << out.depth) - 1, count = in.depth == 8 ? 256 : CODES;
    struct zci_op op = {.kind = ZCI_OP_SCALE, .state = -1, .in = in, .out = out};
    op.u.scale = zci_scale_make(sub, span, max);
    run(&op, NULL, count, 0);
    for (uint32_t v = 0; v < count; v++)
        CHECK_EQ(out.depth == 8 ? out8[v] : out16[v], scaled(v, sub, span, max));
}

/* Every number of bits, all codes, several black levels, to both depths. */
static void scales(void)
{
    uint64_t seed = 3;
    fill_codes();
    for (uint32_t bits = 1; bits <= 16; bits++) {
        const uint32_t top = (1u << bits) - 1;
        const uint32_t black[] = {0, top / 16, top / 4, top / 3, top - 1, top};
        for (uint32_t i = 0; i < sizeof black / sizeof *black; i++) {
            scale_all(black[i], top - black[i], bits > 8 ? mono16 : mono8, mono8);
            scale_all(black[i], top - black[i], bits > 8 ? mono16 : mono8, mono16);
        }
    }
    for (int i = 0; i < 150; i++) {
        const uint32_t sub = (uint32_t)(test_random(&seed) % CODES);
        const uint32_t span = (uint32_t)(test_random(&seed) % (CODES - sub));
        scale_all(sub, span, mono16, i % 2 ? mono16 : mono8);
    }
}

/* A sample that is an exact half of a step goes up. */
static void halves(void)
{
    struct zci_op op = {.kind = ZCI_OP_SCALE, .state = -1, .in = mono16, .out = mono8};
    fill_codes();
    for (uint32_t span = 2; span < CODES; span += 2) {
        op.u.scale = zci_scale_make(0, span, 255);
        run(&op, NULL, 1, 0);
        in16[1] = (uint16_t)(span / 2);
        run(&op, NULL, 2, 0);
        CHECK_EQ(out8[1], 128);
    }
}

static void alpha(void)
{
    const struct zci_pixel rgba8 = {ZCI_RGBA, 8, 0}, rgba16 = {ZCI_RGBA, 16, 0};
    struct zci_op op = {.kind = ZCI_OP_SCALE, .state = -1, .in = rgba8, .out = rgba16};
    for (uint32_t i = 0; i < 4 * 33; i++)
        in8[i] = i % 4 == 3 ? 255 : (uint8_t)(7 * i);
    op.u.scale = zci_scale_make(16, 219, 65535);
    run(&op, NULL, 33, 0);
    for (uint32_t i = 0; i < 4 * 33; i++)
        CHECK_EQ(out16[i], i % 4 == 3 ? 65535 : scaled(in8[i], 16, 219, 65535));
}

static void gains(void)
{
    uint64_t seed = 5;
    for (uint32_t round = 0; round < 400; round++) {
        const struct zci_pixel pixel = {round % 3 ? ZCI_BAYER : ZCI_RGBA, round % 2 ? 8 : 16,
                                        (uint8_t)(round % 3 ? round / 3 % 4 : 0)};
        const uint32_t width = 1 + (uint32_t)(test_random(&seed) % 70), y = round / 7 % 2;
        const double max = pixel.depth == 8 ? 255 : 65535;
        struct zci_op op = {.kind = ZCI_OP_GAIN, .state = -1, .in = pixel, .out = pixel};
        for (int c = 0; c < 3; c++)
            op.u.gain[c] = round < 9 ? 65535 : (uint32_t)(test_random(&seed) % 65536);
        for (uint32_t i = 0; i < 4 * width; i++) {
            in16[i] = round < 9 ? 65535 : (uint16_t)test_random(&seed);
            in8[i] = (uint8_t)in16[i];
            if (pixel.layout == ZCI_RGBA && i % 4 == 3)
                in16[i] = 65535, in8[i] = 255;
        }
        run(&op, NULL, width, y);
        for (uint32_t i = 0; i < (pixel.layout == ZCI_RGBA ? 4 : 1) * width; i++) {
            const uint32_t dx = (i + pixel.cfa) % 2, dy = (y + (pixel.cfa >> 1)) % 2;
            const uint32_t c = pixel.layout == ZCI_RGBA ? i % 4 : dx != dy ? 1 : 2 * dx;
            const double v = pixel.depth == 8 ? in8[i] : in16[i];
            const double model = c == 3 ? max : floor(v * op.u.gain[c] / 4096 + 0.5);
            CHECK_EQ(pixel.depth == 8 ? out8[i] : out16[i], model > max ? max : model);
        }
    }
}

static void matrices(void)
{
    uint64_t seed = 9;
    for (uint32_t round = 0; round < 3000; round++) {
        const struct zci_pixel pixel = {ZCI_RGBA, round % 2 ? 8 : 16, 0};
        const uint32_t width = 1 + round % 40;
        const double max = pixel.depth == 8 ? 255 : 65535;
        struct zci_op op = {.kind = ZCI_OP_CCM, .state = -1, .in = pixel, .out = pixel};
        for (int i = 0; i < 9; i++) {
            const int64_t limit = round % 3 ? 131072 : 1048576;
            /* Every fifth round in halves: sums that end in exactly one half are rounded up. */
            if (round % 5 == 1) {
                op.u.ccm[i] = 32768 * ((int32_t)(test_random(&seed) % 9) - 4);
                continue;
            }
            op.u.ccm[i] =
                round % 5 == 0
                    ? (int32_t)(test_random(&seed) % 2 ? limit : -limit)
                    : (int32_t)((int64_t)(test_random(&seed) >> 32) % (2 * limit + 1) - limit);
        }
        for (uint32_t i = 0; i < 4 * width; i++) {
            in16[i] = round % 7 == 0 ? 65535 : (uint16_t)test_random(&seed);
            in8[i] = (uint8_t)in16[i];
        }
        run(&op, NULL, width, 0);
        for (uint32_t i = 0; i < 4 * width; i++) {
            const uint32_t row = i % 4 * 3, first = i / 4 * 4;
            double sum = 0.5;
            for (uint32_t c = 0; c < 3 && i % 4 < 3; c++)
                sum += (double)op.u.ccm[row + c] *
                       (pixel.depth == 8 ? in8[first + c] : in16[first + c]) / 65536;
            const double model = i % 4 == 3 ? max : sum < 0 ? 0 : floor(sum);
            CHECK_EQ(pixel.depth == 8 ? out8[i] : out16[i], model > max ? max : model);
        }
    }
}

static void grays(void)
{
    const struct zci_pixel rgba = {ZCI_RGBA, 16, 0};
    struct zci_op op = {.kind = ZCI_OP_GRAY,
                        .state = -1,
                        .in = rgba,
                        .out = mono16,
                        .u.gray = {13933, 46871, 4732}};
    uint64_t seed = 2;
    for (uint32_t i = 0; i < 4 * 1000; i++)
        in16[i] = (uint16_t)test_random(&seed);
    in16[0] = in16[1] = in16[2] = 65535;
    run(&op, NULL, 1000, 0);
    CHECK_EQ(out16[0], 65535);
    for (uint32_t x = 0; x < 1000; x++) {
        const uint16_t *p = in16 + 4 * x;
        CHECK_EQ(out16[x], floor((13933.0 * p[0] + 46871.0 * p[1] + 4732.0 * p[2]) / 65536 + 0.5));
        /* The Q16 weights are those of BT.709. */
        CHECK(fabs(out16[x] - (0.2126 * p[0] + 0.7152 * p[1] + 0.0722 * p[2])) <= 1.5);
    }
}

static double srgb(double v)
{
    return v <= 0.0031308 ? v * 12.92 : 1.055 * exp(log(v) / 2.4) - 0.055;
}

static void curve(uint8_t in_depth, uint8_t out_depth, double gamma)
{
    const struct zci_pixel in = {ZCI_MONO, in_depth, 0}, out = {ZCI_MONO, out_depth, 0};
    const struct zci_op op = {.kind = ZCI_OP_TABLE, .state = -1, .in = in, .out = out};
    const double in_max = (1u << in_depth) - 1, out_max = (1u << out_depth) - 1;
    const uint32_t count = 1u << in_depth;
    struct zci_table table;
    CHECK_EQ(zci_curve_make(&table, in_depth, out_depth, gamma), ZCS_OK);
    CHECK_EQ(table.entries, count);
    fill_codes();
    run(&op, &table, count, 0);
    for (uint32_t i = 0; i < count; i++) {
        const double v = i / in_max;
        const double model = (gamma > 0 ? (v > 0 ? exp(log(v) / gamma) : 0) : srgb(v)) * out_max;
        const uint32_t got = out_depth == 8 ? out8[i] : out16[i];
        CHECK(fabs(got - model) <= 0.5 + 1e-6);
    }
    CHECK_EQ(out_depth == 8 ? out8[0] : out16[0], 0);
    CHECK_EQ(out_depth == 8 ? out8[count - 1] : out16[count - 1], out_max);
    free(table.data);
}

int main(void)
{
    scales();
    halves();
    alpha();
    gains();
    matrices();
    grays();
    for (int gamma = 0; gamma <= 3; gamma++)
        for (uint8_t in = 8; in <= 16; in = (uint8_t)(in + 8))
            for (uint8_t out = 8; out <= 16; out = (uint8_t)(out + 8))
                curve(in, out, gamma * 0.8);
    return 0;
}
