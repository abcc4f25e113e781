/* SPDX-License-Identifier: MIT */
/* Measuring routes on several devices: on all lanes of all of them at once, and remembered for these devices
 * alone; also where one of them fails. The host backend stands for three whose mapped route is slow where another one is at work. */
#include "check.h"

#include "core/clock.h"
#include "frame/context.h"
#include "zcstream/zcstream.h"

enum { DEVICES = 3, LANES = 32, TRIES = 16 };
enum { MAPPED_NS = 100000, WHOLE_NS = 500000, CONTENDED_NS = 3000000 };
enum { EVEN_NS = 400000, BEGIN_NS = 800000, FOLLOW_NS = 100000 };

static struct {
    struct zci_backend_ops ops;
    const struct zci_backend_ops *real;
    struct {
        struct zci_lane *lane;
        uint32_t device;
        int busy;
        int64_t ready_ns;
    } lanes[LANES];
    uint32_t lane_count, submits, most_busy;
    uint32_t submits_of[DEVICES];
    uint32_t fail_at; /* the submit of that number fails, with its device; 0: none */
    int begins;       /* 1: the whole route takes long to begin and is then the faster one */
} front;

static uint32_t device_count(const struct zci_backend *backend)
{
    (void)backend;
    return DEVICES;
}

static uint32_t routes(const struct zci_backend *backend, uint32_t device, uint32_t *automatic,
                       const char **reason)
{
    (void)backend, (void)device;
    *automatic = 1u << ZCS_ROUTE_MAPPED | 1u << ZCS_ROUTE_WHOLE;
    *reason = "not measured";
    return *automatic;
}

static zcs_status lane_create(struct zci_backend *backend, const struct zci_team *team,
                              int notify_fd, int *culprit, struct zci_lane **out)
{
    struct zci_team real = *team;
    memset(real.devices, 0, sizeof real.devices);
    const zcs_status status = front.real->lane_create(backend, &real, notify_fd, culprit, out);
    CHECK(front.lane_count < LANES);
    front.lanes[front.lane_count].lane = *out;
    front.lanes[front.lane_count++].device = team->devices[0];
    return status;
}

static uint32_t find(const struct zci_lane *lane)
{
    uint32_t i = 0;
    while (front.lanes[i].lane != lane)
        CHECK(++i < front.lane_count);
    return i;
}

static zcs_status lane_submit(struct zci_lane *lane, const struct zci_job *job)
{
    const uint32_t index = find(lane);
    uint32_t busy = 1;
    int64_t takes_ns = job->route == ZCS_ROUTE_MAPPED ? MAPPED_NS : WHOLE_NS;
    for (uint32_t i = 0; i < front.lane_count; i++) {
        busy += front.lanes[i].busy != 0;
        if (front.lanes[i].busy && front.lanes[i].device != front.lanes[index].device &&
            job->route == ZCS_ROUTE_MAPPED)
            takes_ns = CONTENDED_NS;
    }
    if (front.begins && job->route == ZCS_ROUTE_MAPPED)
        takes_ns = EVEN_NS;
    else if (front.begins)
        takes_ns = busy == 1 ? BEGIN_NS : FOLLOW_NS;
    if (++front.submits == front.fail_at) {
        lane->culprit = 0;
        return ZCS_ERR_DEVICE;
    }
    front.submits_of[front.lanes[index].device]++;
    front.most_busy = busy > front.most_busy ? busy : front.most_busy;
    front.lanes[index].busy = 1;
    front.lanes[index].ready_ns = zci_now_ns() + takes_ns;
    struct zci_job real = *job;
    real.route = ZCS_ROUTE_MAPPED;
    return front.real->lane_submit(lane, &real);
}

static zcs_status lane_poll(struct zci_lane *lane, struct zci_job_result *out)
{
    const uint32_t index = find(lane);
    if (zci_now_ns() < front.lanes[index].ready_ns)
        return ZCS_AGAIN;
    const zcs_status status = front.real->lane_poll(lane, out);
    front.lanes[index].busy = status == ZCS_AGAIN;
    return status;
}

static zcs_status lane_wait(struct zci_lane *lane, int64_t timeout_ns)
{
    CHECK(timeout_ns < 0);
    while (zci_now_ns() < front.lanes[find(lane)].ready_ns)
        continue;
    return front.real->lane_wait(lane, -1);
}

static void lane_destroy(struct zci_lane **lane)
{
    front.lanes[find(*lane)].lane = NULL;
    front.real->lane_destroy(lane);
}

static char reason[256]; /* of the stream made last */

/* Which choices have been as expected: times are measured for them, which other work here can spoil. */
static uint32_t chosen, right;

static void choose(enum zcs_route route, enum zcs_route wanted)
{
    right |= (uint32_t)(route == wanted) << chosen++;
}

