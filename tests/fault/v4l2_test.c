/* SPDX-License-Identifier: MIT */
/* Live capture under failing allocations and driver calls: a clean error or success, never a leak,
 * a hang or a crash. */
#include "unit/v4l2_script.h"

#include <dirent.h>

#include "fault/wrap.h"

static const enum zcs_path paths[] = {ZCS_PATH_NONE, ZCS_PATH_USERPTR, ZCS_PATH_DMABUF,
                                      ZCS_PATH_REGISTERED, ZCS_PATH_COPIED};

static struct script s;
static struct script_log log_text;
static uint32_t fail_at; /* the n-th call to the driver fails; 0: none */
static int fail_error;
static uint64_t fail_alloc; /* the n-th allocation of a reconnect fails; 0: none */

/* Opens a camera, takes some frames through a stream, and holds one until all else is closed. */
static zcs_status capture(enum zcs_path path, int multi)
{
    if (multi)
        script_init_multi(&s, V4L2_PIX_FMT_NV12M);
    else
        script_init(&s);
    s.udmabuf = 1;
    s.fail_at = fail_at;
    s.fail_error = fail_error;
    zcs_context *ctx = NULL;
    zcs_source *source = NULL;
    zcs_stream *stream = NULL;
    const struct zcs_frame *frame = NULL, *held = NULL;
    const struct zcs_v4l2_params params = {.device = "/dev/video7", .path = path};
    const struct zcs_params context = {
        .backend = ZCS_BACKEND_HOST, .host_threads = 1, .log = script_log, .log_user = &log_text};
    log_text.text[0] = '\0';
    zcs_status status = zcs_open(&context, &ctx);
    if (status == ZCS_OK)
        status = zci_v4l2_open(ctx, &params, &s.calls, &source);
    if (status == ZCS_OK)
        status = zcs_source_next(source, 100000000, &held);
    if (status == ZCS_OK || status == ZCS_AGAIN)
        status = zcs_stream_create(ctx, source, NULL, &stream);
    for (int i = 0; i < 4 && status >= 0 && stream != NULL; i++) {
        status = zcs_stream_next(stream, 100000000, &frame);
        zcs_frame_unref(&frame);
    }
    zcs_stream_destroy(&stream);
    zcs_source_close(&source);
    zcs_frame_unref(&held);
    zcs_close(&ctx);
    CHECK_EQ(s.open_count, 0);
    return status;
}

/* Counts the mappings of frame memory and of the script. The kernel is asked, because some mappings
 * bypass the wrappers and some replace others. */
static int count_mappings(void)
{
    int mappings = 0;
    char line[512];
    FILE *file = fopen("/proc/self/maps", "r");
    CHECK(file != NULL);
    while (fgets(line, sizeof line, file) != NULL)
        mappings += strstr(line, "memfd:") != NULL;
    fclose(file);
    return mappings;
}

static int count_files(void)
{
    int files = 0;
    DIR *dir = opendir("/proc/self/fd");
    CHECK(dir != NULL);
    while (readdir(dir) != NULL)
        files++;
    closedir(dir);
    return files;
}

struct held {
    int64_t allocations;
    int files, mappings;
};

static struct held held_now(void)
{
    return (struct held){wrap_outstanding().allocations, count_files(), count_mappings()};
}

static void check_held(struct held before)
{
    const struct held after = held_now();
    CHECK_EQ(after.allocations, before.allocations);
    CHECK_EQ(after.files, before.files);
    CHECK_EQ(after.mappings, before.mappings);
}

static void allocations(enum zcs_path path, int multi)
{
    for (uint64_t n = 1; n < 1000; n++) {
        const struct held before = held_now();
        wrap_fail_nth(WRAP_ALLOC, n, WRAP_ONCE, ENOMEM);
        const zcs_status status = capture(path, multi);
        const uint64_t failed = wrap_failed();
        wrap_reset();
        check_held(before);
        CHECK(status >= 0 || log_text.text[0] != '\0' || failed);
        if (failed == 0) {
            CHECK_EQ(status, ZCS_OK);
            return;
        }
    }
    CHECK(!"the end of the allocations was reached");
}

static void calls(enum zcs_path path, int multi, int error)
{
    for (fail_at = 1; fail_at < 1000; fail_at++) {
        const struct held before = held_now();
        fail_error = error;
        const zcs_status status = capture(path, multi);
        check_held(before);
        CHECK(status >= 0 || log_text.text[0] != '\0');
        if (s.calls_made < fail_at) {
            CHECK_EQ(status, ZCS_OK);
            return;
        }
    }
    CHECK(!"the end of the calls was reached");
}

/* A reconnect with one failure: frames come again, or the camera is given up. */
static zcs_status reconnect(enum zcs_path path)
{
    script_init(&s);
    s.udmabuf = 1;
    s.node = "/dev/video7";
    s.serial = "1d6b:0102:0001";
    s.place = "/plug1";
    zcs_context *ctx = NULL;
    zcs_source *source = NULL;
    const struct zcs_frame *frame = NULL, *held = NULL;
    const struct zcs_v4l2_params params = {
        .device = "/dev/video7", .path = path, .reconnect_ns = INT64_C(1000000000000)};
    const struct zcs_params context = {
        .backend = ZCS_BACKEND_HOST, .host_threads = 1, .log = script_log, .log_user = &log_text};
    log_text.text[0] = '\0';
    CHECK_EQ(zcs_open(&context, &ctx), ZCS_OK);
    CHECK_EQ(zci_v4l2_open(ctx, &params, &s.calls, &source), ZCS_OK);
    CHECK_EQ(zcs_source_next(source, 100000000, &held), ZCS_OK);
    struct zci_v4l2_source *camera = (struct zci_v4l2_source *)source;
    s.unplugged = 1;
    s.fail_at = s.calls_made + fail_at;
    s.fail_error = fail_error;
    if (fail_alloc != 0)
        wrap_fail_nth(WRAP_ALLOC, fail_alloc, WRAP_ONCE, ENOMEM);
    zcs_status status = ZCS_OK;
    uint64_t last = held->sequence;
    for (int looks = 0, frames = 0; looks < 40 && frames < 6 && status >= 0; looks++) {
        if (camera->reconnect.lost_since_ns != 0)
            camera->reconnect.next_probe_ns = 1; /* probe at once */
        if (camera->backoff_until_ns != 0)
            camera->backoff_until_ns = 1; /* do not rest */
        status = zcs_source_next(source, 0, &frame);
        CHECK(status != ZCS_OK || frame->sequence > last);
        last = status == ZCS_OK ? frame->sequence : last;
        frames += status == ZCS_OK;
        zcs_frame_unref(&frame);
    }
    zcs_source_close(&source);
    zcs_frame_unref(&held);
    zcs_close(&ctx);
    CHECK_EQ(s.open_count, 0);
    return status;
}

