/* SPDX-License-Identifier: MIT */
/* Tone curves as tables. */
#ifndef ZCI_CORE_PLAN_CURVE_H
#define ZCI_CORE_PLAN_CURVE_H

#include "core/plan.h"

/* A table from full-range samples of in_depth to those of out_depth: the sRGB curve (IEC 61966-2-1) for
 * `gamma` 0, else v^(1 / gamma). Correctly rounded, half up. The caller frees out->data. */
zcs_status zci_curve_make(struct zci_table *out, uint8_t in_depth, uint8_t out_depth, double gamma);

#endif
