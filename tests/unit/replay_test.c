/* SPDX-License-Identifier: MIT */
/* Replay of files: every byte of every frame on both read paths, series of files, refused input. */
#include "source_setup.h"

#include <errno.h>
#include <sys/stat.h>

#include "source/source.h"

static struct setup_lines lines;

static zcs_source *open_replay(zcs_context *ctx, const char *path, uint32_t width, uint32_t height,
                               uint32_t loops)
{
    const struct zcs_replay_params params = {
        .path = path, .format = ZCS_PIXFMT_GREY, .width = width, .height = height, .loops = loops};
    zcs_source *source = NULL;
    CHECK_EQ(zcs_source_open_replay(ctx, &params, &source), ZCS_OK);
    return source;
}

static void next_is(zcs_source *source, uint64_t sequence, uint64_t first_byte)
{
    const struct zcs_frame *frame = NULL;
    CHECK_EQ(zcs_source_next(source, -1, &frame), ZCS_OK);
    CHECK_EQ(frame->sequence, sequence);
    setup_check_frame(frame, first_byte);
    CHECK(frame->device_data == frame->host);
    CHECK_EQ(frame->cpu_bytes_copied, frame->path == ZCS_PATH_DIRECT ? 0 : frame->image.size_bytes);
    CHECK(frame->captured_ns > 0 && frame->memory == ZCS_MEMORY_PAGEABLE);
    zcs_frame_unref(&frame);
}

static void next_gives(zcs_source *source, zcs_status status)
{
    const struct zcs_frame *frame = NULL;
    CHECK_EQ(zcs_source_next(source, -1, &frame), status);
    CHECK(frame == NULL);
}

static uint64_t lost_short(const zcs_source *source)
{
    struct zcs_source_info info;
    zcs_source_info(source, &info);
    return info.lost[ZCS_LOSS_SHORT];
}

/* 1: the library found that the file system of this directory supports O_DIRECT. */
static int has_direct(zcs_context *ctx)
{
    setup_file("probe", 0, 4096);
    zcs_source *source = open_replay(ctx, "probe", 64, 64, 0);
    struct zcs_source_info info;
    zcs_source_info(source, &info);
    CHECK(info.path == ZCS_PATH_NONE && info.path_reason != NULL);
    next_is(source, 0, 0);
    zcs_source_info(source, &info);
    printf("path here: %s (%s)\n", zcs_path_name(info.path), info.path_reason);
    CHECK(info.path == ZCS_PATH_DIRECT || info.path == ZCS_PATH_READ);
    zcs_source_close(&source);
    CHECK(source == NULL && unlink("probe") == 0);
    return info.path == ZCS_PATH_DIRECT;
}

/* Frames of one size, back to back, and trailing bytes. */
static void check_sizes(zcs_context *ctx, uint32_t width, uint32_t height, enum zcs_path path)
{
    const uint64_t bytes = (uint64_t)width * height, frames = 5, rest = bytes - 1;
    setup_file("frames.raw", 0, bytes * frames + rest);
    zcs_source *source = open_replay(ctx, "frames.raw", width, height, 0);
    for (uint64_t n = 0; n < frames; n++)
        next_is(source, n, n * bytes);
    CHECK_EQ(lines.count, 0);
    next_gives(source, ZCS_EOF);
    next_gives(source, ZCS_EOF);
    struct zcs_source_info info;
    zcs_source_info(source, &info);
    CHECK(info.frames == frames && strcmp(info.kind, "replay") == 0 && !info.live);
    CHECK_EQ(info.path, path);
    CHECK_EQ(info.lost[ZCS_LOSS_SHORT], rest != 0);
    CHECK_EQ(lines.count, rest != 0);
    setup_forget(&lines);
    zcs_source_close(&source);
}

static void test_bytes(zcs_context *ctx, int direct)
{
    const uint32_t sizes[][2] = {{64, 32}, {128, 1}, {128, 3}, {128, 33}, {640, 48},
                                 {33, 7},  {1, 1},   {63, 65}, {127, 1},  {1024, 100}};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        const int aligned = sizes[i][0] * sizes[i][1] % 128 == 0;
        check_sizes(ctx, sizes[i][0], sizes[i][1],
                    direct && aligned ? ZCS_PATH_DIRECT : ZCS_PATH_READ);
    }
}

