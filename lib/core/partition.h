/* SPDX-License-Identifier: MIT */
/* Partitions: which rows of which passes each of several devices computes. Together they make the
 * same bits as one device alone.
 *
 *   row split  (dispatch "bands"): each device computes some of the result's rows, and what these
 *              rows need of every pass
 *   pipeline   (dispatch "relay"): each device computes some of the passes, one after the other
 *
 * Every cut is at a multiple of ZCI_PARTITION_ROWS, or at the end of a pass. */
#ifndef ZCI_CORE_PARTITION_H
#define ZCI_CORE_PARTITION_H

#include "core/plan.h"

#define ZCI_PARTITION_ROWS 16u /* even, and the height of a kernel's tiles */

struct zci_rows {
    uint32_t first, last; /* [first, last); empty where they are equal */
};

struct zci_partition {
    /* Of each pass's output: the rows that are computed, and those that are added up where the pass
     * has a reduction. In the sums, no row belongs to two devices. */
    struct zci_rows rows[ZCI_MAX_PASSES], sums[ZCI_MAX_PASSES];
};

/* The devices that run a frame, each with its partition. */
struct zci_group {
    const struct zci_plan *plan;
    uint32_t count;
    uint32_t devices[ZCS_MAX_DEVICES];
    struct zci_partition partitions[ZCS_MAX_DEVICES];
};

static inline int zci_rows_none(struct zci_rows rows)
{
    return rows.first >= rows.last;
}

static inline struct zci_rows zci_rows_both(struct zci_rows a, struct zci_rows b)
{
    const struct zci_rows both = {a.first > b.first ? a.first : b.first,
                                  a.last < b.last ? a.last : b.last};
    return zci_rows_none(both) ? (struct zci_rows){0, 0} : both;
}

/* One device computes the whole frame. */
void zci_group_one(const struct zci_plan *plan, uint32_t device, struct zci_group *out);

/* A row split, cut as zci_partition_choose says. Where the last pass is a custom stage, which has
 * no rows on a GPU, the first device computes everything. Some devices may get no rows of the
 * result, or no work at all. */
void zci_group_split_rows(const struct zci_plan *plan, const uint32_t *devices, uint32_t count,
                          struct zci_group *out);

/* A pipeline, cut between passes so that the most expensive part is as cheap as possible by
 * estimate. With fewer passes than devices, some devices are left out: out->count says how many
 * take part. */
void zci_group_pipeline(const struct zci_plan *plan, const uint32_t *devices, uint32_t count,
                        struct zci_group *out);

/* The index of the first device that computes rows of the result. */
uint32_t zci_group_result_device(const struct zci_group *group);

/* The rows of a pass's input that the rows `of` of its output need. */
struct zci_rows zci_partition_input(const struct zci_pass *pass, struct zci_rows of);

#define ZCI_SPLIT_EVENLY UINT32_MAX

/* Splits rows among `count` devices, by pass `by` or ZCI_SPLIT_EVENLY. The last pass is not a
 * custom stage. Rows of the result and of reductions are split; of every pass a device computes the
 * rows between the first and the last that its own rows need.
 *
 *   evenly     the result's rows and those of each reduction are each split by their own height
 *   by a pass  that has a reduction: its rows, and those of reductions before it, are split
 *              evenly; the rows after it follow. After a crop or a flip, a device's part is not
 *              where an even split puts it: it may be empty, and parts may run from the bottom up
 *
 *   rows of the pass   |--- device 0 ---|--- device 1 ---|
 *   crop               .      |-- 0 ----|1|              .
 *   flip=v             .      |1|-- 0 ----|              .  */
void zci_partition_rows(const struct zci_plan *plan, uint32_t by, uint32_t count,
                        struct zci_partition *partitions);

/* The pass to split by that makes the greatest cost of a partition least; ZCI_SPLIT_EVENLY where
 * none is better. */
uint32_t zci_partition_choose(const struct zci_plan *plan, uint32_t count);

/* The estimated cost of everything that a device does for a frame, in operations on one pixel: it
 * reads rows of the source, computes rows of each pass, and writes rows of the result to host
 * memory, one after the other. */
uint64_t zci_partition_cost(const struct zci_plan *plan, const struct zci_partition *partition);

#endif
