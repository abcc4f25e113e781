/* SPDX-License-Identifier: MIT */
/* Pixel formats and the memory layout of images. All functions: any thread, no allocation. */
#ifndef ZCSTREAM_FORMAT_H
#define ZCSTREAM_FORMAT_H

#include "zcstream/base.h"

#ifdef __cplusplus
extern "C" {
#endif

#define ZCS_MAX_PLANES 3
#define ZCS_MAX_DIMENSION 262144u /* pixels, width or height */

enum zcs_pixfmt {
    ZCS_PIXFMT_NONE = 0,
#define ZCS_FORMAT(id, ...) ZCS_PIXFMT_##id,
#include "zcstream/formats.def"
#undef ZCS_FORMAT
    ZCS_PIXFMT_COUNT
};

enum zcs_model { ZCS_MODEL_MONO, ZCS_MODEL_BAYER, ZCS_MODEL_YUV, ZCS_MODEL_RGB, ZCS_MODEL_JPEG };

/* AUTO follows V4L2's default rules: Y'CbCr is BT.601, limited range; RGB and grey have full range;
 * 8-bit pictures are sRGB-encoded; Bayer and grey with more than 8 bits are linear. */
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
    ZCS_TRANSFER_POWER, /* encoded with the exponent 1000 / gamma_milli */
};

struct zcs_color {
    enum zcs_matrix matrix;
    enum zcs_range range;
    enum zcs_transfer transfer;
    uint32_t gamma_milli; /* for ZCS_TRANSFER_POWER: 2200 is 2.2 */
};

/* How the planes of a frame follow each other in memory where nothing else is said. */
enum zcs_layout {
    ZCS_LAYOUT_V4L2, /* as zcs_image_init places them */
    /* As GStreamer does by default: each plane's rows are padded to a multiple of 4 bytes, and
     * formats with half the chroma rows have an even number of luma rows. */
    ZCS_LAYOUT_GSTREAMER,
};

struct zcs_pixfmt_info {
    const char *name;      /* for display: the fourcc without trailing spaces, or "Y16_BE" */
    const char *v4l2_name; /* V4L2_PIX_FMT_... without the prefix */
    uint32_t fourcc;       /* V4L2's code */
    enum zcs_model model;
    uint32_t bits;    /* significant bits of a sample */
    uint32_t planes;  /* colour planes */
    uint32_t buffers; /* V4L2 buffers per frame */
    uint32_t hsub;    /* horizontal chroma subsampling; 1: none */
    uint32_t vsub;    /* vertical chroma subsampling; 1: none */
};

/* An image in memory. Plane p begins at offset_bytes[p]; its rows are stride_bytes[p] apart. */
struct zcs_image {
    enum zcs_pixfmt format;
    uint32_t width;  /* pixels */
    uint32_t height; /* pixels */
    uint32_t planes;
    size_t stride_bytes[ZCS_MAX_PLANES];
    size_t offset_bytes[ZCS_MAX_PLANES];
    size_t size_bytes;      /* all planes with their padding */
    uint32_t bits;          /* significant bits: the format's, or fewer if the source had fewer */
    uint32_t shift;         /* left shift of samples in 16-bit words, in bits */
    struct zcs_color color; /* never AUTO after zcs_image_init */
};

/* Accepts a fourcc ("YUYV", "Y16", "pRAA") or V4L2's name ("SRGGB10P", "Y16_BE"). Names match in
 * any case. Fourccs are case-sensitive: pGAA and pgAA differ. ZCS_ERR_FORMAT: unknown. */
zcs_status zcs_pixfmt_parse(const char *text, enum zcs_pixfmt *out) ZCS_MUST_CHECK;

/* ZCS_PIXFMT_NONE: the table has no such fourcc. */
enum zcs_pixfmt zcs_pixfmt_from_fourcc(uint32_t fourcc);

/* NULL for ZCS_PIXFMT_NONE and for numbers past the table's end. */
const struct zcs_pixfmt_info *zcs_pixfmt_info(enum zcs_pixfmt format);

/* Places the planes back to back, as V4L2 does. `stride_bytes` is the stride of plane 0; 0: the
 * minimum. Chroma strides follow from it (semi-planar 4:2:x: the same; planar: divided by hsub),
 * but are never below the minimum. ZCS_ERR_ARG: a dimension is 0 or above ZCS_MAX_DIMENSION.
 * ZCS_ERR_FORMAT: the stride is below the minimum. ZCS_ERR_UNSUPPORTED: a compressed format, which
 * has no layout. */
zcs_status zcs_image_init(struct zcs_image *out, enum zcs_pixfmt format, uint32_t width,
                          uint32_t height, size_t stride_bytes) ZCS_MUST_CHECK;

/* The minimum stride of plane `plane` in bytes. 0 for compressed formats. */
size_t zcs_image_min_stride(enum zcs_pixfmt format, uint32_t width, uint32_t plane);

/* The number of rows of plane `plane`. */
uint32_t zcs_image_rows(enum zcs_pixfmt format, uint32_t height, uint32_t plane);

/* ZCS_OK: all rows of all planes lie within size_bytes, and all members are in range. */
zcs_status zcs_image_check(const struct zcs_image *image) ZCS_MUST_CHECK;

/* "WIDTHxHEIGHT", both 1..ZCS_MAX_DIMENSION. ZCS_ERR_FORMAT: anything else. */
zcs_status zcs_size_parse(const char *text, uint32_t *width, uint32_t *height) ZCS_MUST_CHECK;

/* "matrix=bt601|bt709|bt2020,range=limited|full,transfer=srgb|linear", each optional. Replaces
 * these members of `color`. ZCS_ERR_FORMAT: anything else; `color` is unchanged. */
zcs_status zcs_color_parse(const char *text, struct zcs_color *color) ZCS_MUST_CHECK;

#ifdef __cplusplus
}
#endif
#endif
