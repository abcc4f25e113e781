/* SPDX-License-Identifier: MIT */
/* The stages of stages.def in terms of passes and ops: one function each. */
#include "core/plan_stage.h"

#include "core/plan_curve.h"

#define ONE_Q12 4096u

static uint32_t code_or(double given, uint32_t default_value)
{
    return given > 0 ? (uint32_t)given : default_value;
}

/* A source code in the rows' full range, rounded. */
static uint32_t code_now(const struct zci_build *b, uint32_t code)
{
    const uint32_t max = (1u << b->pixel.depth) - 1u;
    return (uint32_t)(((uint64_t)code * max * 2 + b->code_max) / (2 * (uint64_t)b->code_max));
}

/* low..high, in source codes, to the full range: exact as long as the rows still hold codes. */
static zcs_status plan_range(struct zci_build *b, const uint32_t key[2])
{
    const uint32_t low = (uint32_t)b->stage->number[key[0]];
    const uint32_t high = code_or(b->stage->number[key[1]], b->code_max);
    const struct zcs_stage_key *names = zcs_stage_info(b->stage->kind)->keys;
    if (high > b->code_max)
        return zci_build_fail(b, ZCS_ERR_FORMAT, "%s=%u is above the source's greatest code %u",
                              names[key[1]].name, (unsigned)high, (unsigned)b->code_max);
    if (low >= high)
        return zci_build_fail(b, ZCS_ERR_FORMAT, "%s=%u is not below %s=%u", names[key[0]].name,
                              (unsigned)low, names[key[1]].name, (unsigned)high);
    if (zci_stage_is_identity(b->stage, b->code_max))
        return ZCS_OK;
    if (b->pending && b->pending_codes) {
        b->pending = 0;
        return zci_build_scale(b, low, high - low, b->target);
    }
    const zcs_status status = zci_build_full(b, b->work);
    if (status != ZCS_OK)
        return status;
    const uint32_t sub = code_now(b, low);
    return zci_build_scale(b, sub, code_now(b, high) - sub, b->target);
}

static zcs_status plan_black(struct zci_build *b)
{
    return plan_range(b, (const uint32_t[]){ZCI_BLACK_LEVEL, ZCI_BLACK_WHITE});
}

static zcs_status plan_levels(struct zci_build *b)
{
    return plan_range(b, (const uint32_t[]){ZCI_LEVELS_LOW, ZCI_LEVELS_HIGH});
}

static int wb_is_auto(const struct zci_stage *stage)
{
    const uint32_t gains = 1u << ZCI_WB_R | 1u << ZCI_WB_G | 1u << ZCI_WB_B;
    return stage->word[ZCI_WB_MODE] == 0 && !(stage->given & gains);
}

static uint32_t q12(double gain)
{
    return (uint32_t)(gain * ONE_Q12 + 0.5);
}

static zcs_status plan_wb(struct zci_build *b)
{
    struct zci_op op = {.kind = ZCI_OP_GAIN, .state = -1};
    if (b->pixel.layout == ZCI_MONO)
        return zci_build_fail(b, ZCS_ERR_FORMAT,
                              "the picture has one channel, not a mosaic's or colour's three");
    if (zci_stage_is_identity(b->stage, b->code_max))
        return ZCS_OK;
    zcs_status status = zci_build_full(b, b->work);
    if (status == ZCS_OK && wb_is_auto(b->stage))
        status = zci_build_reduce(b, ZCI_REDUCE_WB, &op.state);
    if (status != ZCS_OK)
        return status;
    for (int c = 0; c < 3 && op.state < 0; c++)
        op.u.gain[c] = q12(b->stage->number[ZCI_WB_R + c]);
    op.out = b->pixel;
    return zci_build_op(b, op);
}

static zcs_status plan_demosaic(struct zci_build *b)
{
    if (b->pixel.layout != ZCI_BAYER)
        return zci_build_fail(b, ZCS_ERR_FORMAT, "the picture is not a Bayer mosaic");
    if (b->width < 2 || b->height < 2)
        return zci_build_fail(b, ZCS_ERR_FORMAT, "needs at least 2x2 pixels, the picture is %ux%u",
                              (unsigned)b->width, (unsigned)b->height);
    const zcs_status status = zci_build_full(b, b->work);
    if (status != ZCS_OK)
        return status;
    const int bilinear = b->stage->word[ZCI_DEMOSAIC_METHOD] == 1;
    return zci_build_stencil(b, bilinear ? ZCI_STENCIL_BILINEAR : ZCI_STENCIL_MHC);
}

