/* SPDX-License-Identifier: MIT */
/* Bands: each row goes from step to step in lines that stay in the cache. The last step writes it
 * straight into the output image. */
#include "backend/host/band.h"

#include <string.h>

#include "core/format.h"

struct band {
    const struct zci_worker_context *context;
    const struct zci_pass *pass;
    const struct zci_scratch *scratch;
};

/* A row of pixels. */
struct row {
    const void *at;
    void *own; /* the same row if it may be overwritten; NULL in an image */
};

static struct row own_row(void *at)
{
    return (struct row){.at = at, .own = at};
}

static size_t line_bytes(const struct zci_plan *plan, size_t pixel_bytes)
{
    uint32_t width = 0;
    for (uint32_t i = 0; i < plan->pass_count; i++) {
        const struct zci_pass *pass = &plan->passes[i];
        width = pass->in_width > width ? pass->in_width : width;
        width = pass->width > width ? pass->width : width;
    }
    width = plan->load.width > width ? plan->load.width : width;
    /* One unit more keeps lines of 2^n pixels off the same cache sets. */
    return (width * pixel_bytes + 127) / 128 * 128 + 128;
}

size_t zci_scratch_bytes(const struct zci_plan *plan)
{
    return 3 * line_bytes(plan, 8) + ZCI_RING_ROWS * line_bytes(plan, 2);
}

void zci_scratch_init(struct zci_scratch *scratch, const struct zci_plan *plan, void *memory)
{
    uint8_t *at = memory;
    for (int i = 0; i < 3; i++, at += line_bytes(plan, 8))
        scratch->lines[i] = at;
    for (int i = 0; i < ZCI_RING_ROWS; i++, at += line_bytes(plan, 2))
        scratch->ring[i] = at;
}

static int depth_index(struct zci_pixel pixel)
{
    return pixel.depth == 16;
}

static void *output_row(const struct band *band, uint32_t y)
{
    const int8_t out = band->pass->out;
    if (out == ZCI_IMAGE_NONE)
        return NULL;
    return band->context->images[out] + y * band->context->plan->image_stride[out];
}

/* Row y of the input image. A row of the source is loaded into `line`. */
static struct row input_row(const struct band *band, uint32_t y, void *line)
{
    const struct zci_worker_context *context = band->context;
    const int8_t in = band->pass->in;
    if (in != ZCI_IMAGE_SOURCE)
        return (struct row){.at = context->images[in] + y * context->plan->image_stride[in]};
    const struct zci_load *load = &context->plan->load;
    const uint8_t *planes[ZCS_MAX_PLANES];
    for (int p = 0; p < ZCS_MAX_PLANES; p++)
        planes[p] = context->source + load->offset_bytes[p];
    context->kernels->load[load->unpack][depth_index(load->pixel)](load, planes, y, line);
    return own_row(line);
}

static void mirror(const void *in, void *out, uint32_t width, uint32_t pixel_bytes)
{
    const uint8_t *from = in;
    uint8_t *to = (uint8_t *)out + (size_t)width * pixel_bytes;
    for (uint32_t x = 0; x < width; x++, from += pixel_bytes) {
        to -= pixel_bytes;
        switch (pixel_bytes) {
        case 1:
            *to = *from;
            break;
        case 2:
            memcpy(to, from, 2);
            break;
        case 4:
            memcpy(to, from, 4);
            break;
        default:
            memcpy(to, from, 8);
        }
    }
}

/* Row y of the window. If `wanted` is not NULL and a step here has to write anyway, the row ends
 * there. */
static struct row window_row(const struct band *band, uint32_t y, void *wanted)
{
    const struct zci_pass *pass = band->pass;
    const struct zci_window *window = &pass->window;
    uint8_t *const *lines = band->scratch->lines;
    const uint32_t in_y = window->y + (window->flip_v ? window->height - 1 - y : y);
    const int part = window->flip_h || window->x > 0 || window->width < pass->in_width;
    const uint32_t pixel_bytes = zci_pixel_bytes(pass->loaded);
    struct row row = input_row(band, in_y, part || wanted == NULL ? lines[0] : wanted);
    const size_t skipped = (size_t)window->x * pixel_bytes;
    row.at = (const uint8_t *)row.at + skipped;
    if (row.own != NULL)
        row.own = (uint8_t *)row.own + skipped;
    if (!window->flip_h)
        return row;
    void *mirrored = wanted != NULL ? wanted : lines[1];
    mirror(row.at, mirrored, window->width, pixel_bytes);
    return own_row(mirrored);
}

/* Where an operation that reads `row` may write: over the row, or into a line that does not hold
 * it. */
static void *op_output(const struct band *band, const struct zci_op *op, struct row row)
{
    if (row.own != NULL && zci_pixel_bytes(op->in) == zci_pixel_bytes(op->out))
        return row.own;
    uint8_t *const *lines = band->scratch->lines;
    return row.own == lines[1] ? lines[2] : lines[1];
}

/* Runs operations [first, first + count) on row y. The last one writes into `wanted` if that is not
 * NULL. */
static struct row apply(const struct band *band, uint32_t first, uint32_t count, struct row row,
                        uint32_t y, void *wanted)
{
    const struct zci_worker_context *context = band->context;
    for (uint32_t i = 0; i < count; i++) {
        const struct zci_op *op = &context->plan->ops[first + i];
        void *out = i + 1 == count && wanted != NULL ? wanted : op_output(band, op, row);
        context->kernels->op[op->kind][depth_index(op->in)][depth_index(op->out)](
            op, context->states, context->plan->tables, row.at, out, band->pass->width, y);
        row = own_row(out);
    }
    return row;
}

