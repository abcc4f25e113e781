/* SPDX-License-Identifier: MIT */
/* The plan of a chain for frames of one format. */
#ifndef ZCS_TESTS_PLAN_MAKE_H
#define ZCS_TESTS_PLAN_MAKE_H

#include "check.h"
#include "core/plan_compile.h"

static inline void plan_make(struct zci_plan *plan, enum zcs_pixfmt format, uint32_t width,
                             uint32_t height, const struct zci_plan_params *params)
{
    const struct zci_log quiet = {.fn = NULL};
    struct zcs_image image;
    CHECK_EQ(zcs_image_init(&image, format, width, height, 0), ZCS_OK);
    CHECK_EQ(zci_plan_compile(plan, &image, params, &quiet), ZCS_OK);
}

#endif
