/* SPDX-License-Identifier: MIT */
/* Adds ops, windows, stencils and reductions to a plan's passes, and begins passes where one is full. */
#include "core/plan_build.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static uint32_t max_of(uint8_t depth)
{
    return (1u << depth) - 1u;
}

static struct zci_pass *last_pass(struct zci_build *b)
{
    return &b->plan->passes[b->plan->pass_count - 1];
}

zcs_status zci_build_fail(const struct zci_build *build, zcs_status status, const char *format, ...)
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
        return zci_build_fail(b, ZCS_ERR_UNSUPPORTED, "the chain needs more than %d passes",
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

zcs_status zci_build_op(struct zci_build *b, struct zci_op op)
{
    struct zci_plan *plan = b->plan;
    const zcs_status status = need_pass(b);
    if (status != ZCS_OK)
        return status;
    if (plan->op_count == ZCI_MAX_OPS)
        return zci_build_fail(b, ZCS_ERR_UNSUPPORTED, "the chain needs more than %d operations",
                              ZCI_MAX_OPS);
    struct zci_pass *pass = last_pass(b);
    op.in = b->pixel;
    plan->ops[plan->op_count++] = op;
    *(pass->stencil == ZCI_STENCIL_NONE ? &pass->pre_count : &pass->post_count) += 1;
    b->pixel = op.out;
    return ZCS_OK;
}

zcs_status zci_build_scale(struct zci_build *b, uint32_t sub, uint32_t span, uint8_t depth)
{
    struct zci_op op = {.kind = ZCI_OP_SCALE, .state = -1, .out = b->pixel};
    if (sub == 0 && depth == b->pixel.depth && span == max_of(depth))
        return ZCS_OK;
    op.out.depth = depth;
    op.u.scale = zci_scale_make(sub, span, max_of(depth));
    return zci_build_op(b, op);
}

zcs_status zci_build_full(struct zci_build *b, uint8_t depth)
{
    if (!b->pending)
        return ZCS_OK;
    b->pending = 0;
    return zci_build_scale(b, b->pending_sub, b->pending_span, depth);
}

zcs_status zci_build_final(struct zci_build *b)
{
    if (b->pending)
        return zci_build_full(b, b->final);
    return zci_build_scale(b, 0, max_of(b->pixel.depth), b->final);
}

/* The window's first column or row in the input's numbering; its parity moves the mosaic's phase. */
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

zcs_status zci_build_window(struct zci_build *b, struct zci_window w)
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

zcs_status zci_build_stencil(struct zci_build *b, enum zci_stencil stencil)
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

zcs_status zci_build_reduce(struct zci_build *b, enum zci_reduce_kind kind, int8_t *state)
{
    struct zci_plan *plan = b->plan;
    const zcs_status status = need_pass(b);
    if (status != ZCS_OK)
        return status;
    if (plan->state_count == ZCI_MAX_STATES)
        return zci_build_fail(b, ZCS_ERR_UNSUPPORTED,
                              "the chain measures frames more than %d times", ZCI_MAX_STATES);
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

zcs_status zci_build_custom(struct zci_build *b, uint8_t custom)
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
