/* SPDX-License-Identifier: MIT */
/* A plan as data: its tables, its images, and cutting passes in two. */
#include "core/plan.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define LOAD_STEPS 2u
#define STENCIL_STEPS 6u

void zci_plan_finish(struct zci_plan *plan)
{
    for (uint32_t i = 0; i < plan->table_count; i++)
        free(plan->tables[i].data);
    memset(plan->tables, 0, sizeof plan->tables);
    plan->table_count = 0;
}

static double curve(double v, double gamma)
{
    if (gamma > 0)
        return pow(v, 1 / gamma);
    return v <= 0.0031308 ? 12.92 * v : 1.055 * pow(v, 1 / 2.4) - 0.055;
}

zcs_status zci_curve_make(struct zci_table *out, uint8_t in_depth, uint8_t out_depth, double gamma)
{
    const uint32_t entries = 1u << in_depth;
    const double in_max = entries - 1u, out_max = (1u << out_depth) - 1u;
    void *data = malloc((size_t)entries * (out_depth / 8u));
    if (data == NULL)
        return ZCS_ERR_NOMEM;
    uint8_t *narrow = data;
    uint16_t *wide = data;
    for (uint32_t i = 0; i < entries; i++) {
        const uint32_t v = (uint32_t)floor(curve(i / in_max, gamma) * out_max + 0.5);
        if (out_depth == 8)
            narrow[i] = (uint8_t)v;
        else
            wide[i] = (uint16_t)v;
    }
    *out = (struct zci_table){entries, out_depth, data};
    return ZCS_OK;
}

/* The last pass writes the result; the passes before it alternate between the two scratch images.
 * */
void zci_plan_assign_images(struct zci_plan *plan)
{
    for (uint32_t i = 0; i < plan->pass_count; i++) {
        struct zci_pass *pass = &plan->passes[i];
        const int last = i + 1 == plan->pass_count;
        pass->in = i == 0 ? ZCI_IMAGE_SOURCE : plan->passes[i - 1].out;
        pass->out = last ? 0 : (int8_t)(1 + i % 2);
        const size_t row = (size_t)pass->width * zci_pixel_bytes(pass->pixel);
        const size_t stride = (row + 127) / 128 * 128;
        if (stride > plan->image_stride[pass->out])
            plan->image_stride[pass->out] = stride;
    }
    for (uint32_t i = 0; i < plan->pass_count; i++) {
        const struct zci_pass *pass = &plan->passes[i];
        const size_t bytes = plan->image_stride[pass->out] * pass->height;
        if (bytes > plan->image_bytes[pass->out])
            plan->image_bytes[pass->out] = bytes;
    }
}

/* How many parts a pass has: its ops, and the stencil as one. */
static uint32_t parts_of(const struct zci_pass *pass)
{
    if (pass->custom >= 0)
        return 0;
    return pass->pre_count + pass->post_count + (pass->stencil != ZCI_STENCIL_NONE);
}

static uint32_t steps_before(const struct zci_pass *pass, uint32_t part)
{
    const int with = pass->stencil != ZCI_STENCIL_NONE && part > pass->pre_count;
    return LOAD_STEPS + part + (with ? STENCIL_STEPS - 1 : 0);
}

static uint32_t middle_of(const struct zci_pass *pass)
{
    const uint32_t parts = parts_of(pass), all = steps_before(pass, parts);
    uint32_t best = 0, min = UINT32_MAX;
    for (uint32_t part = 0; part < parts; part++) {
        const uint32_t before = steps_before(pass, part), after = all - before + LOAD_STEPS;
        const uint32_t max = before > after ? before : after;
        if (max < min) {
            min = max;
            best = part;
        }
    }
    return best;
}

/* The pixel of the rows before part number `part`. */
static struct zci_pixel pixel_at(const struct zci_plan *plan, const struct zci_pass *pass,
                                 uint32_t part)
{
    const int stencil = pass->stencil != ZCI_STENCIL_NONE && part > pass->pre_count;
    const uint32_t ops = part - (stencil ? 1 : 0);
    if (stencil && ops == pass->pre_count)
        return (struct zci_pixel){.layout = ZCI_RGBA, .depth = zci_stencil_depth(plan, pass)};
    return ops == 0 ? pass->loaded : plan->ops[pass->pre_first + ops - 1].out;
}

static void cut(const struct zci_plan *plan, struct zci_pass *first, struct zci_pass *second,
                uint32_t part)
{
    const struct zci_pass pass = *first;
    const int behind = pass.stencil != ZCI_STENCIL_NONE && part > pass.pre_count;
    const uint32_t ops = part - (behind ? 1 : 0);
    first->pixel = pixel_at(plan, &pass, part);
    first->reduce = (struct zci_reduce){.kind = ZCI_REDUCE_NONE};
    *second = pass;
    second->loaded = first->pixel;
    second->window = (struct zci_window){.width = pass.width, .height = pass.height};
    second->in_width = pass.width;
    second->in_height = pass.height;
    second->pre_first = pass.pre_first + ops;
    if (behind) {
        first->post_count = ops - pass.pre_count;
        second->stencil = ZCI_STENCIL_NONE;
        second->pre_count = pass.pre_count + pass.post_count - ops;
        second->post_first = second->pre_first + second->pre_count;
        second->post_count = 0;
    } else {
        first->stencil = ZCI_STENCIL_NONE;
        first->pre_count = ops;
        first->post_first = second->pre_first;
        first->post_count = 0;
        second->pre_count = pass.pre_count - ops;
    }
}

int zci_plan_cut(struct zci_plan *plan)
{
    uint32_t longest = 0;
    if (plan->pass_count == ZCI_MAX_PASSES)
        return 0;
    for (uint32_t i = 1; i < plan->pass_count; i++)
        if (parts_of(&plan->passes[i]) > parts_of(&plan->passes[longest]))
            longest = i;
    struct zci_pass *pass = &plan->passes[longest];
    if (parts_of(pass) == 0)
        return 0;
    memmove(pass + 1, pass, (plan->pass_count - longest) * sizeof *pass);
    plan->pass_count++;
    cut(plan, pass, pass + 1, middle_of(pass));
    return 1;
}
