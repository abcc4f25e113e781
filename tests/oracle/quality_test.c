/* SPDX-License-Identifier: MIT */
/* Pictures against the truth of drawn scenes: demosaicing in decibels, the chart's colours in dE2000. */
#include <math.h>

#include "check.h"
#include "zcstream/zcstream.h"

#include "samples/chart.h"
#include "samples/scene.h"
#include "samples/sensor.h"
#include "samples/srgb.h"

#define PI 3.14159265358979323846

enum { PIXELS = SCENE_WIDTH * SCENE_HEIGHT, BORDER = 8 };

/* --- the library ------------------------------------------------------------------------------------ */

/* A mosaic (red first) through a chain; R, G, B of 8 bits. */
static void develop(const uint16_t *codes, const char *stages, uint8_t *rgb)
{
    const struct zcs_stream_params params = {.stages = stages, .depth = ZCS_DEPTH_8};
    struct zcs_push_params push = {.queue = 1};
    const struct zcs_push_meta meta = {0};
    const struct zcs_frame *frame = NULL;
    zcs_context *ctx = NULL;
    zcs_source *source = NULL;
    zcs_stream *stream = NULL;
    const struct zcs_params host = {.backend = ZCS_BACKEND_HOST, .host_threads = 1};
    CHECK(zcs_open(&host, &ctx) == ZCS_OK);
    CHECK(zcs_image_init(&push.image, ZCS_PIXFMT_SRGGB10, SCENE_WIDTH, SCENE_HEIGHT, 0) == ZCS_OK);
    CHECK(zcs_source_open_push(ctx, &push, &source) == ZCS_OK);
    CHECK(zcs_stream_create(ctx, source, &params, &stream) == ZCS_OK);
    CHECK(zcs_source_push(source, (void *)codes, &meta, NULL, NULL) == ZCS_OK);
    CHECK(zcs_stream_next(stream, -1, &frame) == ZCS_OK);
    CHECK(frame->image.format == ZCS_PIXFMT_RGBA32);
    for (uint32_t y = 0; y < SCENE_HEIGHT; y++) {
        const uint8_t *row = (const uint8_t *)frame->host + y * frame->image.stride_bytes[0];
        for (uint32_t x = 0; x < SCENE_WIDTH; x++, rgb += 3)
            memcpy(rgb, row + (size_t)4 * x, 3);
    }
    zcs_frame_unref(&frame);
    zcs_stream_destroy(&stream);
    zcs_source_close(&source);
    zcs_close(&ctx);
}

/* --- demosaicing ------------------------------------------------------------------------------------ */

/* Over all three channels, without the border. */
static double color_psnr(const uint8_t *a, const uint8_t *b)
{
    double sum = 0, count = 0;
    for (int y = BORDER; y < SCENE_HEIGHT - BORDER; y++)
        for (int i = 3 * BORDER; i < 3 * (SCENE_WIDTH - BORDER); i++) {
            const double d = (double)a[3 * y * SCENE_WIDTH + i] - b[3 * y * SCENE_WIDTH + i];
            sum += d * d;
            count++;
        }
    return 10 * log10(255.0 * 255.0 * count / sum);
}

/* The same mosaic by both methods, between the stages `head` and `tail`. Returns MHC's gain. */
static double compare(const char *what, const char *name, const uint16_t *codes, const char *head,
                      const char *tail, const uint8_t *truth)
{
    static uint8_t got[3 * PIXELS];
    static const char *const methods[] = {"mhc", "bilinear"};
    double psnr[2];
    for (int i = 0; i < 2; i++) {
        char chain[256];
        snprintf(chain, sizeof chain, "%sdemosaic=%s%s", head, methods[i], tail);
        develop(codes, chain, got);
        psnr[i] = color_psnr(got, truth);
    }
    printf("%-9s %-17s mhc %5.2f dB, bilinear %5.2f dB: %+5.2f dB\n", name, what, psnr[0], psnr[1],
           psnr[0] - psnr[1]);
    return psnr[0] - psnr[1];
}

/* sensor_stages around its demosaicing. */
struct chain {
    char head[256], tail[256];
};

static struct chain split_chain(void)
{
    struct chain chain;
    const char *at = strstr(sensor_stages, "demosaic");
    CHECK(at != NULL);
    snprintf(chain.head, sizeof chain.head, "%.*s", (int)(at - sensor_stages), sensor_stages);
    snprintf(chain.tail, sizeof chain.tail, "%s", at + strlen("demosaic"));
    return chain;
}

/* Demosaicing alone, where it works: linear light as the filters pass it, without noise. The whole chain is
 * printed only: a matrix and a curve behind it amplify what differs in dark and saturated places. */
