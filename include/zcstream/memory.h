/* SPDX-License-Identifier: MIT */
/* Memory by role. A role says who writes and who reads; the backend knows which flags that takes. */
#ifndef ZCSTREAM_MEMORY_H
#define ZCSTREAM_MEMORY_H

#include "zcstream/base.h"

#ifdef __cplusplus
extern "C" {
#endif

enum zcs_role {
    ZCS_ROLE_INGEST,        /* camera or CPU writes once, kernels read: write-combined on a GPU */
    ZCS_ROLE_INGEST_CACHED, /* the same, where the CPU reads too or a driver writes through its cache */
    ZCS_ROLE_READBACK,      /* kernels write, CPU reads: never write-combined */
    ZCS_ROLE_DEVICE,        /* kernels only */
};

/* What a piece of memory turned out to be. */
enum zcs_memory {
    ZCS_MEMORY_NONE,
    ZCS_MEMORY_PAGEABLE, /* ordinary memory: the host backend's */
    ZCS_MEMORY_CACHED,   /* pinned and mapped */
    ZCS_MEMORY_WC,       /* pinned, mapped and write-combined: do not read it with the CPU */
    ZCS_MEMORY_DEVICE,
    ZCS_MEMORY_USER, /* the caller's own, given to push */
};

/* "pageable", "cached", "wc", "device", "user", "none". */
const char *zcs_memory_name(enum zcs_memory memory);

/* Page-aligned, whole pages, content undefined. Any thread. Freed with zcs_memory_free and nothing
 * else, before the context is closed and after the frames pushed in it were released; those need no
 * registration. ZCS_ERR_NOMEM, ZCS_ERR_UNSUPPORTED (a role without host address
 * is asked for on the host backend: there ZCS_ROLE_DEVICE is ordinary memory). */
zcs_status zcs_memory_alloc(zcs_context *ctx, enum zcs_role role, size_t bytes,
                            void **out) ZCS_MUST_CHECK;

/* Accepts NULL content, sets NULL. Any thread. */
void zcs_memory_free(zcs_context *ctx, void **memory);

/* Makes memory of the caller's readable by kernels until it is released; for buffers that are pushed
 * again and again. On the host backend every memory is readable already, and both only keep count. The
 * same range may be registered several times and then is released as often. Any thread. The memory must
 * stay mapped until the last release. Ranges may begin and end anywhere and overlap; where they do,
 * both become one. Registering takes 0.1 ms and more, and the last release waits for the GPU; neither
 * holds up a stream. ZCS_ERR_ARG: empty range, another length than one has that begins there, a release of an
 * unknown one, or a part of it was registered by somebody else. ZCS_ERR_BUSY: it overlaps other memory that a
 * frame in flight is in. */
zcs_status zcs_memory_register(zcs_context *ctx, void *memory, size_t bytes) ZCS_MUST_CHECK;
zcs_status zcs_memory_release(zcs_context *ctx, void *memory) ZCS_MUST_CHECK;

/* Pushed memory that is not registered is registered by the first push and kept so, until others need the
 * room (zcs_params.cached_ranges); a push of known memory takes no more than a look for its range.
 * Such memory may be unmapped when its frames have been released, but stays in RAM until then. A new mapping
 * at its address is noticed by the next push: the first and the last page of a range carry a memory lock
 * that goes with the mapping. What is not noticed: pages in between mapped anew alone, and pages given back
 * with madvise while RLIMIT_MEMLOCK has a limit. Where there is no such mark (hugetlb, locked memory, none of
 * the limit left) memory is not kept: frames in it are copied, unless it is registered. */
struct zcs_memory_stats {
    uint64_t hits;      /* pushes and registrations whose memory was known */
    uint64_t misses;    /* those for which it was registered with CUDA */
    uint64_t evictions; /* kept ranges that made room for others */
    uint64_t remapped;  /* ranges found unmapped, or mapped anew */
    uint64_t refused;   /* pushes whose memory could not be kept, so that the frame is copied */
    uint32_t ranges;    /* registered now ... */
    uint64_t bytes;     /* ... and their bytes */
};

/* All zero on the host backend. Any thread. */
void zcs_memory_stats(const zcs_context *ctx, struct zcs_memory_stats *out);

#ifdef __cplusplus
}
#endif
#endif
