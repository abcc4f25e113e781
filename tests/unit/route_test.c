/* SPDX-License-Identifier: MIT */
/* The route policy: the choice, when it is made anew, and the file of choices, whatever that holds; then a
 * stream on frame contexts that take the time they are told to. */
#include <sys/stat.h>
#include <unistd.h>

#include "os/clock.h"
#include "core/route.h"
#include "stand_in_frame_ctx.h"
#include "stream/stream.h"

static void choosing(void)
{
    struct zci_route_choice choice;
    zci_route_choose((int64_t[ZCI_ROUTES]){0, 1010, 1005, 1000}, &choice);
    CHECK_EQ(choice.route, ZCS_ROUTE_MAPPED);
    CHECK(strstr(choice.reason, "us; mapped is near") != NULL);
    zci_route_choose((int64_t[ZCI_ROUTES]){0, 1020, 1005, 1000}, &choice);
    CHECK_EQ(choice.route, ZCS_ROUTE_WHOLE);
    CHECK_EQ(choice.ns[ZCS_ROUTE_STAGED], 1005);
    zci_route_choose((int64_t[ZCI_ROUTES]){0, 0, 1005, 0}, &choice);
    CHECK_EQ(choice.route, ZCS_ROUTE_STAGED);
    CHECK(strcmp(choice.reason, "measured a frame: staged 1.0 us") == 0);
    zci_route_remark(&choice, "why");
    CHECK(strcmp(choice.reason, "measured a frame: staged 1.0 us; why") == 0);
}

/* Windows of frames that take `ns` in the mean; how many of them until the watch calls. */
static uint32_t windows_until(struct zci_drift *drift, int64_t ns, uint32_t max)
{
    const uint32_t window = ZCI_DRIFT_RUN * ZCI_DRIFT_RUNS;
    for (uint32_t i = 0; i < max * window; i++) {
        const uint32_t in_run = i % ZCI_DRIFT_RUN, run = i / ZCI_DRIFT_RUN % ZCI_DRIFT_RUNS;
        /* One is far off, in fewer than half of the runs. */
        const int far = in_run == 3 && run < ZCI_DRIFT_RUNS / 2;
        if (zci_drift_add(drift, far ? 100000000 : in_run % 2 ? 2 * ns : 0) != 0) {
            CHECK_EQ(i % window, window - 1);
            return i / window + 1;
        }
    }
    return 0;
}

static void drifting(void)
{
    struct zci_drift drift;
    zci_drift_init(&drift, 1000);
    CHECK_EQ(windows_until(&drift, 1250, 20), 0);
    CHECK_EQ(windows_until(&drift, 1251, 20), 4);
    CHECK_EQ(drift.median_ns, 1251);
    CHECK_EQ(windows_until(&drift, 1300, 3), 0); /* anew; three are too few ... */
    CHECK_EQ(windows_until(&drift, 1000, 1), 0); /* ... and a good one begins it again */
    CHECK_EQ(windows_until(&drift, 1300, 3), 0);
    for (int i = 0; i < 1000; i++)
        CHECK_EQ(zci_drift_add(&drift, -1 - i % 2), 0); /* not known: no frame of a window */
    CHECK_EQ(windows_until(&drift, 1300, 1), 1);
    zci_drift_settle(&drift, 900); /* measured as fast as ever: what was seen is normal */
    CHECK_EQ(drift.expected_ns, 1300);
    CHECK_EQ(windows_until(&drift, 1600, 20), 0);
    CHECK_EQ(windows_until(&drift, 1700, 20), 4);
    zci_drift_settle(&drift, 2000);
    CHECK_EQ(drift.expected_ns, 2000);
    zci_drift_init(&drift, 0);
    CHECK_EQ(windows_until(&drift, 1 << 30, 20), 0);
}

