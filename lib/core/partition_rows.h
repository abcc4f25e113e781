/* SPDX-License-Identifier: MIT */
/* Cutting a frame into bands: rows of the result and of sums are given out; of every pass a device computes the
 * rows between the first and the last that its own are made of.
 *
 *   evenly      the result's rows and those of each reduction, each by their own height
 *   by a pass   that has a reduction: its rows and those of reductions before it evenly, all that come behind
 *               where their rows are made of those. Behind a crop or a flip a device's part lies where the even
 *               one does not, down to no rows at all, or counted from below
 *
 *   rows of the pass   |--- device 0 ---|--- device 1 ---|
 *   crop               .      |-- 0 ----|1|              .
 *   flip=v             .      |1|-- 0 ----|              .  */
#ifndef ZCI_CORE_PARTITION_ROWS_H
#define ZCI_CORE_PARTITION_ROWS_H

#include "core/partition.h"

#define ZCI_BANDS_EVEN UINT32_MAX

/* The shares of `count` devices, cut by pass `by` or ZCI_BANDS_EVEN. The last pass is none of the application's. */
void zci_bands_cut(const struct zci_plan *plan, uint32_t by, uint32_t count,
                   struct zci_partition *partitions);

/* By what to cut so that the greatest cost of a share is least; evenly where nothing is better. */
uint32_t zci_bands_choose(const struct zci_plan *plan, uint32_t count);

#endif
