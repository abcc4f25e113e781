/* SPDX-License-Identifier: MIT */
/* What the kernels of a lane compute, on the CPU and the moment they are launched: for stand-ins of CUDA, whose
 * device memory is the host's. */
#ifndef ZCS_TESTS_GPU_PLAIN_KERNELS_H
#define ZCS_TESTS_GPU_PLAIN_KERNELS_H

#include "check.h"

#include "backend/cuda/lane.h"
#include "backend/host/band.h"
#include "kernels/cuda_combine.h"
#include "kernels/sums.h"

/* What loaders bring: of each plane the rows that the share needs. */
static inline void plain_load_lines(const struct zci_plan *plan, const struct zck_cuda_flow *flow)
{
    const size_t end = flow->planes[0].begin_bytes - plan->load.offset_bytes[0] -
                       flow->first_row * flow->planes[0].stride_bytes + plan->source.size_bytes;
    for (uint32_t p = 0; p < flow->plane_count; p++) {
        const size_t from = flow->planes[p].begin_bytes;
        const size_t to = from + flow->planes[p].rows * flow->planes[p].stride_bytes;
        memcpy(flow->staging + from, flow->lines + from, (to < end ? to : end) - from);
    }
}

static inline void plain_rows(const struct zci_bench *bench, const struct zci_pass *pass,
                              const struct zci_scratch *scratch, uint32_t first, uint32_t last,
                              struct zci_sums *sums)
{
    if (first < last)
        CHECK_EQ(zci_band_run(bench, pass, scratch, first, last, sums), ZCS_OK);
}

/* Rows without their sums, with them, and without again. */
static inline void plain_tiles(const struct zci_bench *bench, const struct zci_pass *pass,
                               const struct zck_cuda_pass *p, struct zci_sums *sums)
{
    struct zci_scratch scratch;
    uint8_t *memory = malloc(zci_scratch_bytes(bench->plan));
    const uint32_t end = p->first_row + p->tiles / p->tiles_x * ZCK_CUDA_TILE_HEIGHT;
    const uint32_t first = p->first_row, last = end < p->height ? end : p->height;
    const int adds = p->sum_first < p->sum_last && pass->reduce.kind != ZCI_REDUCE_NONE;
    const uint32_t from = adds ? p->sum_first : last, to = adds ? p->sum_last : last;
    CHECK(first < last && first <= from && to <= last);
    zci_scratch_init(&scratch, bench->plan, memory);
    plain_rows(bench, pass, &scratch, first, from, NULL);
    plain_rows(bench, pass, &scratch, from, to, sums);
    plain_rows(bench, pass, &scratch, to, last, NULL);
    free(memory);
}

static inline void plain_pass(const struct zci_cuda_lane *lane, uint32_t index)
{
    const struct zci_pass *pass = &lane->plan->passes[index];
    const struct zck_cuda_pass *p = &lane->steps[index].pass;
    struct zck_cuda_board *board = p->finish.board;
    struct zci_bench bench = {
        .plan = lane->plan, .kernels = zck_table_best(), .source = index == 0 ? p->in : NULL};
    struct zci_sums sums;
    CHECK(lane->steps[index].kernel != NULL && pass->custom < 0);
    if (index == 0 && p->flow.loaders > 0)
        plain_load_lines(lane->plan, &p->flow);
    for (int i = 0; i < 3; i++)
        bench.images[i] = i == pass->out ? p->out : lane->images[i];
    memcpy(bench.states, board->states, sizeof bench.states);
    zci_sums_init(&sums);
    plain_tiles(&bench, pass, p, &sums);
    if (pass->reduce.kind != ZCI_REDUCE_NONE && p->finish.partial)
        board->parts[pass->reduce.state] = sums;
    else if (pass->reduce.kind != ZCI_REDUCE_NONE)
        zci_sums_finish(&pass->reduce, &sums, &board->states[pass->reduce.state]);
}

static inline void plain_combine(const struct zck_cuda_combine *c)
{
    struct zci_sums total;
    zci_sums_init(&total);
    for (uint32_t i = 0; i < c->count; i++)
        zci_sums_merge(&total, &c->parts[i]);
    zci_sums_finish(&c->reduce, &total, &c->board->states[c->reduce.state]);
}

static inline void plain_signal(const struct zck_cuda_finish *f)
{
    if (f->report == NULL)
        return;
    f->report->digest = f->digest_state >= 0 ? f->board->states[f->digest_state].digest : 0;
    f->report->frame = f->frame;
}

#endif
