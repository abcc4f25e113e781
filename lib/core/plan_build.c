/* SPDX-License-Identifier: MIT */
/* Adds the stages of stages.def to a plan: ops, windows, stencils and reductions in its passes. */
#include "core/plan_build.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define ONE_Q12 4096u

static uint32_t max_of(uint8_t depth)
{
    return (1u << depth) - 1u;
}

static struct zci_pass *last_pass(struct zci_build *b)
{
    return &b->plan->passes[b->plan->pass_count - 1];
}

/* Logs "stage 2 "crop": ..." and returns `status`. */
#if defined(__GNUC__) || defined(__clang__)
__attribute__((format(printf, 3, 4)))
#endif
static zcs_status
stage_fail(const struct zci_build *build, zcs_status status, const char *format, ...)
{
    char text[200];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    if (build->stage == NULL)
        return zci_fail(build->log, status, "stages: %s", text);
    return zci_fail(build->log, status, "stage %u \"%s\": %s", (unsigned)build->place,
                    zci_stage_name(build->stage, build->custom), text);
}

zcs_status zci_build_pass(struct zci_build *b)
{
    struct zci_plan *plan = b->plan;
    if (plan->pass_count == ZCI_MAX_PASSES)
        return stage_fail(b, ZCS_ERR_UNSUPPORTED, "the chain needs more than %d passes",
                          ZCI_MAX_PASSES);
    plan->passes[plan->pass_count++] = (struct zci_pass){
        .custom = -1,
        .loaded = b->pixel,
        .window = {.width = b->width, .height = b->height},
        .pre_first = plan->op_count,
        .in_width = b->width,
        .in_height = b->height,
    };
    b->open = 1;
    return ZCS_OK;
}

static zcs_status need_pass(struct zci_build *b)
{
    return b->open ? ZCS_OK : zci_build_pass(b);
}

void zci_build_close(struct zci_build *b)
{
    struct zci_pass *pass = last_pass(b);
    if (b->open && pass->stencil == ZCI_STENCIL_NONE)
        pass->post_first = b->plan->op_count;
    pass->pixel = b->pixel;
    pass->width = b->width;
    pass->height = b->height;
    b->open = 0;
}

/* `op`'s in is set here; its out becomes the rows' pixel. */
static zcs_status add_op(struct zci_build *b, struct zci_op op)
{
    struct zci_plan *plan = b->plan;
    const zcs_status status = need_pass(b);
    if (status != ZCS_OK)
        return status;
    if (plan->op_count == ZCI_MAX_OPS)
        return stage_fail(b, ZCS_ERR_UNSUPPORTED, "the chain needs more than %d operations",
                          ZCI_MAX_OPS);
    struct zci_pass *pass = last_pass(b);
    op.in = b->pixel;
    plan->ops[plan->op_count++] = op;
    *(pass->stencil == ZCI_STENCIL_NONE ? &pass->pre_count : &pass->post_count) += 1;
    b->pixel = op.out;
    return ZCS_OK;
}

/* A SCALE of [sub, sub + span] to the full range of `depth`; nothing where that changes nothing. */
static zcs_status add_scale(struct zci_build *b, uint32_t sub, uint32_t span, uint8_t depth)
{
    struct zci_op op = {.kind = ZCI_OP_SCALE, .state = -1, .out = b->pixel};
    if (sub == 0 && depth == b->pixel.depth && span == max_of(depth))
        return ZCS_OK;
    op.out.depth = depth;
    op.u.scale = zci_scale_make(sub, span, max_of(depth));
    return add_op(b, op);
}

/* Brings the rows to full range. Where that takes a SCALE of codes, they get `depth`. */
static zcs_status to_full_range(struct zci_build *b, uint8_t depth)
{
    if (!b->pending)
        return ZCS_OK;
    b->pending = 0;
    return add_scale(b, b->pending_sub, b->pending_span, depth);
}

zcs_status zci_build_final(struct zci_build *b)
{
    if (b->pending)
        return to_full_range(b, b->final);
    return add_scale(b, 0, max_of(b->pixel.depth), b->final);
}

