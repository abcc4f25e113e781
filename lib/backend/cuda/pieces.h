/* SPDX-License-Identifier: MIT */
/* The pinned memory that the backend made itself, sorted, found by address: no question to CUDA about a frame
 * in it. Under ranges.lock. */
#ifndef ZCI_BACKEND_CUDA_PIECES_H
#define ZCI_BACKEND_CUDA_PIECES_H

#include "zcstream/base.h"
#include "zcstream/stream.h"

struct zci_cuda_piece {
    const uint8_t *memory;
    size_t bytes;
    void *seen[ZCS_MAX_DEVICES]; /* by kernels of each device; NULL: not at all */
};

struct zci_cuda_pieces {
    struct zci_cuda_piece **table; /* by address; not owned, but for the array */
    size_t count, capacity;
};

/* ZCS_ERR_NOMEM: the table cannot grow. */
zcs_status zci_cuda_pieces_insert(struct zci_cuda_pieces *pieces, struct zci_cuda_piece *piece);

/* Before its memory is let go, whose address may be anybody's then. Tolerates one that is not there. */
void zci_cuda_pieces_remove(struct zci_cuda_pieces *pieces, const struct zci_cuda_piece *piece);

/* The piece that holds all of it; NULL: none. */
const struct zci_cuda_piece *zci_cuda_pieces_cover(const struct zci_cuda_pieces *pieces,
                                                   const void *memory, size_t bytes);

#endif
