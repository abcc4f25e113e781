/* SPDX-License-Identifier: MIT */
/* The source seam: each kind of source is a table of functions and a common head. A source never
 * knows a backend: the stream, or zcs_source_next, gives it a pool of slots. */
#ifndef ZCI_SOURCE_SOURCE_H
#define ZCI_SOURCE_SOURCE_H

#include "core/log.h"
#include "zcstream/stream.h"
#include "frame/pool.h"
#include "zcstream/camera.h"
#include "zcstream/source.h"

struct zci_source_ops {
    const char *kind;
    /* 1: slots have no memory of their own (push). */
    int slots_without_memory;
    /* The bytes that a slot must have. NULL: image.size_bytes. */
    size_t (*slot_bytes)(const zcs_source *source);
    /* For sources whose slots are more than memory: drops an earlier head.pool, makes a new one,
     * and starts. On failure head.pool is NULL. NULL: zci_source_start makes the pool. */
    zcs_status (*make_pool)(zcs_source *source, enum zcs_role role, uint32_t count);
    /* The role of the slots where the caller demands none. NULL: ZCS_ROLE_INGEST. */
    enum zcs_role (*role)(const zcs_source *source);
    /* 1: a CPU may write the slots through another mapping than the pool's, as drivers that copy
     * do. Then write-combined slots are checked for old data. NULL: 0. */
    int (*aliased)(const zcs_source *source);
    /* Called each time that head.pool has been set: once, and again for every further stream on
     * this source, which has new slots. Frames of the old pool may still be held. May be NULL. */
    zcs_status (*start)(zcs_source *source);
    /* The next frame: ZCS_OK, and a slot with one reference and a filled frame (image, host,
     * sequence, time, clock, path, memory, cpu_bytes_copied, captured_ns). ZCS_AGAIN: no frame
     * within timeout_ns, no free slot, or EINTR. ZCS_EOF. Lost frames are counted in head.lost. A
     * source that loses one frame after the other ends the call by os/work_limit.h. */
    zcs_status (*next)(zcs_source *source, int64_t timeout_ns, struct zci_slot **out);
    /* Skips up to n frames without reading them; returns how many. Fewer than n: the rest takes
     * longer than some milliseconds, or is not there. NULL: the caller uses next and drops. */
    uint64_t (*skip)(zcs_source *source, uint64_t n);
    /* Readable when next may have a frame; -1: next may have one at any time, or from due_ns on.
     * NULL: -1. When next replaces the descriptor, it closes the old one and increments
     * head.fd_epoch. */
    int (*fd)(const zcs_source *source);
    /* 1: the caller polls fd from now on; 0: it does not, so fd need not be kept right. NULL: fd is
     * always right. */
    void (*watch_fd)(zcs_source *source, int watched);
    /* For paced sources: the CLOCK_MONOTONIC time of the next frame; 0: now. NULL: 0. */
    int64_t (*due_ns)(const zcs_source *source);
    /* The camera, for its controls. NULL: the source is no camera. */
    zcs_camera *(*camera)(zcs_source *source);
    /* 1: next needs a free slot, so calling it before one is returned is useless. NULL: 0. */
    int (*starved)(const zcs_source *source);
    /* Frees the source. The pool has been dropped. */
    void (*close)(zcs_source *source);
};

/* The head of every source, its first member. */
struct zcs_source {
    const struct zci_source_ops *ops;
    struct zci_backend
        *backend;       /* a reference, for zcs_source_next's pool; sources do not use it */
    struct zci_log log; /* through `limiter`: a damaged input may log for each of its frames */
    struct zci_log_limiter limiter;
    struct zcs_image image;
    struct zci_pool *pool;      /* NULL until started; owned by the source */
    int nodes[ZCS_MAX_DEVICES]; /* NUMA nodes of the devices that read the pool: see pool.h */
    uint32_t node_count;
    int has_stream;
    int live;
    uint32_t fd_epoch;
    int fd_urgent;   /* 1: next also handles POLLPRI */
    uint64_t frames; /* to expect; 0: unknown */
    uint32_t fps_num, fps_den;
    enum zcs_path path;
    const char *path_reason;
    uint64_t lost[ZCS_LOSS_COUNT];
    uint64_t first_sequence;
    const char *recorded_from, *recorded_text; /* owned by the source; NULL: it is no recording */
};

/* Fills the head from the context; called first by every open function. */
void zci_source_init(zcs_source *source, const struct zci_source_ops *ops, zcs_context *ctx);

/* Drops an earlier pool, makes a new one and starts the source. The caller chooses role and
 * counts. */
zcs_status zci_source_start(zcs_source *source, enum zcs_role role, uint32_t count, uint32_t min);

/* Tells the source whether the caller polls its descriptor. */
void zci_source_watch_fd(zcs_source *source, int watched);

#endif
