/* SPDX-License-Identifier: MIT */
/* What each stage adds to a plan. */
#ifndef ZCI_CORE_PLAN_STAGE_H
#define ZCI_CORE_PLAN_STAGE_H

#include "core/plan_build.h"

/* Plans build->stage: checks that it fits what the rows hold, and adds it. */
zcs_status zci_plan_stage(struct zci_build *build);

/* 1 where the stage does nothing on a source with this greatest code, whatever its layout. */
int zci_stage_is_identity(const struct zci_stage *stage, uint32_t code_max);

/* What a gamma stage makes of a picture's transfer. Returns 0, and changes nothing, for sRGB's curve on a
 * picture that is encoded already. */
int zci_gamma_color(const struct zci_stage *stage, struct zcs_color *color);

#endif