static int32_t q16(double v)
{
    return (int32_t)(v < 0 ? v * 65536 - 0.5 : v * 65536 + 0.5);
}

static zcs_status plan_ccm(struct zci_build *b)
{
    struct zci_op op = {.kind = ZCI_OP_CCM, .state = -1};
    if (b->pixel.layout != ZCI_RGBA)
        return zci_build_fail(b, ZCS_ERR_FORMAT, "needs colour, the picture is %s",
                              b->pixel.layout == ZCI_BAYER ? "a mosaic: demosaic first"
                                                           : "one channel");
    if (zci_stage_is_identity(b->stage, b->code_max))
        return ZCS_OK;
    const zcs_status status = zci_build_full(b, b->work);
    if (status != ZCS_OK)
        return status;
    for (int i = 0; i < 9; i++)
        op.u.ccm[i] = q16(b->stage->number[i]);
    op.out = b->pixel;
    return zci_build_op(b, op);
}

static uint32_t milli(double gamma)
{
    const double v = gamma * 1000 + 0.5;
    return v < 1 ? 1 : v > 1e6 ? 1000000 : (uint32_t)v;
}

int zci_gamma_color(const struct zci_stage *stage, struct zcs_color *color)
{
    const double gamma = stage->number[ZCI_GAMMA_CURVE];
    if (stage->word[ZCI_GAMMA_CURVE] == 0) {
        if (color->transfer != ZCS_TRANSFER_LINEAR)
            return 0;
        color->transfer = ZCS_TRANSFER_SRGB;
    } else if (color->transfer == ZCS_TRANSFER_POWER) {
        color->gamma_milli = milli(color->gamma_milli * gamma / 1000);
    } else if (color->transfer == ZCS_TRANSFER_LINEAR && gamma != 1) {
        color->transfer = ZCS_TRANSFER_POWER;
        color->gamma_milli = milli(gamma);
    }
    return 1;
}

static zcs_status add_table(struct zci_build *b, double gamma, uint32_t *index)
{
    struct zci_plan *plan = b->plan;
    if (plan->table_count == ZCI_MAX_TABLES)
        return zci_build_fail(b, ZCS_ERR_UNSUPPORTED, "the chain has more than %d curves",
                              ZCI_MAX_TABLES);
    struct zci_table *table = &plan->tables[plan->table_count];
    if (zci_curve_make(table, b->pixel.depth, b->target, gamma) != ZCS_OK)
        return zci_build_fail(b, ZCS_ERR_NOMEM, "no memory for a table of %u entries",
                              1u << b->pixel.depth);
    *index = plan->table_count++;
    return ZCS_OK;
}

static zcs_status plan_gamma(struct zci_build *b)
{
    struct zci_op op = {.kind = ZCI_OP_TABLE, .state = -1};
    const int srgb = b->stage->word[ZCI_GAMMA_CURVE] == 0;
    if (b->pixel.layout == ZCI_BAYER)
        return zci_build_fail(b, ZCS_ERR_FORMAT, "the picture is a mosaic: demosaic first");
    if (!zci_gamma_color(b->stage, &b->color))
        return zci_build_fail(b, ZCS_ERR_FORMAT, "the picture is %s already",
                              b->color.transfer == ZCS_TRANSFER_SRGB ? "sRGB-encoded"
                                                                     : "encoded with a power");
    if (zci_stage_is_identity(b->stage, b->code_max))
        return ZCS_OK;
    zcs_status status = zci_build_full(b, b->work);
    if (status == ZCS_OK)
        status = add_table(b, srgb ? 0 : b->stage->number[ZCI_GAMMA_CURVE], &op.u.table);
    if (status != ZCS_OK)
        return status;
    op.out = b->pixel;
    op.out.depth = b->target;
    return zci_build_op(b, op);
}

static zcs_status plan_stretch(struct zci_build *b)
{
    struct zci_op op = {.kind = ZCI_OP_SCALE, .state = -1};
    zcs_status status = zci_build_full(b, b->work);
    if (status == ZCS_OK)
        status = zci_build_reduce(b, ZCI_REDUCE_RANGE, &op.state);
    if (status != ZCS_OK)
        return status;
    op.out = b->pixel;
    return zci_build_op(b, op);
}