static void lines(void)
{
    static const char *const bad[] = {
        "",
        "route 2 ",
        "route 1 0123456789abcdef 1 2 3",
        "route 2 0123456789abcde 1 2 3",
        "route 2 0123456789abcdeg 1 2 3",
        "route 2 0123456789ABCDEF 1 2 3",
        "route 2 0123456789abcdef 0 0 0",
        "route 2 0123456789abcdef 1 2",
        "route 2 0123456789abcdef 1 2 ",
        "route 2 0123456789abcdef 1 2 3 4",
        "route 2 0123456789abcdef 1  2 3",
        "route 2 0123456789abcdef 1 -2 3",
        "route 2 0123456789abcdef 1 2 99999999999999999999999",
        "route 2 0123456789abcdef 1 2 3\r",
    };
    char line[ZCI_ROUTE_LINE_BYTES];
    const int64_t ns[ZCI_ROUTES] = {0, 182400, 0, 60000000000};
    int64_t back[ZCI_ROUTES] = {9, 9, 9, 9};
    uint64_t key = 0;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        CHECK(!zci_route_parse(bad[i], strlen(bad[i]), &key, back));
    const size_t length = zci_route_format(line, 0xfedcba9876543210, ns);
    CHECK(length == strlen(line) && line[length - 1] == '\n');
    CHECK(zci_route_parse(line, length - 1, &key, back));
    CHECK(key == 0xfedcba9876543210 && memcmp(ns, back, sizeof ns) == 0);
    for (size_t cut = 0; cut + 12 < length; cut++)
        CHECK(!zci_route_parse(line, cut, &key, back));
}

/* The host backend's frame contexts, which are not done before their route's time has passed. */
static struct {
    int64_t takes_ns[ZCI_ROUTES];
    int64_t ready_ns;
    enum zcs_route latest;
    uint32_t submits;
    uint32_t slow_after; /* submits after which MAPPED takes slow_ns */
    int64_t slow_ns;
} front;

static zcs_status front_submit(struct zci_frame_ctx *fctx, const struct zci_job *job)
{
    int64_t takes_ns = front.takes_ns[job->route];
    if (++front.submits > front.slow_after && job->route == ZCS_ROUTE_MAPPED)
        takes_ns = front.slow_ns;
    front.latest = job->route;
    front.ready_ns = zci_now_ns() + takes_ns;
    return stand_in_submit(fctx, job);
}

static zcs_status front_poll(struct zci_frame_ctx *fctx, struct zci_job_result *out)
{
    return zci_now_ns() < front.ready_ns ? ZCS_AGAIN : stand_in.real->frame_ctx_poll(fctx, out);
}

static zcs_status front_wait(struct zci_frame_ctx *fctx, int64_t timeout_ns)
{
    const int64_t deadline_ns = zci_deadline_ns(timeout_ns);
    while (zci_now_ns() < front.ready_ns)
        if (zci_now_ns() >= deadline_ns)
            return ZCS_AGAIN;
    return stand_in.real->frame_ctx_wait(fctx, -1);
}

static uint32_t warnings;

static void count(void *user, enum zcs_log_level level, const char *line)
{
    (void)user, (void)line;
    warnings += level == ZCS_LOG_WARNING;
}

/* Returns how many frames were submitted before the first was asked for. */
static uint32_t run(const char *cache, uint32_t frames, uint32_t slow_after,
                    struct zcs_stream_stats *stats, char reason[256])
{
    const struct zcs_params params = {.log = count, .route_cache = cache};
    const struct zci_backend_ops ops = {.frame_ctx_submit = front_submit,
                                        .frame_ctx_poll = front_poll,
                                        .frame_ctx_wait = front_wait};
    const struct zcs_pattern_params pattern = {
        .format = ZCS_PIXFMT_GREY, .width = 32, .height = 8, .frames = frames};
    const struct zcs_stream_params chain = {
        .stages = "none", .in_flight = 1, .wait = ZCS_WAIT_SPIN};
    zcs_context *ctx = stand_in_open(&params, 1, &ops);
    zcs_source *source = NULL;
    zcs_stream *stream = NULL;
    const struct zcs_frame *frame = NULL;
    memset(&front, 0, sizeof front);
    front.takes_ns[ZCS_ROUTE_MAPPED] = 100000;
    front.takes_ns[ZCS_ROUTE_WHOLE] = 600000;
    front.slow_ns = 1800000;
    front.slow_after = slow_after;
    CHECK_EQ(zcs_source_open_pattern(ctx, &pattern, &source), ZCS_OK);
    CHECK_EQ(zcs_stream_create(ctx, source, &chain, &stream), ZCS_OK);
    const uint32_t measured = front.submits;
    uint64_t next = 0;
    while (zcs_stream_next(stream, -1, &frame) == ZCS_OK) {
        CHECK_EQ(frame->sequence, next++);
        zcs_frame_unref(&frame);
    }
    CHECK_EQ(next, frames);
    zcs_stream_stats(stream, stats);
    snprintf(reason, 256, "%s", stats->route_reason);
    zcs_stream_destroy(&stream);
    zcs_source_close(&source);
    zcs_close(&ctx);
    return measured;
}