static void test_rest_line(zcs_context *ctx)
{
    setup_file("x.raw", 0, 3 * 2048 + 100);
    zcs_source *source = open_replay(ctx, "x.raw", 64, 32, 2);
    for (uint64_t n = 0; n < 6; n++) /* the incomplete frame of each pass has a number too */
        next_is(source, n + n / 3, n % 3 * 2048);
    next_gives(source, ZCS_EOF);
    CHECK_LINE(&lines, "x.raw: 100 bytes left over after 3 frames of GREY 64x32 (2048 bytes each): "
                       "not used; is the size right?");
    CHECK_EQ(lost_short(source), 2);
    struct zcs_source_info info;
    zcs_source_info(source, &info);
    CHECK_EQ(info.frames, 6);
    zcs_source_close(&source);
    source = open_replay(ctx, "x.raw", 64, 32, UINT32_MAX);
    for (uint64_t n = 0; n < 100; n++)
        next_is(source, n + n / 3, n % 3 * 2048);
    zcs_source_info(source, &info);
    CHECK_EQ(info.frames, 0);
    zcs_source_close(&source);
    setup_forget(&lines);
}

/* Whether tmpfs supports O_DIRECT depends on the kernel; the bytes do not. */
static void test_tmpfs(zcs_context *ctx)
{
    char name[] = "/dev/shm/zcs-test-XXXXXX";
    const int fd = mkstemp(name);
    if (fd < 0) {
        printf("not tried: no /dev/shm\n");
        return;
    }
    close(fd);
    setup_file(name, 0, 4 * 2048);
    zcs_source *source = open_replay(ctx, name, 64, 32, 0);
    for (uint64_t n = 0; n < 4; n++)
        next_is(source, n, n * 2048);
    next_gives(source, ZCS_EOF);
    zcs_source_close(&source);
    CHECK(unlink(name) == 0);
}

static void test_directory(zcs_context *ctx)
{
    CHECK(mkdir("dir", 0755) == 0 && mkdir("dir/sub", 0755) == 0);
    setup_file("dir/b.raw", 2048, 3 * 2048 + 7);
    setup_file("dir/a.raw", 0, 2048);
    setup_file("dir/c", 50000, 100);
    setup_file("dir/.hidden", 60000, 2048);
    setup_file("dir/d", 4 * 2048, 2048);
    zcs_source *source = open_replay(ctx, "dir", 64, 32, 0);
    struct zcs_source_info info;
    zcs_source_info(source, &info);
    CHECK_EQ(info.frames, 5);
    for (uint64_t n = 0; n < 4; n++)
        next_is(source, n, n * 2048);
    next_is(source, 6, 4 * 2048); /* b.raw ends with an incomplete frame, c is one */
    CHECK_EQ(lines.count, 2);
    CHECK(strstr(lines.last, "dir/c: 100 bytes left over after 0 frames of") != NULL);
    next_gives(source, ZCS_EOF);
    CHECK_EQ(lost_short(source), 2);
    zcs_source_close(&source);

    /* Many names, created in another order than they sort. */
    char name[32];
    CHECK(mkdir("names", 0755) == 0);
    for (uint64_t n = 0; n < 23; n++) {
        snprintf(name, sizeof name, "names/%02d.raw", (int)(n * 7 % 23));
        setup_file(name, n * 7 % 23 * 2048, 2048);
    }
    setup_forget(&lines);
    source = open_replay(ctx, "names", 64, 32, 0);
    for (uint64_t n = 0; n < 23; n++)
        next_is(source, n, n * 2048);
    next_gives(source, ZCS_EOF);
    CHECK_EQ(lines.count, 0);
    zcs_source_close(&source);

    /* Skipping continues in the next file. */
    source = open_replay(ctx, "dir/", 64, 32, 2);
    next_is(source, 0, 0);
    CHECK_EQ(source->ops->skip(source, 2), 2);
    next_is(source, 3, 3 * 2048);
    CHECK_EQ(source->ops->skip(source, 3), 3);
    next_is(source, 9, 2 * 2048);
    CHECK_EQ(source->ops->skip(source, 100), 2);
    next_gives(source, ZCS_EOF);
    zcs_source_close(&source);
    setup_forget(&lines);
}

