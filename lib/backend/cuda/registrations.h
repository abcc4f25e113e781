/* SPDX-License-Identifier: MIT */
/* The caller's memory that kernels may read: ranges registered with CUDA.
 *
 *   (unknown) --registered: claimed, or kept for the next push--> KNOWN --frames begin to read--> IN USE
 *   KNOWN --the last claim released; not claimed, and room is needed; found unmapped--> (unknown)
 *
 * A range in use stays in the table. No two overlap: CUDA refuses that. `lock` is held for moments only,
 * so that frames never wait for a registration; `work` is held by whoever registers or lets go. */
#ifndef ZCI_BACKEND_CUDA_REGISTRATIONS_H
#define ZCI_BACKEND_CUDA_REGISTRATIONS_H

#include <pthread.h>

#include "zcstream/memory.h"
#include "zcstream/stream.h"
#include "backend/cuda/range_table.h"
#include "os/mlock_tag.h"

struct zci_cuda;

struct zci_cuda_range {
    struct zci_cuda_mapping mapping; /* first: zci_cuda_range_of() */
    struct zci_cuda_range *next;     /* in lists of those taken out of the table */
    uint64_t claims;                 /* registrations by the application that it has not released */
    uint64_t uses;                   /* frames in it that are queued or being read */
    uint64_t used_at;                /* the larger the later */
    int foreign;                     /* pinned by somebody else, whose it stays */
    int stale;                       /* was found to be another mapping than was registered */
    int doomed; /* released while in use: goes when something is registered or released next */
    enum zci_mlock_tag tag;
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

struct zci_cuda_registrations {
    pthread_mutex_t work;              /* before `lock` */
    pthread_mutex_t lock;              /* of what follows */
    struct zci_cuda_range_table known; /* of each range its `span` */
    struct zci_cuda_claim *claims;
    struct zci_cuda_range_table
        own; /* pinned by the backend itself, in `known` only if registered too */
    uint64_t clock;
    struct zci_cuda_refusal refusals[ZCI_CUDA_REFUSALS];
    uint32_t next_refusal;
    uint32_t max_kept; /* ranges that nobody claims ... */
    uint64_t max_kept_bytes;
    struct zcs_memory_stats stats; /* `ranges` and `bytes` apart */
};

/* Of one in `known`, or NULL. Those found may be doomed or stale. */
static inline struct zci_cuda_range *zci_cuda_range_of(struct zci_cuda_mapping *mapping)
{
    return (struct zci_cuda_range *)mapping;
}

void zci_cuda_registrations_init(struct zci_cuda_registrations *registrations);

/* The rest is called under `lock`. */

/* Of those that are kept and not in use the one unused for longest; NULL: none. Both sums count all that
 * are kept. */
struct zci_cuda_range *
zci_cuda_registrations_oldest(const struct zci_cuda_registrations *registrations, uint32_t *kept,
                              uint64_t *cached_bytes);

/* Which ends of the range lie on pages where a neighbour in the table has its mark: bits of mark.h. */
unsigned zci_cuda_registrations_shared(const struct zci_cuda_registrations *registrations,
                                       const struct zci_cuda_range *range);

#endif
