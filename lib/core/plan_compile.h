/* SPDX-License-Identifier: MIT */
/* From a chain of stages and a source's layout to a plan. */
#ifndef ZCI_CORE_PLAN_COMPILE_H
#define ZCI_CORE_PLAN_COMPILE_H

#include "core/log.h"
#include "core/plan.h"

struct zci_plan_params {
    const char *stages; /* NULL: the default chain */
    enum zcs_depth depth;
    const struct zcs_custom_stage *custom;
    uint32_t custom_count;
    uint32_t min_passes; /* passes are cut in two until there are so many, if that is possible */
};

/* Compiles `params` for `source`. Errors are logged with the stage and its position. The caller
 * finishes the plan with zci_plan_finish, also after a failure. */
zcs_status zci_plan_compile(struct zci_plan *plan, const struct zcs_image *source,
                            const struct zci_plan_params *params, const struct zci_log *log);

#endif
