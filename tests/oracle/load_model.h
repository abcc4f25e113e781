/* SPDX-License-Identifier: MIT */
/* What each format's pixels are, in double precision and from the formats' published definitions alone:
 * nothing here calls the library's arithmetic or reads its table. */
#ifndef ZCS_TESTS_LOAD_MODEL_H
#define ZCS_TESTS_LOAD_MODEL_H

#include <math.h>

#include "check.h"
#include "zcstream/format.h"

enum model_kind {
    MODEL_BYTE,
    MODEL_WORD,
    MODEL_WORD_BE,
    MODEL_P10,
    MODEL_P12,
    MODEL_P14,
    MODEL_MIXED, /* order: the bytes of two pixels */
    MODEL_SEMI,  /* order: the bytes of a chroma pair */
    MODEL_SEMI10,
    MODEL_PLANAR_10,
    MODEL_PLANAR_12,
    MODEL_PLANAR_14,
    MODEL_PLANAR_16,
    MODEL_PLANAR, /* order: the chroma planes */
    MODEL_BYTES,  /* order: the bytes of a pixel */
    MODEL_565,
    MODEL_565_BE,
    MODEL_WORDS, /* order: the words of a pixel */
};

struct model {
    enum zcs_pixfmt format;
    enum model_kind kind;
    const char *order; /* Bayer: the colours of the first two rows */
    uint32_t hsub, vsub;
};