/* The window's first column or row in the input's numbering; its parity moves the mosaic's phase.
 * */
static uint32_t origin(uint32_t first, uint32_t size, int flip)
{
    return flip ? first + size - 1 : first;
}

/* `w` counts in the output of `pass->window`; the two are one window of the input. */
static void compose(struct zci_window *window, struct zci_window w)
{
    window->x += window->flip_h ? window->width - w.x - w.width : w.x;
    window->y += window->flip_v ? window->height - w.y - w.height : w.y;
    window->width = w.width;
    window->height = w.height;
    window->flip_h ^= w.flip_h;
    window->flip_v ^= w.flip_v;
}

/* Mirrors the rows' image, then cuts a part out of the result. */
static zcs_status add_window(struct zci_build *b, struct zci_window w)
{
    const int fresh = b->open && last_pass(b)->pre_first == b->plan->op_count &&
                      last_pass(b)->stencil == ZCI_STENCIL_NONE;
    if (!fresh) {
        if (b->open)
            zci_build_close(b);
        const zcs_status status = zci_build_pass(b);
        if (status != ZCS_OK)
            return status;
    }
    struct zci_pass *pass = last_pass(b);
    compose(&pass->window, w);
    if (b->pixel.layout == ZCI_BAYER)
        b->pixel.cfa ^= (uint8_t)((origin(w.x, w.width, w.flip_h) & 1u) |
                                  (origin(w.y, w.height, w.flip_v) & 1u) << 1);
    pass->loaded = b->pixel;
    b->width = w.width;
    b->height = w.height;
    return ZCS_OK;
}

static zcs_status add_stencil(struct zci_build *b, enum zci_stencil stencil)
{
    const zcs_status status = need_pass(b);
    if (status != ZCS_OK)
        return status;
    struct zci_pass *pass = last_pass(b);
    pass->stencil = (uint8_t)stencil;
    pass->post_first = b->plan->op_count;
    b->pixel.layout = ZCI_RGBA;
    b->pixel.cfa = 0;
    return ZCS_OK;
}

/* Ends the pass with a reduction; *state gets its number. */
static zcs_status add_reduce(struct zci_build *b, enum zci_reduce_kind kind, int8_t *state)
{
    struct zci_plan *plan = b->plan;
    const zcs_status status = need_pass(b);
    if (status != ZCS_OK)
        return status;
    if (plan->state_count == ZCI_MAX_STATES)
        return stage_fail(b, ZCS_ERR_UNSUPPORTED, "the chain measures frames more than %d times",
                          ZCI_MAX_STATES);
    *state = (int8_t)plan->state_count++;
    last_pass(b)->reduce =
        (struct zci_reduce){(uint8_t)kind, (uint8_t)*state, b->pixel, b->width, b->height};
    zci_build_close(b);
    return ZCS_OK;
}

/* The plan's number of a custom stage, which is copied when it is first used. */
static int8_t custom_number(struct zci_plan *plan, const struct zcs_custom_stage *custom)
{
    uint32_t i = 0;
    while (i < plan->custom_count && strcmp(plan->custom_names[i], custom->name) != 0)
        i++;
    if (i == plan->custom_count) {
        snprintf(plan->custom_names[i], sizeof plan->custom_names[i], "%s", custom->name);
        plan->custom[i] = *custom;
        plan->custom[i].name = plan->custom_names[i];
        plan->custom_count++;
    }
    return (int8_t)i;
}

static zcs_status add_custom(struct zci_build *b, uint8_t custom)
{
    if (b->open)
        zci_build_close(b);
    const zcs_status status = zci_build_pass(b);
    if (status != ZCS_OK)
        return status;
    last_pass(b)->custom = custom_number(b->plan, &b->custom[custom]);
    zci_build_close(b);
    return ZCS_OK;
}

static uint32_t code_or(double given, uint32_t default_value)
{
    return given > 0 ? (uint32_t)given : default_value;
}

/* A source code scaled to the rows' full range, rounded. */
static uint32_t code_now(const struct zci_build *b, uint32_t code)
{
    const uint32_t max = (1u << b->pixel.depth) - 1u;
    return (uint32_t)(((uint64_t)code * max * 2 + b->code_max) / (2 * (uint64_t)b->code_max));
}