static zcs_context *open_front(void)
{
    const struct zcs_params params = {.backend = ZCS_BACKEND_HOST, .host_threads = 1};
    zcs_context *ctx = NULL;
    CHECK_EQ(zcs_open(&params, &ctx), ZCS_OK);
    front.real = ctx->backend->ops;
    front.ops = *front.real;
    front.ops.polled = 1;
    front.ops.device_count = device_count;
    front.ops.routes = routes;
    front.ops.lane_create = lane_create;
    front.ops.lane_submit = lane_submit;
    front.ops.lane_poll = lane_poll;
    front.ops.lane_wait = lane_wait;
    front.ops.lane_destroy = lane_destroy;
    ctx->backend->ops = &front.ops;
    return ctx;
}

static void make(zcs_context *ctx, const uint32_t *devices, uint32_t count, uint32_t in_flight,
                 struct zcs_stream_stats *stats)
{
    const struct zcs_pattern_params pattern = {.format = ZCS_PIXFMT_GREY, .width = 32, .height = 8};
    struct zcs_stream_params params = {
        .stages = "none", .in_flight = in_flight, .device_count = count};
    zcs_source *source = NULL;
    zcs_stream *stream = NULL;
    memcpy(params.devices, devices, count * sizeof *devices);
    front.lane_count = front.submits = front.most_busy = 0;
    memset(front.submits_of, 0, sizeof front.submits_of);
    memset(front.lanes, 0, sizeof front.lanes);
    CHECK_EQ(zcs_source_open_pattern(ctx, &pattern, &source), ZCS_OK);
    CHECK_EQ(zcs_stream_create(ctx, source, &params, &stream), ZCS_OK);
    zcs_stream_stats(stream, stats);
    snprintf(reason, sizeof reason, "%s", stats->route_reason);
    printf("%u devices, %u each: %s\n", count, in_flight, reason);
    zcs_stream_destroy(&stream);
    zcs_source_close(&source);
}

static void check(zcs_context *ctx, const uint32_t *devices, uint32_t count, uint32_t in_flight,
                  enum zcs_route wanted, int kept)
{
    struct zcs_stream_stats stats;
    make(ctx, devices, count, in_flight, &stats);
    choose(stats.route, wanted);
    CHECK_EQ(strstr(reason, "kept from earlier") != NULL, kept);
    CHECK_EQ(front.lane_count, count * in_flight);
    CHECK_EQ(front.submits == 0, kept);
    if (!kept)
        CHECK_EQ(front.most_busy, count * in_flight);
    for (uint32_t i = 0; i < count; i++)
        CHECK_EQ(front.submits_of[devices[i]], front.submits / count);
}

/* A device that fails meanwhile is taken out, and those that are left are measured. */
static void failing(zcs_context *ctx)
{
    static const uint32_t two[] = {2, 0};
    struct zcs_stream_stats stats;
    for (front.fail_at = 1; front.fail_at <= 8; front.fail_at++) {
        make(ctx, two, 2, 4, &stats);
        CHECK_EQ(stats.devices_lost, 1);
        choose(stats.route, ZCS_ROUTE_MAPPED);
        CHECK_EQ(front.lane_count, 8 + 4);
    }
    front.fail_at = 0;
}

/* What counts is a stream's frame, not one of a few that begin and end together. */
static void beginning(zcs_context *ctx)
{
    static const uint32_t first[] = {0};
    front.begins = 1;
    check(ctx, first, 1, 3, ZCS_ROUTE_WHOLE, 0);
    front.begins = 0;
}

/* A context of its own, which remembers nothing. */
static void measure_all(void)
{
    static const uint32_t first[] = {0}, other[] = {1}, two[] = {0, 1}, others[] = {1, 2},
                          three[] = {0, 1, 2};
    zcs_context *ctx = open_front();
    check(ctx, first, 1, 2, ZCS_ROUTE_MAPPED, 0);
    check(ctx, first, 1, 4, ZCS_ROUTE_MAPPED, 0);
    check(ctx, two, 2, 2, ZCS_ROUTE_WHOLE, 0); /* as many in flight as before, on two */
    check(ctx, first, 1, 2, ZCS_ROUTE_MAPPED, 1);
    check(ctx, two, 2, 2, ZCS_ROUTE_WHOLE, 1);
    check(ctx, other, 1, 2, ZCS_ROUTE_MAPPED, 0);
    check(ctx, others, 2, 2, ZCS_ROUTE_WHOLE, 0);
    check(ctx, three, 3, 2, ZCS_ROUTE_WHOLE, 0);
    check(ctx, three, 3, 2, ZCS_ROUTE_WHOLE, 1);
    failing(ctx);
    beginning(ctx);
    zcs_close(&ctx);
}

int main(void)
{
    for (int tries = 0; tries < TRIES; tries++) {
        chosen = 0;
        measure_all();
        if (right == (1u << chosen) - 1)
            return 0;
        printf("expected choices so far: %x\n", right);
    }
    CHECK_EQ(right, (1u << chosen) - 1);
    return 1;
}
