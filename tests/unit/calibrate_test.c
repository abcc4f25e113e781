/* SPDX-License-Identifier: MIT */
/* Measuring routes on several devices: on all frame contexts of all of them at once, and remembered for these devices
 * alone; also where one of them fails. The host backend stands for three whose mapped route is slow where another
 * one is at work, on a clock that passes as it says. */
#define PLAYED_LOOK_NS 100
#include "os/clock.h"
#include "played_clock.h"
#include "stand_in_frame_ctx.h"

enum { DEVICES = 3 };
enum { MAPPED_NS = 100000, WHOLE_NS = 500000, CONTENDED_NS = 3000000 };
enum { EVEN_NS = 400000, BEGIN_NS = 800000, FOLLOW_NS = 100000 };
enum { SHARED_NS = 220000, QUEUED_NS = 200000 }; /* a frame's time on the bus */
enum { STALL_NS = 450000, SLOW_NS = 60000000 };

static struct {
    int busy[STAND_IN_FRAME_CTXS];
    int64_t ready_ns[STAND_IN_FRAME_CTXS];
    uint32_t submits, max_busy;
    uint32_t submits_of[DEVICES];
    uint32_t fail_at; /* the submit of that number fails, with its device; 0: none */
    int64_t takes_ns; /* by each frame; 0: as above */
    int begins;       /* 1: the whole route takes long to begin and is then the faster one */
    int bus;          /* 1: mapped frames share it, others follow one another */
    uint32_t begun;   /* mapped ones, since all frame contexts were idle */
    int64_t
        left_ns[STAND_IN_FRAME_CTXS]; /* of mapped frames' time on the bus, if they had it alone */
    int64_t bus_ns;                   /* until when that is known, or when a queue's end is over */
    int stalls; /* 1: the host stands still before it sees the last of the first frame on each frame context */
    uint32_t seen; /* frames, since all frame contexts were idle */
} front;

/* Mapped frames' way up to now, with the same share for each. */
static void go_on(int64_t now_ns)
{
    while (front.bus_ns < now_ns) {
        uint32_t sharing = 0;
        int64_t min_ns = INT64_MAX;
        for (uint32_t i = 0; i < stand_in.frame_ctx_count; i++)
            if (front.left_ns[i] > 0) {
                sharing++;
                min_ns = front.left_ns[i] < min_ns ? front.left_ns[i] : min_ns;
            }
        if (sharing == 0) {
            front.bus_ns = now_ns;
            return;
        }
        const int64_t all_ns = (now_ns - front.bus_ns) / sharing;
        const int64_t step_ns = all_ns < min_ns ? all_ns : min_ns;
        if (step_ns == 0)
            return;
        for (uint32_t i = 0; i < stand_in.frame_ctx_count; i++)
            if (front.left_ns[i] > 0)
                front.left_ns[i] -= step_ns;
        front.bus_ns += step_ns * sharing;
    }
}

/* The first one on each frame context is the shorter, the earlier it begins, so that they get out of step, as real ones do. */
static void take_bus(uint32_t index, enum zcs_route route, uint32_t busy)
{
    const int64_t now_ns = zci_now_ns();
    front.left_ns[index] = 0;
    if (route == ZCS_ROUTE_MAPPED) {
        go_on(now_ns);
        front.begun = busy == 1 ? 1 : front.begun + 1;
        front.left_ns[index] = front.begun < stand_in.frame_ctx_count
                                   ? SHARED_NS * front.begun / stand_in.frame_ctx_count
                                   : SHARED_NS;
        return;
    }
    front.bus_ns = (front.bus_ns > now_ns ? front.bus_ns : now_ns) + QUEUED_NS;
    front.ready_ns[index] = front.bus_ns;
}

static int is_ready(uint32_t index)
{
    const int64_t now_ns = zci_now_ns();
    if (front.left_ns[index] > 0)
        go_on(now_ns);
    return front.left_ns[index] <= 0 && now_ns >= front.ready_ns[index];
}

static zcs_status frame_ctx_submit(struct zci_frame_ctx *fctx, const struct zci_job *job)
{
    const uint32_t index = stand_in_find(fctx);
    uint32_t busy = 1;
    int64_t takes_ns = job->route == ZCS_ROUTE_MAPPED ? MAPPED_NS : WHOLE_NS;
    for (uint32_t i = 0; i < stand_in.frame_ctx_count; i++) {
        busy += front.busy[i] != 0;
        if (front.busy[i] && stand_in.inflight[i].device != stand_in.inflight[index].device &&
            job->route == ZCS_ROUTE_MAPPED)
            takes_ns = CONTENDED_NS;
    }
    if (front.begins && job->route == ZCS_ROUTE_MAPPED)
        takes_ns = EVEN_NS;
    else if (front.begins)
        takes_ns = busy == 1 ? BEGIN_NS : FOLLOW_NS;
    takes_ns = front.takes_ns ? front.takes_ns : takes_ns;
    if (++front.submits == front.fail_at) {
        fctx->failed_device = 0;
        return ZCS_ERR_DEVICE;
    }
    front.submits_of[stand_in.inflight[index].device]++;
    front.max_busy = busy > front.max_busy ? busy : front.max_busy;
    front.busy[index] = 1;
    front.seen = busy == 1 ? 0 : front.seen;
    front.ready_ns[index] = front.bus ? 0 : zci_now_ns() + takes_ns;
    if (front.bus)
        take_bus(index, job->route, busy);
    const zcs_status status = stand_in_submit(fctx, job);
    return status == ZCS_OK ? stand_in.real->frame_ctx_wait(fctx, -1) : status;
}

