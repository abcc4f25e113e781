/* SPDX-License-Identifier: MIT */
/* Estimates: of a pass's steps by pixel, of what goes over the bus by byte. */
#include "core/partition_cost.h"

/* Of a pixel's steps; the application's stages are taken for expensive. */
#define COST_LOAD 2u
#define COST_STENCIL 6u
#define COST_CUSTOM 64u
/* Of a byte, either way: a 4K frame of 8 bits came over PCIe 5.0 in 157 us, and its demosaicing, 8 steps a pixel,
 * took 28 us in device memory (H200, November 2026). */
#define COST_BYTE 45u

uint64_t zci_pass_cost(const struct zci_pass *pass, struct zci_rows rows)
{
    uint64_t each = COST_LOAD + pass->pre_count + pass->post_count;
    each += pass->stencil != ZCI_STENCIL_NONE ? COST_STENCIL : 0;
    each += pass->custom >= 0 ? COST_CUSTOM : 0;
    each += pass->reduce.kind != ZCI_REDUCE_NONE;
    return each * pass->width * (rows.last - rows.first);
}

uint64_t zci_partition_cost(const struct zci_plan *plan, const struct zci_partition *partition)
{
    const struct zci_rows in = zci_partition_input(&plan->passes[0], partition->rows[0]);
    const struct zci_rows out = partition->rows[plan->pass_count - 1];
    uint64_t bytes = (uint64_t)plan->source.size_bytes / plan->load.height * (in.last - in.first);
    bytes += (uint64_t)plan->image_stride[0] * (out.last - out.first);
    uint64_t cost = bytes * COST_BYTE;
    for (uint32_t i = 0; i < plan->pass_count; i++)
        cost += zci_pass_cost(&plan->passes[i], partition->rows[i]);
    return cost;
}
