/* SPDX-License-Identifier: MIT */
/* Shares of a frame: all of it, the result's rows, or passes by their cost. */
#include "core/partition.h"

#include "core/partition_rows.h"
#include "core/partition_cost.h"

#define REACH 2u /* rows that a stencil reads each way */

static struct zci_rows whole(const struct zci_pass *pass)
{
    return (struct zci_rows){0, pass->height};
}

struct zci_rows zci_partition_input(const struct zci_pass *pass, struct zci_rows of)
{
    if (zci_rows_none(of))
        return (struct zci_rows){0, 0};
    if (pass->custom >= 0)
        return (struct zci_rows){0, pass->in_height};
    const struct zci_window *w = &pass->window;
    const uint32_t halo = pass->stencil != ZCI_STENCIL_NONE ? REACH : 0;
    /* Rows mirrored at an edge lie within the same reach. */
    const uint32_t first = of.first > halo ? of.first - halo : 0;
    const uint32_t last = of.last + halo < pass->height ? of.last + halo : pass->height;
    if (w->flip_v)
        return (struct zci_rows){w->y + w->height - last, w->y + w->height - first};
    return (struct zci_rows){w->y + first, w->y + last};
}

void zci_group_one(const struct zci_plan *plan, uint32_t device, struct zci_group *out)
{
    *out = (struct zci_group){.plan = plan, .count = 1, .devices = {device}};
    for (uint32_t i = 0; i < plan->pass_count; i++)
        out->partitions[0].rows[i] = out->partitions[0].sums[i] = whole(&plan->passes[i]);
}

uint32_t zci_group_maker(const struct zci_group *group)
{
    uint32_t place = 0;
    while (place + 1 < group->count &&
           zci_rows_none(group->partitions[place].rows[group->plan->pass_count - 1]))
        place++;
    return place;
}

void zci_group_bands(const struct zci_plan *plan, const uint32_t *devices, uint32_t count,
                     struct zci_group *out)
{
    zci_group_one(plan, devices[0], out);
    if (plan->passes[plan->pass_count - 1].custom >= 0)
        return;
    out->count = count;
    for (uint32_t i = 0; i < count; i++)
        out->devices[i] = devices[i];
    zci_bands_cut(plan, zci_bands_choose(plan, count), count, out->partitions);
}

static uint64_t cost_of(const struct zci_pass *pass)
{
    return zci_pass_cost(pass, whole(pass));
}

/* How many passes from `first` on cost no more than `most`, at least one. */
static uint32_t take(const struct zci_plan *plan, uint32_t first, uint64_t max)
{
    uint64_t cost = 0;
    uint32_t end = first;
    while (end < plan->pass_count && (end == first || cost + cost_of(&plan->passes[end]) <= max))
        cost += cost_of(&plan->passes[end++]);
    return end - first;
}

static int fits(const struct zci_plan *plan, uint32_t count, uint64_t max)
{
    uint32_t first = 0;
    for (uint32_t i = 0; i < count && first < plan->pass_count; i++)
        first += take(plan, first, max);
    return first == plan->pass_count;
}

/* The least greatest part that `count` parts can have. */
static uint64_t min_part(const struct zci_plan *plan, uint32_t count)
{
    uint64_t low = 0, high = 0;
    for (uint32_t i = 0; i < plan->pass_count; i++) {
        const uint64_t cost = cost_of(&plan->passes[i]);
        low = cost > low ? cost : low;
        high += cost;
    }
    while (low < high) {
        const uint64_t middle = low + (high - low) / 2;
        if (fits(plan, count, middle))
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

void zci_group_relay(const struct zci_plan *plan, const uint32_t *devices, uint32_t count,
                     struct zci_group *out)
{
    const uint32_t parts = count < plan->pass_count ? count : plan->pass_count;
    const uint64_t max = min_part(plan, parts);
    uint32_t next = 0;
    *out = (struct zci_group){.plan = plan};
    for (uint32_t i = 0; i < parts; i++) {
        /* As many as fit, but one for each device behind. */
        uint32_t passes = take(plan, next, max);
        const uint32_t left = plan->pass_count - next - (parts - 1 - i);
        passes = passes < left ? passes : left;
        out->devices[out->count] = devices[i];
        for (uint32_t p = next; p < next + passes; p++)
            out->partitions[out->count].rows[p] = out->partitions[out->count].sums[p] =
                whole(&plan->passes[p]);
        out->count++;
        next += passes;
    }
}
