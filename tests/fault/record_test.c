/* SPDX-License-Identifier: MIT */
/* The recorder and every reader under failure: each allocation and system call fails once, and from then
 * on. What was recorded before can be played, what is read is right, an error has its line, nothing leaks. */
#include <errno.h>

#include "fault/wrap.h"
#include "record_setup.h"

enum { FRAMES = 4 };

static struct setup_lines lines;
static struct zcs_image image; /* GREY 16x4 */

/* Frames in a file behind the given header and, each, the given line; a PNG is made elsewhere. */
static void make_file(const char *name, const char *header, const char *line)
{
    FILE *file = fopen(name, "wb");
    CHECK(file != NULL);
    fputs(header, file);
    for (int n = 0; n < FRAMES; n++) {
        fputs(line, file);
        if (strcmp(line, "rdhV") == 0)
            fwrite("\0\0\0\x40", 1, 4, file);
        for (size_t i = 0; i < image.size_bytes; i++)
            fputc(setup_byte((uint64_t)n * image.size_bytes + i), file);
    }
    CHECK(fclose(file) == 0);
}

/* A grey 16x4 picture whose sample i is 37 i. */
static void make_png(const char *name)
{
    static const uint8_t png[] = {
        0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0x00, 0x00, 0x00, 0x0d, 0x49, 0x48,
        0x44, 0x52, 0x00, 0x00, 0x00, 0x10, 0x00, 0x00, 0x00, 0x04, 0x08, 0x00, 0x00, 0x00,
        0x00, 0xa2, 0xdf, 0xe0, 0x30, 0x00, 0x00, 0x00, 0x4f, 0x49, 0x44, 0x41, 0x54, 0x78,
        0xda, 0x01, 0x44, 0x00, 0xbb, 0xff, 0x00, 0x00, 0x25, 0x4a, 0x6f, 0x94, 0xb9, 0xde,
        0x03, 0x28, 0x4d, 0x72, 0x97, 0xbc, 0xe1, 0x06, 0x2b, 0x00, 0x50, 0x75, 0x9a, 0xbf,
        0xe4, 0x09, 0x2e, 0x53, 0x78, 0x9d, 0xc2, 0xe7, 0x0c, 0x31, 0x56, 0x7b, 0x00, 0xa0,
        0xc5, 0xea, 0x0f, 0x34, 0x59, 0x7e, 0xa3, 0xc8, 0xed, 0x12, 0x37, 0x5c, 0x81, 0xa6,
        0xcb, 0x00, 0xf0, 0x15, 0x3a, 0x5f, 0x84, 0xa9, 0xce, 0xf3, 0x18, 0x3d, 0x62, 0x87,
        0xac, 0xd1, 0xf6, 0x1b, 0xca, 0xa1, 0x1e, 0x61, 0x99, 0x47, 0xd9, 0x9a, 0x00, 0x00,
        0x00, 0x00, 0x49, 0x45, 0x4e, 0x44, 0xae, 0x42, 0x60, 0x82};
    FILE *file = fopen(name, "wb");
    CHECK(file != NULL && fwrite(png, 1, sizeof png, file) == sizeof png && fclose(file) == 0);
}

static zcs_context *open_context(void)
{
    zcs_context *ctx = NULL;
    const struct zcs_params params = {.backend = ZCS_BACKEND_HOST,
                                      .host_threads = 1,
                                      .log = setup_keep,
                                      .log_user = &lines,
                                      .log_level = ZCS_LOG_ERROR};
    return zcs_open(&params, &ctx) == ZCS_OK ? ctx : NULL;
}

static zcs_status write_frames(zcs_recorder *recorder, uint64_t *written)
{
    static uint8_t pixels[RECORD_MAX_BYTES];
    zcs_status status = ZCS_OK;
    while (*written < FRAMES && status == ZCS_OK) {
        struct zcs_frame frame;
        record_frame(&image, *written, pixels, &frame);
        status = zcs_recorder_write(recorder, &frame);
        *written += status == ZCS_OK;
    }
    return status;
}

/* What a failed recorder left plays up to the frames that it had written. */
static zcs_status record(void)
{
    zcs_recorder *recorder = NULL;
    uint64_t written = 0;
    zcs_context *ctx = open_context();
    const struct zcs_recorder_params params = {.path = "x.zcr", .image = image, .text = "text"};
    if (ctx == NULL)
        return ZCS_ERR_NOMEM;
    setup_forget(&lines);
    zcs_status status = zcs_recorder_create(ctx, &params, &recorder);
    CHECK((status == ZCS_OK) == (recorder != NULL));
    const int created = status == ZCS_OK;
    if (created)
        status = write_frames(recorder, &written);
    const zcs_status finished = zcs_recorder_finish(&recorder);
    CHECK(status == ZCS_OK || !created || finished == status);
    CHECK_EQ(lines.count, status != ZCS_OK || finished != ZCS_OK);
    zcs_close(&ctx);
    return status != ZCS_OK ? status : finished;
}