// clang-format off
static const struct model models[] = {
    {ZCS_PIXFMT_GREY,     MODEL_BYTE,    "", 1, 1},
    {ZCS_PIXFMT_Y10,      MODEL_WORD,    "", 1, 1},
    {ZCS_PIXFMT_Y12,      MODEL_WORD,    "", 1, 1},
    {ZCS_PIXFMT_Y14,      MODEL_WORD,    "", 1, 1},
    {ZCS_PIXFMT_Y16,      MODEL_WORD,    "", 1, 1},
    {ZCS_PIXFMT_Y16_BE,   MODEL_WORD_BE, "", 1, 1},
    {ZCS_PIXFMT_Y10P,     MODEL_P10,     "", 1, 1},
    {ZCS_PIXFMT_Y12P,     MODEL_P12,     "", 1, 1},
    {ZCS_PIXFMT_Y14P,     MODEL_P14,     "", 1, 1},
    {ZCS_PIXFMT_SRGGB8,   MODEL_BYTE,    "RGGB", 1, 1},
    {ZCS_PIXFMT_SGRBG8,   MODEL_BYTE,    "GRBG", 1, 1},
    {ZCS_PIXFMT_SGBRG8,   MODEL_BYTE,    "GBRG", 1, 1},
    {ZCS_PIXFMT_SBGGR8,   MODEL_BYTE,    "BGGR", 1, 1},
    {ZCS_PIXFMT_SRGGB10,  MODEL_WORD,    "RGGB", 1, 1},
    {ZCS_PIXFMT_SGRBG10,  MODEL_WORD,    "GRBG", 1, 1},
    {ZCS_PIXFMT_SGBRG10,  MODEL_WORD,    "GBRG", 1, 1},
    {ZCS_PIXFMT_SBGGR10,  MODEL_WORD,    "BGGR", 1, 1},
    {ZCS_PIXFMT_SRGGB12,  MODEL_WORD,    "RGGB", 1, 1},
    {ZCS_PIXFMT_SGRBG12,  MODEL_WORD,    "GRBG", 1, 1},
    {ZCS_PIXFMT_SGBRG12,  MODEL_WORD,    "GBRG", 1, 1},
    {ZCS_PIXFMT_SBGGR12,  MODEL_WORD,    "BGGR", 1, 1},
    {ZCS_PIXFMT_SRGGB14,  MODEL_WORD,    "RGGB", 1, 1},
    {ZCS_PIXFMT_SGRBG14,  MODEL_WORD,    "GRBG", 1, 1},
    {ZCS_PIXFMT_SGBRG14,  MODEL_WORD,    "GBRG", 1, 1},
    {ZCS_PIXFMT_SBGGR14,  MODEL_WORD,    "BGGR", 1, 1},
    {ZCS_PIXFMT_SRGGB16,  MODEL_WORD,    "RGGB", 1, 1},
    {ZCS_PIXFMT_SGRBG16,  MODEL_WORD,    "GRBG", 1, 1},
    {ZCS_PIXFMT_SGBRG16,  MODEL_WORD,    "GBRG", 1, 1},
    {ZCS_PIXFMT_SBGGR16,  MODEL_WORD,    "BGGR", 1, 1},
    {ZCS_PIXFMT_SRGGB10P, MODEL_P10,     "RGGB", 1, 1},
    {ZCS_PIXFMT_SGRBG10P, MODEL_P10,     "GRBG", 1, 1},
    {ZCS_PIXFMT_SGBRG10P, MODEL_P10,     "GBRG", 1, 1},
    {ZCS_PIXFMT_SBGGR10P, MODEL_P10,     "BGGR", 1, 1},
    {ZCS_PIXFMT_SRGGB12P, MODEL_P12,     "RGGB", 1, 1},
    {ZCS_PIXFMT_SGRBG12P, MODEL_P12,     "GRBG", 1, 1},
    {ZCS_PIXFMT_SGBRG12P, MODEL_P12,     "GBRG", 1, 1},
    {ZCS_PIXFMT_SBGGR12P, MODEL_P12,     "BGGR", 1, 1},
    {ZCS_PIXFMT_SRGGB14P, MODEL_P14,     "RGGB", 1, 1},
    {ZCS_PIXFMT_SGRBG14P, MODEL_P14,     "GRBG", 1, 1},
    {ZCS_PIXFMT_SGBRG14P, MODEL_P14,     "GBRG", 1, 1},
    {ZCS_PIXFMT_SBGGR14P, MODEL_P14,     "BGGR", 1, 1},
    {ZCS_PIXFMT_YUYV,     MODEL_MIXED,   "YUYV", 2, 1},
    {ZCS_PIXFMT_UYVY,     MODEL_MIXED,   "UYVY", 2, 1},
    {ZCS_PIXFMT_YVYU,     MODEL_MIXED,   "YVYU", 2, 1},
    {ZCS_PIXFMT_VYUY,     MODEL_MIXED,   "VYUY", 2, 1},
    {ZCS_PIXFMT_NV12,     MODEL_SEMI,    "UV", 2, 2},
    {ZCS_PIXFMT_NV21,     MODEL_SEMI,    "VU", 2, 2},
    {ZCS_PIXFMT_NV16,     MODEL_SEMI,    "UV", 2, 1},
    {ZCS_PIXFMT_NV61,     MODEL_SEMI,    "VU", 2, 1},
    {ZCS_PIXFMT_NV24,     MODEL_SEMI,    "UV", 1, 1},
    {ZCS_PIXFMT_NV42,     MODEL_SEMI,    "VU", 1, 1},
    {ZCS_PIXFMT_NV12M,    MODEL_SEMI,    "UV", 2, 2},
    {ZCS_PIXFMT_NV21M,    MODEL_SEMI,    "VU", 2, 2},
    {ZCS_PIXFMT_NV16M,    MODEL_SEMI,    "UV", 2, 1},
    {ZCS_PIXFMT_NV61M,    MODEL_SEMI,    "VU", 2, 1},
    {ZCS_PIXFMT_P010,     MODEL_SEMI10,  "UV", 2, 2},
    {ZCS_PIXFMT_YUV420,   MODEL_PLANAR,  "UV", 2, 2},
    {ZCS_PIXFMT_YVU420,   MODEL_PLANAR,  "VU", 2, 2},
    {ZCS_PIXFMT_YUV422P,  MODEL_PLANAR,  "UV", 2, 1},
    {ZCS_PIXFMT_YUV420M,  MODEL_PLANAR,  "UV", 2, 2},
    {ZCS_PIXFMT_YVU420M,  MODEL_PLANAR,  "VU", 2, 2},
    {ZCS_PIXFMT_YUV422M,  MODEL_PLANAR,  "UV", 2, 1},
    {ZCS_PIXFMT_YVU422M,  MODEL_PLANAR,  "VU", 2, 1},
    {ZCS_PIXFMT_YUV444M,  MODEL_PLANAR,  "UV", 1, 1},
    {ZCS_PIXFMT_YVU444M,  MODEL_PLANAR,  "VU", 1, 1},
    {ZCS_PIXFMT_YUV420P10, MODEL_PLANAR_10, "UV", 2, 2},
    {ZCS_PIXFMT_YUV420P12, MODEL_PLANAR_12, "UV", 2, 2},
    {ZCS_PIXFMT_YUV420P14, MODEL_PLANAR_14, "UV", 2, 2},
    {ZCS_PIXFMT_YUV420P16, MODEL_PLANAR_16, "UV", 2, 2},
    {ZCS_PIXFMT_YUV422P10, MODEL_PLANAR_10, "UV", 2, 1},
    {ZCS_PIXFMT_YUV422P12, MODEL_PLANAR_12, "UV", 2, 1},
    {ZCS_PIXFMT_YUV422P14, MODEL_PLANAR_14, "UV", 2, 1},
    {ZCS_PIXFMT_YUV422P16, MODEL_PLANAR_16, "UV", 2, 1},
    {ZCS_PIXFMT_YUV444P10, MODEL_PLANAR_10, "UV", 1, 1},
    {ZCS_PIXFMT_YUV444P12, MODEL_PLANAR_12, "UV", 1, 1},
    {ZCS_PIXFMT_YUV444P14, MODEL_PLANAR_14, "UV", 1, 1},
    {ZCS_PIXFMT_YUV444P16, MODEL_PLANAR_16, "UV", 1, 1},
    {ZCS_PIXFMT_RGB24,    MODEL_BYTES,   "RGB", 1, 1},
    {ZCS_PIXFMT_BGR24,    MODEL_BYTES,   "BGR", 1, 1},
    {ZCS_PIXFMT_XBGR32,   MODEL_BYTES,   "BGRX", 1, 1},
    {ZCS_PIXFMT_ABGR32,   MODEL_BYTES,   "BGRA", 1, 1},
    {ZCS_PIXFMT_BGRX32,   MODEL_BYTES,   "XBGR", 1, 1},
    {ZCS_PIXFMT_BGRA32,   MODEL_BYTES,   "ABGR", 1, 1},
    {ZCS_PIXFMT_XRGB32,   MODEL_BYTES,   "XRGB", 1, 1},
    {ZCS_PIXFMT_ARGB32,   MODEL_BYTES,   "ARGB", 1, 1},
    {ZCS_PIXFMT_RGBX32,   MODEL_BYTES,   "RGBX", 1, 1},
    {ZCS_PIXFMT_RGBA32,   MODEL_BYTES,   "RGBA", 1, 1},
    {ZCS_PIXFMT_RGB32,    MODEL_BYTES,   "ARGB", 1, 1},
    {ZCS_PIXFMT_BGR32,    MODEL_BYTES,   "BGRA", 1, 1},
    {ZCS_PIXFMT_RGB565,   MODEL_565,     "", 1, 1},
    {ZCS_PIXFMT_RGB565X,  MODEL_565_BE,  "", 1, 1},
    {ZCS_PIXFMT_RGBA64,   MODEL_WORDS,   "RGBA", 1, 1},
};
// clang-format on