static zcs_status plan_gray(struct zci_build *b)
{
    /* Q16 of 0.2126 0.7152 0.0722 and of 0.299 0.587 0.114; each row adds up to 65536. */
    static const uint32_t weights[2][3] = {{13933, 46871, 4732}, {19595, 38470, 7471}};
    struct zci_op op = {.kind = ZCI_OP_GRAY, .state = -1};
    if (b->pixel.layout == ZCI_BAYER)
        return zci_build_fail(b, ZCS_ERR_FORMAT, "the picture is a mosaic: demosaic first");
    if (b->pixel.layout == ZCI_MONO)
        return ZCS_OK;
    const zcs_status status = zci_build_full(b, b->work);
    if (status != ZCS_OK)
        return status;
    for (int c = 0; c < 3; c++)
        op.u.gray[c] = weights[b->stage->word[ZCI_GRAY_WEIGHTS]][c];
    op.out = b->pixel;
    op.out.layout = ZCI_MONO;
    return zci_build_op(b, op);
}

static zcs_status plan_flip(struct zci_build *b)
{
    const int axis = b->stage->word[ZCI_FLIP_AXIS];
    return zci_build_window(b,
                            (struct zci_window){0, 0, b->width, b->height, axis != 1, axis != 0});
}

static zcs_status plan_crop(struct zci_build *b)
{
    const double *v = b->stage->number;
    const struct zci_window w = {(uint32_t)v[ZCI_CROP_X],
                                 (uint32_t)v[ZCI_CROP_Y],
                                 (uint32_t)v[ZCI_CROP_WIDTH],
                                 (uint32_t)v[ZCI_CROP_HEIGHT],
                                 0,
                                 0};
    if (w.x + w.width > b->width || w.y + w.height > b->height)
        return zci_build_fail(b, ZCS_ERR_FORMAT, "%ux%u+%u+%u reaches outside the %ux%u picture",
                              (unsigned)w.width, (unsigned)w.height, (unsigned)w.x, (unsigned)w.y,
                              (unsigned)b->width, (unsigned)b->height);
    if (w.width == b->width && w.height == b->height)
        return ZCS_OK;
    return zci_build_window(b, w);
}

static zcs_status plan_digest(struct zci_build *b)
{
    const zcs_status status = b->only_digests ? zci_build_final(b) : zci_build_full(b, b->work);
    return status == ZCS_OK ? zci_build_reduce(b, ZCI_REDUCE_DIGEST, &b->plan->digest_state)
                            : status;
}

static zcs_status plan_custom(struct zci_build *b)
{
    const zcs_status status = zci_build_full(b, b->work);
    return status == ZCS_OK ? zci_build_custom(b, b->stage->custom) : status;
}

zcs_status zci_plan_stage(struct zci_build *build)
{
    static zcs_status (*const plan[])(struct zci_build *) = {
#define ZCI_STAGE(id, name, ...) plan_##name,
#include "core/stages.def"
#undef ZCI_STAGE
        plan_custom,
    };
    return plan[build->stage->kind](build);
}

static int range_is_identity(double low, double high, uint32_t code_max)
{
    return low < 1 && code_or(high, code_max) == code_max;
}

int zci_stage_is_identity(const struct zci_stage *stage, uint32_t code_max)
{
    const double *v = stage->number;
    int same = 1;
    switch (stage->kind) {
    case ZCI_STAGE_BLACK:
        return range_is_identity(v[ZCI_BLACK_LEVEL], v[ZCI_BLACK_WHITE], code_max);
    case ZCI_STAGE_LEVELS:
        return range_is_identity(v[ZCI_LEVELS_LOW], v[ZCI_LEVELS_HIGH], code_max);
    case ZCI_STAGE_WB:
        for (int c = 0; c < 3; c++)
            same = same && q12(v[ZCI_WB_R + c]) == ONE_Q12;
        return same && !wb_is_auto(stage);
    case ZCI_STAGE_CCM:
        for (int i = 0; i < 9; i++)
            same = same && q16(v[i]) == (i % 4 == 0 ? 65536 : 0);
        return same;
    case ZCI_STAGE_GAMMA:
        return stage->word[ZCI_GAMMA_CURVE] < 0 && v[ZCI_GAMMA_CURVE] == 1;
    default:
        return 0;
    }
}
