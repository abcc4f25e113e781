/* SPDX-License-Identifier: MIT */
/* What the kernels of a frame context compute, on the CPU and the moment they are launched: for
 * stand-ins of CUDA, whose device memory is the host's. */
#ifndef ZCS_TESTS_GPU_PLAIN_KERNELS_H
#define ZCS_TESTS_GPU_PLAIN_KERNELS_H

#include "check.h"

#include "backend/cuda/frame_ctx.h"
#include "backend/host/band.h"
#include "kernels/cuda/pass.h"
#include "kernels/reduce_pixel.h"

/* What loaders bring: of each plane the rows that the share needs. */
static inline void plain_load_lines(const struct zci_plan *plan,
                                    const struct zck_cuda_transfer *transfer)
{
    const size_t end = transfer->planes[0].begin_bytes - plan->load.offset_bytes[0] -
                       transfer->first_row * transfer->planes[0].stride_bytes +
                       plan->source.size_bytes;
    for (uint32_t p = 0; p < transfer->plane_count; p++) {
        const size_t from = transfer->planes[p].begin_bytes;
        const size_t to = from + transfer->planes[p].rows * transfer->planes[p].stride_bytes;
        memcpy(transfer->staging + from, transfer->lines + from, (to < end ? to : end) - from);
    }
}

static inline void plain_rows(const struct zci_worker_context *context, const struct zci_pass *pass,
                              const struct zci_scratch *scratch, uint32_t first, uint32_t last,
                              struct zci_sums *sums)
{
    if (first < last)
        CHECK_EQ(zci_band_run(context, pass, scratch, first, last, sums), ZCS_OK);
}

/* Rows without their sums, with them, and without again. */
static inline void plain_tiles(const struct zci_worker_context *context,
                               const struct zci_pass *pass, const struct zck_cuda_pass *p,
                               struct zci_sums *sums)
{
    struct zci_scratch scratch;
    uint8_t *memory = malloc(zci_scratch_bytes(context->plan));
    const uint32_t end = p->first_row + p->tiles / p->tiles_x * ZCK_CUDA_TILE_HEIGHT;
    const uint32_t first = p->first_row, last = end < p->height ? end : p->height;
    const int adds = p->sum_first < p->sum_last && pass->reduce.kind != ZCI_REDUCE_NONE;
    const uint32_t from = adds ? p->sum_first : last, to = adds ? p->sum_last : last;
    CHECK(first < last && first <= from && to <= last);
    zci_scratch_init(&scratch, context->plan, memory);
    plain_rows(context, pass, &scratch, first, from, NULL);
    plain_rows(context, pass, &scratch, from, to, sums);
    plain_rows(context, pass, &scratch, to, last, NULL);
    free(memory);
}

static inline void plain_pass(const struct zci_cuda_frame_ctx *fctx, uint32_t index)
{
    const struct zci_pass *pass = &fctx->plan->passes[index];
    const struct zck_cuda_pass *p = &fctx->steps[index].pass;
    struct zck_cuda_device_state *state = p->finish.state;
    struct zci_worker_context context = {
        .plan = fctx->plan, .kernels = zck_table_best(), .source = index == 0 ? p->in : NULL};
    struct zci_sums sums;
    CHECK(fctx->steps[index].kernel != NULL && pass->custom < 0);
    if (index == 0 && p->transfer.loaders > 0)
        plain_load_lines(fctx->plan, &p->transfer);
    for (int i = 0; i < 3; i++)
        context.images[i] = i == pass->out ? p->out : fctx->images[i];
    memcpy(context.states, state->states, sizeof context.states);
    zci_sums_init(&sums);
    plain_tiles(&context, pass, p, &sums);
    if (pass->reduce.kind != ZCI_REDUCE_NONE && p->finish.partial)
        state->partial_sums[pass->reduce.state] = sums;
    else if (pass->reduce.kind != ZCI_REDUCE_NONE)
        zci_sums_finish(&pass->reduce, &sums, &state->states[pass->reduce.state]);
}

static inline void plain_combine(const struct zck_cuda_combine *c)
{
    struct zci_sums total;
    zci_sums_init(&total);
    for (uint32_t i = 0; i < c->count; i++)
        zci_sums_merge(&total, &c->parts[i]);
    zci_sums_finish(&c->reduce, &total, &c->state->states[c->reduce.state]);
}

static inline void plain_signal(const struct zck_cuda_finish *f)
{
    if (f->report == NULL)
        return;
    f->report->digest = f->digest_state >= 0 ? f->state->states[f->digest_state].digest : 0;
    f->report->frame = f->frame;
}

#endif
