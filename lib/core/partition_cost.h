/* SPDX-License-Identifier: MIT */
/* What parts of a frame cost by estimate, in what an operation on a pixel takes. */
#ifndef ZCI_CORE_PARTITION_COST_H
#define ZCI_CORE_PARTITION_COST_H

#include "core/partition.h"

/* Computing rows of a pass's output. */
uint64_t zci_pass_cost(const struct zci_pass *pass, struct zci_rows rows);

/* All that a device does of a frame: it brings rows of the source, computes those of each pass, and writes those
 * of the result to host memory, one after the other. */
uint64_t zci_partition_cost(const struct zci_plan *plan, const struct zci_partition *partition);

#endif