/* Numbers in names sort by value. Names that differ only in leading zeros sort by their bytes. */
static void test_natural_order(zcs_context *ctx)
{
    /* clang-format off */
    static const char *const names[] = {
        "0", "00", "000", "1", "02", "003", "3a", "3a2-9", "3a2-10", "3a10-1", "10",
        "18446744073709551616", "18446744073709551617",
        "f", "f0.raw", "f01.raw", "f1.raw", "f2.raw", "f10.raw",
    };
    /* clang-format on */
    const uint64_t count = sizeof names / sizeof *names;
    CHECK(mkdir("natural", 0755) == 0);
    for (uint64_t n = count; n-- > 0;) {
        char name[64];
        snprintf(name, sizeof name, "natural/%s", names[n]);
        setup_file(name, n * 2048, 2048);
    }
    zcs_source *source = open_replay(ctx, "natural", 64, 32, 0);
    for (uint64_t n = 0; n < count; n++)
        next_is(source, n, n * 2048);
    next_gives(source, ZCS_EOF);
    zcs_source_close(&source);
}

/* An empty file is a lost frame with a number, as a truncated one is, in each pass. It is reported once. */
static void test_empty_among_others(zcs_context *ctx)
{
    CHECK(mkdir("gaps", 0755) == 0);
    setup_file("gaps/0", 0, 0);
    setup_file("gaps/1", 0, 2048);
    setup_file("gaps/2", 0, 0);
    setup_file("gaps/3", 2048, 2048);
    zcs_source *source = open_replay(ctx, "gaps", 64, 32, 2);
    next_is(source, 1, 0);
    CHECK_LINE(&lines, "gaps/0: empty, 0 bytes; a frame of GREY 64x32 needs 2048: ignored");
    next_is(source, 3, 2048);
    CHECK_LINE(&lines, "gaps/2: empty, 0 bytes; a frame of GREY 64x32 needs 2048: ignored");
    next_is(source, 5, 0);
    next_is(source, 7, 2048);
    next_gives(source, ZCS_EOF);
    CHECK_EQ(lost_short(source), 4);
    CHECK_EQ(lines.count, 0);
    zcs_source_close(&source);
}

static void test_series(zcs_context *ctx)
{
    char name[32];
    for (int n = 8; n < 12; n++) {
        snprintf(name, sizeof name, "s%%-%03d.raw", n);
        setup_file(name, (uint64_t)n * 2048, 2048);
    }
    setup_file("s%-013.raw", 0, 2048); /* 12 is missing: the series ends */
    const char *const patterns[] = {"s%%-%03u.raw", "s%%-%03d.raw", "./s%%-0%02u.raw"};
    for (int i = 0; i < 3; i++) {
        zcs_source *source = open_replay(ctx, patterns[i], 64, 32, 0);
        CHECK_LINE(&lines,
                   "s%-012.raw is missing: the series ends before it, though there are files up "
                   "to 13");
        for (uint64_t n = 0; n < 4; n++)
            next_is(source, n, (8 + n) * 2048);
        next_gives(source, ZCS_EOF);
        zcs_source_close(&source);
    }
    /* A file with exactly this name is this file. */
    zcs_source *source = open_replay(ctx, "s%-013.raw", 64, 32, 0);
    next_is(source, 0, 0);
    next_gives(source, ZCS_EOF);
    zcs_source_close(&source);
    setup_file("12345678", 0, 2048);
    setup_file("012345670", 0, 2048); /* not what %u writes */
    source = open_replay(ctx, "%u", 64, 32, 0);
    next_is(source, 0, 0);
    next_gives(source, ZCS_EOF);
    zcs_source_close(&source);
    CHECK_EQ(lines.count, 0);
}