static zcs_status frame_ctx_poll(struct zci_frame_ctx *fctx, struct zci_job_result *out)
{
    const uint32_t index = stand_in_find(fctx);
    if (!is_ready(index))
        return ZCS_AGAIN;
    const zcs_status status = stand_in.real->frame_ctx_poll(fctx, out);
    front.busy[index] = status == ZCS_AGAIN;
    if (++front.seen == stand_in.frame_ctx_count && front.stalls)
        pass(STALL_NS);
    return status;
}

static zcs_status frame_ctx_wait(struct zci_frame_ctx *fctx, int64_t timeout_ns)
{
    CHECK(timeout_ns < 0);
    while (!is_ready(stand_in_find(fctx)))
        continue;
    return stand_in.real->frame_ctx_wait(fctx, -1);
}

static char reason[256]; /* of the stream made last */

static void make(zcs_context *ctx, const uint32_t *devices, uint32_t count, uint32_t in_flight,
                 struct zcs_stream_stats *stats)
{
    const struct zcs_pattern_params pattern = {.format = ZCS_PIXFMT_GREY, .width = 32, .height = 8};
    struct zcs_stream_params params = {
        .stages = "none", .in_flight = in_flight, .device_count = count};
    zcs_source *source = NULL;
    zcs_stream *stream = NULL;
    memcpy(params.devices, devices, count * sizeof *devices);
    stand_in_forget();
    front.submits = front.max_busy = 0;
    memset(front.submits_of, 0, sizeof front.submits_of);
    memset(front.busy, 0, sizeof front.busy);
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
    CHECK_EQ(stats.route, wanted);
    CHECK_EQ(strstr(reason, "kept from earlier") != NULL, kept);
    CHECK_EQ(stand_in.frame_ctx_count, count * in_flight);
    CHECK_EQ(front.submits == 0, kept);
    if (!kept)
        CHECK_EQ(front.max_busy, count * in_flight);
    for (uint32_t i = 0; i < count; i++)
        CHECK_EQ(front.submits_of[devices[i]], front.submits / count);
}

/* What was measured, in microseconds a frame. */
static void expect(double mapped, double whole, double within)
{
    double times[2] = {0};
    CHECK_EQ(sscanf(reason, "measured a frame: mapped %lf us, whole %lf us", &times[0], &times[1]),
             2);
    CHECK(times[0] > mapped - within && times[0] < mapped + within);
    CHECK(times[1] > whole - within && times[1] < whole + within);
}

/* A device that fails meanwhile is taken out, and those that are left are measured. */
static void failing(zcs_context *ctx)
{
    static const uint32_t two[] = {2, 0};
    struct zcs_stream_stats stats;
    for (front.fail_at = 1; front.fail_at <= 8; front.fail_at++) {
        make(ctx, two, 2, 4, &stats);
        CHECK_EQ(stats.devices_lost, 1);
        CHECK_EQ(stats.route, ZCS_ROUTE_MAPPED);
        CHECK_EQ(stand_in.frame_ctx_count, 8 + 4);
    }
    front.fail_at = 0;
}

/* What counts is a stream's frame, not one of a few that begin and end together. */
static void beginning(zcs_context *ctx)
{
    static const uint32_t first[] = {0};
    front.begins = 1;
    check(ctx, first, 1, 3, ZCS_ROUTE_WHOLE, 0);
    expect(EVEN_NS / 3e3, FOLLOW_NS / 3e3, 2);
    front.begins = 0;
}

/* Of frames that share the bus several are under way when the first is there: what they have had of it by then must
 * not make the route look faster than one whose frames follow one another. */
static void sharing(zcs_context *ctx)
{
    static const uint32_t first[] = {0};
    memset(front.left_ns, 0, sizeof front.left_ns);
    front.bus = 1;
    front.bus_ns = 0;
    check(ctx, first, 1, 5, ZCS_ROUTE_WHOLE, 0);
    expect(SHARED_NS / 1e3, QUEUED_NS / 1e3, 1);
    front.bus = 0;
}

/* Frames that are complete when the host looks again are not quick ones. */
static void standing_still(zcs_context *ctx)
{
    static const uint32_t other[] = {1};
    struct zcs_stream_stats stats;
    front.bus = front.stalls = 1;
    make(ctx, other, 1, 5, &stats);
    expect(SHARED_NS / 1e3, QUEUED_NS / 1e3, 5);
    front.bus = front.stalls = 0;
}

/* Slow frames are not done more often than they have to be. */
static void slow(zcs_context *ctx)
{
    static const uint32_t first[] = {0};
    front.takes_ns = SLOW_NS;
    check(ctx, first, 1, 6, ZCS_ROUTE_MAPPED, 0);
    CHECK_EQ(front.submits, 2 * 3 * 6);
    front.takes_ns = 0;
}

/* A context of its own, which remembers nothing. */
static void measure_all(void)
{
    static const uint32_t first[] = {0}, other[] = {1}, two[] = {0, 1}, others[] = {1, 2},
                          three[] = {0, 1, 2};
    const struct zci_backend_ops ops = {.frame_ctx_submit = frame_ctx_submit,
                                        .frame_ctx_poll = frame_ctx_poll,
                                        .frame_ctx_wait = frame_ctx_wait};
    zcs_context *ctx = stand_in_open(NULL, DEVICES, &ops);
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
    sharing(ctx);
    standing_still(ctx);
    slow(ctx);
    zcs_close(&ctx);
}

int main(void)
{
    measure_all();
    return 0;
}
