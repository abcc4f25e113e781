/* SPDX-License-Identifier: MIT */
/* The caller's memory that kernels may read: ranges registered with CUDA, sorted, found by address.
 *
 *   (unknown) --registered: claimed, or kept for the next push--> KNOWN --frames begin to read--> IN USE
 *   KNOWN --the last claim released; not claimed, and room is needed; found unmapped--> (unknown)
 *
 * A range in use stays in the table. No two overlap: CUDA refuses that. `lock` is held for moments only,
 * so that frames never wait for a registration; `work` is held by whoever registers or lets go. */
#ifndef ZCI_BACKEND_CUDA_RANGES_H
#define ZCI_BACKEND_CUDA_RANGES_H

#include <pthread.h>

#include "zcstream/memory.h"
#include "zcstream/stream.h"
#include "backend/cuda/pieces.h"
#include "core/mark.h"

struct zci_cuda;

struct zci_cuda_range {
    struct zci_cuda_range *next; /* in lists of those taken out of the table */
    uint8_t *memory;
    size_t bytes;
    uint64_t claims;  /* registrations by the application that it has not released */
    uint64_t uses;    /* frames in it that are queued or being read */
    uint64_t used_at; /* the larger the later */
    int foreign;      /* pinned by somebody else, whose it stays */
    int stale;        /* was found to be another mapping than was registered */
    int doomed; /* released while in use: goes when something is registered or released next */
    enum zci_mark mark;
    const uint8_t *seen[ZCS_MAX_DEVICES]; /* by kernels of each device; NULL: not at all */
};

/* What the application registered, by the address that it will release. */
struct zci_cuda_claim {
    struct zci_cuda_claim *next;
    uint8_t *memory;
    size_t bytes;
    uint64_t count;
    struct zci_cuda_range *range; /* holds it; NULL: CUDA has lost it, frames in it are copied */
};

#define ZCI_CUDA_REFUSALS 8u

/* Memory that cannot be kept: not tried again for a while. */
struct zci_cuda_refusal {
    const uint8_t *memory;
    size_t bytes;
    int64_t until_ns;
};

struct zci_cuda_ranges {
    pthread_mutex_t work;          /* before `lock` */
    pthread_mutex_t lock;          /* of what follows */
    struct zci_cuda_range **table; /* by address */
    size_t count, capacity;
    struct zci_cuda_claim *claims;
    struct zci_cuda_pieces own; /* pinned by the backend; never in the table above for itself */
    uint64_t clock;
    struct zci_cuda_refusal refusals[ZCI_CUDA_REFUSALS];
    uint32_t next_refusal;
    uint32_t most_kept; /* ranges that nobody claims ... */
    uint64_t most_kept_bytes;
    struct zcs_memory_stats stats; /* `ranges` and `bytes` apart */
};

void zci_cuda_ranges_init(struct zci_cuda_ranges *ranges);

/* The rest is called under `lock`. */

/* The range that holds all of it, also a doomed or stale one; NULL: none. */
struct zci_cuda_range *zci_cuda_ranges_cover(const struct zci_cuda_ranges *ranges,
                                             const void *memory, size_t bytes);

/* The place of the first range that ends beyond `memory`; count: there is none. */
size_t zci_cuda_ranges_place(const struct zci_cuda_ranges *ranges, const void *memory);

/* ZCS_ERR_NOMEM: the table cannot grow. */
zcs_status zci_cuda_ranges_insert(struct zci_cuda_ranges *ranges, struct zci_cuda_range *range);
void zci_cuda_ranges_remove(struct zci_cuda_ranges *ranges, struct zci_cuda_range *range);

/* Of those that are kept and not in use the one unused for longest; NULL: none. Both sums count all that
 * are kept. */
struct zci_cuda_range *zci_cuda_ranges_oldest(const struct zci_cuda_ranges *ranges, uint32_t *kept,
                                              uint64_t *kept_bytes);

/* Which ends of the range lie on pages where a neighbour in the table has its mark: bits of mark.h. */
unsigned zci_cuda_ranges_shared(const struct zci_cuda_ranges *ranges,
                                const struct zci_cuda_range *range);

#endif
