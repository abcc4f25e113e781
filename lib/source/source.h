/* SPDX-License-Identifier: MIT */
/* The source seam: each kind of source is one table of functions behind a common head. A source never
 * knows a backend: the stream (or zcs_source_next) gives it a pool of slots. */
#ifndef ZCI_SOURCE_SOURCE_H
#define ZCI_SOURCE_SOURCE_H

#include "zcstream/camera.h"
#include "zcstream/source.h"
#include "core/log.h"
#include "zcstream/stream.h"
#include "frame/pool.h"

struct zci_source_ops {
    const char *kind;
    /* 1: slots have no memory of their own (push). */
    int slots_without_memory;
    /* Bytes a slot must have; NULL: image.size_bytes. */
    size_t (*slot_bytes)(const zcs_source *source);
    /* For sources whose slots are more than memory: makes head.pool, in place of an earlier one that it
     * drops, and starts; on failure head.pool is NULL. NULL: zci_source_start does. */
    zcs_status (*make_pool)(zcs_source *source, enum zcs_role role, uint32_t count);
    /* The role that slots should have where nobody demands another. NULL: ZCS_ROLE_INGEST. */
    enum zcs_role (*role)(const zcs_source *source);
    /* 1: a CPU may write the slots through another mapping of theirs than the pool's, as drivers that copy
     * do; then write-combined slots are checked for old data. NULL: 0. */
    int (*aliased)(const zcs_source *source);
    /* Called each time that head.pool has been set: once, and again for every further stream on this
     * source, whose slots are new; frames of the old pool may still be held. May be NULL. */
    zcs_status (*start)(zcs_source *source);
    /* The next frame: ZCS_OK and a slot with one reference, its frame filled (image, host, sequence,
     * time, clock, path, memory, cpu_bytes_copied, captured_ns). ZCS_AGAIN: none within timeout_ns, or no
     * slot at home, or EINTR. ZCS_EOF. Frames lost on the way are counted in head.lost. */
    zcs_status (*next)(zcs_source *source, int64_t timeout_ns, struct zci_slot **out);
    /* Passes over up to n frames without reading them; returns how many. NULL: next and drop. */
    uint64_t (*skip)(zcs_source *source, uint64_t n);
    /* Readable when next may have a frame; -1: always, or after due_ns. NULL: -1. Where next makes it another
     * one, head.fd_epoch grows, and the old one has been closed. */
    int (*fd)(const zcs_source *source);
    /* 1: somebody polls fd from now on; 0: nobody does, and what it says is no matter. NULL: fd is always right. */
    void (*watch_fd)(zcs_source *source, int watched);
    /* For paced sources: CLOCK_MONOTONIC time of the next frame; 0: now. NULL: 0. */
    int64_t (*due_ns)(const zcs_source *source);
    /* The camera, for its controls. NULL: it is none. */
    zcs_camera *(*camera)(zcs_source *source);
    /* 1: next has no slot to fill until one comes home, so that looking again before is in vain. NULL: 0. */
    int (*starved)(const zcs_source *source);
    /* Frees the source. The pool has been dropped. */
    void (*close)(zcs_source *source);
};

/* The head of every source, its first member. */
struct zcs_source {
    const struct zci_source_ops *ops;
    struct zci_backend *backend; /* a reference, for zcs_source_next's pool; not the source's */
    struct zci_log log;
    struct zcs_image image;
    struct zci_pool *pool;      /* NULL until started; owned by the source */
    int nodes[ZCS_MAX_DEVICES]; /* for the pool: see pool.h; of the devices that read it */
    uint32_t node_count;
    int has_stream;
    int live;
    uint32_t fd_epoch;
    int fd_urgent;   /* 1: what poll calls urgent is looked at by next as well */
    uint64_t frames; /* to expect, 0: unknown */
    uint32_t fps_num, fps_den;
    enum zcs_path path;
    const char *path_reason;
    uint64_t lost[ZCS_LOSS_COUNT];
    uint64_t first_sequence;
    const char *recorded_from, *recorded_text; /* the source's; NULL: not of a recording */
};

/* Fills the head from the context; called first by every open function. */
void zci_source_init(zcs_source *source, const struct zci_source_ops *ops, zcs_context *ctx);

/* Makes the pool, in place of an earlier one, and starts the source; `role` and counts are the caller's
 * policy. */
zcs_status zci_source_start(zcs_source *source, enum zcs_role role, uint32_t count, uint32_t min);

/* Tells the source whether somebody polls its descriptor. */
void zci_source_watch_fd(zcs_source *source, int watched);

#endif
