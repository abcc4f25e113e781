/* SPDX-License-Identifier: MIT */
/* The backend seam: memory by role, devices, and frame contexts that run plans. Each backend is one table of
 * functions; arguments were checked by the caller, and a failing function logs once and leaves nothing
 * behind. Functions without a note may be called on any thread. */
#ifndef ZCI_BACKEND_BACKEND_H
#define ZCI_BACKEND_BACKEND_H

#include <stdatomic.h>

#include "zcstream/device.h"
#include "zcstream/frame.h"
#include "os/notifier.h"
#include "core/log.h"
#include "core/memory.h"
#include "core/plan.h"
#include "core/partition.h"

struct zci_backend;
struct zci_frame_ctx;
struct zci_measure_ops;

/* One frame's work. The memory stays untouched by others until the frame context has polled complete. */
struct zci_job {
    const void *source; /* the image's first byte; the plan's load.offset_bytes count from it */
    const struct zci_memory *source_memory; /* holds it; NULL: the caller's own memory */
    void *result;                           /* image 0 of the plan: plan->image_bytes[0] bytes */
    const struct zci_memory *result_memory;
    enum zcs_route route; /* never AUTO */
};

/* What a frame context keeps of its device between frames, to be quick. */
struct zci_reservation {
    uint32_t units;     /* multiprocessors; 0: none */
    const char *reason; /* static: why none */
};

struct zci_job_result {
    uint64_t cpu_bytes_copied; /* by the route: 0 for MAPPED */
    uint64_t digest;           /* where the plan has one */
    void *device_data;         /* the result for kernels of the frame context's device */
    enum zcs_route route;      /* taken, where it is not the job's; else AUTO */
    void *cuda_stream;         /* as zcs_cuda_frame has them; NULL where it is not CUDA */
    void *cuda_event;
    int cuda_device;
};

struct zci_backend_ops {
    const char *name; /* "host", "cuda" */
    enum zcs_backend id;
    int polled; /* 1: frame contexts ring no notifier; the caller polls or waits */
    /* Frees it; all frame contexts and memory are gone by then. */
    void (*close)(struct zci_backend *backend);
    uint32_t (*device_count)(const struct zci_backend *backend);
    void (*device_info)(const struct zci_backend *backend, uint32_t device,
                        struct zcs_device_info *out);
    /* ZCS_ERR_NOMEM is not logged here: the caller may try less and knows what it is for.
     * ZCS_ERR_UNSUPPORTED: this backend has no such kind (wc is demanded on the host). */
    zcs_status (*memory_alloc)(struct zci_backend *backend, enum zcs_role role, size_t bytes,
                               struct zci_memory *out);
    void (*memory_free)(struct zci_backend *backend, struct zci_memory *memory);
    zcs_status (*memory_register)(struct zci_backend *backend, void *memory, size_t bytes);
    zcs_status (*memory_release)(struct zci_backend *backend, void *memory);
    /* For the caller's memory that a frame lies in, before frame_ctx_submit: registered if it is not, and kept
     * so until `unuse`, with what `out` got; NULL: there is nothing to undo. ZCS_AGAIN: it overlaps memory
     * that another frame is in. All four NULL: kernels read whatever the caller has. */
    zcs_status (*memory_use)(struct zci_backend *backend, void *memory, size_t bytes, void **out);
    void (*memory_unuse)(struct zci_backend *backend, void *use);
    /* Of what `use` may keep; 0: as it is. Before any other call. */
    void (*memory_limits)(struct zci_backend *backend, uint32_t ranges, uint64_t bytes);
    void (*memory_stats)(struct zci_backend *backend, struct zcs_memory_stats *out);
    /* A digest of the memory's first `bytes`, a multiple of 16, as kernels of the device read them, past
     * all caches of the device. Waits for it, and for nothing else. ZCS_ERR_UNSUPPORTED: they cannot.
     * NULL: kernels are CPU code, and what they read is never old. */
    zcs_status (*memory_digest)(struct zci_backend *backend, uint32_t device,
                                const struct zci_memory *memory, size_t bytes, uint64_t *out);
    const struct zci_measure_ops *measure; /* NULL: none, see measure.h */
    /* Bit 1 << enum zcs_route for each route that the device has; `automatic` gets those that AUTO
     * should measure, and `reason` (static) why, where there is only one. */
    uint32_t (*routes)(const struct zci_backend *backend, uint32_t device, uint32_t *automatic,
                       const char **reason);

