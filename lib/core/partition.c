/* SPDX-License-Identifier: MIT */
/* Partitions of a frame: all of it, a row split, or a pipeline of passes by their cost. */
#include "core/partition.h"

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

/* Operations on one pixel. Custom stages are assumed to be expensive. */
#define COST_LOAD 2u
#define COST_STENCIL 6u
#define COST_CUSTOM 64u
/* Transferring one byte in either direction: an 8-bit 4K frame took 157 us over PCIe 5.0, and its
 * demosaicing, 8 operations a pixel, took 28 us in device memory (H200, November 2026). */
#define COST_BYTE 45u

static uint64_t pass_cost(const struct zci_pass *pass, struct zci_rows rows)
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
        cost += pass_cost(&plan->passes[i], partition->rows[i]);
    return cost;
}

/* How the rows of a pass are split: part i lies between edges i and i + 1. Edges descend after a
 * flip. */
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

/* Converts edges from the rows before the pass's window to the rows after it, clamped to the
 * window. */
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

/* Rounds to the nearest position at which rows may be cut. */
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

/* Adds what the result's rows and the sums need, from the last pass back to the source. */
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

void zci_partition_rows(const struct zci_plan *plan, uint32_t by, uint32_t count,
                        struct zci_partition *partitions)
{
    struct edges edges = {.at = {0}};
    for (uint32_t i = 0; i < count; i++)
        partitions[i] = (struct zci_partition){.rows = {{0, 0}}};
    for (uint32_t p = 0; p < plan->pass_count; p++) {
        const struct zci_pass *pass = &plan->passes[p];
        if (by == ZCI_SPLIT_EVENLY || p <= by)
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
    zci_partition_rows(plan, by, count, partitions);
    for (uint32_t i = 0; i < count; i++) {
        const uint64_t cost = zci_partition_cost(plan, &partitions[i]);
        greatest = cost > greatest ? cost : greatest;
    }
    return greatest;
}

uint32_t zci_partition_choose(const struct zci_plan *plan, uint32_t count)
{
    uint32_t best = ZCI_SPLIT_EVENLY;
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

void zci_group_one(const struct zci_plan *plan, uint32_t device, struct zci_group *out)
{
    *out = (struct zci_group){.plan = plan, .count = 1, .devices = {device}};
    for (uint32_t i = 0; i < plan->pass_count; i++)
        out->partitions[0].rows[i] = out->partitions[0].sums[i] = whole(&plan->passes[i]);
}

uint32_t zci_group_result_device(const struct zci_group *group)
{
    uint32_t i = 0;
    while (i + 1 < group->count &&
           zci_rows_none(group->partitions[i].rows[group->plan->pass_count - 1]))
        i++;
    return i;
}

void zci_group_split_rows(const struct zci_plan *plan, const uint32_t *devices, uint32_t count,
                          struct zci_group *out)
{
    zci_group_one(plan, devices[0], out);
    if (plan->passes[plan->pass_count - 1].custom >= 0)
        return;
    out->count = count;
    for (uint32_t i = 0; i < count; i++)
        out->devices[i] = devices[i];
    zci_partition_rows(plan, zci_partition_choose(plan, count), count, out->partitions);
}

static uint64_t cost_of(const struct zci_pass *pass)
{
    return pass_cost(pass, whole(pass));
}

/* How many passes from `first` on cost at most `max` together, at least one. */
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

/* The smallest cost of the most expensive part, for `count` parts. */
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

void zci_group_pipeline(const struct zci_plan *plan, const uint32_t *devices, uint32_t count,
                        struct zci_group *out)
{
    const uint32_t parts = count < plan->pass_count ? count : plan->pass_count;
    const uint64_t max = min_part(plan, parts);
    uint32_t next = 0;
    *out = (struct zci_group){.plan = plan};
    for (uint32_t i = 0; i < parts; i++) {
        /* As many as fit, but leave at least one for each device after this one. */
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