/* A frame beyond 4 GiB, in a sparse file. */
static void test_far(zcs_context *ctx)
{
    const uint64_t bytes = 1920 * 1080, n = 5000;
    uint8_t *data = malloc(bytes);
    CHECK(data != NULL);
    for (uint64_t i = 0; i < bytes; i++)
        data[i] = setup_byte(i);
    const int fd = open("far.raw", O_WRONLY | O_CREAT, 0644);
    if (fd < 0 || ftruncate(fd, (off_t)(bytes * (n + 2))) != 0 ||
        pwrite(fd, data, bytes, (off_t)(bytes * n)) != (ssize_t)bytes)
        SKIP("no sparse file of 10 GB here");
    CHECK(close(fd) == 0);
    free(data);
    zcs_source *source = open_replay(ctx, "far.raw", 1920, 1080, 0);
    CHECK_EQ(source->ops->skip(source, n), n);
    next_is(source, n, 0);
    const struct zcs_frame *frame = NULL;
    CHECK_EQ(zcs_source_next(source, -1, &frame), ZCS_OK);
    const uint8_t *last = frame->host;
    for (uint64_t i = 0; i < bytes; i++)
        CHECK(last[i] == 0);
    zcs_frame_unref(&frame);
    next_gives(source, ZCS_EOF);
    zcs_source_close(&source);
    CHECK(unlink("far.raw") == 0);
}

static void test_shrink(zcs_context *ctx, uint32_t width, uint32_t height, uint64_t extra)
{
    const uint64_t bytes = (uint64_t)width * height;
    setup_file("cut.raw", 0, 5 * bytes);
    zcs_source *source = open_replay(ctx, "cut.raw", width, height, UINT32_MAX);
    next_is(source, 0, 0);
    CHECK(truncate("cut.raw", (off_t)(2 * bytes + extra)) == 0);
    next_is(source, 1, bytes);
    next_is(source, 2, 0); /* the next pass */
    char want[128];
    snprintf(want, sizeof want,
             "cut.raw: was truncated while it was read: %" PRIu64 " bytes after 2 of 5 frames",
             extra);
    CHECK_LINE(&lines, want);
    CHECK_EQ(lost_short(source), 1);
    CHECK(truncate("cut.raw", 0) == 0);
    next_gives(source, ZCS_EOF); /* and no endless loop over an empty file */
    zcs_source_close(&source);
    setup_forget(&lines);
}

static void test_gone(zcs_context *ctx)
{
    setup_file("g0", 0, 2048);
    setup_file("g1", 2048, 2048);
    zcs_source *source = open_replay(ctx, "g%u", 64, 32, 0);
    next_is(source, 0, 0);
    CHECK(unlink("g1") == 0);
    next_gives(source, ZCS_ERR_IO);
    CHECK_LINE(&lines, "g1: No such file or directory");
    next_gives(source, ZCS_ERR_IO);
    CHECK_EQ(lines.count, 0);
    zcs_source_close(&source);
}

static void test_references(zcs_context *ctx)
{
    setup_file("many.raw", 0, 20 * 384);
    zcs_source *source = open_replay(ctx, "many.raw", 128, 3, 0);
    const struct zcs_frame *held[8];
    for (int n = 0; n < 8; n++)
        CHECK_EQ(zcs_source_next(source, 0, &held[n]), ZCS_OK);
    next_gives(source, ZCS_AGAIN);
    zcs_frame_unref(&held[3]);
    next_is(source, 8, 8 * 384);
    zcs_source_close(&source);
    for (int n = 0; n < 8; n++)
        if (held[n] != NULL) {
            setup_check_frame(held[n], (uint64_t)n * 384);
            zcs_frame_unref(&held[n]);
        }
}

struct refusal {
    struct zcs_replay_params params;
    zcs_status status;
    const char *text;
};

