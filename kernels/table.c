/* SPDX-License-Identifier: MIT */
/* The kernel table of one variant: each kernel's header brings its rows as an initialiser. */
#include "kernels/table.h"
#include "kernels/variant.h"
#include "kernels/load.h"
#include "kernels/scale.h"
#include "kernels/gain.h"
#include "kernels/lookup.h"
#include "kernels/ccm.h"
#include "kernels/gray.h"
#include "kernels/demosaic.h"
#include "kernels/reduce.h"

static const struct zck_table table = {
    .name = ZCK_VARIANT_TEXT,
    .load = {ZCK_LOAD_ROWS},
    .op = {ZCK_SCALE_ROWS, ZCK_GAIN_ROWS, ZCK_LOOKUP_ROWS, ZCK_CCM_ROWS, ZCK_GRAY_ROWS},
    .stencil = {ZCK_DEMOSAIC_ROWS},
    .reduce = {ZCK_REDUCE_ROWS},
};

const struct zck_table *ZCK_NAME(zck_table)(void)
{
    return &table;
}