/* Maps low..high, in source codes, to the full range: exact as long as the rows still hold codes.
 * */
static zcs_status plan_range(struct zci_build *b, const uint32_t key[2])
{
    const uint32_t low = (uint32_t)b->stage->number[key[0]];
    const uint32_t high = code_or(b->stage->number[key[1]], b->code_max);
    const struct zcs_stage_key *names = zcs_stage_info(b->stage->kind)->keys;
    if (high > b->code_max)
        return stage_fail(b, ZCS_ERR_FORMAT, "%s=%u is above the source's greatest code %u",
                          names[key[1]].name, (unsigned)high, (unsigned)b->code_max);
    if (low >= high)
        return stage_fail(b, ZCS_ERR_FORMAT, "%s=%u is not below %s=%u", names[key[0]].name,
                          (unsigned)low, names[key[1]].name, (unsigned)high);
    if (zci_stage_is_identity(b->stage, b->code_max))
        return ZCS_OK;
    if (b->pending && b->pending_codes) {
        b->pending = 0;
        return add_scale(b, low, high - low, b->target);
    }
    const zcs_status status = to_full_range(b, b->work);
    if (status != ZCS_OK)
        return status;
    const uint32_t sub = code_now(b, low);
    return add_scale(b, sub, code_now(b, high) - sub, b->target);
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
        return stage_fail(b, ZCS_ERR_FORMAT,
                          "the picture has one channel, not a mosaic's or colour's three");
    if (zci_stage_is_identity(b->stage, b->code_max))
        return ZCS_OK;
    zcs_status status = to_full_range(b, b->work);
    if (status == ZCS_OK && wb_is_auto(b->stage))
        status = add_reduce(b, ZCI_REDUCE_WB, &op.state);
    if (status != ZCS_OK)
        return status;
    for (int c = 0; c < 3 && op.state < 0; c++)
        op.u.gain[c] = q12(b->stage->number[ZCI_WB_R + c]);
    op.out = b->pixel;
    return add_op(b, op);
}

static zcs_status plan_demosaic(struct zci_build *b)
{
    if (b->pixel.layout != ZCI_BAYER)
        return stage_fail(b, ZCS_ERR_FORMAT, "the picture is not a Bayer mosaic");
    if (b->width < 2 || b->height < 2)
        return stage_fail(b, ZCS_ERR_FORMAT, "needs at least 2x2 pixels, the picture is %ux%u",
                          (unsigned)b->width, (unsigned)b->height);
    const zcs_status status = to_full_range(b, b->work);
    if (status != ZCS_OK)
        return status;
    const int bilinear = b->stage->word[ZCI_DEMOSAIC_METHOD] == 1;
    return add_stencil(b, bilinear ? ZCI_STENCIL_BILINEAR : ZCI_STENCIL_MHC);
}

static int32_t q16(double v)
{
    return (int32_t)(v < 0 ? v * 65536 - 0.5 : v * 65536 + 0.5);
}

static zcs_status plan_ccm(struct zci_build *b)
{
    struct zci_op op = {.kind = ZCI_OP_CCM, .state = -1};
    if (b->pixel.layout != ZCI_RGBA)
        return stage_fail(b, ZCS_ERR_FORMAT, "needs colour, the picture is %s",
                          b->pixel.layout == ZCI_BAYER ? "a mosaic: demosaic first"
                                                       : "one channel");
    if (zci_stage_is_identity(b->stage, b->code_max))
        return ZCS_OK;
    const zcs_status status = to_full_range(b, b->work);
    if (status != ZCS_OK)
        return status;
    for (int i = 0; i < 9; i++)
        op.u.ccm[i] = q16(b->stage->number[i]);
    op.out = b->pixel;
    return add_op(b, op);
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
        return stage_fail(b, ZCS_ERR_UNSUPPORTED, "the chain has more than %d curves",
                          ZCI_MAX_TABLES);
    struct zci_table *table = &plan->tables[plan->table_count];
    if (zci_curve_make(table, b->pixel.depth, b->target, gamma) != ZCS_OK)
        return stage_fail(b, ZCS_ERR_NOMEM, "no memory for a table of %u entries",
                          1u << b->pixel.depth);
    *index = plan->table_count++;
    return ZCS_OK;
}

