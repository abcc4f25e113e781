/* SPDX-License-Identifier: MIT */
/* The kernel table of one variant: each kernel's header brings its rows as an initialiser. */
#include "kernels/cpu/table.h"
#include "kernels/cpu/variant.h"
#include "kernels/cpu/load.h"
#include "kernels/cpu/scale.h"
#include "kernels/cpu/gain.h"
#include "kernels/cpu/lookup.h"
#include "kernels/cpu/ccm.h"
#include "kernels/cpu/gray.h"
#include "kernels/cpu/demosaic.h"
#include "kernels/cpu/reduce.h"

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
