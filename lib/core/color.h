/* SPDX-License-Identifier: MIT */
/* Color spaces: their defaults, and the coefficients from Y'CbCr to R'G'B'. */
#ifndef ZCI_CORE_COLOR_H
#define ZCI_CORE_COLOR_H

#include "zcstream/format.h"
#include "core/plan.h"

/* `wanted` with its AUTO members replaced by V4L2's default rules for `format`. */
struct zcs_color zci_color_resolve(enum zcs_pixfmt format, struct zcs_color wanted);

/* 1 where every member is a value of its enum, and gamma_milli is set for POWER. */
int zci_color_in_range(const struct zcs_color *color);

/* The coefficients from samples of `bits` (8 to 16) to `out_depth` (8 or 16); `color` is resolved.
 * Green is ky * (Y - y_sub) + kgu * (U - c_sub) + kgv * (V - c_sub), its kgu and kgv being
 * negative. Every coefficient fits int32_t, and at depth 8 with up to 10 bits every sum does. */
struct zci_yuv zci_yuv_make(struct zcs_color color, uint32_t bits, uint32_t out_depth);

#endif