static zcs_status plan_gamma(struct zci_build *b)
{
    struct zci_op op = {.kind = ZCI_OP_TABLE, .state = -1};
    const int srgb = b->stage->word[ZCI_GAMMA_CURVE] == 0;
    if (b->pixel.layout == ZCI_BAYER)
        return stage_fail(b, ZCS_ERR_FORMAT, "the picture is a mosaic: demosaic first");
    if (!zci_gamma_color(b->stage, &b->color))
        return stage_fail(b, ZCS_ERR_FORMAT, "the picture is %s already",
                          b->color.transfer == ZCS_TRANSFER_SRGB ? "sRGB-encoded"
                                                                 : "encoded with a power");
    if (zci_stage_is_identity(b->stage, b->code_max))
        return ZCS_OK;
    zcs_status status = to_full_range(b, b->work);
    if (status == ZCS_OK)
        status = add_table(b, srgb ? 0 : b->stage->number[ZCI_GAMMA_CURVE], &op.u.table);
    if (status != ZCS_OK)
        return status;
    op.out = b->pixel;
    op.out.depth = b->target;
    return add_op(b, op);
}

static zcs_status plan_stretch(struct zci_build *b)
{
    struct zci_op op = {.kind = ZCI_OP_SCALE, .state = -1};
    zcs_status status = to_full_range(b, b->work);
    if (status == ZCS_OK)
        status = add_reduce(b, ZCI_REDUCE_RANGE, &op.state);
    if (status != ZCS_OK)
        return status;
    op.out = b->pixel;
    return add_op(b, op);
}

static zcs_status plan_gray(struct zci_build *b)
{
    /* Q16 of 0.2126 0.7152 0.0722 and of 0.299 0.587 0.114; each row adds up to 65536. */
    static const uint32_t weights[2][3] = {{13933, 46871, 4732}, {19595, 38470, 7471}};
    struct zci_op op = {.kind = ZCI_OP_GRAY, .state = -1};
    if (b->pixel.layout == ZCI_BAYER)
        return stage_fail(b, ZCS_ERR_FORMAT, "the picture is a mosaic: demosaic first");
    if (b->pixel.layout == ZCI_MONO)
        return ZCS_OK;
    const zcs_status status = to_full_range(b, b->work);
    if (status != ZCS_OK)
        return status;
    for (int c = 0; c < 3; c++)
        op.u.gray[c] = weights[b->stage->word[ZCI_GRAY_WEIGHTS]][c];
    op.out = b->pixel;
    op.out.layout = ZCI_MONO;
    return add_op(b, op);
}

static zcs_status plan_flip(struct zci_build *b)
{
    const int axis = b->stage->word[ZCI_FLIP_AXIS];
    return add_window(b, (struct zci_window){0, 0, b->width, b->height, axis != 1, axis != 0});
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
        return stage_fail(b, ZCS_ERR_FORMAT, "%ux%u+%u+%u reaches outside the %ux%u picture",
                          (unsigned)w.width, (unsigned)w.height, (unsigned)w.x, (unsigned)w.y,
                          (unsigned)b->width, (unsigned)b->height);
    if (w.width == b->width && w.height == b->height)
        return ZCS_OK;
    return add_window(b, w);
}

static zcs_status plan_digest(struct zci_build *b)
{
    const zcs_status status = b->only_digests ? zci_build_final(b) : to_full_range(b, b->work);
    return status == ZCS_OK ? add_reduce(b, ZCI_REDUCE_DIGEST, &b->plan->digest_state) : status;
}

static zcs_status plan_custom(struct zci_build *b)
{
    const zcs_status status = to_full_range(b, b->work);
    return status == ZCS_OK ? add_custom(b, b->stage->custom) : status;
}

zcs_status zci_build_stage(struct zci_build *build)
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
