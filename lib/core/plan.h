/* SPDX-License-Identifier: MIT */
/* The plan: a chain of stages compiled for one source layout into passes that a backend runs.
 *
 *   source rows --load--> [window] --pre ops--> [stencil] --post ops--> [reduce] --> image rows
 *                 |                                                                  |
 *                 unpack a format, or read an earlier pass's image     result or scratch
 *
 * A pass visits every row once. Its rows are independent given its input image, so any split (over
 * threads, GPU blocks, chunks or devices) gives the same bits. A reduction (white balance, stretch,
 * digest) sums over all rows with integers; the sums become parameters between passes. The plan is
 * plain data without pointers but the tables: a backend copies it to a device as it is. */
#ifndef ZCI_CORE_PLAN_H
#define ZCI_CORE_PLAN_H

#include "zcstream/stream.h"

#define ZCI_MAX_PASSES 24
#define ZCI_MAX_OPS 48
#define ZCI_MAX_STATES 8
#define ZCI_MAX_TABLES 8

/* Working pixels: MONO and BAYER one sample, RGBA four (alpha is the depth's maximum). */
enum zci_layout { ZCI_MONO, ZCI_BAYER, ZCI_RGBA };

struct zci_pixel {
    uint8_t layout; /* enum zci_layout */
    uint8_t depth;  /* 8 or 16: uint8_t or uint16_t samples */
    uint8_t cfa;    /* BAYER: the position of red, x | y << 1 */
};

/* Bytes of one pixel. */
static inline uint32_t zci_pixel_bytes(struct zci_pixel p)
{
    return (p.layout == ZCI_RGBA ? 4u : 1u) * (p.depth / 8u);
}

/* How a source row becomes working pixels: formats.def's `unpack` column. */
enum zci_unpack {
    ZCI_UNPACK_NONE, /* no format: the pass reads an image */
    ZCI_UNPACK_U8,
    ZCI_UNPACK_U16,
    ZCI_UNPACK_U16BE,
    ZCI_UNPACK_P10,
    ZCI_UNPACK_P12,
    ZCI_UNPACK_P14,
    ZCI_UNPACK_YUV422,
    ZCI_UNPACK_SEMI8,
    ZCI_UNPACK_SEMI10,
    ZCI_UNPACK_PLANAR8,
    ZCI_UNPACK_PLANAR16,
    ZCI_UNPACK_RGB24,
    ZCI_UNPACK_RGB32,
    ZCI_UNPACK_RGB565,
    ZCI_UNPACK_RGB565BE,
    ZCI_UNPACK_RGBA64,
    ZCI_UNPACK_COUNT
};

/* Y'CbCr to R'G'B' of the load's depth:
 *   R = clamp((ky * (Y - y_sub) + krv * (V - c_sub) + half) >> shift), and so on. */
struct zci_yuv {
    int64_t ky, krv, kgu, kgv, kbu, half;
    int32_t y_sub, c_sub;
    uint32_t shift;
};

/* What the load step needs beside the rows' addresses. MONO and BAYER formats load sensor codes:
 * samples of 0 .. 2^bits - 1 in uint8_t (bits <= 8) or uint16_t; a SCALE op brings them to full
 * range. Codes above 2^bits - 1 are clamped to it. YUV and RGB formats load full-range RGBA of
 * pixel.depth. */
struct zci_load {
    uint8_t unpack; /* enum zci_unpack */
    uint8_t bits, shift, hsub, vsub;
    uint16_t arg;           /* formats.def */
    struct zci_pixel pixel; /* of the loaded rows */
    uint32_t width, height; /* of the source image */
    size_t stride_bytes[ZCS_MAX_PLANES];
    size_t offset_bytes[ZCS_MAX_PLANES];
    struct zci_yuv yuv;
};

/* A part of the loaded image: output row `row` is input row `y + row` (flip_v: `y + height - 1 -
 * row`), of it `width` pixels from `x` on, mirrored if flip_h. */
struct zci_window {
    uint32_t x, y, width, height;
    uint8_t flip_h, flip_v;
};

enum zci_op_kind {
    ZCI_OP_SCALE, /* out = (clamp(v - sub, 0, span) * mul + half) >> 40, each channel but alpha */
    ZCI_OP_GAIN,  /* out = min((v * gain[c] + 2048) >> 12, max) */
    ZCI_OP_TABLE, /* out = table[v], each channel but alpha */
    ZCI_OP_CCM,   /* out = clamp((m * rgb + half) >> 16) */
    ZCI_OP_GRAY,  /* RGBA to MONO: (wr * r + wg * g + wb * b + half) >> 16 */
    ZCI_OP_COUNT
};

struct zci_scale {
    uint32_t sub, span; /* span 0 gives 0 */
    uint64_t mul;       /* ceil(max_out * 2^40 / span) */
};

/* The scale that maps [sub, sub + span] to [0, max_out], rounding half up.
 *
 * The rounding is exact for span and max_out below 2^16. The multiplier exceeds
 * max_out * 2^40 / span by less than 1, so a product exceeds the true one by less than 2^16, which
 * is 2^-24 of the result's unit. The true result lies on a grid of 1 / (2 * span) > 2^-18, so the
 * excess never carries it to the next step; and as it is an excess, an exact half is never lost. */
#ifdef __CUDACC__
__host__ __device__
#endif
    static inline struct zci_scale
    zci_scale_make(uint32_t sub, uint32_t span, uint32_t max_out)
{
    struct zci_scale scale;
    scale.sub = sub;
    scale.span = span;
    scale.mul = span == 0 ? 0 : (((uint64_t)max_out << 40) + span - 1) / span;
    return scale;
}