static inline const struct model *model_of(enum zcs_pixfmt format)
{
    for (size_t i = 0; i < sizeof models / sizeof *models; i++)
        if (models[i].format == format)
            return &models[i];
    fprintf(stderr, "no model of %s: give it a row\n", zcs_pixfmt_info(format)->v4l2_name);
    exit(1);
}

static inline uint32_t model_word(const uint8_t *p)
{
    return p[0] + 256u * p[1];
}

/* Low bits of pixel k of a group, as V4L2's tables of pRAA, pRCC and pREE spell them. */
static inline uint32_t model_low(enum model_kind kind, const uint8_t *low, uint32_t k)
{
    if (kind == MODEL_P10)
        return low[0] / (1u << 2 * k) % 4;
    if (kind == MODEL_P12)
        return k == 0 ? low[0] % 16 : low[0] / 16;
    switch (k) {
    case 0:
        return low[0] & 0x3f;
    case 1:
        return low[0] >> 6 | (low[1] & 0x0fu) << 2;
    case 2:
        return low[1] >> 4 | (low[2] & 0x03u) << 4;
    default:
        return low[2] >> 2;
    }
}

static inline uint32_t model_packed(enum model_kind kind, const uint8_t *row, size_t stride,
                                    uint32_t width, uint32_t x)
{
    const uint32_t pixels = kind == MODEL_P12 ? 2 : 4;
    const uint32_t bytes = kind == MODEL_P10 ? 5 : kind == MODEL_P12 ? 3 : 7;
    const uint32_t all = (width + pixels - 1) / pixels;
    const int partial = x / pixels == width / pixels && stride < (size_t)all * bytes;
    const uint8_t *group = row + x / pixels * bytes;
    const uint8_t *low = group + (partial ? width % pixels : pixels);
    const uint32_t times = kind == MODEL_P10 ? 4 : kind == MODEL_P12 ? 16 : 64;
    return group[x % pixels] * times + model_low(kind, low, x % pixels);
}

