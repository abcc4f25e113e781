/* SPDX-License-Identifier: MIT */
/* Bands: rows of one pass from its input image to its output image, through the kernel table. */
#ifndef ZCI_BACKEND_HOST_BAND_H
#define ZCI_BACKEND_HOST_BAND_H

#include "core/plan.h"
#include "kernels/cpu/table.h"

#define ZCI_RING_ROWS 5 /* the stencils' reach in both directions, and the row itself */

/* The rows that one worker has between the steps of a pass. */
struct zci_scratch {
    uint8_t *lines[3];            /* the loaded row, then two rows in turn */
    uint8_t *ring[ZCI_RING_ROWS]; /* row r of the stencil's input is in ring[r % 5] */
};

/* Bytes that one scratch for any pass of `plan` needs: a multiple of 128. */
size_t zci_scratch_bytes(const struct zci_plan *plan);

/* Lays `scratch` out in zci_scratch_bytes of memory. */
void zci_scratch_init(struct zci_scratch *scratch, const struct zci_plan *plan, void *memory);

/* The images and states of one frame, as the workers of a pass use them. */
struct zci_worker_context {
    const struct zci_plan *plan;
    const struct zck_table *kernels;
    const uint8_t *source;
    uint8_t *images[3]; /* numbered as in plan.h */
    struct zci_dynamic states[ZCI_MAX_STATES];
};

/* Runs rows [first, last) of `pass`; `first` is even. Bytes of an output row behind its pixels are
 * set to 0, so that equal pictures are equal memory. Adds the pass's reduction over these rows to
 * `sums`, unless that is NULL. A status other than ZCS_OK comes from a custom stage. */
zcs_status zci_band_run(const struct zci_worker_context *context, const struct zci_pass *pass,
                        const struct zci_scratch *scratch, uint32_t first, uint32_t last,
                        struct zci_sums *sums);

#endif
