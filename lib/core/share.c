/* SPDX-License-Identifier: MIT */
/* Shares of a frame: all of it, the result's rows, or passes by their cost. */
#include "core/share.h"

#include "core/share_bands.h"
#include "core/share_cost.h"

#define REACH 2u /* rows that a stencil reads each way */

static struct zci_rows whole(const struct zci_pass *pass)
{
    return (struct zci_rows){0, pass->height};
}

struct zci_rows zci_share_input(const struct zci_pass *pass, struct zci_rows of)
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

void zci_team_one(const struct zci_plan *plan, uint32_t device, struct zci_team *out)
{
    *out = (struct zci_team){.plan = plan, .count = 1, .devices = {device}};
    for (uint32_t i = 0; i < plan->pass_count; i++)
        out->shares[0].rows[i] = out->shares[0].sums[i] = whole(&plan->passes[i]);
}

uint32_t zci_team_maker(const struct zci_team *team)
{
    uint32_t place = 0;
    while (place + 1 < team->count &&
           zci_rows_none(team->shares[place].rows[team->plan->pass_count - 1]))
        place++;
    return place;
}

void zci_team_bands(const struct zci_plan *plan, const uint32_t *devices, uint32_t count,
                    struct zci_team *out)
{
    zci_team_one(plan, devices[0], out);
    if (plan->passes[plan->pass_count - 1].custom >= 0)
        return;
    out->count = count;
    for (uint32_t i = 0; i < count; i++)
        out->devices[i] = devices[i];
    zci_bands_cut(plan, zci_bands_choose(plan, count), count, out->shares);
}

static uint64_t cost_of(const struct zci_pass *pass)
{
    return zci_pass_cost(pass, whole(pass));
}

/* How many passes from `first` on cost no more than `most`, at least one. */
static uint32_t take(const struct zci_plan *plan, uint32_t first, uint64_t most)
{
    uint64_t cost = 0;
    uint32_t end = first;
    while (end < plan->pass_count && (end == first || cost + cost_of(&plan->passes[end]) <= most))
        cost += cost_of(&plan->passes[end++]);
    return end - first;
}

static int fits(const struct zci_plan *plan, uint32_t count, uint64_t most)
{
    uint32_t first = 0;
    for (uint32_t i = 0; i < count && first < plan->pass_count; i++)
        first += take(plan, first, most);
    return first == plan->pass_count;
}

/* The least greatest part that `count` parts can have. */
static uint64_t least_part(const struct zci_plan *plan, uint32_t count)
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

void zci_team_relay(const struct zci_plan *plan, const uint32_t *devices, uint32_t count,
                    struct zci_team *out)
{
    const uint32_t parts = count < plan->pass_count ? count : plan->pass_count;
    const uint64_t most = least_part(plan, parts);
    uint32_t next = 0;
    *out = (struct zci_team){.plan = plan};
    for (uint32_t i = 0; i < parts; i++) {
        /* As many as fit, but one for each device behind. */
        uint32_t passes = take(plan, next, most);
        const uint32_t left = plan->pass_count - next - (parts - 1 - i);
        passes = passes < left ? passes : left;
        out->devices[out->count] = devices[i];
        for (uint32_t p = next; p < next + passes; p++)
            out->shares[out->count].rows[p] = out->shares[out->count].sums[p] =
                whole(&plan->passes[p]);
        out->count++;
        next += passes;
    }
}