/* The code of a grey or Bayer pixel. */
static inline uint32_t model_code(const struct model *m, const struct zcs_image *image,
                                  const uint8_t *const plane[], uint32_t x, uint32_t y)
{
    const uint8_t *row = plane[0] + y * image->stride_bytes[0];
    const uint32_t max = (1u << image->bits) - 1;
    uint32_t code;
    if (m->kind == MODEL_BYTE)
        code = row[x];
    else if (m->kind == MODEL_WORD)
        code = model_word(row + 2 * (size_t)x) >> image->shift;
    else if (m->kind == MODEL_WORD_BE)
        code = (row[2 * (size_t)x] * 256u + row[2 * (size_t)x + 1]) >> image->shift;
    else
        code = model_packed(m->kind, row, image->stride_bytes[0], image->width, x);
    return code < max ? code : max;
}

static inline int model_is_yuv(const struct model *m)
{
    return m->kind >= MODEL_MIXED && m->kind <= MODEL_PLANAR;
}

static inline uint32_t model_yuv_bits(const struct model *m)
{
    return m->kind == MODEL_SEMI10 || m->kind == MODEL_PLANAR_10 ? 10
           : m->kind == MODEL_PLANAR_12                          ? 12
           : m->kind == MODEL_PLANAR_14                          ? 14
           : m->kind == MODEL_PLANAR_16                          ? 16
                                                                 : 8;
}

static inline uint32_t model_place(const char *order, char what)
{
    return (uint32_t)(strchr(order, what) - order);
}