#define OF(f, w, h) .format = ZCS_PIXFMT_##f, .width = w, .height = h
#define YUYV OF(YUYV, 640, 480)
static const struct refusal cases[] = {
    {{.path = "missing", YUYV}, ZCS_ERR_IO, "missing: No such file or directory"},
    {{.path = "empty", YUYV},
     ZCS_ERR_FORMAT,
     "empty: empty, 0 bytes; a frame of YUYV 640x480 needs 614400"},
    {{.path = "one", YUYV}, ZCS_ERR_FORMAT, "one: 1 bytes; a frame of YUYV 640x480 needs 614400"},
    {{.path = "some", YUYV}, ZCS_ERR_FORMAT, "some: 614399 bytes; a frame of YUYV 640x480 needs"},
    {{.path = "nothing", YUYV}, ZCS_ERR_FORMAT, "nothing: the directory has no files"},
    {{.path = "little", YUYV},
     ZCS_ERR_FORMAT,
     "little: the largest of its 2 files has 20 bytes; a frame of YUYV 640x480 needs 614400"},
    {{.path = "no%03u", YUYV}, ZCS_ERR_IO, "no%03u: no such file"},
    {{.path = "no%s", YUYV}, ZCS_ERR_FORMAT, "no%s: a numbered name has exactly one"},
    {{.path = "no%u-%u", YUYV}, ZCS_ERR_FORMAT, "no%u-%u: a numbered name has exactly one"},
    {{.path = "no%%", YUYV}, ZCS_ERR_FORMAT, "exactly one"},
    {{.path = "no%", YUYV}, ZCS_ERR_FORMAT, "exactly one"},
    {{.path = "no%0999999999999u", YUYV}, ZCS_ERR_FORMAT, "exactly one"},
    {{.path = "", YUYV}, ZCS_ERR_IO, ": No such file or directory"},
    {{.path = "one"}, ZCS_ERR_ARG, "one: raw frames need a format"},
    {{.path = "empty"}, ZCS_ERR_FORMAT, "empty: empty, 0 bytes"},
    {{.path = "one", OF(MJPEG, 8, 8)}, ZCS_ERR_UNSUPPORTED, "one: MJPG is compressed"},
    {{.path = "one", OF(YUYV, 0, 480)}, ZCS_ERR_ARG, "one: size 0x480"},
    {{.path = "one", OF(YUYV, 640, 4000000000u)}, ZCS_ERR_ARG, "one: size 640x4000000000"},
    {{.path = "one", YUYV, .stride_bytes = 1279},
     ZCS_ERR_FORMAT,
     "one: a stride of 1279 bytes is below 1280, the minimum for YUYV 640x480"},
    {{.path = "one", YUYV, .stride_bytes = SIZE_MAX / 2}, ZCS_ERR_ARG, "exceeds any memory"},
    {{.path = "one", YUYV, .shift = 2}, ZCS_ERR_ARG, "one: a shift of 2 bits: the samples of YUYV"},
    {{.path = "one", OF(SRGGB10P, 8, 8), .shift = 1}, ZCS_ERR_ARG, "are no 16-bit words"},
    {{.path = "one", OF(Y10, 8, 8), .shift = 7, .bits = 10},
     ZCS_ERR_ARG,
     "one: 10 bits shifted by 7 do not fit 16"},
    {{.path = "one", OF(Y12, 8, 8), .shift = 5},
     ZCS_ERR_ARG,
     "one: 12 bits shifted by 5 do not fit 16: the maximum for Y12 is 4"},
    {{.path = "one", OF(SRGGB14, 8, 8), .shift = 15}, ZCS_ERR_ARG, "the maximum for RG14 is 2"},
    {{.path = "one", OF(Y16, 8, 8), .shift = 16}, ZCS_ERR_ARG, "the maximum is 15"},
    {{.path = "one", OF(Y10, 8, 8), .bits = 11},
     ZCS_ERR_ARG,
     "one: 11 significant bits: a sample of Y10 has 10"},
    {{.path = "one", YUYV, .bits = 7},
     ZCS_ERR_ARG,
     "one: 7 significant bits: colours of YUYV have 8"},
    {{.path = "one", YUYV, .color = {.matrix = (enum zcs_matrix)77}},
     ZCS_ERR_ARG,
     "one: the colour"},
    {{.path = "one", YUYV, .fps_num = 30}, ZCS_ERR_ARG, "one: 30/0 frames a second is no rate"},
    {{.path = "one", YUYV, .pace = 1}, ZCS_ERR_ARG, "one: playing at its pace needs a rate"},
    {{.path = "fifo", YUYV, .loops = 3}, ZCS_ERR_ARG, "fifo: a pipe cannot be played 3 times"},
};
#undef OF
#undef YUYV

