/* SPDX-License-Identifier: MIT */
/* The copying routes' chunks: rows of the source that are copied to the frame context before a pass reads them.
 * Chunks are taken from the top, or from the bottom where the first pass flips the picture. */
#ifndef ZCI_BACKEND_HOST_ROUTE_H
#define ZCI_BACKEND_HOST_ROUTE_H

#include "core/plan.h"

struct zci_chunks {
    uint32_t rows; /* of a chunk: even, so that no chroma row belongs to two */
    uint32_t count;
    int upwards;
};

struct zci_chunks zci_chunks_make(const struct zci_plan *plan);

/* Copies the index-th chunk of the source image; returns the bytes copied. */
uint64_t zci_chunk_copy(const struct zci_chunks *chunks, const struct zci_plan *plan,
                        const uint8_t *from, uint8_t *to, uint32_t index);

/* How many rows of `pass`, from row 0 on, can be processed once `copied` chunks are there: even, or all. */
uint32_t zci_chunks_ready(const struct zci_chunks *chunks, const struct zci_plan *plan,
                          const struct zci_pass *pass, uint32_t copied);

#endif
