/* SPDX-License-Identifier: MIT */
/* Frame slots: who may write, who may read, when a slot goes home.
 *
 *   HOME --take--> FILLING (the taker writes) --first ref handed on--> READING --last unref--> HOME
 *
 * A slot at home belongs to the pool. zci_pool_take gives it to one writer with one reference.
 * Everybody who needs the content holds a reference: the application, and the frame contexts.
 * When the last reference is dropped, on any thread, the slot goes home. A pool that its owner
 * has dropped lives until its last slot is home. */
#ifndef ZCI_FRAME_POOL_H
#define ZCI_FRAME_POOL_H

#include <stdatomic.h>

#include "zcstream/cuda.h"
#include "zcstream/frame.h"
#include "zcstream/source.h"
#include "core/memory.h"
#include "os/notifier.h"

struct zci_backend;
struct zci_pool;

struct zci_slot {
    struct zcs_frame frame; /* first: a frame's address is its slot's */
    atomic_uint refs;
    struct zci_pool *pool;
    struct zci_slot *next_home;
    uint32_t index;
    int node; /* the memory node that its memory was asked for; -1: any */
    struct zci_memory
        /* what the slot owns. bytes is 0 if it owns none: in a pool without memory, or of given
         * memory (host is set then) */
        memory;
    struct zcs_cuda_frame cuda; /* of a result that CUDA made; otherwise its stream is NULL */
    void *
        /* from the backend's memory_use of the frame's memory; NULL: none. It is undone when the
         * slot goes home, before release is called */
        use;
    zcs_release_fn release; /* called once when the slot goes home, and cleared */
    void *release_user;
    void *release_memory;
};

struct zci_pool_params {
    struct zci_backend *backend;
    enum zcs_role role;
    size_t bytes;     /* of one slot; rounded up to pages; 0: slots without memory, for push */
    uint32_t count;   /* wanted */
    uint32_t min;     /* if memory runs short, fewer than count are made, but no fewer than this */
    const char *what; /* for messages: "capture slots", "results" */
    const int *nodes; /* memory nodes that slots are taken from in turn; -1: any */
    uint32_t node_count;
    /* Memory that was made elsewhere: `bytes` at each of `count` addresses. It is registered with
     * the backend while the pool lives. When nothing reads it any more, let_go is called once, on
     * any thread, but not if creating the pool failed. NULL: the backend's own memory. */
    void *const *given;
    void (*let_go)(void *user);
    void *let_go_user;
};

/* ZCS_ERR_NOMEM is logged with count and bytes. */
zcs_status zci_pool_create(const struct zci_pool_params *params, struct zci_pool **out);

/* Drops the owner's reference. Sets NULL, accepts NULL content. */
void zci_pool_drop(struct zci_pool **pool);

/* Takes a slot at home, the most recently used first, with one reference. NULL: none is at home.
 * Clears its frame except for host, device_data and memory. Any thread. */
struct zci_slot *zci_pool_take(struct zci_pool *pool);

uint32_t zci_pool_count(const struct zci_pool *pool);
struct zci_slot *zci_pool_slot(struct zci_pool *pool, uint32_t index);
uint32_t zci_pool_home_count(struct zci_pool *pool);

/* Sets the notifier that is signalled when a slot goes home, until the pool is dropped or has
 * another one. NULL: none. Any thread. */
void zci_pool_set_notifier(struct zci_pool *pool, struct zci_notifier *notifier);
struct zci_notifier *zci_pool_notifier(struct zci_pool *pool);

/* For the caller's memory that a frame lies in: calls the backend's memory_use and memory_unuse, if
 * it has them. unuse accepts NULL. Any thread. */
zcs_status zci_frame_memory_use(struct zci_backend *backend, void *memory, size_t bytes,
                                void **out);
void zci_frame_memory_unuse(struct zci_backend *backend, void *use);

/* Any thread. */
void zci_slot_ref(struct zci_slot *slot);
void zci_slot_unref(struct zci_slot *slot);

#endif