static double scene_gain(enum scene scene)
{
    static uint16_t codes[PIXELS];
    static uint8_t ideal[3 * PIXELS];
    const struct chain chain = split_chain();
    uint64_t noise = 1;
    float *light = scene_render(scene, SCENE_BLUR);
    uint8_t *truth = light != NULL ? scene_truth(light) : NULL;
    CHECK(truth != NULL);
    sensor_ideal(light, ideal);
    sensor_expose(light, 0, NULL, codes);
    const double gain = compare("alone", scene_name(scene), codes, chain.head, "", ideal);
    compare("to sRGB", scene_name(scene), codes, chain.head, chain.tail, truth);
    sensor_expose(light, 0, &noise, codes);
    compare("to sRGB, noise", scene_name(scene), codes, chain.head, chain.tail, truth);
    free(truth);
    free(light);
    return gain;
}

/* The gradient's bands are pure colours, where what MHC relies on, channels that change together, is not
 * so. */
static void test_demosaic(void)
{
    CHECK(scene_gain(SCENE_CHART) >= 3);
    CHECK(scene_gain(SCENE_EDGE) >= 3);
    CHECK(scene_gain(SCENE_TEXT) >= 3);
    CHECK(scene_gain(SCENE_ZONE) >= 3);
    scene_gain(SCENE_GRADIENT);
}

/* --- colour differences ----------------------------------------------------------------------------- */

struct lab {
    double l, a, b;
};

static double lab_curve(double t)
{
    return t > 216.0 / 24389 ? cbrt(t) : (24389.0 / 27 * t + 16) / 116;
}

/* Of sRGB codes, with white D65. */
static struct lab lab_of(const double srgb[3])
{
    const double r = srgb_decode(srgb[0]), g = srgb_decode(srgb[1]), b = srgb_decode(srgb[2]);
    const double x = lab_curve((0.4124 * r + 0.3576 * g + 0.1805 * b) / 0.9505);
    const double y = lab_curve(0.2126 * r + 0.7152 * g + 0.0722 * b);
    const double z = lab_curve((0.0193 * r + 0.1192 * g + 0.9505 * b) / 1.089);
    return (struct lab){116 * y - 16, 500 * (x - y), 200 * (y - z)};
}

static double hue_of(double a, double b)
{
    const double h = a == 0 && b == 0 ? 0 : atan2(b, a) * 180 / PI;
    return h < 0 ? h + 360 : h;
}

static double cos_degrees(double angle)
{
    return cos(angle * PI / 180);
}

/* c^7 / (c^7 + 25^7), its root */
static double seventh(double c)
{
    const double c7 = pow(c, 7);
    return sqrt(c7 / (c7 + 6103515625.0));
}

/* Sharma, Wu and Dalal, "The CIEDE2000 color-difference formula", Color Research and Application 30
 * (2005), doi:10.1002/col.20070; weights of 1. */
static double de2000(struct lab p, struct lab q)
{
    const double g = 0.5 * (1 - seventh((hypot(p.a, p.b) + hypot(q.a, q.b)) / 2));
    const double a1 = (1 + g) * p.a, a2 = (1 + g) * q.a;
    const double c1 = hypot(a1, p.b), c2 = hypot(a2, q.b), product = c1 * c2;
    const double h1 = hue_of(a1, p.b), h2 = hue_of(a2, q.b);
    double dh = h2 - h1, mean_h = h1 + h2;
    if (product == 0)
        dh = 0;
    else if (fabs(dh) > 180) {
        mean_h += mean_h < 360 ? 360 : -360;
        dh += dh > 0 ? -360 : 360;
    }
    if (product != 0)
        mean_h /= 2;
    const double dl = q.l - p.l, dc = c2 - c1, big_dh = 2 * sqrt(product) * sin(dh * PI / 360);
    const double mean_l = (p.l + q.l) / 2 - 50, mean_c = (c1 + c2) / 2;
    const double t = 1 - 0.17 * cos_degrees(mean_h - 30) + 0.24 * cos_degrees(2 * mean_h) +
                     0.32 * cos_degrees(3 * mean_h + 6) - 0.2 * cos_degrees(4 * mean_h - 63);
    const double turn = 30 * exp(-pow((mean_h - 275) / 25, 2));
    const double sl = 1 + 0.015 * mean_l * mean_l / sqrt(20 + mean_l * mean_l);
    const double l = dl / sl, c = dc / (1 + 0.045 * mean_c), h = big_dh / (1 + 0.015 * mean_c * t);
    const double rt = -sin(turn * PI / 90) * 2 * seventh(mean_c);
    return sqrt(l * l + c * c + h * h + rt * c * h);
}

