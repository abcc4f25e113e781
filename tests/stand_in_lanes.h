/* SPDX-License-Identifier: MIT */
/* Lanes of the host backend that stand for those of several devices, with two routes to choose from: their number,
 * their devices, and a context over them. What they do with a frame, and when, is the test's. */
#ifndef ZCS_TESTS_STAND_IN_LANES_H
#define ZCS_TESTS_STAND_IN_LANES_H

#include "check.h"

#include "frame/context.h"
#include "zcstream/zcstream.h"

enum { STAND_IN_LANES = 32 };

static struct {
    struct zci_backend_ops ops;
    const struct zci_backend_ops *real;
    uint32_t devices;
    struct {
        struct zci_lane *lane; /* NULL: it is gone */
        uint32_t device;
    } lanes[STAND_IN_LANES];
    uint32_t lane_count; /* in the order of their making */
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

static zcs_status stand_in_create(struct zci_backend *backend, const struct zci_team *team,
                                  struct zci_bell *bell, int *culprit, struct zci_lane **out)
{
    struct zci_team real = *team;
    memset(real.devices, 0, sizeof real.devices);
    const zcs_status status = stand_in.real->lane_create(backend, &real, bell, culprit, out);
    CHECK(stand_in.lane_count < STAND_IN_LANES);
    stand_in.lanes[stand_in.lane_count].lane = *out;
    stand_in.lanes[stand_in.lane_count++].device = team->devices[0];
    return status;
}

static inline uint32_t stand_in_find(const struct zci_lane *lane)
{
    uint32_t i = 0;
    while (stand_in.lanes[i].lane != lane)
        CHECK(++i < stand_in.lane_count);
    return i;
}

static void stand_in_destroy(struct zci_lane **lane)
{
    stand_in.lanes[stand_in_find(*lane)].lane = NULL;
    stand_in.real->lane_destroy(lane);
}

/* The real route is the mapped one, whichever is asked for. */
static inline zcs_status stand_in_submit(struct zci_lane *lane, const struct zci_job *job)
{
    struct zci_job real = *job;
    real.route = ZCS_ROUTE_MAPPED;
    return stand_in.real->lane_submit(lane, &real);
}

/* Before a stream is made, where its lanes are to be counted from 0. */
static inline void stand_in_forget(void)
{
    memset(stand_in.lanes, 0, sizeof stand_in.lanes);
    stand_in.lane_count = 0;
}

/* Of `params`, which may be NULL, what does not concern the backend; of `ops`, what a lane does with frames. */
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
    stand_in.ops.lane_create = stand_in_create;
    stand_in.ops.lane_submit = ops->lane_submit;
    stand_in.ops.lane_poll = ops->lane_poll;
    stand_in.ops.lane_wait = ops->lane_wait;
    stand_in.ops.lane_destroy = stand_in_destroy;
    ctx->backend->ops = &stand_in.ops;
    return ctx;
}

#endif