/* Row y as the stencil reads it; without a stencil, as it is after the operations before it. */
static struct row pre_row(const struct band *band, uint32_t y, void *wanted)
{
    const struct zci_pass *pass = band->pass;
    const struct row row = window_row(band, y, pass->pre_count == 0 ? wanted : NULL);
    return apply(band, pass->pre_first, pass->pre_count, row, y, wanted);
}

/* The ring of rows around the one that the stencil is at. */
struct ring {
    const void *rows[ZCI_RING_ROWS];
    uint32_t next;  /* the first row that was not made yet */
    uint32_t reach; /* rows each way */
};

/* Mirrors about the first and the last row, which keeps the phase of a mosaic. */
static uint32_t reflect(int64_t y, uint32_t height)
{
    if (height == 1)
        return 0;
    const int64_t period = 2 * ((int64_t)height - 1);
    y = (y % period + period) % period;
    return (uint32_t)(y < height ? y : period - y);
}

/* Row y as the stencil reads it, in memory that stays: in `line`, or in an image. */
static const void *kept_row(const struct band *band, uint32_t y, void *line)
{
    const struct row row = pre_row(band, y, line);
    if (row.own == NULL || row.own == line)
        return row.at;
    const struct zci_pass *pass = band->pass;
    return memcpy(line, row.at, (size_t)pass->width * zci_pixel_bytes(pass->loaded));
}

static void stencil_row(const struct band *band, struct ring *ring, uint32_t y, void *out)
{
    const struct zci_pass *pass = band->pass;
    const void *around[ZCI_RING_ROWS];
    for (; ring->next < pass->height && ring->next <= y + ring->reach; ring->next++) {
        const uint32_t at = ring->next % ZCI_RING_ROWS;
        ring->rows[at] = kept_row(band, ring->next, band->scratch->ring[at]);
    }
    for (int i = 0; i < ZCI_RING_ROWS; i++)
        around[i] = ring->rows[reflect((int64_t)y + i - 2, pass->height) % ZCI_RING_ROWS];
    const int deep = zci_stencil_depth(band->context->plan, pass) == 16;
    band->context->kernels->stencil[pass->stencil][deep](around, out, pass->width, y,
                                                         pass->loaded.cfa);
}

/* Row y of the output, in `wanted` if that is not NULL. */
static struct row finished_row(const struct band *band, struct ring *ring, uint32_t y, void *wanted)
{
    const struct zci_pass *pass = band->pass;
    void *first_out = pass->post_count == 0 ? wanted : NULL;
    struct row row;
    if (pass->stencil == ZCI_STENCIL_NONE) {
        row = pre_row(band, y, first_out);
    } else {
        row = own_row(first_out != NULL ? first_out : band->scratch->lines[1]);
        stencil_row(band, ring, y, row.own);
    }
    return apply(band, pass->post_first, pass->post_count, row, y, wanted);
}

static void clear_padding(const struct band *band, uint8_t *row)
{
    const struct zci_pass *pass = band->pass;
    const size_t used = (size_t)pass->width * zci_pixel_bytes(pass->pixel);
    memset(row + used, 0, band->context->plan->image_stride[pass->out] - used);
}

static void run_rows(const struct band *band, uint32_t first, uint32_t last, struct zci_sums *sums)
{
    const struct zci_pass *pass = band->pass;
    const zck_reduce_fn reduce =
        band->context->kernels->reduce[pass->reduce.kind][depth_index(pass->reduce.pixel)];
    struct ring ring = {.reach = pass->stencil == ZCI_STENCIL_BILINEAR ? 1 : 2};
    ring.next = first > ring.reach ? first - ring.reach : 0;
    for (uint32_t y = first; y < last; y++) {
        void *out = output_row(band, y);
        const struct row row = finished_row(band, &ring, y, out);
        if (out != NULL && row.at != out)
            memcpy(out, row.at, (size_t)pass->width * zci_pixel_bytes(pass->pixel));
        if (out != NULL)
            clear_padding(band, out);
        if (sums != NULL && pass->reduce.kind != ZCI_REDUCE_NONE)
            reduce(&pass->reduce, y % 2 && out != NULL ? output_row(band, y - 1) : NULL, row.at, y,
                   sums);
    }
}

static struct zcs_view view_of(const struct band *band, int8_t image)
{
    const struct zci_pass *pass = band->pass;
    return (struct zcs_view){.data = band->context->images[image],
                             .stride_bytes = band->context->plan->image_stride[image],
                             .width = pass->width,
                             .height = pass->height,
                             .format = zci_pixel_format(pass->pixel)};
}

static zcs_status run_custom(const struct band *band, uint32_t first, uint32_t last)
{
    const struct zci_pass *pass = band->pass;
    const struct zcs_custom_stage *stage = &band->context->plan->custom[pass->custom];
    const struct zcs_view in = view_of(band, pass->in), out = view_of(band, pass->out);
    const zcs_status status = stage->host_fn(stage->user, &in, &out, first, last);
    for (uint32_t y = first; y < last; y++)
        clear_padding(band, output_row(band, y));
    return status;
}

zcs_status zci_band_run(const struct zci_worker_context *context, const struct zci_pass *pass,
                        const struct zci_scratch *scratch, uint32_t first, uint32_t last,
                        struct zci_sums *sums)
{
    const struct band band = {.context = context, .pass = pass, .scratch = scratch};
    if (pass->custom >= 0)
        return run_custom(&band, first, last);
    run_rows(&band, first, last, sums);
    return ZCS_OK;
}
