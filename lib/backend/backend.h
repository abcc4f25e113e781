/* SPDX-License-Identifier: MIT */
/* The backend seam: memory by role, devices, and frame contexts that run plans. Each backend is one
 * table of functions. The caller has checked the arguments. A function that fails logs once and
 * leaves nothing behind. Functions without a note may be called on any thread. */
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

/* The processing of one frame. Nobody else touches the memory until poll of the frame context has
 * returned ZCS_OK. */
struct zci_job {
    const void *source; /* first byte of the image; the plan's load.offset_bytes count from it */
    const struct zci_memory *source_memory; /* the memory that holds it; NULL: the caller's own */
    void *result;                           /* image 0 of the plan: plan->image_bytes[0] bytes */
    const struct zci_memory *result_memory;
    enum zcs_route route; /* never AUTO */
};

/* What a frame context reserves of its device between frames for low latency. */
struct zci_reservation {
    uint32_t units;     /* multiprocessors; 0: none */
    const char *reason; /* static: why none are reserved */
};

struct zci_job_result {
    uint64_t cpu_bytes_copied; /* by the route; 0 for MAPPED */
    uint64_t digest;           /* if the plan computes one */
    void *device_data;         /* the result for kernels of the frame context's device */
    enum zcs_route route; /* the route that was taken, if it is not the job's; otherwise AUTO */
    void *cuda_stream;    /* as in zcs_cuda_frame; NULL without CUDA */
    void *cuda_event;
    int cuda_device;
};

struct zci_backend_ops {
    const char *name; /* "host", "cuda" */
    enum zcs_backend id;
    int polled; /* 1: frame contexts signal no notifier, so the caller polls or waits */
    /* Frees the backend. All frame contexts and memory are gone by then. */
    void (*close)(struct zci_backend *backend);
    uint32_t (*device_count)(const struct zci_backend *backend);
    void (*device_info)(const struct zci_backend *backend, uint32_t device,
                        struct zcs_device_info *out);
    /* ZCS_ERR_NOMEM is not logged here, since the caller may try a smaller size and knows what it
     * is for. The host backend gives ordinary memory for each role. */
    zcs_status (*memory_alloc)(struct zci_backend *backend, enum zcs_role role, size_t bytes,
                               struct zci_memory *out);
    void (*memory_free)(struct zci_backend *backend, struct zci_memory *memory);
    zcs_status (*memory_register)(struct zci_backend *backend, void *memory, size_t bytes);
    zcs_status (*memory_release)(struct zci_backend *backend, void *memory);
    /* For the caller's memory that a frame lies in, before frame_ctx_submit: registers it if it is
     * not, and keeps it registered until `unuse` is called with what `out` got. NULL in `out`:
     * there is nothing to undo. ZCS_AGAIN: it overlaps memory that another frame is in. All four
     * functions NULL: kernels read any memory of the caller's. */
    zcs_status (*memory_use)(struct zci_backend *backend, void *memory, size_t bytes, void **out);
    void (*memory_unuse)(struct zci_backend *backend, void *use);
    /* The limits of what `use` may keep registered; 0: unchanged. To be called before any other
     * function. */
    void (*memory_limits)(struct zci_backend *backend, uint32_t ranges, uint64_t bytes);
    void (*memory_stats)(struct zci_backend *backend, struct zcs_memory_stats *out);
    /* A digest of the first `bytes` of the memory, a multiple of 16, as kernels of the device read
     * them, past all caches of the device. Waits for this digest and for nothing else.
     * ZCS_ERR_UNSUPPORTED: the device cannot do it. NULL: kernels run on the CPU and never read
     * stale data. */
    zcs_status (*memory_digest)(struct zci_backend *backend, uint32_t device,
                                const struct zci_memory *memory, size_t bytes, uint64_t *out);
    const struct zci_measure_ops *measure; /* NULL: none, see measure.h */
    /* Bit 1 << enum zcs_route for each route that the device has. `automatic` gets the routes that
     * AUTO should measure. If that is only one, `reason` (static) says why. */
    uint32_t (*routes)(const struct zci_backend *backend, uint32_t device, uint32_t *automatic,
                       const char **reason);

    /* A frame context runs one frame at a time, on all devices of `group`. It owns its scratch
     * images and states; nothing is allocated after this. The device group is copied; its plan must
     * outlive the frame context. So must `notifier`, if it is not NULL; it is signalled at each
     * completion. On ZCS_ERR_DEVICE *failed_device gets the failed device's place in the group. */
    zcs_status (*frame_ctx_create)(struct zci_backend *backend, const struct zci_group *group,
                                   struct zci_notifier *notifier, int *failed_device,
                                   struct zci_frame_ctx **out);
    /* IDLE -> BUSY. Never waits for the work. On failure the frame context stays IDLE, and
     * failed_device is set. One thread at a time for each frame context, as with the next two. */
    zcs_status (*frame_ctx_submit)(struct zci_frame_ctx *fctx, const struct zci_job *job);
    /* ZCS_OK: complete; the frame context is IDLE and *out is filled. ZCS_AGAIN: still BUSY. < 0:
     * the frame failed (ZCS_ERR_DEVICE); the frame context is IDLE and failed_device is set.
     * Devices may still work on a frame that failed; frame_ctx_destroy waits for them. */
    zcs_status (*frame_ctx_poll)(struct zci_frame_ctx *fctx, struct zci_job_result *out);
    /* Waits until poll would not return ZCS_AGAIN. ZCS_AGAIN: timeout_ns passed (< 0: no limit). */
    zcs_status (*frame_ctx_wait)(struct zci_frame_ctx *fctx, int64_t timeout_ns);
    /* Waits for the work in flight. Accepts NULL content, sets NULL. Does not log, as close and
     * memory_free do not: frames may outlive the context that owns the log. */
    void (*frame_ctx_destroy)(struct zci_frame_ctx **fctx);
    /* Gives an idle frame context the lowest latency that it can have, for the rest of its life, at
     * the cost that *out says. ZCS_OK also if that is not possible; *out then says why. NULL: the
     * backend has no low latency. */
    zcs_status (*frame_ctx_reserve)(struct zci_frame_ctx *fctx, struct zci_reservation *out);
    /* Says before there is a frame context why a frame context of this device alone would
     * reserve nothing for the plan; static. NULL: it would reserve. Not NULL if
     * frame_ctx_reserve is not. */
    const char *(*reserve_refusal)(const struct zci_backend *backend, uint32_t device,
                                   const struct zci_plan *plan);
};

/* The first member of each frame context. */
struct zci_frame_ctx {
    struct zci_backend *backend; /* a reference */
    uint32_t members;            /* devices of its group */
    /* of the latest failure: the failed device's place in the group; -1: no device failed, but the
     * frame or a custom stage */
    int failed_device;
};

/* The first member of each backend. It is counted: pools and frame contexts keep it while frames
 * live. */
struct zci_backend {
    const struct zci_backend_ops *ops;
    atomic_uint refs;
    struct zci_log log;
    atomic_uint busy[ZCS_MAX_DEVICES]; /* frames in flight on each device, of all streams */
};

struct zci_backend *zci_backend_ref(struct zci_backend *backend);
void zci_backend_unref(struct zci_backend **backend);

/* One function for each member of enum zcs_backend. `threads` 0: one for each core. */
zcs_status zci_backend_open_host(const struct zci_log *log, uint32_t threads,
                                 struct zci_backend **out);
zcs_status zci_backend_open_cuda(const struct zci_log *log, struct zci_backend **out);

#endif