    /* A frame context runs one frame at a time, on all devices of `device group`, and owns its scratch images and states:
     * nothing is allocated after this. The device group is copied, its plan outlives the frame context. `notifier`, where it
     * is not NULL, outlives it too, and is rung at each completion. On ZCS_ERR_DEVICE *failed device gets the place
     * in the device group of the device that failed. */
    zcs_status (*frame_ctx_create)(struct zci_backend *backend, const struct zci_group *group,
                                   struct zci_notifier *notifier, int *failed_device,
                                   struct zci_frame_ctx **out);
    /* IDLE -> BUSY. Never blocks on the work. On failure the frame context stays IDLE, and `failed device` is set. One
     * thread at a time per frame context, as the two below. */
    zcs_status (*frame_ctx_submit)(struct zci_frame_ctx *fctx, const struct zci_job *job);
    /* ZCS_OK: complete, the frame context is IDLE and *out is filled. ZCS_AGAIN: still BUSY. < 0: the frame
     * failed (ZCS_ERR_DEVICE), the frame context is IDLE and `failed device` is set. Devices may still be at work on a
     * frame that failed; frame_ctx_destroy waits for them. */
    zcs_status (*frame_ctx_poll)(struct zci_frame_ctx *fctx, struct zci_job_result *out);
    /* Waits until poll would not give ZCS_AGAIN; ZCS_AGAIN after timeout_ns (< 0: for ever). */
    zcs_status (*frame_ctx_wait)(struct zci_frame_ctx *fctx, int64_t timeout_ns);
    /* Waits for the work in flight. Accepts NULL content, sets NULL. Does not log, as close and
     * memory_free do not: frames may outlive the context whose log it is. */
    void (*frame_ctx_destroy)(struct zci_frame_ctx **fctx);
    /* Makes an idle frame context as quick as it can be, for the rest of its life and at the cost that *out says.
     * ZCS_OK also where it cannot be quicker, with the reason. NULL: the backend has no such way. */
    zcs_status (*frame_ctx_reserve)(struct zci_frame_ctx *fctx, struct zci_reservation *out);
    /* As far as can be told before there is a frame context: why one of this device alone would hold nothing for the
     * plan; static. NULL: it would. With frame_ctx_reserve. */
    const char *(*reserve_refusal)(const struct zci_backend *backend, uint32_t device,
                                   const struct zci_plan *plan);
};

/* A frame context's first member. */
struct zci_frame_ctx {
    struct zci_backend *backend; /* a reference */
    uint32_t members;            /* devices of the device group */
    int failed_device; /* of the latest failure: the place in the device group of the device that failed; -1: none did,
                    the frame or a stage of the application's was at fault */
};

/* A backend's first member. Counted: pools and frame contexts keep it while frames live. */
struct zci_backend {
    const struct zci_backend_ops *ops;
    atomic_uint refs;
    struct zci_log log;
    atomic_uint busy[ZCS_MAX_DEVICES]; /* frames that the devices have in work, of all streams */
};

struct zci_backend *zci_backend_ref(struct zci_backend *backend);
void zci_backend_unref(struct zci_backend **backend);

/* One for each member of enum zcs_backend. `threads` 0: one for each core. */
zcs_status zci_backend_open_host(const struct zci_log *log, uint32_t threads,
                                 struct zci_backend **out);
zcs_status zci_backend_open_cuda(const struct zci_log *log, struct zci_backend **out);

#endif
