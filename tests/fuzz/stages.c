/* SPDX-License-Identifier: MIT */
/* Fuzzes chains of stages as text, and their plans. The first line is "FORMAT WIDTHxHEIGHT DEPTH", the
 * second the chain. A plan must be sound: whatever it names is there and fits. */
#include "fuzz.h"

#include "core/plan_compile.h"

static int same_pixel(struct zci_pixel a, struct zci_pixel b)
{
    return a.layout == b.layout && a.depth == b.depth;
}

static void check_op(const struct zci_plan *plan, const struct zci_op *op)
{
    CHECK(op->kind < ZCI_OP_COUNT);
    CHECK(op->state < 0 || (uint32_t)op->state < plan->state_count);
    CHECK(op->kind != ZCI_OP_TABLE || op->u.table < plan->table_count);
    if (op->kind == ZCI_OP_TABLE)
        CHECK(plan->tables[op->u.table].entries == 1u << op->in.depth);
}

static struct zci_pixel check_ops(const struct zci_plan *plan, uint32_t first, uint32_t count,
                                  struct zci_pixel pixel)
{
    CHECK(first <= plan->op_count && count <= plan->op_count - first);
    for (uint32_t i = first; i < first + count; i++) {
        CHECK(same_pixel(plan->ops[i].in, pixel));
        check_op(plan, &plan->ops[i]);
        pixel = plan->ops[i].out;
    }
    return pixel;
}

static void check_pass(const struct zci_plan *plan, const struct zci_pass *pass)
{
    const struct zci_window *w = &pass->window;
    CHECK(pass->in != pass->out && pass->out >= ZCI_IMAGE_NONE && pass->out < 3);
    CHECK(pass->in == ZCI_IMAGE_SOURCE || plan->image_bytes[pass->in] > 0);
    CHECK(w->width >= 1 && w->height >= 1 && w->x <= pass->in_width && w->y <= pass->in_height);
    CHECK(w->width <= pass->in_width - w->x && w->height <= pass->in_height - w->y);
    CHECK(pass->width == w->width && pass->height == w->height);
    struct zci_pixel pixel = check_ops(plan, pass->pre_first, pass->pre_count, pass->loaded);
    if (pass->stencil != ZCI_STENCIL_NONE) {
        CHECK(pixel.layout == ZCI_BAYER && pass->width >= 2 && pass->height >= 2);
        pixel.layout = ZCI_RGBA;
    }
    pixel = check_ops(plan, pass->post_first, pass->post_count, pixel);
    CHECK(same_pixel(pixel, pass->pixel));
    if (pass->reduce.kind != ZCI_REDUCE_NONE)
        CHECK(pass->reduce.state < plan->state_count);
    if (pass->out == ZCI_IMAGE_NONE)
        return;
    const size_t stride = plan->image_stride[pass->out];
    CHECK(stride >= (size_t)pass->width * zci_pixel_bytes(pixel));
    CHECK(plan->image_bytes[pass->out] / stride >= pass->height);
}

static void check_plan(const struct zci_plan *plan)
{
    CHECK(plan->pass_count >= 1 && plan->pass_count <= ZCI_MAX_PASSES);
    CHECK(plan->passes[0].in == ZCI_IMAGE_SOURCE);
    for (uint32_t i = 0; i < plan->pass_count; i++)
        check_pass(plan, &plan->passes[i]);
    CHECK_EQ(zcs_image_check(&plan->result), ZCS_OK);
    CHECK(plan->digest_state < 0 || (uint32_t)plan->digest_state < plan->state_count);
}

static void plan_it(const struct zcs_image *image, const char *chain, int depth, zcs_status parsed)
{
    static struct zci_plan plan;
    unsigned errors = 0;
    const struct zci_log log = {.fn = fuzz_count, .user = &errors, .level = ZCS_LOG_WARNING};
    const struct zci_plan_params params = {.stages = chain, .depth = (enum zcs_depth)depth};
    const zcs_status status = zci_plan_compile(&plan, image, &params, &log);
    if (status == ZCS_OK)
        check_plan(&plan);
    CHECK_EQ(errors, status == ZCS_OK ? 0 : 1);
    CHECK(parsed == ZCS_OK || status == ZCS_ERR_FORMAT);
    zci_plan_finish(&plan);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = fuzz_text(data, size), *rest = text, name[32], message[160] = "";
    const char *head = fuzz_line(&rest), *chain = rest;
    struct zcs_image image;
    enum zcs_pixfmt format;
    unsigned width, height;
    int depth = 0;
    if (chain != NULL && sscanf(head, "%31s %6ux%6u %2d", name, &width, &height, &depth) >= 3 &&
        zcs_pixfmt_parse(name, &format) == ZCS_OK &&
        zcs_image_init(&image, format, width, height, 0) == ZCS_OK) {
        const zcs_status parsed = zcs_stage_parse(chain, message, sizeof message);
        CHECK(parsed == ZCS_OK || parsed == ZCS_ERR_FORMAT);
        if (parsed != ZCS_OK)
            fuzz_check_line(message);
        plan_it(&image, chain, depth == 8 || depth == 16 ? depth : 0, parsed);
    }
    free(text);
    return 0;
}
