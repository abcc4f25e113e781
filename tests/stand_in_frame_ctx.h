/* SPDX-License-Identifier: MIT */
/* Frame contexts of the host backend that stand for those of several devices, with two routes to choose from: their number,
 * their devices, and a context over them. What they do with a frame, and when, is the test's. */
#ifndef ZCS_TESTS_STAND_IN_FRAME_CTXS_H
#define ZCS_TESTS_STAND_IN_FRAME_CTXS_H

#include "check.h"

#include "backend/backend.h"
#include "context/context.h"
#include "zcstream/zcstream.h"

enum { STAND_IN_FRAME_CTXS = 32 };

static struct {
    struct zci_backend_ops ops;
    const struct zci_backend_ops *real;
    uint32_t devices;
    struct {
        struct zci_frame_ctx *fctx; /* NULL: it is gone */
        uint32_t device;
    } inflight[STAND_IN_FRAME_CTXS];
    uint32_t frame_ctx_count; /* in the order of their making */
} stand_in;

static uint32_t stand_in_devices(const struct zci_backend *backend)
{
    (void)backend;
    return stand_in.devices;
}

static uint32_t stand_in_routes(const struct zci_backend *backend, uint32_t device,
                                uint32_t *automatic, const char **reason)
{
    (void)backend, (void)device;
    *automatic = 1u << ZCS_ROUTE_MAPPED | 1u << ZCS_ROUTE_WHOLE;
    *reason = "not measured";
    return *automatic;
}

static zcs_status stand_in_create(struct zci_backend *backend, const struct zci_group *group,
                                  struct zci_notifier *notifier, int *failed_device,
                                  struct zci_frame_ctx **out)
{
    struct zci_group real = *group;
    memset(real.devices, 0, sizeof real.devices);
    const zcs_status status =
        stand_in.real->frame_ctx_create(backend, &real, notifier, failed_device, out);
    CHECK(stand_in.frame_ctx_count < STAND_IN_FRAME_CTXS);
    stand_in.inflight[stand_in.frame_ctx_count].fctx = *out;
    stand_in.inflight[stand_in.frame_ctx_count++].device = group->devices[0];
    return status;
}

static inline uint32_t stand_in_find(const struct zci_frame_ctx *fctx)
{
    uint32_t i = 0;
    while (stand_in.inflight[i].fctx != fctx)
        CHECK(++i < stand_in.frame_ctx_count);
    return i;
}

static void stand_in_destroy(struct zci_frame_ctx **fctx)
{
    stand_in.inflight[stand_in_find(*fctx)].fctx = NULL;
    stand_in.real->frame_ctx_destroy(fctx);
}

/* The real route is the mapped one, whichever is asked for. */
static inline zcs_status stand_in_submit(struct zci_frame_ctx *fctx, const struct zci_job *job)
{
    struct zci_job real = *job;
    real.route = ZCS_ROUTE_MAPPED;
    return stand_in.real->frame_ctx_submit(fctx, &real);
}

/* Before a stream is made, where its frame contexts are to be counted from 0. */
static inline void stand_in_forget(void)
{
    memset(stand_in.inflight, 0, sizeof stand_in.inflight);
    stand_in.frame_ctx_count = 0;
}

/* Of `params`, which may be NULL, what does not concern the backend; of `ops`, what a frame context does with frames. */
static inline zcs_context *stand_in_open(const struct zcs_params *params, uint32_t devices,
                                         const struct zci_backend_ops *ops)
{
    struct zcs_params host = params != NULL ? *params : (struct zcs_params){.log = NULL};
    zcs_context *ctx = NULL;
    stand_in_forget();
    stand_in.devices = devices;
    host.backend = ZCS_BACKEND_HOST;
    host.host_threads = 1;
    CHECK_EQ(zcs_open(&host, &ctx), ZCS_OK);
    stand_in.real = ctx->backend->ops;
    stand_in.ops = *stand_in.real;
    stand_in.ops.polled = 1;
    stand_in.ops.device_count = stand_in_devices;
    stand_in.ops.routes = stand_in_routes;
    stand_in.ops.frame_ctx_create = stand_in_create;
    stand_in.ops.frame_ctx_submit = ops->frame_ctx_submit;
    stand_in.ops.frame_ctx_poll = ops->frame_ctx_poll;
    stand_in.ops.frame_ctx_wait = ops->frame_ctx_wait;
    stand_in.ops.frame_ctx_destroy = stand_in_destroy;
    ctx->backend->ops = &stand_in.ops;
    return ctx;
}

#endif
