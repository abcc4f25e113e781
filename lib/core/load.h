/* SPDX-License-Identifier: MIT */
/* The load step of a plan: how a source image's rows become working pixels. */
#ifndef ZCI_CORE_LOAD_H
#define ZCI_CORE_LOAD_H

#include "core/plan.h"

/* `image` passed zcs_image_check. `depth` (8 or 16) is what YUV and RGB formats load to; MONO and BAYER
 * load codes of 8 bits if image->bits <= 8, else 16. */
void zci_load_make(struct zci_load *out, const struct zcs_image *image, uint32_t depth);

#endif
