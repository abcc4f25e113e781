/* SPDX-License-Identifier: MIT */
/* Compiles a chain for a source: checks both, chooses depths, adds the stages in order and makes
 * the result. */
#include "core/plan_compile.h"

#include <string.h>

#include "core/color.h"
#include "core/format.h"
#include "core/plan_build.h"

static int name_is_good(const char *name)
{
    if (name == NULL || name[0] < 'a' || name[0] > 'z' || strlen(name) > 31)
        return 0;
    if (strcmp(name, "none") == 0)
        return 0;
    return name[strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789_")] == '\0';
}

static int name_is_taken(const struct zcs_custom_stage *custom, uint32_t index)
{
    for (uint32_t i = 0; i < ZCI_STAGE_COUNT; i++)
        if (strcmp(custom[index].name, zcs_stage_info(i)->name) == 0)
            return 1;
    for (uint32_t i = 0; i < index; i++)
        if (strcmp(custom[index].name, custom[i].name) == 0)
            return 1;
    return 0;
}

static zcs_status check_custom(const struct zci_plan_params *params, const struct zci_log *log)
{
    if (params->custom_count > ZCS_MAX_CUSTOM)
        return zci_fail(log, ZCS_ERR_ARG, "%u custom stages are given, %d are possible",
                        (unsigned)params->custom_count, ZCS_MAX_CUSTOM);
    for (uint32_t i = 0; i < params->custom_count; i++) {
        const char *name = params->custom[i].name;
        if (!name_is_good(name))
            return zci_fail(log, ZCS_ERR_ARG,
                            "custom stage %u: its name must be [a-z][a-z0-9_]*, at most 31 long",
                            (unsigned)i);
        if (name_is_taken(params->custom, i))
            return zci_fail(log, ZCS_ERR_ARG, "custom stage %u: the name %s is taken", (unsigned)i,
                            name);
    }
    return ZCS_OK;
}

static enum zcs_depth depth_of(const struct zci_chain *chain, const struct zcs_image *source,
                               struct zcs_color color, enum zcs_depth asked)
{
    if (asked != ZCS_DEPTH_AUTO)
        return asked;
    for (uint32_t i = 0; i < chain->count; i++)
        if (chain->stages[i].kind == ZCI_STAGE_GAMMA)
            (void)zci_gamma_color(&chain->stages[i], &color);
    return color.transfer == ZCS_TRANSFER_LINEAR && source->bits > 8 ? ZCS_DEPTH_16 : ZCS_DEPTH_8;
}

/* Stages that lose precision at 8 bits on the linear samples of a mosaic. */
static int wants_16(const struct zci_stage *stage)
{
    return stage->kind == ZCI_STAGE_GAMMA || stage->kind == ZCI_STAGE_CCM ||
           stage->kind == ZCI_STAGE_WB || stage->kind == ZCI_STAGE_BLACK;
}

/* The depth of VALUE stages. A chain without any loads directly at the result's depth: one
 * rounding. */
static uint8_t work_depth(const struct zci_build *b, const struct zci_chain *chain)
{
    const int bayer = zcs_pixfmt_info(b->plan->source.format)->model == ZCS_MODEL_BAYER;
    int values = 0, deep = b->final == 16 || b->plan->source.bits > 8;
    for (uint32_t i = 0; i < chain->count; i++) {
        const struct zci_stage *stage = &chain->stages[i];
        if (zci_stage_category(stage->kind) == ZCI_STAGE_PLACE ||
            zci_stage_is_identity(stage, b->code_max))
            continue;
        values = 1;
        if (bayer && wants_16(stage))
            deep = 1;
    }
    if (!values)
        return b->final;
    return deep ? 16 : 8;
}

/* Notes the SCALE that converts the loaded samples to full range, if one is needed. */
static zcs_status start_range(struct zci_build *b)
{
    const struct zcs_pixfmt_info *info = zcs_pixfmt_info(b->plan->source.format);
    const int limited = b->color.range == ZCS_RANGE_LIMITED && info->model != ZCS_MODEL_YUV;
    const int codes = info->model == ZCS_MODEL_MONO || info->model == ZCS_MODEL_BAYER;
    const uint64_t load_max = codes ? b->code_max : (1u << b->pixel.depth) - 1u;
    if (limited && info->model == ZCS_MODEL_BAYER)
        return zci_fail(b->log, ZCS_ERR_FORMAT, "%s: Bayer data has no limited range", info->name);
    b->pending = codes || limited;
    b->pending_codes = codes && !limited;
    b->pending_span = (uint32_t)load_max;
    if (limited) {
        /* 16 and 235 of 255, at any number of bits shifted rather than scaled. */
        const uint32_t bits = codes || info->bits > 8 ? b->plan->source.bits : 8;
        const uint64_t low = (16u << bits) >> 8, high = (235u << bits) >> 8;
        const uint64_t bits_max = (1u << bits) - 1u;
        b->pending_sub = (uint32_t)((2 * low * load_max + bits_max) / (2 * bits_max));
        b->pending_span =
            (uint32_t)((2 * high * load_max + bits_max) / (2 * bits_max)) - b->pending_sub;
    }
    return ZCS_OK;
}

static zcs_status start(struct zci_build *b, const struct zci_chain *chain)
{
    struct zci_plan *plan = b->plan;
    const struct zcs_image *source = &plan->source;
    b->code_max = (1u << source->bits) - 1u;
    b->work = work_depth(b, chain);
    zci_load_make(&plan->load, source, b->work);
    b->pixel = plan->load.pixel;
    b->width = source->width;
    b->height = source->height;
    const zcs_status status = start_range(b);
    return status == ZCS_OK ? zci_build_pass(b) : status;
}

/* Sets what depends on the stages after stage `i`. */
static void look_ahead(struct zci_build *b, const struct zci_chain *chain, uint32_t i)
{
    b->target = b->final;
    b->only_digests = 1;
    for (i++; i < chain->count; i++) {
        const struct zci_stage *stage = &chain->stages[i];
        if (zci_stage_category(stage->kind) == ZCI_STAGE_VALUE && stage->kind != ZCI_STAGE_CUSTOM &&
            !zci_stage_is_identity(stage, b->code_max))
            b->target = b->work;
        if (stage->kind != ZCI_STAGE_DIGEST)
            b->only_digests = 0;
    }
}

static zcs_status build_stages(struct zci_build *b, const struct zci_chain *chain)
{
    for (uint32_t i = 0; i < chain->count; i++) {
        b->stage = &chain->stages[i];
        b->place = i + 1;
        look_ahead(b, chain, i);
        const zcs_status status = zci_build_stage(b);
        if (status != ZCS_OK)
            return status;
    }
    b->stage = NULL;
    const zcs_status status = zci_build_final(b);
    if (status == ZCS_OK && b->open)
        zci_build_close(b);
    return status;
}

static zcs_status make_result(struct zci_build *b)
{
    struct zci_plan *plan = b->plan;
    const zcs_status status = zcs_image_init(&plan->result, zci_pixel_format(b->pixel), b->width,
                                             b->height, plan->image_stride[0]);
    if (status != ZCS_OK)
        return zci_fail(b->log, status, "a result of %ux%u pixels has no layout",
                        (unsigned)b->width, (unsigned)b->height);
    plan->image_bytes[0] = plan->result.size_bytes;
    plan->result.bits = plan->source.bits < b->final ? plan->source.bits : b->final;
    plan->result.color = b->color;
    plan->result.color.range = ZCS_RANGE_FULL;
    return ZCS_OK;
}

static zcs_status check_source(const struct zcs_image *source, enum zcs_depth depth,
                               const struct zci_log *log)
{
    const struct zcs_pixfmt_info *info = zcs_pixfmt_info(source->format);
    if (info != NULL && info->model == ZCS_MODEL_JPEG)
        return zci_fail(log, ZCS_ERR_UNSUPPORTED, "%s: compressed frames cannot be processed",
                        info->name);
    if (info == NULL || zcs_image_check(source) != ZCS_OK)
        return zci_fail(log, ZCS_ERR_ARG, "the source's image is not laid out by zcs_image_init");
    if (depth != ZCS_DEPTH_AUTO && depth != ZCS_DEPTH_8 && depth != ZCS_DEPTH_16)
        return zci_fail(log, ZCS_ERR_ARG, "depth %d is neither 8 nor 16", (int)depth);
    return ZCS_OK;
}

static zcs_status parse(const struct zci_plan_params *params, enum zcs_pixfmt format,
                        struct zci_chain *chain, const struct zci_log *log)
{
    char message[512];
    const char *text = params->stages ? params->stages : zcs_stage_default(format);
    const zcs_status status =
        zci_chain_parse(text, params->custom, params->custom_count, chain, message, sizeof message);
    return status == ZCS_OK ? ZCS_OK : zci_fail(log, status, "%s", message);
}

zcs_status zci_plan_compile(struct zci_plan *plan, const struct zcs_image *source,
                            const struct zci_plan_params *params, const struct zci_log *log)
{
    struct zci_chain chain;
    memset(plan, 0, sizeof *plan);
    plan->digest_state = -1;
    zcs_status status = check_source(source, params->depth, log);
    if (status == ZCS_OK)
        status = check_custom(params, log);
    if (status == ZCS_OK)
        status = parse(params, source->format, &chain, log);
    if (status != ZCS_OK)
        return status;
    plan->source = *source;
    struct zci_build build = {
        .plan = plan,
        .log = log,
        .custom = params->custom,
        .color = zci_color_resolve(source->format, source->color),
    };
    build.final = (uint8_t)depth_of(&chain, source, build.color, params->depth);
    status = start(&build, &chain);
    if (status == ZCS_OK)
        status = build_stages(&build, &chain);
    if (status != ZCS_OK)
        return status;
    while (plan->pass_count < params->min_passes && zci_plan_cut(plan))
        continue;
    zci_plan_assign_images(plan);
    return make_result(&build);
}
