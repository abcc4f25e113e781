/* SPDX-License-Identifier: MIT */
/* Cutting a pass in two, for devices that run a chain one behind the other. */
#ifndef ZCI_CORE_PLAN_CUT_H
#define ZCI_CORE_PLAN_CUT_H

#include "core/plan.h"

/* Cuts the pass with the most steps where both halves have about as many; the rows between them become an
 * image, with no change to any sample. Images are assigned anew by the caller. 0: nothing can be cut. */
int zci_plan_cut(struct zci_plan *plan);

#endif