/* Y, U and V of a pixel as the format has them. */
static inline void model_yuv(const struct model *m, const struct zcs_image *image,
                             const uint8_t *const plane[], uint32_t x, uint32_t y, uint32_t yuv[3])
{
    const uint8_t *row[3];
    for (uint32_t p = 0; p < image->planes; p++)
        row[p] = plane[p] + (p == 0 ? y : y / m->vsub) * image->stride_bytes[p];
    const uint32_t cx = x / m->hsub;
    const uint32_t u = model_place(m->order, 'U'), v = model_place(m->order, 'V');
    if (m->kind == MODEL_MIXED) {
        const uint8_t *pair = row[0] + 4 * (size_t)cx;
        yuv[0] = pair[model_place(m->order, 'Y') + 2 * (x % 2)];
        yuv[1] = pair[u];
        yuv[2] = pair[v];
    } else if (m->kind == MODEL_SEMI) {
        yuv[0] = row[0][x];
        yuv[1] = row[1][2 * (size_t)cx + u];
        yuv[2] = row[1][2 * (size_t)cx + v];
    } else if (m->kind == MODEL_SEMI10) {
        yuv[0] = model_word(row[0] + 2 * (size_t)x) / 64;
        yuv[1] = model_word(row[1] + 4 * (size_t)cx + 2 * u) / 64;
        yuv[2] = model_word(row[1] + 4 * (size_t)cx + 2 * v) / 64;
    } else if (m->kind != MODEL_PLANAR) {
        const uint32_t top = (1u << model_yuv_bits(m)) - 1;
        yuv[0] = model_word(row[0] + 2 * (size_t)x);
        yuv[1] = model_word(row[1 + u] + 2 * (size_t)cx);
        yuv[2] = model_word(row[1 + v] + 2 * (size_t)cx);
        for (int c = 0; c < 3; c++)
            yuv[c] = yuv[c] < top ? yuv[c] : top;
    } else {
        yuv[0] = row[0][x];
        yuv[1] = row[1 + u][cx];
        yuv[2] = row[1 + v][cx];
    }
}

static inline double model_round(double value, double max)
{
    const double v = floor(value * max + 0.5);
    return v < 0 ? 0 : v > max ? max : v;
}

/* ITU-R BT.601, BT.709 and BT.2020 (non-constant luminance): Y'CbCr codes of `bits` to rounded R'G'B'. */
static inline void model_rgb_of_yuv(struct zcs_color color, uint32_t bits, const uint32_t yuv[3],
                                    double max, double rgb[3])
{
    const double kr = color.matrix == ZCS_MATRIX_BT601   ? 0.299
                      : color.matrix == ZCS_MATRIX_BT709 ? 0.2126
                                                         : 0.2627;
    const double kb = color.matrix == ZCS_MATRIX_BT601   ? 0.114
                      : color.matrix == ZCS_MATRIX_BT709 ? 0.0722
                                                         : 0.0593;
    const double unit = pow(2, bits) / 256, top = pow(2, bits) - 1;
    const int full = color.range == ZCS_RANGE_FULL;
    const double y = full ? yuv[0] / top : (yuv[0] - 16 * unit) / (219 * unit);
    const double cb = (yuv[1] - 128 * unit) / (full ? top : 224 * unit);
    const double cr = (yuv[2] - 128 * unit) / (full ? top : 224 * unit);
    const double r = y + (2 - 2 * kr) * cr, b = y + (2 - 2 * kb) * cb;
    const double g = (y - kr * r - kb * b) / (1 - kr - kb);
    rgb[0] = model_round(r, max);
    rgb[1] = model_round(g, max);
    rgb[2] = model_round(b, max);
}

/* R, G and B of a format that has them, rounded. */
static inline void model_rgb(const struct model *m, const struct zcs_image *image,
                             const uint8_t *const plane[], uint32_t x, uint32_t y, double max,
                             double rgb[3])
{
    const uint8_t *row = plane[0] + y * image->stride_bytes[0];
    if (m->kind == MODEL_565 || m->kind == MODEL_565_BE) {
        const uint8_t *p = row + 2 * (size_t)x;
        const uint32_t w = m->kind == MODEL_565 ? model_word(p) : p[0] * 256u + p[1];
        rgb[0] = model_round(w / 2048 / 31.0, max);
        rgb[1] = model_round(w / 32 % 64 / 63.0, max);
        rgb[2] = model_round(w % 32 / 31.0, max);
        return;
    }
    const size_t count = strlen(m->order), bytes = m->kind == MODEL_WORDS ? 2 : 1;
    for (int c = 0; c < 3; c++) {
        const uint8_t *p = row + (count * x + model_place(m->order, "RGB"[c])) * bytes;
        rgb[c] =
            bytes == 2 ? model_round(model_word(p) / 65535.0, max) : model_round(*p / 255.0, max);
    }
}

#endif