static void test_refusals(zcs_context *ctx)
{
    setup_file("empty", 0, 0);
    setup_file("one", 0, 1);
    setup_file("some", 0, 614399);
    CHECK(mkdir("nothing", 0755) == 0 && mkdir("little", 0755) == 0);
    setup_file("little/a", 0, 10);
    setup_file("little/b", 0, 20);
    CHECK(mkfifo("fifo", 0600) == 0);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        zcs_source *source = NULL;
        CHECK_EQ(zcs_source_open_replay(ctx, &cases[i].params, &source), cases[i].status);
        CHECK(source == NULL);
        CHECK_LINE(&lines, cases[i].text);
    }
}

static void test_overrides(zcs_context *ctx)
{
    setup_file("y16", 0, 128);
    struct zcs_replay_params params = {.path = "y16",
                                       .format = ZCS_PIXFMT_Y16,
                                       .width = 8,
                                       .height = 8,
                                       .shift = 4,
                                       .color = {.transfer = ZCS_TRANSFER_SRGB},
                                       .fps_num = 25,
                                       .fps_den = 1};
    zcs_source *source = NULL;
    struct zcs_image image;
    CHECK_EQ(zcs_source_open_replay(ctx, &params, &source), ZCS_OK);
    zcs_source_image(source, &image);
    CHECK(image.bits == 12 && image.shift == 4 && image.size_bytes == 128);
    CHECK(image.color.transfer == ZCS_TRANSFER_SRGB && image.color.matrix == ZCS_MATRIX_BT601 &&
          image.color.range == ZCS_RANGE_FULL);
    zcs_source_close(&source);
    params.bits = 10;
    params.stride_bytes = 18;
    CHECK(truncate("y16", 18 * 8) == 0);
    CHECK_EQ(zcs_source_open_replay(ctx, &params, &source), ZCS_OK);
    zcs_source_image(source, &image);
    CHECK(image.bits == 10 && image.shift == 4 && image.size_bytes == 144);
    zcs_source_close(&source);
}

/* Real frames: one file, and a file with copies of it. */
static void test_real(zcs_context *ctx)
{
    const char *shared = getenv("ZCS_SHARED");
    char name[512];
    snprintf(name, sizeof name, "%s/frames/YU12_tshirt_318x240.raw", shared ? shared : "");
    if (shared == NULL || access(name, R_OK) != 0) {
        printf("not tried: no ZCS_SHARED/frames\n");
        return;
    }
    const struct zcs_replay_params params = {
        .path = name, .format = ZCS_PIXFMT_YUV420, .width = 318, .height = 240};
    zcs_source *source = NULL;
    const struct zcs_frame *frame = NULL;
    CHECK_EQ(zcs_source_open_replay(ctx, &params, &source), ZCS_OK);
    CHECK_EQ(zcs_source_next(source, -1, &frame), ZCS_OK);
    uint8_t *bytes = malloc(114480);
    const int fd = open(name, O_RDONLY);
    CHECK(bytes != NULL && read(fd, bytes, 114480) == 114480 && close(fd) == 0);
    CHECK(memcmp(frame->host, bytes, 114480) == 0);
    CHECK(frame->image.offset_bytes[1] == 76320 && frame->image.offset_bytes[2] == 95400);
    free(bytes);
    zcs_frame_unref(&frame);
    next_gives(source, ZCS_EOF);
    zcs_source_close(&source);
}

int main(void)
{
    char folder[64];
    zcs_context *ctx = setup_context(&lines);
    test_real(ctx);
    setup_folder(folder);
    const int direct = has_direct(ctx);
    test_bytes(ctx, direct);
    test_rest_line(ctx);
    test_tmpfs(ctx);
    test_directory(ctx);
    test_natural_order(ctx);
    test_empty_among_others(ctx);
    test_series(ctx);
    test_shrink(ctx, 64, 32, 1000);
    test_shrink(ctx, 128, 1, 0);
    test_shrink(ctx, 128, 33, 4095);
    test_shrink(ctx, 33, 7, 1);
    test_gone(ctx);
    test_references(ctx);
    test_refusals(ctx);
    test_overrides(ctx);
    test_far(ctx);
    setup_remove_folder(folder);
    zcs_close(&ctx);
    return 0;
}