// clang-format off
/* The paper's table 1: pairs and their difference. */
static const double pairs[][7] = {
    {50, 2.6772, -79.7751, 50, 0, -82.7485, 2.0425}, {50, 3.1571, -77.2803, 50, 0, -82.7485, 2.8615},
    {50, 2.8361, -74.02, 50, 0, -82.7485, 3.4412}, {50, -1.3802, -84.2814, 50, 0, -82.7485, 1},
    {50, -1.1848, -84.8006, 50, 0, -82.7485, 1}, {50, -0.9009, -85.5211, 50, 0, -82.7485, 1},
    {50, 0, 0, 50, -1, 2, 2.3669}, {50, -1, 2, 50, 0, 0, 2.3669},
    {50, 2.49, -0.001, 50, -2.49, 0.0009, 7.1792}, {50, 2.49, -0.001, 50, -2.49, 0.001, 7.1792},
    {50, 2.49, -0.001, 50, -2.49, 0.0011, 7.2195}, {50, 2.49, -0.001, 50, -2.49, 0.0012, 7.2195},
    {50, -0.001, 2.49, 50, 0.0009, -2.49, 4.8045}, {50, -0.001, 2.49, 50, 0.001, -2.49, 4.8045},
    {50, -0.001, 2.49, 50, 0.0011, -2.49, 4.7461}, {50, 2.5, 0, 50, 0, -2.5, 4.3065},
    {50, 2.5, 0, 73, 25, -18, 27.1492}, {50, 2.5, 0, 61, -5, 29, 22.8977},
    {50, 2.5, 0, 56, -27, -3, 31.903}, {50, 2.5, 0, 58, 24, 15, 19.4535},
    {50, 2.5, 0, 50, 3.1736, 0.5854, 1}, {50, 2.5, 0, 50, 3.2972, 0, 1},
    {50, 2.5, 0, 50, 1.8634, 0.5757, 1}, {50, 2.5, 0, 50, 3.2592, 0.335, 1},
    {60.2574, -34.0099, 36.2677, 60.4626, -34.1751, 39.4387, 1.2644},
    {63.0109, -31.0961, -5.8663, 62.8187, -29.7946, -4.0864, 1.263},
    {61.2901, 3.7196, -5.3901, 61.4292, 2.248, -4.962, 1.8731},
    {35.0831, -44.1164, 3.7933, 35.0232, -40.0716, 1.5901, 1.8645},
    {22.7233, 20.0904, -46.694, 23.0331, 14.973, -42.5619, 2.0373},
    {36.4612, 47.858, 18.3852, 36.2715, 50.5065, 21.2231, 1.4146},
    {90.8027, -2.0831, 1.441, 91.1528, -1.6435, 0.0447, 1.4441},
    {90.9257, -0.5406, -0.9208, 88.6381, -0.8985, -0.7239, 1.5381},
    {6.7747, -0.2908, -2.4247, 5.8714, -0.0985, -2.2286, 0.6377},
    {2.0776, 0.0795, -1.135, 0.9033, -0.0636, -0.5514, 0.9082},
};
// clang-format on

static void test_formula(void)
{
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        const double *v = pairs[i];
        const double got = de2000((struct lab){v[0], v[1], v[2]}, (struct lab){v[3], v[4], v[5]});
        if (fabs(got - v[6]) > 0.00005)
            fprintf(stderr, "pair %zu: %.6f instead of %.4f\n", i + 1, got, v[6]);
        CHECK(fabs(got - v[6]) <= 0.00005);
    }
}

/* --- the chart -------------------------------------------------------------------------------------- */

/* The middle half of a patch. */
static void patch_mean(const uint8_t *rgb, int patch, double out[3])
{
    const int left = patch % CHART_COLUMNS * CHART_PITCH + CHART_PITCH / 4,
              top = patch / CHART_COLUMNS * CHART_PITCH + CHART_PITCH / 4, side = CHART_PITCH / 2;
    for (int c = 0; c < 3; c++) {
        double sum = 0;
        for (int y = top; y < top + side; y++)
            for (int x = left; x < left + side; x++)
                sum += rgb[3 * (y * SCENE_WIDTH + x) + c];
        out[c] = sum / (side * side);
    }
}

/* The mean over all patches; `worst` gets the greatest. */
static double chart_error(const char *stages, double *worst)
{
    static uint16_t codes[PIXELS];
    static uint8_t got[3 * PIXELS];
    uint64_t noise = 1;
    double sum = 0;
    float *light = scene_render(SCENE_CHART, SCENE_BLUR);
    CHECK(light != NULL);
    sensor_expose(light, 0, &noise, codes);
    free(light);
    develop(codes, stages, got);
    *worst = 0;
    for (int i = 0; i < CHART_PATCHES; i++) {
        const uint8_t *srgb = chart_patches[i].srgb;
        double mean[3];
        patch_mean(got, i, mean);
        const double de = de2000(lab_of(mean), lab_of((const double[]){srgb[0], srgb[1], srgb[2]}));
        sum += de;
        *worst = fmax(*worst, de);
    }
    return sum / CHART_PATCHES;
}

static void test_chart(void)
{
    double worst = 0;
    const double mean = chart_error(sensor_stages, &worst);
    printf("chart: dE2000 %.2f on average, %.2f at most\n", mean, worst);
    CHECK(mean <= 3);
    CHECK(worst <= 5);
    /* Each stage that is left out shows. */
    CHECK(chart_error("black:level=64:white=928,wb:r=1.9:b=1.6,demosaic,gamma", &worst) > 3);
    CHECK(chart_error("black:level=64:white=928,demosaic,gamma", &worst) > 3);
}

int main(void)
{
    test_formula();
    test_chart();
    test_demosaic();
    return 0;
}