static void measuring_anew(void)
{
    struct zcs_stream_stats stats;
    char reason[256];
    CHECK(run(NULL, 100, UINT32_MAX, &stats, reason) > 0);
    CHECK_EQ(stats.route, ZCS_ROUTE_MAPPED);
    CHECK(strstr(reason, "anew") == NULL);
    /* What is measured first may be slow itself, on a machine that is busy just then. */
    for (int i = 0; i < 3 && stats.route == ZCS_ROUTE_MAPPED; i++)
        CHECK(run(NULL, 2000, 150, &stats, reason) > 0);
    CHECK_EQ(stats.route, ZCS_ROUTE_WHOLE);
    CHECK(strstr(reason, "; anew, as mapped took ") != NULL);
    CHECK_EQ(front.latest, ZCS_ROUTE_WHOLE);
    CHECK_EQ(stats.processed, 2000);
}

static void keeping(void)
{
    static const char garbage[] = "nonsense\nroute 1 00 1 2 3\n\0\n\nroute 1 cut";
    struct zcs_stream_stats stats;
    char reason[256], path[] = "/tmp/zcs-route-XXXXXX";
    const int fd = mkstemp(path);
    CHECK(fd >= 0 && write(fd, garbage, sizeof garbage) == sizeof garbage);
    close(fd);
    CHECK(run(path, 3, UINT32_MAX, &stats, reason) > 0);
    CHECK(strstr(reason, "kept") == NULL);
    CHECK_EQ(run(path, 3, UINT32_MAX, &stats, reason), 0);
    CHECK_EQ(stats.route, ZCS_ROUTE_MAPPED);
    CHECK(strstr(reason, "; kept from earlier") != NULL);
    CHECK_EQ(unlink(path), 0);
    warnings = 0;
    CHECK(run("/nosuch/folder/routes", 3, UINT32_MAX, &stats, reason) > 0);
    CHECK_EQ(warnings, 1);
    CHECK(run("/", 3, UINT32_MAX, &stats, reason) > 0);
    CHECK_EQ(warnings, 2);
}

/* A link and a pipe where the cache is written first: neither is written to. */
static void planted_beside(void)
{
    struct zcs_stream_stats stats;
    char reason[256], folder[] = "/tmp/zcs-route-XXXXXX", path[64], beside[96], victim[64];
    CHECK(mkdtemp(folder) != NULL);
    snprintf(path, sizeof path, "%s/routes", folder);
    snprintf(victim, sizeof victim, "%s/victim", folder);
    snprintf(beside, sizeof beside, "%s.%ld.part", path, (long)getpid());
    for (int way = 0; way < 2; way++) {
        CHECK_EQ(way == 0 ? symlink(victim, beside) : mkfifo(beside, 0600), 0);
        CHECK(run(path, 3, UINT32_MAX, &stats, reason) > 0);
        CHECK(access(victim, F_OK) != 0 && access(beside, F_OK) != 0);
        CHECK_EQ(unlink(path), 0); /* a regular file was written */
    }
    CHECK_EQ(rmdir(folder), 0);
}

/* The file is written beside the old one: not through a link that somebody put there, and what is
 * no regular file is not replaced. */
static void planted(void)
{
    char cache[64], beside[128], victim[128], reason[256];
    struct zcs_stream_stats stats;
    struct stat there;
    snprintf(cache, sizeof cache, "/tmp/zcs-route-planted-%ld", (long)getpid());
    snprintf(victim, sizeof victim, "%s.victim", cache);
    snprintf(beside, sizeof beside, "%s.%ld.part", cache, (long)getpid());
    FILE *file = fopen(victim, "w");
    CHECK(file != NULL && fputs("old", file) >= 0 && fclose(file) == 0);
    CHECK_EQ(symlink(victim, beside), 0);
    CHECK(run(cache, 3, UINT32_MAX, &stats, reason) > 0);
    CHECK(stat(victim, &there) == 0 && there.st_size == 3);
    CHECK(lstat(cache, &there) == 0 && S_ISREG(there.st_mode) && there.st_size > 0);
    CHECK(unlink(cache) == 0 && mkfifo(cache, 0600) == 0);
    CHECK(run(cache, 3, UINT32_MAX, &stats, reason) > 0);
    CHECK(lstat(cache, &there) == 0 && S_ISFIFO(there.st_mode));
    CHECK(unlink(cache) == 0 && unlink(victim) == 0 && lstat(beside, &there) != 0);
}

int main(void)
{
    planted_beside();
    planted();
    choosing();
    drifting();
    lines();
    measuring_anew();
    keeping();
    planted_beside();
    planted();
    return 0;
}
