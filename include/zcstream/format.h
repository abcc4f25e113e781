/* SPDX-License-Identifier: MIT */
/* Pixel formats and how an image lies in memory. All functions: any thread, no allocation. */
#ifndef ZCSTREAM_FORMAT_H
#define ZCSTREAM_FORMAT_H

#include "zcstream/base.h"

#ifdef __cplusplus
extern "C" {
#endif

#define ZCS_MAX_PLANES 3
#define ZCS_MAX_DIMENSION 262144u /* pixels, either way */

enum zcs_pixfmt {
    ZCS_PIXFMT_NONE = 0,
#define ZCS_FORMAT(id, ...) ZCS_PIXFMT_##id,
#include "zcstream/formats.def"
#undef ZCS_FORMAT
    ZCS_PIXFMT_COUNT
};

enum zcs_model { ZCS_MODEL_MONO, ZCS_MODEL_BAYER, ZCS_MODEL_YUV, ZCS_MODEL_RGB, ZCS_MODEL_JPEG };

/* AUTO follows V4L2's default rules: Y'CbCr BT.601 limited range, RGB and grey full range, 8-bit
 * pictures sRGB-encoded, Bayer and deep grey linear. */
enum zcs_matrix {
    ZCS_MATRIX_AUTO,
    ZCS_MATRIX_BT601,
    ZCS_MATRIX_BT709,
    ZCS_MATRIX_BT2020, /* non-constant luminance */
};
enum zcs_range { ZCS_RANGE_AUTO, ZCS_RANGE_LIMITED, ZCS_RANGE_FULL };
enum zcs_transfer {
    ZCS_TRANSFER_AUTO,
    ZCS_TRANSFER_SRGB,
    ZCS_TRANSFER_LINEAR,
    ZCS_TRANSFER_POWER, /* encoded with the power 1000 / gamma_milli */
};

struct zcs_color {
    enum zcs_matrix matrix;
    enum zcs_range range;
    enum zcs_transfer transfer;
    uint32_t gamma_milli; /* of ZCS_TRANSFER_POWER: 2200 for 2.2 */
};

struct zcs_pixfmt_info {
    const char *name; /* displayed: the fourcc without trailing spaces, "Y16_BE" for that one */
    const char *v4l2_name; /* V4L2_PIX_FMT_... without the prefix */
    uint32_t fourcc;       /* V4L2's number */
    enum zcs_model model;
    uint32_t bits;       /* significant bits of a sample */
    uint32_t planes;     /* colour planes */
    uint32_t buffers;    /* V4L2 buffers a frame */
    uint32_t hsub, vsub; /* chroma subsampling; 1 where there is none */
};

/* An image in memory. Plane p begins at offset_bytes[p] and has a row every stride_bytes[p]. */
struct zcs_image {
    enum zcs_pixfmt format;
    uint32_t width, height; /* pixels */
    uint32_t planes;
    size_t stride_bytes[ZCS_MAX_PLANES];
    size_t offset_bytes[ZCS_MAX_PLANES];
    size_t size_bytes; /* all planes, paddings included */
    uint32_t bits;     /* significant bits: the format's, fewer where less is known to be there */
    uint32_t shift;    /* samples in 16-bit words are shifted left by so many bits */
    struct zcs_color color; /* never AUTO once zcs_image_init has filled it */
};

/* Accepts a fourcc ("YUYV", "Y16", "pRAA") or V4L2's name ("SRGGB10P", "Y16_BE"); V4L2's names in any
 * case, fourccs in theirs (pGAA and pgAA differ). ZCS_ERR_FORMAT: unknown. */
zcs_status zcs_pixfmt_parse(const char *text, enum zcs_pixfmt *out) ZCS_MUST_CHECK;

/* ZCS_PIXFMT_NONE where the table has no such fourcc. */
enum zcs_pixfmt zcs_pixfmt_from_fourcc(uint32_t fourcc);

/* NULL for ZCS_PIXFMT_NONE and numbers beyond the table. */
const struct zcs_pixfmt_info *zcs_pixfmt_info(enum zcs_pixfmt format);

/* Lays planes out back to back as V4L2 does. `stride_bytes` is plane 0's, 0 for the least; chroma
 * strides follow from it (semi-planar: the same for 4:2:x; planar: divided by hsub), never below what
 * the width needs. ZCS_ERR_ARG: size 0 or beyond ZCS_MAX_DIMENSION. ZCS_ERR_FORMAT: the stride is below
 * the least. ZCS_ERR_UNSUPPORTED: compressed formats have no layout. */
zcs_status zcs_image_init(struct zcs_image *out, enum zcs_pixfmt format, uint32_t width,
                          uint32_t height, size_t stride_bytes) ZCS_MUST_CHECK;

/* The least bytes that a row of plane `plane` needs. 0 for compressed formats. */
size_t zcs_image_min_stride(enum zcs_pixfmt format, uint32_t width, uint32_t plane);

/* Rows of plane `plane`. */
uint32_t zcs_image_rows(enum zcs_pixfmt format, uint32_t height, uint32_t plane);

/* ZCS_OK where every row of every plane lies inside size_bytes and the fields are in range. */
zcs_status zcs_image_check(const struct zcs_image *image) ZCS_MUST_CHECK;

/* "WIDTHxHEIGHT", both 1..ZCS_MAX_DIMENSION. ZCS_ERR_FORMAT otherwise. */
zcs_status zcs_size_parse(const char *text, uint32_t *width, uint32_t *height) ZCS_MUST_CHECK;

/* "matrix=bt601|bt709|bt2020,range=limited|full,transfer=srgb|linear", each optional, over what
 * `color` holds. ZCS_ERR_FORMAT: anything else, `color` then unchanged. */
zcs_status zcs_color_parse(const char *text, struct zcs_color *color) ZCS_MUST_CHECK;

#ifdef __cplusplus
}
#endif
#endif
