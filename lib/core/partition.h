/* SPDX-License-Identifier: MIT */
/* Shares: which rows of which passes each of several devices computes, so that together they make the
 * frame that one would have made, to the bit.
 *
 *   bands   each device a part of the result's rows, and of every pass what that part needs
 *   relay   each device some of the passes, one behind the other
 *
 * Every cut is at a multiple of ZCI_PARTITION_ROWS, or at a pass's end. */
#ifndef ZCI_CORE_PARTITION_H
#define ZCI_CORE_PARTITION_H

#include "core/plan.h"

#define ZCI_PARTITION_ROWS 16u /* even, and the height of a kernel's tiles */

struct zci_rows {
    uint32_t first, last; /* [first, last); none where they are the same */
};

struct zci_partition {
    struct zci_rows rows[ZCI_MAX_PASSES]; /* of each pass's output: what is computed ... */
    struct zci_rows sums[ZCI_MAX_PASSES]; /* ... and added up where the pass has a reduction: no row
                                               belongs to two devices */
};

/* The devices that run a frame, each with its share. */
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

/* One device, and all of the frame. */
void zci_group_one(const struct zci_plan *plan, uint32_t device, struct zci_group *out);

/* Cut as partition_bands.h says. Where the last pass is a stage of the application's, which knows no rows on a GPU,
 * the first device does it all. Devices may be left without rows of the result, or without any work. */
void zci_group_bands(const struct zci_plan *plan, const uint32_t *devices, uint32_t count,
                     struct zci_group *out);

/* Cuts between passes, where the greatest part is least by estimate. Devices are left out where there are
 * fewer passes: the device group's count says how many take part. */
void zci_group_relay(const struct zci_plan *plan, const uint32_t *devices, uint32_t count,
                     struct zci_group *out);

/* The place of the first device that makes rows of the result. */
uint32_t zci_group_maker(const struct zci_group *group);

/* The rows of a pass's input that rows `of` its output need. */
struct zci_rows zci_partition_input(const struct zci_pass *pass, struct zci_rows of);

#define ZCI_BANDS_EVEN UINT32_MAX

/* The shares of `count` devices, cut by pass `by` or ZCI_BANDS_EVEN. The last pass is none of the application's. */
void zci_bands_cut(const struct zci_plan *plan, uint32_t by, uint32_t count,
                   struct zci_partition *partitions);

/* By what to cut so that the greatest cost of a share is least; evenly where nothing is better. */
uint32_t zci_bands_choose(const struct zci_plan *plan, uint32_t count);

/* Computing rows of a pass's output. */
uint64_t zci_pass_cost(const struct zci_pass *pass, struct zci_rows rows);

/* All that a device does of a frame: it brings rows of the source, computes those of each pass, and writes those
 * of the result to host memory, one after the other. */
uint64_t zci_partition_cost(const struct zci_plan *plan, const struct zci_partition *partition);

#endif
