/* SPDX-License-Identifier: MIT */
/* Bands: what each device is given, and what that needs of the passes before. */
#include "core/partition_rows.h"

#include "core/partition_cost.h"

/* The rows of a pass in the devices' order: part i lies between edges i and i + 1, which descend behind a flip. */
struct edges {
    uint32_t at[ZCS_MAX_DEVICES + 1];
};

static struct edges cut_evenly(uint32_t height, uint32_t count)
{
    const uint64_t units = (height + ZCI_PARTITION_ROWS - 1) / ZCI_PARTITION_ROWS;
    struct edges edges;
    for (uint32_t i = 0; i <= count; i++) {
        const uint64_t at = units * i / count * ZCI_PARTITION_ROWS;
        edges.at[i] = at < height ? (uint32_t)at : height;
    }
    return edges;
}

/* From the rows before the pass's window to those behind it; what it leaves out ends at its sides. */
static void follow(struct edges *edges, uint32_t count, const struct zci_pass *pass)
{
    const struct zci_window *w = &pass->window;
    const uint32_t end = w->y + w->height;
    if (pass->custom >= 0)
        return;
    for (uint32_t i = 0; i <= count; i++) {
        uint32_t at = edges->at[i] < end ? edges->at[i] : end;
        at = at > w->y ? at : w->y;
        edges->at[i] = w->flip_v ? end - at : at - w->y;
    }
}

/* To the nearest place at which rows may be cut. */
static uint32_t round_edge(uint32_t at, uint32_t height)
{
    const uint64_t nearest =
        ((uint64_t)at + ZCI_PARTITION_ROWS / 2) / ZCI_PARTITION_ROWS * ZCI_PARTITION_ROWS;
    return at == height || nearest > height ? height : (uint32_t)nearest;
}

static struct zci_rows part(const struct edges *edges, uint32_t index, uint32_t height)
{
    const uint32_t a = round_edge(edges->at[index], height);
    const uint32_t b = round_edge(edges->at[index + 1], height);
    return a < b ? (struct zci_rows){a, b} : (struct zci_rows){b, a};
}

static struct zci_rows hull(struct zci_rows a, struct zci_rows b)
{
    if (zci_rows_none(a))
        return b;
    if (zci_rows_none(b))
        return a;
    return (struct zci_rows){a.first < b.first ? a.first : b.first,
                             a.last > b.last ? a.last : b.last};
}

static struct zci_rows round_out(struct zci_rows rows, uint32_t height)
{
    if (zci_rows_none(rows))
        return (struct zci_rows){0, 0};
    const uint64_t last =
        ((uint64_t)rows.last + ZCI_PARTITION_ROWS - 1) / ZCI_PARTITION_ROWS * ZCI_PARTITION_ROWS;
    return (struct zci_rows){rows.first / ZCI_PARTITION_ROWS * ZCI_PARTITION_ROWS,
                             last < height ? (uint32_t)last : height};
}

/* From the result's rows and the sums back to the source. */
static void add_needed(const struct zci_plan *plan, struct zci_partition *partition)
{
    struct zci_rows needed = partition->rows[plan->pass_count - 1];
    for (uint32_t i = plan->pass_count; i-- > 0;) {
        const struct zci_pass *pass = &plan->passes[i];
        needed = hull(needed, partition->sums[i]);
        if (pass->custom >= 0 && !zci_rows_none(needed))
            needed = (struct zci_rows){0, pass->height};
        partition->rows[i] = round_out(needed, pass->height);
        needed = zci_partition_input(pass, partition->rows[i]);
    }
}

void zci_bands_cut(const struct zci_plan *plan, uint32_t by, uint32_t count,
                   struct zci_partition *partitions)
{
    struct edges edges = {.at = {0}};
    for (uint32_t i = 0; i < count; i++)
        partitions[i] = (struct zci_partition){.rows = {{0, 0}}};
    for (uint32_t p = 0; p < plan->pass_count; p++) {
        const struct zci_pass *pass = &plan->passes[p];
        if (by == ZCI_BANDS_EVEN || p <= by)
            edges = cut_evenly(pass->height, count);
        else
            follow(&edges, count, pass);
        for (uint32_t i = 0; i < count; i++) {
            const struct zci_rows own = part(&edges, i, pass->height);
            if (pass->reduce.kind != ZCI_REDUCE_NONE)
                partitions[i].sums[p] = own;
            if (p + 1 == plan->pass_count)
                partitions[i].rows[p] = own;
        }
    }
    for (uint32_t i = 0; i < count; i++)
        add_needed(plan, &partitions[i]);
}

static uint64_t greatest_cost(const struct zci_plan *plan, uint32_t by, uint32_t count)
{
    struct zci_partition partitions[ZCS_MAX_DEVICES];
    uint64_t greatest = 0;
    zci_bands_cut(plan, by, count, partitions);
    for (uint32_t i = 0; i < count; i++) {
        const uint64_t cost = zci_partition_cost(plan, &partitions[i]);
        greatest = cost > greatest ? cost : greatest;
    }
    return greatest;
}

uint32_t zci_bands_choose(const struct zci_plan *plan, uint32_t count)
{
    uint32_t best = ZCI_BANDS_EVEN;
    uint64_t min = greatest_cost(plan, best, count);
    for (uint32_t p = 0; p < plan->pass_count; p++) {
        if (plan->passes[p].reduce.kind == ZCI_REDUCE_NONE)
            continue;
        const uint64_t cost = greatest_cost(plan, p, count);
        if (cost < min) {
            min = cost;
            best = p;
        }
    }
    return best;
}