static void check_recording(zcs_status status)
{
    const struct zcs_params params = {.backend = ZCS_BACKEND_HOST, .host_threads = 1};
    zcs_context *ctx = NULL;
    CHECK_EQ(zcs_open(&params, &ctx), ZCS_OK);
    const uint64_t frames = record_read(ctx, "x.zcr", &image);
    CHECK(status != ZCS_OK || frames == FRAMES);
    zcs_close(&ctx);
}

static zcs_status read_all(const char *path)
{
    zcs_source *source = NULL;
    zcs_context *ctx = open_context();
    const struct zcs_replay_params params = {
        .path = path,
        .format = strstr(path, "hdr") != NULL ? ZCS_PIXFMT_GREY : ZCS_PIXFMT_NONE,
        .width = strstr(path, "hdr") != NULL ? 16 : 0,
        .height = strstr(path, "hdr") != NULL ? 4 : 0};
    if (ctx == NULL)
        return ZCS_ERR_NOMEM;
    setup_forget(&lines);
    zcs_status status = zcs_source_open_replay(ctx, &params, &source);
    int again = 0;
    uint64_t n = 0;
    while (status == ZCS_OK || (status == ZCS_AGAIN && again++ < 3)) {
        const struct zcs_frame *frame = NULL;
        status = zcs_source_next(source, 1000000000, &frame);
        if (frame == NULL)
            continue;
        if (frame->clock != ZCS_CLOCK_NONE)
            record_check(frame, &image, n);
        else if (strstr(path, "png") == NULL)
            setup_check_frame(frame, n * image.size_bytes);
        n++;
        zcs_frame_unref(&frame);
    }
    CHECK(status < 0 || status == ZCS_EOF);
    CHECK_EQ(lines.count, status < 0);
    zcs_source_close(&source);
    zcs_close(&ctx);
    return status;
}

static zcs_status run(const char *path)
{
    return path != NULL ? read_all(path) : record();
}

static void each_call(const char *path, enum wrap_kind calls, enum wrap_mode mode, int error)
{
    uint64_t runs = 0;
    for (uint64_t n = 1; n < 1000; n++) {
        const struct wrap_outstanding before = wrap_outstanding();
        wrap_fail_nth(calls, n, mode, error);
        const zcs_status status = run(path);
        const uint64_t failed = wrap_failed();
        wrap_reset();
        CHECK(wrap_same(before, wrap_outstanding()));
        if (path == NULL && status != ZCS_ERR_NOMEM)
            check_recording(status);
        if (failed == 0)
            break;
        runs++;
    }
    printf("%s: error %d, %s: %" PRIu64 " calls\n", path != NULL ? path : "recorder", error,
           mode == WRAP_ONCE ? "once" : "from then on", runs);
    CHECK(runs > 0 && runs < 999);
}

int main(void)
{
    static const char *const paths[] = {NULL, "a.zcr", "cut.zcr", "a.y4m", "a.pgm", "a.hdr", "png"};
    char folder[64];
    setup_folder(folder);
    CHECK_EQ(zcs_image_init(&image, ZCS_PIXFMT_GREY, 16, 4, 0), ZCS_OK);
    zcs_context *ctx = setup_context(&lines);
    record_write(ctx, "a.zcr", &image, FRAMES);
    record_write(ctx, "cut.zcr", &image, FRAMES);
    zcs_close(&ctx);
    CHECK(truncate("cut.zcr", 4096 + FRAMES * 8192) == 0);
    make_file("a.y4m", "YUV4MPEG2 W16 H4 Cmono\n", "FRAME\n");
    make_file("a.pgm", "", "P5 16 4 255\n");
    make_file("a.hdr", "", "rdhV");
    make_png("png");
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
        const zcs_status whole = run(paths[i]);
        if (whole == ZCS_ERR_UNSUPPORTED && strstr(lines.last, "this build has no libpng")) {
            printf("left out: %s\n", lines.last);
            continue;
        }
        CHECK_EQ(whole, paths[i] != NULL ? ZCS_EOF : ZCS_OK);
        each_call(paths[i], WRAP_ALLOC, WRAP_ONCE, ENOMEM);
        each_call(paths[i], WRAP_ALLOC, WRAP_ON, ENOMEM);
        each_call(paths[i], WRAP_SYSTEM, WRAP_ONCE, EIO);
        each_call(paths[i], WRAP_SYSTEM, WRAP_ON, ENOSPC);
        each_call(paths[i], WRAP_SYSTEM, WRAP_ONCE, EINTR);
    }
    setup_remove_folder(folder);
    return 0;
}
