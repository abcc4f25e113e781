/* SPDX-License-Identifier: MIT */
/* The kernel table: one slot for each row function. Every variant of the table gives the same bits;
 * the parity test compares all slots. All row functions are pure: any thread, no state, no
 * allocation.
 *
 * `d` indexes depth: 0 for 8 bits, 1 for 16. Rows are aligned to their sample size only. */
#ifndef ZCK_CPU_TABLE_H
#define ZCK_CPU_TABLE_H

#include "core/plan.h"

/* One source row, all load->width pixels, into `out` (pixels of load->pixel). `plane[p]` is the
 * first byte of plane p; the function applies y, vsub and the strides, and never reads beyond a
 * row's zcs_image_min_stride bytes (packed formats with whole groups in the stride: beyond the
 * stride). */
typedef void (*zck_load_fn)(const struct zci_load *load, const uint8_t *const plane[ZCS_MAX_PLANES],
                            uint32_t y, void *out);

/* `width` pixels of row y (for the CFA phase; x begins at 0). `out` may equal `in` where both
 * pixels have the same size, else they do not overlap. `dynamic` is the frame's array of states,
 * `tables` the plan's. */
typedef void (*zck_op_fn)(const struct zci_op *op, const struct zci_dynamic *dynamic,
                          const struct zci_table *tables, const void *in, void *out, uint32_t width,
                          uint32_t y);

/* BAYER to RGBA: rows[2] is row y, rows[0] is y - 2. The caller mirrors the edges vertically, the
 * function horizontally (index -1 is 1, width is width - 2; period 2 * (width - 1)). width >= 2.
 * `cfa` is red's place for even y. BILINEAR reads rows[1..3] only. */
typedef void (*zck_stencil_fn)(const void *const rows[5], void *out, uint32_t width, uint32_t y,
                               uint32_t cfa);

/* Adds row y to `sums`. `above` is row y - 1 of the same image for odd y, where BAYER cells are
 * summed, and NULL for even y. */
typedef void (*zck_reduce_fn)(const struct zci_reduce *reduce, const void *above, const void *row,
                              uint32_t y, struct zci_sums *sums);

struct zck_table {
    const char *name;
    /* [unpack][d of load->pixel]. MONO and BAYER kinds fill the depth that their codes need, others
     * both. */
    zck_load_fn load[ZCI_UNPACK_COUNT][2];
    /* [kind][d of in][d of out]. GAIN, CCM and GRAY keep the depth: their other slots are NULL. */
    zck_op_fn op[ZCI_OP_COUNT][2][2];
    zck_stencil_fn stencil[ZCI_STENCIL_COUNT][2];
    zck_reduce_fn reduce[ZCI_REDUCE_COUNT][2];
};

/* The variants: the same sources compiled three times.
 *   scalar  the reference: no vectorisation
 *   base    vectorised for the target's baseline instruction set
 *   v3      vectorised for x86-64-v3: call its functions only where zck_table_best returns it;
 *           NULL on other architectures */
const struct zck_table *zck_table_scalar(void);
const struct zck_table *zck_table_base(void);
const struct zck_table *zck_table_v3(void);

/* The fastest that this processor runs. */
const struct zck_table *zck_table_best(void);

#endif
