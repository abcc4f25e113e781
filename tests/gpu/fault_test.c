/* SPDX-License-Identifier: MIT */
/* The CUDA backend while CUDA fails: whichever call does, nothing is left behind, no result is
 * taken for good, and a device lost ends its streams alone. Without a GPU a stand-in runs the
 * same. */
#include "check.h"

#include <sys/wait.h>
#include <unistd.h>

#include "backend/cuda/cuda.h"
#include "backend/backend.h"
#include "context/context.h"
#include "gpu/fake_api.h"
#include "gpu/open_over.h"
#include "zcstream/zcstream.h"

enum { WIDTH = 70, HEIGHT = 33, FRAMES = 5, ILLEGAL_ADDRESS = 700, INVALID = 1 };

static uint32_t errors;
static char last_line[512];

static void count(void *user, enum zcs_log_level level, const char *line)
{
    (void)user;
    if (level == ZCS_LOG_ERROR)
        errors++;
    snprintf(last_line, sizeof last_line, "%s", line);
}

static int quick;   /* streams are asked for low latency */
static int devices; /* of the stand-in */

/* Each device holds as many as the others until it is taken out. */
static void check_held(const zcs_stream *stream, const struct zcs_stream_stats *begun)
{
    struct zcs_stream_stats now;
    zcs_stream_stats(stream, &now);
    CHECK_EQ(now.reserved_sms * (begun->device_count - begun->devices_lost),
             begun->reserved_sms * (now.device_count - now.devices_lost));
    CHECK((now.low_latency_reason != NULL) == (now.reserved_sms < begun->reserved_sms));
}

static zcs_status run_stream(zcs_context *ctx, enum zcs_route route, uint64_t *frames)
{
    const struct zcs_pattern_params pattern = {
        .format = ZCS_PIXFMT_SRGGB10, .width = WIDTH, .height = HEIGHT, .frames = FRAMES};
    const struct zcs_stream_params params = {
        .stages = "black=64,wb=auto,demosaic,digest", .route = route, .low_latency = quick};
    struct zcs_stream_stats stats;
    zcs_source *source = NULL;
    zcs_stream *stream = NULL;
    const struct zcs_frame *frame = NULL;
    zcs_status status = zcs_source_open_pattern(ctx, &pattern, &source);
    if (status == ZCS_OK)
        status = zcs_stream_create(ctx, source, &params, &stream);
    if (status == ZCS_OK) {
        zcs_stream_stats(stream, &stats);
        CHECK((stats.reserved_sms > 0) == quick && stats.low_latency_reason == NULL);
    }
    while (status == ZCS_OK) {
        status = zcs_stream_next(stream, 1000000000, &frame);
        if (status == ZCS_OK) {
            *frames += 1;
            zcs_frame_unref(&frame);
        }
        check_held(stream, &stats);
    }
    zcs_stream_destroy(&stream);
    zcs_source_close(&source);
    return status;
}

static zcs_status run_all(const struct zci_cuda_api *api, enum zcs_route route, uint64_t *frames)
{
    static uint8_t own[8192];
    zcs_context *ctx = NULL;
    zcs_status status = open_over(api, count, &ctx);
    if (status != ZCS_OK)
        return status;
    status = zcs_memory_register(ctx, own, sizeof own);
    if (status == ZCS_OK)
        CHECK_EQ(zcs_memory_register(ctx, own, sizeof own), ZCS_OK);
    if (status == ZCS_OK)
        status = run_stream(ctx, route, frames);
    zcs_close(&ctx);
    return status;
}

static void fail_each(const struct zci_cuda_api *api, int error, int sticky, enum zcs_route route)
{
    fake_state = (struct fake_state){.devices = devices};
    uint64_t frames = 0;
    CHECK_EQ(run_all(api, route, &frames), ZCS_EOF);
    CHECK_EQ(frames, FRAMES);
    CHECK_EQ(fake_state.alive, 0);
    const uint64_t calls = fake_state.calls;
    for (uint64_t n = 1; n <= calls; n++) {
        fake_state = (struct fake_state){
            .fail_at = n, .fail_with = error, .sticky = sticky, .devices = devices};
        frames = errors = 0;
        const zcs_status status = run_all(api, route, &frames);
        CHECK(status < 0 || status == ZCS_EOF);
        CHECK(status < 0 ? errors > 0 : frames == FRAMES);
        CHECK_EQ(fake_state.alive, 0);
    }
    printf("error %d%s, route %s%s%s: %" PRIu64 " calls failed in turn\n", error,
           sticky ? " for good" : "", zcs_route_name(route), quick ? ", low latency" : "",
           devices > 1 ? ", two devices" : "", calls);
}

