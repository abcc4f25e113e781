/* SPDX-License-Identifier: MIT */
/* Memory by role. A role says who writes and who reads; the backend picks the allocation flags. */
#ifndef ZCSTREAM_MEMORY_H
#define ZCSTREAM_MEMORY_H

#include "zcstream/base.h"

#ifdef __cplusplus
extern "C" {
#endif

enum zcs_role {
    ZCS_ROLE_INGEST, /* a camera or the CPU writes once, kernels read: write-combined on a GPU */
    ZCS_ROLE_INGEST_CACHED, /* the same; the CPU reads too, or a driver writes via its cache */
    ZCS_ROLE_READBACK,      /* kernels write, the CPU reads: never write-combined */
    ZCS_ROLE_DEVICE,        /* kernels only */
};

/* The kind of a piece of memory. */
enum zcs_memory {
    ZCS_MEMORY_NONE,
    ZCS_MEMORY_PAGEABLE, /* ordinary memory, as the host backend uses it */
    ZCS_MEMORY_CACHED,   /* pinned and mapped */
    ZCS_MEMORY_WC,       /* pinned, mapped and write-combined: slow to read with the CPU */
    ZCS_MEMORY_DEVICE,
    ZCS_MEMORY_USER, /* the caller's memory, passed to zcs_source_push */
};

/* "pageable", "cached", "wc", "device", "user", "none". Static storage. */
const char *zcs_memory_name(enum zcs_memory memory);

/* Allocates whole pages, page-aligned, with undefined content. Free it only with zcs_memory_free,
 * before the context is closed, and after the frames pushed in it were released. Such frames need
 * no registration. On the host backend each role is ordinary memory. Any thread. ZCS_ERR_NOMEM.
 * ZCS_ERR_ARG: an unknown role, or 0 bytes. */
zcs_status zcs_memory_alloc(zcs_context *ctx, enum zcs_role role, size_t bytes,
                            void **out) ZCS_MUST_CHECK;

/* Accepts NULL content, sets NULL. Any thread. */
void zcs_memory_free(zcs_context *ctx, void **memory);

/* zcs_memory_register makes the caller's memory readable by kernels until zcs_memory_release. It is
 * meant for buffers that are pushed repeatedly. On the host backend both functions only count. A
 * range that was registered several times must be released as many times. The memory must stay
 * mapped until the last release. Ranges may begin and end at any address, and may overlap;
 * overlapping ranges become one. A registration takes 0.1 ms or more, and the last release waits
 * for the GPU; neither blocks a stream. Any thread. ZCS_ERR_ARG: the range is empty, a range with
 * the same beginning has another length, the range to release is unknown, or other code registered
 * a part of it. ZCS_ERR_BUSY: it overlaps other memory that a frame in flight uses. */
zcs_status zcs_memory_register(zcs_context *ctx, void *memory, size_t bytes) ZCS_MUST_CHECK;
zcs_status zcs_memory_release(zcs_context *ctx, void *memory) ZCS_MUST_CHECK;

/* The registration cache. The first push of unregistered memory registers it. The range stays
 * registered until other ranges need its place (zcs_params.cached_ranges). A push of known memory
 * only looks up its range. The application may unmap such memory after its frames were released;
 * the pages stay in RAM until the range leaves the cache. The next push detects a new mapping at
 * the same address: the first and the last page of a range carry a memory lock (the mlock tag),
 * which disappears with the mapping. Two changes are not detected: a new mapping of middle pages
 * only, and pages discarded with madvise while RLIMIT_MEMLOCK is limited. Where no tag is possible
 * (hugetlb, memory that is locked already, limit used up) the cache does not store the range:
 * frames in it are copied unless the application registers the memory. */
struct zcs_memory_stats {
    uint64_t hits;      /* pushes and registrations of known memory */
    uint64_t misses;    /* pushes and registrations that registered memory with CUDA */
    uint64_t evictions; /* cached ranges removed for other ranges */
    uint64_t remapped;  /* ranges found unmapped or mapped anew */
    uint64_t refused;   /* pushes of memory that the cache cannot store; these frames are copied */
    uint32_t ranges;    /* ranges registered now */
    uint64_t bytes;     /* bytes registered now */
};

/* All zero on the host backend. Any thread. */
void zcs_memory_stats(const zcs_context *ctx, struct zcs_memory_stats *out);

#ifdef __cplusplus
}
#endif
#endif