/* Parameters that a reduction computes for the same frame. */
struct zci_dynamic {
    uint32_t gain[3]; /* R, G, B; Q12 */
    struct zci_scale scale;
    uint64_t digest;
};

struct zci_op {
    uint8_t kind; /* enum zci_op_kind */
    int8_t state; /* >= 0: gain or scale come from the frame's zci_dynamic[state] */
    struct zci_pixel in, out;
    union {
        struct zci_scale scale;
        uint32_t gain[3]; /* Q12, R G B */
        uint32_t table;   /* index into zci_plan.tables */
        int32_t ccm[9];   /* Q16, rows R G B */
        uint32_t gray[3]; /* Q16, they add up to 65536 */
    } u;
};

enum zci_stencil { ZCI_STENCIL_NONE, ZCI_STENCIL_BILINEAR, ZCI_STENCIL_MHC, ZCI_STENCIL_COUNT };

enum zci_reduce_kind {
    ZCI_REDUCE_NONE,
    ZCI_REDUCE_WB,     /* gray-world gains over unclipped cells (BAYER, 2x2) or pixels (RGBA) */
    ZCI_REDUCE_RANGE,  /* smallest and greatest sample without alpha: a SCALE to the full range */
    ZCI_REDUCE_DIGEST, /* a 64-bit sum of hashed samples and positions */
    ZCI_REDUCE_COUNT
};

struct zci_reduce {
    uint8_t kind;  /* enum zci_reduce_kind */
    uint8_t state; /* which zci_dynamic it fills */
    struct zci_pixel pixel;
    uint32_t width, height;
};

/* What a reduction adds up. Merging is sum, min and max, so order does not matter. The neutral
 * element is {0} with min at UINT32_MAX: zci_sums_init. */
struct zci_sums {
    uint64_t sum[3]; /* WB: R, G, B over unclipped cells; a cell's two greens both count */
    uint64_t count;  /* cells or pixels */
    uint64_t digest;
    uint32_t min, max;
};

/* Images of a plan: 0 is the result, 1 and 2 are scratch. */
#define ZCI_IMAGE_NONE (-1)
#define ZCI_IMAGE_SOURCE (-2)

struct zci_pass {
    int8_t in;  /* ZCI_IMAGE_SOURCE or an image */
    int8_t out; /* an image, never `in`; ZCI_IMAGE_NONE: the pass only reduces */
    /* >= 0: this pass is that custom stage, from an image to an image of the same layout; the
     * members below do not apply. */
    int8_t custom;
    uint8_t stencil;         /* enum zci_stencil: BAYER rows in, RGBA out; edges mirrored */
    struct zci_pixel loaded; /* after load and window */
    struct zci_pixel pixel;  /* of the output */
    struct zci_window window;
    uint32_t pre_first, pre_count;   /* ops before the stencil, on rows of window.width pixels */
    uint32_t post_first, post_count; /* and after it */
    struct zci_reduce reduce;        /* over the output; needs out != NONE unless DIGEST or RANGE */
    uint32_t in_width, in_height;    /* of the input image */
    uint32_t width, height;          /* of the output: the window's */
};

struct zci_table {
    uint32_t entries;  /* 256 or 65536 */
    uint8_t out_depth; /* 8 or 16 */
    void *data;        /* owned by the plan; uint8_t or uint16_t */
};

struct zci_plan {
    struct zci_load load;
    struct zci_pass passes[ZCI_MAX_PASSES];
    uint32_t pass_count;
    struct zci_op ops[ZCI_MAX_OPS];
    uint32_t op_count;
    struct zci_table tables[ZCI_MAX_TABLES];
    uint32_t table_count;
    struct zcs_custom_stage custom[ZCS_MAX_CUSTOM]; /* those used, by zci_pass.custom */
    char custom_names[ZCS_MAX_CUSTOM][32];
    uint32_t custom_count;
    uint32_t state_count;
    int8_t digest_state; /* the last digest's state, -1 without one */
    struct zcs_image source;
    struct zcs_image result; /* GREY, Y16, S....8/16, RGBA32 or RGBA64; rows padded to 128 bytes */
    size_t image_stride[3];  /* of result, scratch 1, scratch 2: multiples of 128 */
    size_t image_bytes[3];   /* 0 where the scratch is not used */
};

/* The depth of the samples that the pass's stencil reads: after its pre ops. */
static inline uint8_t zci_stencil_depth(const struct zci_plan *plan, const struct zci_pass *pass)
{
    return pass->pre_count == 0 ? pass->loaded.depth
                                : plan->ops[pass->pre_first + pass->pre_count - 1].out.depth;
}

/* Frees what the plan owns. A zeroed plan may be finished too. */
void zci_plan_finish(struct zci_plan *plan);

/* A tone curve as a table from full-range samples of in_depth to those of out_depth: the sRGB curve
 * (IEC 61966-2-1) for `gamma` 0, else v^(1 / gamma). Correctly rounded, half up. The plan, or the
 * caller, frees out->data. */
zcs_status zci_curve_make(struct zci_table *out, uint8_t in_depth, uint8_t out_depth, double gamma);

/* Cuts the pass with the most steps in two halves with about as many steps each, for a pipeline of
 * devices. The rows between the halves become an image; no sample changes. The caller assigns
 * images afterwards. Returns 0 where no pass can be cut. */
int zci_plan_cut(struct zci_plan *plan);

/* Chooses the image that each pass reads and writes, and computes the images' sizes. */
void zci_plan_assign_images(struct zci_plan *plan);

#endif