/* Too little pinned memory for all slots: fewer are made; for two: a message with the numbers. */
static void short_of_host_memory(const struct zci_cuda_api *api)
{
    uint64_t frames = 0;
    fake_state = (struct fake_state){.host_limit = 2 * 8192 + 6 * 4096 + 16 * 12288};
    (void)run_all(api, ZCS_ROUTE_MAPPED, &frames);
    CHECK_EQ(fake_state.alive, 0);
    frames = errors = 0;
    fake_state = (struct fake_state){.host_limit = 4096};
    CHECK_EQ(run_all(api, ZCS_ROUTE_MAPPED, &frames), ZCS_ERR_NOMEM);
    CHECK_EQ(frames, 0);
    CHECK(errors > 0);
    CHECK_EQ(fake_state.alive, 0);
}

static void cannot_map(const struct zci_cuda_api *api)
{
    uint64_t frames = 0;
    fake_state = (struct fake_state){.cannot_map = 1};
    CHECK_EQ(run_all(api, ZCS_ROUTE_AUTO, &frames), ZCS_EOF);
    CHECK_EQ(frames, FRAMES);
    CHECK_EQ(run_all(api, ZCS_ROUTE_MAPPED, &frames), ZCS_ERR_UNSUPPORTED);
    CHECK_EQ(fake_state.alive, 0);
}

/* In a child everything is refused without CUDA being called; the parent goes on. */
static void forked(const struct zci_cuda_api *api)
{
    zcs_context *ctx = NULL;
    uint64_t frames = 0;
    fake_state = (struct fake_state){.alive = 0};
    CHECK_EQ(open_over(api, count, &ctx), ZCS_OK);
    CHECK_EQ(run_stream(ctx, ZCS_ROUTE_MAPPED, &frames), ZCS_EOF);
    const pid_t child = fork();
    if (child == 0) {
        const uint64_t calls = fake_state.calls;
        void *memory = NULL;
        const int refused =
            zcs_memory_alloc(ctx, ZCS_ROLE_INGEST, 4096, &memory) == ZCS_ERR_DEVICE &&
            run_stream(ctx, ZCS_ROUTE_MAPPED, &frames) == ZCS_ERR_DEVICE;
        zcs_close(&ctx);
        _exit(refused && fake_state.calls == calls ? 0 : 1);
    }
    int status = 0;
    CHECK_EQ(waitpid(child, &status, 0), child);
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    CHECK_EQ(run_stream(ctx, ZCS_ROUTE_STAGED, &frames), ZCS_EOF);
    CHECK_EQ(frames, 2 * FRAMES);
    zcs_close(&ctx);
    CHECK_EQ(fake_state.alive, 0);
}

static int old_driver(int *out)
{
    *out = 0;
    return ZCI_CUDA_OLD_DRIVER;
}

static int no_gpu(int *out)
{
    *out = 0;
    return 100;
}

/* Which CUDA's own words do not tell apart, nor from a GPU that is missing. */
static void says_what_is_missing(void)
{
    static const char *const words = "driver is missing or too old";
    struct zci_cuda_api api = fake_cuda;
    zcs_context *ctx = NULL;
    api.device_count = old_driver;
    CHECK_EQ(open_over(&api, count, &ctx), ZCS_ERR_UNSUPPORTED);
    CHECK(strstr(last_line, "(35)") != NULL && strstr(last_line, words) != NULL);
    api.device_count = no_gpu;
    CHECK_EQ(open_over(&api, count, &ctx), ZCS_ERR_UNSUPPORTED);
    CHECK(strstr(last_line, "(100)") != NULL && strstr(last_line, words) == NULL);
}

/* On a real GPU each context takes its time, so that only some of it is done there. */
static void check_all(const struct zci_cuda_api *of, int few)
{
    const struct zci_cuda_api *api = fake_around(of);
    for (enum zcs_route route = few ? ZCS_ROUTE_MAPPED : ZCS_ROUTE_AUTO; route <= ZCS_ROUTE_WHOLE;
         route++) {
        fail_each(api, INVALID, 0, route);
        if (few)
            continue;
        fail_each(api, ZCI_CUDA_NO_MEMORY, 0, route);
        fail_each(api, ILLEGAL_ADDRESS, 1, route);
    }
    short_of_host_memory(api);
    cannot_map(api);
    forked(api);
    quick = 1;
    for (enum zcs_route route = ZCS_ROUTE_MAPPED; route <= ZCS_ROUTE_STAGED; route++) {
        fail_each(api, INVALID, 0, route);
        if (!few)
            fail_each(api, ILLEGAL_ADDRESS, 1, route);
    }
    forked(api);
    quick = 0;
}

int main(void)
{
    int found = 0;
    says_what_is_missing();
    for (devices = 1; devices <= 2; devices++)
        check_all(&fake_cuda, 0);
    if (zci_cuda_runtime.device_count(&found) == 0 && found > 0) {
        check_all(&zci_cuda_runtime, 1);
        printf("on a GPU too\n");
    }
    return 0;
}
