/* SPDX-License-Identifier: MIT */
/* Runs a plan the plainest way, whole images step by step, with the scalar kernels: what tests of the
 * planner look at, and what any backend must give. */
#ifndef ZCS_TESTS_PLAN_RUN_H
#define ZCS_TESTS_PLAN_RUN_H

#include "check.h"
#include "core/plan.h"
#include "kernels/demosaic_pixel.h"
#include "kernels/reduce_pixel.h"
#include "kernels/cpu/table.h"

/* Pixels without padding. */
struct plain {
    struct zci_pixel pixel;
    uint32_t width, height;
    uint8_t *data;
};

static inline struct plain plain_new(struct zci_pixel pixel, uint32_t width, uint32_t height)
{
    struct plain p = {pixel, width, height, NULL};
    p.data = calloc((size_t)width * height, zci_pixel_bytes(pixel));
    CHECK(p.data);
    return p;
}

static inline uint8_t *plain_at(const struct plain *p, uint32_t x, uint32_t y)
{
    return p->data + ((size_t)y * p->width + x) * zci_pixel_bytes(p->pixel);
}

static inline uint32_t plain_sample(const struct plain *p, uint32_t x, uint32_t y, uint32_t c)
{
    const uint8_t *at = plain_at(p, x, y);
    return p->pixel.depth == 8 ? at[c] : ((const uint16_t *)(const void *)at)[c];
}

static inline struct plain plain_load(const struct zci_plan *plan, const uint8_t *source)
{
    const struct zci_load *load = &plan->load;
    const uint8_t *planes[ZCS_MAX_PLANES];
    struct plain out = plain_new(load->pixel, load->width, load->height);
    for (int i = 0; i < ZCS_MAX_PLANES; i++)
        planes[i] = source + load->offset_bytes[i];
    for (uint32_t y = 0; y < load->height; y++)
        zck_table_scalar()->load[load->unpack][load->pixel.depth == 16](load, planes, y,
                                                                        plain_at(&out, 0, y));
    return out;
}

static inline void plain_window(struct plain *p, const struct zci_pass *pass)
{
    const struct zci_window *w = &pass->window;
    struct plain out = plain_new(pass->loaded, w->width, w->height);
    CHECK(w->x + w->width <= p->width && w->y + w->height <= p->height);
    for (uint32_t y = 0; y < w->height; y++)
        for (uint32_t x = 0; x < w->width; x++)
            memcpy(plain_at(&out, x, y),
                   plain_at(p, w->x + (w->flip_h ? w->width - 1 - x : x),
                            w->y + (w->flip_v ? w->height - 1 - y : y)),
                   zci_pixel_bytes(p->pixel));
    free(p->data);
    *p = out;
}

static inline void plain_ops(struct plain *p, const struct zci_plan *plan,
                             const struct zci_dynamic *states, uint32_t first, uint32_t count)
{
    for (uint32_t i = first; i < first + count; i++) {
        const struct zci_op *op = &plan->ops[i];
        CHECK_EQ(op->in.depth, p->pixel.depth);
        CHECK_EQ(op->in.layout, p->pixel.layout);
        CHECK_EQ(op->in.cfa, p->pixel.cfa);
        struct plain out = plain_new(op->out, p->width, p->height);
        const zck_op_fn fn =
            zck_table_scalar()->op[op->kind][op->in.depth == 16][op->out.depth == 16];
        CHECK(fn);
        for (uint32_t y = 0; y < p->height; y++)
            fn(op, states, plan->tables, plain_at(p, 0, y), plain_at(&out, 0, y), p->width, y);
        free(p->data);
        *p = out;
    }
}

static inline void plain_stencil(struct plain *p, enum zci_stencil stencil)
{
    const struct zci_pixel pixel = {ZCI_RGBA, p->pixel.depth, 0};
    struct plain out = plain_new(pixel, p->width, p->height);
    CHECK_EQ(p->pixel.layout, ZCI_BAYER);
    for (uint32_t y = 0; y < p->height; y++) {
        const void *rows[5];
        for (int32_t k = 0; k < 5; k++)
            rows[k] = plain_at(p, 0, (uint32_t)zck_mirror((int32_t)y + k - 2, (int32_t)p->height));
        zck_table_scalar()->stencil[stencil][p->pixel.depth == 16](rows, plain_at(&out, 0, y),
                                                                   p->width, y, p->pixel.cfa);
    }
    free(p->data);
    *p = out;
}

static inline void plain_reduce(const struct plain *p, const struct zci_reduce *reduce,
                                struct zci_dynamic *states)
{
    struct zci_sums sums;
    zci_sums_init(&sums);
    CHECK_EQ(reduce->pixel.layout, p->pixel.layout);
    CHECK_EQ(reduce->pixel.depth, p->pixel.depth);
    CHECK_EQ(reduce->pixel.cfa, p->pixel.cfa);
    CHECK(reduce->width == p->width && reduce->height == p->height);
    for (uint32_t y = 0; y < p->height; y++)
        zck_table_scalar()->reduce[reduce->kind][p->pixel.depth == 16](
            reduce, y % 2 ? plain_at(p, 0, y - 1) : NULL, plain_at(p, 0, y), y, &sums);
    zci_sums_finish(reduce, &sums, &states[reduce->state]);
}

static inline struct zcs_view plain_view(const struct plain *p, enum zcs_pixfmt format)
{
    return (struct zcs_view){p->data, p->width * (size_t)zci_pixel_bytes(p->pixel), p->width,
                             p->height, format};
}

static inline void plain_custom(struct plain *p, const struct zcs_custom_stage *custom)
{
    struct plain out = plain_new(p->pixel, p->width, p->height);
    const struct zcs_view in = plain_view(p, ZCS_PIXFMT_NONE),
                          to = plain_view(&out, ZCS_PIXFMT_NONE);
    CHECK_EQ(custom->host_fn(custom->user, &in, &to, 0, p->height), ZCS_OK);
    free(p->data);
    *p = out;
}

/* The result; the caller frees its data. `states` gets what reductions made. */
static inline struct plain plan_run(const struct zci_plan *plan, const void *source,
                                    struct zci_dynamic states[ZCI_MAX_STATES])
{
    struct plain p = plain_load(plan, source);
    memset(states, 0, ZCI_MAX_STATES * sizeof *states);
    for (uint32_t i = 0; i < plan->pass_count; i++) {
        const struct zci_pass *pass = &plan->passes[i];
        CHECK(pass->in_width == p.width && pass->in_height == p.height);
        if (pass->custom >= 0) {
            plain_custom(&p, &plan->custom[pass->custom]);
            continue;
        }
        plain_window(&p, pass);
        plain_ops(&p, plan, states, pass->pre_first, pass->pre_count);
        if (pass->stencil != ZCI_STENCIL_NONE)
            plain_stencil(&p, pass->stencil);
        plain_ops(&p, plan, states, pass->post_first, pass->post_count);
        if (pass->reduce.kind != ZCI_REDUCE_NONE)
            plain_reduce(&p, &pass->reduce, states);
        CHECK_EQ(p.pixel.layout, pass->pixel.layout);
        CHECK_EQ(p.pixel.depth, pass->pixel.depth);
        CHECK_EQ(p.pixel.cfa, pass->pixel.cfa);
        CHECK(p.width == pass->width && p.height == pass->height);
    }
    CHECK(p.width == plan->result.width && p.height == plan->result.height);
    return p;
}

#endif
