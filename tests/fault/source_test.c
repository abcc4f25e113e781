/* SPDX-License-Identifier: MIT */
/* Sources under failure: every allocation and system call of a run fails once, and from then on; what
 * comes is right or an error that was logged once, and nothing leaks. */
#include <errno.h>
#include <sys/stat.h>

#include "fault/wrap.h"
#include "source_setup.h"
#include "source/source.h"

enum { FRAMES = 4, BYTES = 2048 }; /* GREY 64x32 */

static struct setup_lines lines;
static uint8_t pushed[FRAMES][BYTES];
static int released;

static zcs_status open_replay(zcs_context *ctx, const char *path, zcs_source **out)
{
    const struct zcs_replay_params params = {
        .path = path, .format = ZCS_PIXFMT_GREY, .width = 64, .height = 32};
    return zcs_source_open_replay(ctx, &params, out);
}

static zcs_status open_file(zcs_context *ctx, zcs_source **out)
{
    return open_replay(ctx, "file", out);
}

static zcs_status open_dir(zcs_context *ctx, zcs_source **out)
{
    return open_replay(ctx, "dir", out);
}

static zcs_status open_series(zcs_context *ctx, zcs_source **out)
{
    return open_replay(ctx, "dir/%03u", out);
}

static zcs_status open_stdin(zcs_context *ctx, zcs_source **out)
{
    return open_replay(ctx, "-", out);
}

static zcs_status open_pattern(zcs_context *ctx, zcs_source **out)
{
    const struct zcs_pattern_params params = {
        .name = "square", .format = ZCS_PIXFMT_GREY, .width = 64, .height = 32, .frames = FRAMES};
    return zcs_source_open_pattern(ctx, &params, out);
}

static void count_release(void *user, void *memory)
{
    (void)user;
    (void)memory;
    released++;
}

static zcs_status open_push(zcs_context *ctx, zcs_source **out)
{
    struct zcs_push_params params = {0};
    CHECK_EQ(zcs_image_init(&params.image, ZCS_PIXFMT_GREY, 64, 32, 0), ZCS_OK);
    const zcs_status status = zcs_source_open_push(ctx, &params, out);
    for (uint64_t n = 0; status == ZCS_OK && n < FRAMES; n++) {
        const struct zcs_push_meta meta = {.sequence = n};
        CHECK_EQ(zcs_source_push(*out, pushed[n], &meta, count_release, NULL), ZCS_OK);
    }
    if (status == ZCS_OK)
        zcs_source_push_end(*out);
    return status;
}

struct kind {
    const char *name;
    zcs_status (*open)(zcs_context *ctx, zcs_source **out);
    int drawn; /* the bytes are not the tests' own */
};

static const struct kind kinds[] = {
    {"file", open_file, 0},   {"directory", open_dir, 0}, {"series", open_series, 0},
    {"stdin", open_stdin, 0}, {"push", open_push, 0},     {"pattern", open_pattern, 1},
};

/* Takes frames to the end or the first failure; a wait that a signal ended is taken up again. */
static zcs_status take_all(const struct kind *kind, zcs_source *source)
{
    uint64_t count = 0;
    int again = 0;
    zcs_status status = ZCS_OK;
    while (status == ZCS_OK || (status == ZCS_AGAIN && again++ < 3)) {
        const struct zcs_frame *frame = NULL;
        status = zcs_source_next(source, 1000000000, &frame);
        if (frame == NULL)
            continue;
        CHECK_EQ(frame->sequence, count);
        if (!kind->drawn)
            setup_check_frame(frame, count * BYTES);
        count++;
        zcs_frame_unref(&frame);
    }
    CHECK(status < 0 || (status == ZCS_EOF && count == FRAMES));
    return status;
}

static zcs_status run(const struct kind *kind)
{
    zcs_context *ctx = NULL;
    zcs_source *source = NULL;
    const struct zcs_params params = {.backend = ZCS_BACKEND_HOST,
                                      .host_threads = 1,
                                      .log = setup_keep,
                                      .log_user = &lines,
                                      .log_level = ZCS_LOG_ERROR};
    released = 0;
    if (zcs_open(&params, &ctx) != ZCS_OK)
        return ZCS_ERR_NOMEM;
    setup_forget(&lines);
    zcs_status status = kind->open(ctx, &source);
    const int opened = status == ZCS_OK;
    CHECK(opened == (source != NULL));
    if (opened)
        status = take_all(kind, source);
    if (status < 0)
        CHECK_LINE(&lines, ": ");
    CHECK_EQ(lines.count, 0);
    zcs_source_close(&source);
    zcs_close(&ctx);
    CHECK_EQ(released, opened && kind->open == open_push ? FRAMES : 0);
    return status;
}

static void each_call(const struct kind *kind, enum wrap_kind calls, enum wrap_mode mode, int error)
{
    const struct wrap_outstanding before = wrap_outstanding();
    uint64_t failures = 0;
    for (uint64_t n = 1;; n++) {
        CHECK(lseek(STDIN_FILENO, 0, SEEK_SET) == 0);
        wrap_fail_nth(calls, n, mode, error);
        const zcs_status status = run(kind);
        const uint64_t failed = wrap_failed();
        wrap_reset();
        CHECK(wrap_same(before, wrap_outstanding()));
        if (failed == 0) {
            CHECK_EQ(status, ZCS_EOF);
            break;
        }
        failures += status < 0;
    }
    printf("%-10s %s, error %d, %s: %" PRIu64 " runs failed\n", kind->name,
           calls == WRAP_ALLOC ? "allocations" : "calls", error,
           mode == WRAP_ONCE ? "once" : "from then on", failures);
    CHECK(failures > 0);
}

int main(void)
{
    char folder[64], name[32];
    setup_folder(folder);
    setup_file("file", 0, (size_t)FRAMES * BYTES);
    CHECK(mkdir("dir", 0755) == 0);
    for (uint64_t n = 0; n < FRAMES; n++) {
        snprintf(name, sizeof name, "dir/%03d", (int)n);
        setup_file(name, n * BYTES, BYTES);
        for (size_t i = 0; i < BYTES; i++)
            pushed[n][i] = setup_byte(n * BYTES + i);
    }
    const int fd = open("file", O_RDONLY);
    CHECK(fd >= 0 && dup2(fd, STDIN_FILENO) == STDIN_FILENO && close(fd) == 0);
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        CHECK(lseek(STDIN_FILENO, 0, SEEK_SET) == 0);
        CHECK_EQ(run(&kinds[k]), ZCS_EOF);
        each_call(&kinds[k], WRAP_ALLOC, WRAP_ONCE, ENOMEM);
        each_call(&kinds[k], WRAP_ALLOC, WRAP_ON, ENOMEM);
        each_call(&kinds[k], WRAP_SYSTEM, WRAP_ONCE, EIO);
        each_call(&kinds[k], WRAP_SYSTEM, WRAP_ON, EIO);
        each_call(&kinds[k], WRAP_SYSTEM, WRAP_ONCE, EINTR);
        each_call(&kinds[k], WRAP_SYSTEM, WRAP_ONCE, EINVAL); /* O_DIRECT that the disk refuses */
    }
    setup_remove_folder(folder);
    return 0;
}