static void reconnect_calls(enum zcs_path path, int error)
{
    for (fail_at = 1; fail_at < 1000; fail_at++) {
        const struct held before = held_now();
        fail_error = error;
        const zcs_status status = reconnect(path);
        check_held(before);
        CHECK_EQ(status, ZCS_OK); /* after one failure there is time for another probe */
        if (s.calls_made < s.fail_at)
            return;
    }
    CHECK(!"the end of the calls was reached");
}

static void reconnect_allocations(enum zcs_path path)
{
    fail_at = 1000;
    fail_error = 0;
    for (fail_alloc = 1; fail_alloc < 1000; fail_alloc++) {
        const struct held before = held_now();
        const zcs_status status = reconnect(path);
        const uint64_t failed = wrap_failed();
        wrap_reset();
        check_held(before);
        CHECK_EQ(status, ZCS_OK);
        if (failed == 0) {
            fail_alloc = 0;
            return;
        }
    }
    CHECK(!"the end of the allocations was reached");
}

/* Memory of ours is never written, the driver's is: the next kind of memory, with one failure. */
static zcs_status next_memory(uint64_t nth, unsigned long request)
{
    static const struct script_frame unwritten = {.bytes_used = SCRIPT_FULL, .unwritten = 1};
    script_init(&s);
    s.udmabuf = 1;
    s.bad = &unwritten;
    s.bad_memories = 2 | 4;
    zcs_context *ctx = NULL;
    zcs_source *source = NULL;
    const struct zcs_frame *frame = NULL;
    const struct zcs_v4l2_params params = {.device = "/dev/video7", .stall_ns = 1000000};
    const struct zcs_params context = {
        .backend = ZCS_BACKEND_HOST, .host_threads = 1, .log = script_log, .log_user = &log_text};
    log_text.text[0] = '\0';
    CHECK_EQ(zcs_open(&context, &ctx), ZCS_OK);
    CHECK_EQ(zci_v4l2_open(ctx, &params, &s.calls, &source), ZCS_OK);
    zcs_status status = ZCS_AGAIN;
    while (status == ZCS_AGAIN && s.stream_on_count < 2) /* up to the restart */
        status = zcs_source_next(source, 1000000, &frame);
    if (nth != 0)
        wrap_fail_nth(WRAP_ALLOC, nth, WRAP_ONCE, ENOMEM);
    s.faults[0] = (struct script_fault){request, EFAULT, 1};
    s.fail_error = EFAULT; /* the script's rules allow for failures */
    if (request == 0)
        s.faults[0].error = 0;
    while (status == ZCS_AGAIN)
        status = zcs_source_next(source, 100000000, &frame);
    zcs_source_close(&source);
    zcs_frame_unref(&frame);
    zcs_close(&ctx);
    CHECK_EQ(s.open_count, 0);
    return status;
}

static void next_memory_fails(void)
{
    static const unsigned long requests[] = {VIDIOC_REQBUFS,  VIDIOC_QUERYBUF,  VIDIOC_QBUF, 2,
                                             VIDIOC_STREAMON, VIDIOC_STREAMOFF, VIDIOC_DQBUF};
    for (size_t i = 0; i < sizeof requests / sizeof requests[0]; i++) {
        const struct held before = held_now();
        const zcs_status status = next_memory(0, requests[i]);
        check_held(before);
        CHECK(status == ZCS_OK || status == ZCS_ERR_IO);
    }
    for (uint64_t nth = 1; nth < 1000; nth++) {
        const struct held before = held_now();
        const zcs_status status = next_memory(nth, 0);
        const uint64_t failed = wrap_failed();
        wrap_reset();
        check_held(before);
        CHECK(status == ZCS_OK || log_text.text[0] != '\0');
        if (failed == 0) {
            CHECK_EQ(status, ZCS_OK);
            return;
        }
    }
    CHECK(!"the end of the allocations was reached");
}

int main(void)
{
    static const int errors[] = {EIO, ENODEV, EFAULT};
    for (size_t p = 0; p < sizeof paths / sizeof paths[0]; p++)
        for (int multi = 0; multi < 2; multi++)
            allocations(paths[p], multi);
    for (size_t p = 0; p < sizeof paths / sizeof paths[0]; p++)
        for (size_t e = 0; e < sizeof errors / sizeof errors[0]; e++)
            calls(paths[p], 1, errors[e]);
    for (size_t p = 1; p < sizeof paths / sizeof paths[0]; p++) {
        reconnect_allocations(paths[p]);
        for (size_t e = 0; e < sizeof errors / sizeof errors[0]; e++)
            reconnect_calls(paths[p], errors[e]);
    }
    next_memory_fails();
    return 0;
}
