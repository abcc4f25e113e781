/* SPDX-License-Identifier: MIT */
/* Recordings: every field and byte is read back; truncated, corrupt and forged files. */
#include <dirent.h>
#include <sys/stat.h>

#include "core/bytes.h"
#include "core/zcr.h"
#include "record_setup.h"

static struct setup_lines lines;

static struct zcs_image image_of(enum zcs_pixfmt format, uint32_t width, uint32_t height,
                                 size_t stride)
{
    struct zcs_image image;
    CHECK_EQ(zcs_image_init(&image, format, width, height, stride), ZCS_OK);
    return image;
}

static size_t file_bytes(const char *path)
{
    struct stat info;
    CHECK(stat(path, &info) == 0);
    return (size_t)info.st_size;
}

static uint8_t *load(const char *path, size_t *bytes)
{
    *bytes = file_bytes(path);
    uint8_t *data = malloc(*bytes + 1);
    FILE *file = fopen(path, "rb");
    CHECK(data != NULL && file != NULL && fread(data, 1, *bytes, file) == *bytes);
    fclose(file);
    return data;
}

static void save(const char *path, const uint8_t *data, size_t bytes)
{
    FILE *file = fopen(path, "wb");
    CHECK(file != NULL && fwrite(data, 1, bytes, file) == bytes && fclose(file) == 0);
}

static void test_every_format(zcs_context *ctx)
{
    for (int i = 1; i < ZCS_PIXFMT_COUNT; i++) {
        if (zcs_pixfmt_info((enum zcs_pixfmt)i)->model == ZCS_MODEL_JPEG)
            continue;
        struct zcs_image image = image_of((enum zcs_pixfmt)i, 13, 7, 128 + 6 * (i % 5));
        image.color =
            (struct zcs_color){ZCS_MATRIX_BT2020, ZCS_RANGE_FULL, ZCS_TRANSFER_POWER, 2345};
        record_write(ctx, "all.zcr", &image, 3);
        CHECK_EQ(record_read(ctx, "all.zcr", &image), 3);
        CHECK(lines.count == 0 || strstr(lines.last, ": codes exceed ") != NULL);
        setup_forget(&lines);
    }
}

/* Bits, shift, an odd offset of a plane, no frames, sizes around a page. */
static void test_layouts(zcs_context *ctx)
{
    struct zcs_image image = image_of(ZCS_PIXFMT_Y16, 30, 20, 0);
    image.bits = 11;
    image.shift = 5;
    record_write(ctx, "shift.zcr", &image, 2);
    CHECK_EQ(record_read(ctx, "shift.zcr", &image), 2);
    image = image_of(ZCS_PIXFMT_NV12, 16, 8, 0);
    image.offset_bytes[1] += 64;
    image.size_bytes += 100;
    record_write(ctx, "apart.zcr", &image, 2);
    CHECK_EQ(record_read(ctx, "apart.zcr", &image), 2);
    for (uint32_t width = 4095; width <= 4097; width++) {
        image = image_of(ZCS_PIXFMT_GREY, width, 1, 0);
        record_write(ctx, "page.zcr", &image, 5);
        CHECK_EQ(record_read(ctx, "page.zcr", &image), 5);
    }
    CHECK_EQ(lines.count, 0);
    record_write(ctx, "none.zcr", &image, 0);
    zcs_source *source = NULL;
    CHECK_EQ(record_open(ctx, "none.zcr", &source), ZCS_ERR_FORMAT);
    CHECK_LINE(&lines, "none.zcr: 4136 bytes; a frame of GREY 4097x1 needs 4097");
}

static void join(void *user, enum zcs_log_level level, const char *line)
{
    char *all = user;
    const size_t used = strlen(all);
    (void)level;
    snprintf(all + used, 1000 - used, "%s\n", line);
}

/* A replay logs the texts of the recording, line by line. */
static void test_told(void)
{
    char all[1000] = "";
    const struct zcs_params params = {.backend = ZCS_BACKEND_HOST,
                                      .host_threads = 1,
                                      .log = join,
                                      .log_user = all,
                                      .log_level = ZCS_LOG_INFO};
    zcs_context *ctx = NULL;
    zcs_source *source = NULL;
    CHECK_EQ(zcs_open(&params, &ctx), ZCS_OK);
    CHECK_EQ(record_open(ctx, "info.zcr", &source), ZCS_OK);
    CHECK(strstr(all, "info.zcr: recorded from /dev/video7\n") != NULL);
    CHECK(strstr(all, "info.zcr: recorded with gain=3\ninfo.zcr: recorded with exposure=20\n") !=
          NULL);
    zcs_source_close(&source);
    zcs_close(&ctx);
}

static void test_info(zcs_context *ctx)
{
    const struct zcs_image image = image_of(ZCS_PIXFMT_SRGGB10P, 20, 10, 0);
    struct zcs_source_info info;
    zcs_source *source = NULL;
    record_write(ctx, "info.zcr", &image, 4);
    CHECK_EQ(record_open(ctx, "info.zcr", &source), ZCS_OK);
    zcs_source_info(source, &info);
    CHECK(strcmp(info.recorded_from, "/dev/video7") == 0);
    CHECK(strcmp(info.recorded_text, "gain=3\nexposure=20\n") == 0);
    CHECK(info.fps_num == 30000 && info.fps_den == 1001 && info.frames == 4);
    CHECK_EQ(info.first_sequence, 1000);
    const struct zcs_frame *frame = NULL;
    CHECK_EQ(zcs_source_next(source, -1, &frame), ZCS_OK);
    printf("path here: %s\n", zcs_path_name(frame->path));
    CHECK(frame->path == ZCS_PATH_DIRECT ? frame->cpu_bytes_copied == 0 : 1);
    zcs_frame_unref(&frame);
    zcs_source_close(&source);
}

/* Every record and payload starts on a page, and the file is as docs/zcr.md describes. */
static void test_bytes(zcs_context *ctx)
{
    const struct zcs_image image = image_of(ZCS_PIXFMT_YUYV, 40, 30, 0);
    size_t bytes;
    record_write(ctx, "bytes.zcr", &image, 2);
    uint8_t *data = load("bytes.zcr", &bytes);
    CHECK_EQ(bytes, 4096 + 2 * (4096 + 4096) + 2 * 48 + 40);
    CHECK(memcmp(data, "ZCSREC\x1a\n", 8) == 0 && zci_get32(data + 8) == 1);
    CHECK(zci_get32(data + 12) == 4096 && memcmp(data + 20, "YUYVYUYV\0", 9) == 0);
    CHECK(zci_get32(data + 40) == 40 && zci_get32(data + 44) == 30 && zci_get64(data + 88) == 2400);
    CHECK(memcmp(data + 256, "/dev/video7gain=3\n", 18) == 0);
    CHECK(memcmp(data + 4096, "ZCRFRAME", 8) == 0 && zci_get64(data + 4096 + 16) == 4096);
    CHECK(zci_get64(data + 4096 + 24) == 1000 && zci_get64(data + 4096 + 48) == 2400);
    CHECK(data[8192] == setup_byte(0) && data[8192 + 2399] == setup_byte(2399));
    CHECK(data[8192 + 2400] == 0 && data[12287] == 0);
    CHECK(memcmp(data + 12288, "ZCRFRAME", 8) == 0);
    CHECK(zci_get64(data + 20480) == 4096 && zci_get64(data + 20480 + 48) == 12288);
    CHECK(memcmp(data + bytes - 40, "ZCRINDEX", 8) == 0 && zci_get64(data + bytes - 24) == 20480);
    free(data);
    CHECK_EQ(zci_crc32(0, (const uint8_t *)"123456789", 9), 0xCBF43926);
}

static uint64_t count_frames(zcs_context *ctx, const char *path)
{
    struct zcs_source_info info = {.frames = 0};
    zcs_source *source = NULL;
    if (record_open(ctx, path, &source) == ZCS_OK)
        zcs_source_info(source, &info);
    zcs_source_close(&source);
    return info.frames;
}

/* A truncated file has every frame whose payload is complete. Reads it at each length where the
 * number of frames changes, and at some others. */
static void test_cuts(zcs_context *ctx)
{
    enum { FRAMES = 2 };
    const struct zcs_image image = image_of(ZCS_PIXFMT_GREY, 61, 5, 0);
    uint64_t before = FRAMES;
    record_write(ctx, "cut.zcr", &image, FRAMES);
    for (size_t cut = file_bytes("cut.zcr"); cut-- > 0;) {
        uint64_t whole = 0;
        while (whole < FRAMES && 4096 + whole * 8192 + 4096 + image.size_bytes <= cut)
            whole++;
        CHECK(truncate("cut.zcr", (off_t)cut) == 0);
        const int look = whole != before || cut % 251 == 0 || cut % 4096 == 0;
        const uint64_t got =
            look ? record_read(ctx, "cut.zcr", &image) : count_frames(ctx, "cut.zcr");
        if (got != whole) {
            fprintf(stderr, "cut at %zu: %" PRIu64 " frames of %" PRIu64 "\n", cut, got, whole);
            exit(1);
        }
        CHECK(lines.count > 0);
        setup_forget(&lines);
        before = whole;
    }
}

/* Corruption loses only the frames that it hits. */
static void test_damage(zcs_context *ctx)
{
    const struct zcs_image image = image_of(ZCS_PIXFMT_GREY, 61, 5, 0);
    zcs_source *source = NULL;
    size_t bytes;
    record_write(ctx, "whole.zcr", &image, 4);
    uint8_t *data = load("whole.zcr", &bytes);
    data[bytes - 3]++; /* of the footer: the index is not used */
    save("damage.zcr", data, bytes);
    CHECK_EQ(record_read(ctx, "damage.zcr", &image), 4);
    CHECK_LINE(&lines, "damage.zcr: no complete index; a scan found 4 complete frames");
    data[4096 + 2 * 8192 + 20]++; /* of the third record */
    save("damage.zcr", data, bytes);
    CHECK_EQ(record_open(ctx, "damage.zcr", &source), ZCS_OK);
    setup_forget(&lines);
    for (uint64_t n = 0; n < 4; n += n == 1 ? 2 : 1) {
        const struct zcs_frame *frame = NULL;
        CHECK_EQ(zcs_source_next(source, -1, &frame), ZCS_OK);
        record_check(frame, &image, n);
        zcs_frame_unref(&frame);
    }
    const struct zcs_frame *frame = NULL;
    CHECK_EQ(zcs_source_next(source, -1, &frame), ZCS_EOF);
    zcs_source_close(&source);
    free(data);
    data = load("whole.zcr", &bytes);
    data[bytes - 40 - 48 * 4]++; /* the first entry's offset */
    save("damage.zcr", data, bytes);
    CHECK_EQ(record_read(ctx, "damage.zcr", &image), 4);
    CHECK_LINE(&lines, "no complete index");
    free(data);
}

static void put_header_crc(uint8_t *data)
{
    memset(data + 16, 0, 4);
    zci_put32(data + 16, zci_crc32(0, data, 4096));
}

/* Each byte of header, record, entries and footer is changed, with and without a new checksum. */
static void test_hostile(zcs_context *ctx)
{
    const struct zcs_image image = image_of(ZCS_PIXFMT_NV12, 16, 8, 0);
    static const uint8_t values[] = {0x00, 0xff};
    size_t bytes;
    record_write(ctx, "hostile.zcr", &image, 2);
    uint8_t *data = load("hostile.zcr", &bytes);
    for (size_t at = 0; at < bytes; at++) {
        const size_t page = at % 4096;
        if (at < 4096 ? page >= 168 : at < 20480 && page >= 64)
            continue;
        for (size_t v = 0; v < sizeof values + 1; v++) {
            const uint8_t was = data[at];
            uint32_t crc = zci_get32(data + 16);
            data[at] = v < sizeof values ? values[v] : (uint8_t)(was ^ 1);
            if (at < 4096)
                put_header_crc(data);
            save("hostile.zcr", data, bytes);
            zcs_source *source = NULL;
            if (record_open(ctx, "hostile.zcr", &source) == ZCS_OK) {
                const struct zcs_frame *frame = NULL;
                for (int n = 0; n < 2 && (at < 4096 || at > 20480) &&
                                zcs_source_next(source, 0, &frame) == ZCS_OK;
                     n++)
                    zcs_frame_unref(&frame);
            } else {
                CHECK(lines.count == 1 || lines.count == 2); /* and that the index is incomplete */
            }
            zcs_source_close(&source);
            setup_forget(&lines);
            data[at] = was;
            zci_put32(data + 16, crc);
        }
    }
    free(data);
}

static zcs_status open_with(zcs_context *ctx, struct zcs_replay_params params)
{
    zcs_source *source = NULL;
    params.path = "asked.zcr";
    const zcs_status status = zcs_source_open_replay(ctx, &params, &source);
    zcs_source_close(&source);
    return status;
}

static void test_asked(zcs_context *ctx)
{
    const struct zcs_image image = image_of(ZCS_PIXFMT_Y10, 20, 10, 0);
    record_write(ctx, "asked.zcr", &image, 1);
    CHECK_EQ(open_with(ctx, (struct zcs_replay_params){.width = 20, .height = 10}), ZCS_OK);
    CHECK_EQ(
        open_with(ctx, (struct zcs_replay_params){.format = ZCS_PIXFMT_Y10, .stride_bytes = 40}),
        ZCS_OK);
    CHECK_EQ(lines.count, 0);
    CHECK_EQ(open_with(ctx, (struct zcs_replay_params){.width = 20, .height = 11}), ZCS_ERR_ARG);
    CHECK_LINE(&lines, "asked.zcr: size 20x11 was requested, the recording has 20x10");
    CHECK_EQ(open_with(ctx, (struct zcs_replay_params){.format = ZCS_PIXFMT_Y12}), ZCS_ERR_ARG);
    CHECK_LINE(&lines, "asked.zcr: format Y12 was requested, the recording has Y10");
    CHECK_EQ(open_with(ctx, (struct zcs_replay_params){.stride_bytes = 42}), ZCS_ERR_ARG);
    CHECK_LINE(&lines, "asked.zcr: a stride of 42 was requested, the recording has 40");
    CHECK_EQ(open_with(ctx, (struct zcs_replay_params){.shift = 2}), ZCS_ERR_ARG);
    CHECK_LINE(&lines, "asked.zcr: a shift of 2 was requested, the recording has 0");
}

/* Numbers and times continue from pass to pass and from file to file, also over skipped frames. */
static void test_loops(zcs_context *ctx)
{
    const struct zcs_image image = image_of(ZCS_PIXFMT_GREY, 8, 8, 0);
    zcs_source *source = NULL;
    zcs_stream *stream = NULL;
    const struct zcs_frame *frame = NULL;
    record_write(ctx, "loop.zcr", &image, 4); /* 1000 1001 1002 1005 */
    const struct zcs_replay_params params = {.path = "loop.zcr", .loops = 3};
    static const uint64_t wanted[] = {1000, 1001, 1002, 1005, 1006, 1007, 1008, 1011};
    CHECK_EQ(zcs_source_open_replay(ctx, &params, &source), ZCS_OK);
    int64_t last_ns = 0;
    for (int i = 0; i < 8; i++) {
        CHECK_EQ(zcs_source_next(source, -1, &frame), ZCS_OK);
        CHECK_EQ(frame->sequence, wanted[i]);
        CHECK(i == 0 ||
              (frame->time_ns - last_ns > 33000000 && frame->time_ns - last_ns < 34000000));
        last_ns = frame->time_ns;
        zcs_frame_unref(&frame);
    }
    zcs_source_close(&source);
    CHECK_EQ(zcs_source_open_replay(ctx, &params, &source), ZCS_OK);
    const struct zcs_stream_params skip = {.skip = 6};
    CHECK_EQ(zcs_stream_create(ctx, source, &skip, &stream), ZCS_OK);
    CHECK_EQ(zcs_stream_next(stream, -1, &frame), ZCS_OK);
    CHECK_EQ(frame->sequence, 1008);
    zcs_frame_unref(&frame);
    zcs_stream_destroy(&stream);
    zcs_source_close(&source);
    CHECK(mkdir("folder", 0755) == 0 && rename("loop.zcr", "folder/a") == 0);
    record_write(ctx, "folder/b", &image, 4);
    CHECK_EQ(record_open(ctx, "folder", &source), ZCS_OK);
    for (int i = 0; i < 8; i++) {
        CHECK_EQ(zcs_source_next(source, -1, &frame), ZCS_OK);
        CHECK_EQ(frame->sequence, wanted[i]);
        zcs_frame_unref(&frame);
    }
    zcs_source_close(&source);
}

static void test_refusals(zcs_context *ctx)
{
    static uint8_t pixels[RECORD_MAX_BYTES];
    const struct zcs_image image = image_of(ZCS_PIXFMT_GREY, 8, 8, 0);
    struct zcs_frame frame;
    zcs_recorder *recorder = NULL;
    struct zcs_recorder_params params = {.path = "nosuch/x.zcr", .image = image};
    CHECK_EQ(zcs_recorder_create(ctx, &params, &recorder), ZCS_ERR_IO);
    CHECK_LINE(&lines, "nosuch/x.zcr: No such file or directory");
    params.path = "refused.zcr";
    params.image.size_bytes = 63;
    CHECK_EQ(zcs_recorder_create(ctx, &params, &recorder), ZCS_ERR_ARG);
    CHECK_LINE(&lines, "refused.zcr: cannot be recorded: its layout is inconsistent");
    params.image = image;
    CHECK(recorder == NULL);
    CHECK_EQ(zcs_recorder_create(ctx, &params, &recorder), ZCS_OK);
    record_frame(&image, 0, pixels, &frame);
    frame.host = NULL;
    CHECK_EQ(zcs_recorder_write(recorder, &frame), ZCS_ERR_ARG);
    CHECK_LINE(&lines, "refused.zcr: frame 1000 has no host address");
    record_frame(&image, 0, pixels, &frame);
    frame.image.width = 7;
    CHECK_EQ(zcs_recorder_write(recorder, &frame), ZCS_ERR_ARG);
    CHECK_LINE(&lines, "frame 1000 is GREY 7x8 in 64 bytes, the recording GREY 8x8 in 64");
    record_frame(&image, 0, pixels, &frame);
    CHECK_EQ(zcs_recorder_write(recorder, &frame), ZCS_OK);
    CHECK_EQ(zcs_recorder_finish(&recorder), ZCS_OK);
    CHECK_EQ(record_read(ctx, "refused.zcr", &image), 1);
    CHECK_EQ(zcs_recorder_finish(&recorder), ZCS_OK);
    CHECK_EQ(zcs_recorder_finish(NULL), ZCS_OK);
    params.path = "/dev/full";
    CHECK_EQ(zcs_recorder_create(ctx, &params, &recorder), ZCS_ERR_IO);
    CHECK_LINE(&lines, "/dev/full: No space left on device; no header is written");
}

/* Planes that the format does not have may hold anything, in the layout and in the frames. */
static void test_unused_planes(zcs_context *ctx)
{
    static uint8_t pixels[RECORD_MAX_BYTES];
    const struct zcs_image clean = image_of(ZCS_PIXFMT_GREY, 8, 8, 0);
    struct zcs_image image = clean;
    struct zcs_frame frame;
    zcs_recorder *recorder = NULL;
    image.stride_bytes[2] = image.offset_bytes[1] = SIZE_MAX;
    const struct zcs_recorder_params params = {.path = "unused.zcr", .image = image};
    CHECK_EQ(zcs_recorder_create(ctx, &params, &recorder), ZCS_OK);
    for (uint64_t n = 0; n < 2; n++) {
        record_frame(&image, n, pixels, &frame);
        frame.image.stride_bytes[1] = n;
        CHECK_EQ(zcs_recorder_write(recorder, &frame), ZCS_OK);
    }
    CHECK_EQ(zcs_recorder_finish(&recorder), ZCS_OK);
    CHECK_EQ(record_read(ctx, "unused.zcr", &clean), 2);
    CHECK_EQ(lines.count, 0);
}

static uint64_t pick(uint64_t *seed, uint64_t limit)
{
    static const uint64_t odd[] = {0, 1, 7, 4096, UINT32_MAX, SIZE_MAX / 2, SIZE_MAX};
    const uint64_t choice = test_random(seed) % 4;
    return choice == 0 ? odd[test_random(seed) % 7] : test_random(seed) % limit;
}

static void mutate(uint64_t *seed, struct zcs_image *image)
{
    const size_t p = test_random(seed) % ZCS_MAX_PLANES;
    switch (test_random(seed) % 8) {
    case 0:
        image->stride_bytes[p] = (size_t)pick(seed, 64);
        break;
    case 1:
        image->offset_bytes[p] = (size_t)pick(seed, 256);
        break;
    case 2:
        image->size_bytes = (size_t)pick(seed, 512);
        break;
    case 3:
        image->bits = (uint32_t)pick(seed, 17);
        break;
    case 4:
        image->shift = (uint32_t)pick(seed, 17);
        break;
    case 5:
        image->planes = (uint32_t)pick(seed, 5);
        break;
    case 6:
        image->color.transfer = (enum zcs_transfer)pick(seed, 5);
        break;
    default:
        image->height = (uint32_t)pick(seed, 9);
    }
}

/* Every layout that the recorder takes is replayed, whatever it is. */
static void test_any_layout(zcs_context *ctx)
{
    static uint8_t pixels[RECORD_MAX_BYTES];
    uint64_t seed = 5, taken = 0;
    for (int i = 0; i < 4000; i++) {
        const enum zcs_pixfmt format = (enum zcs_pixfmt)(1 + i % (ZCS_PIXFMT_COUNT - 1));
        if (zcs_pixfmt_info(format)->model == ZCS_MODEL_JPEG)
            continue;
        struct zcs_image image = image_of(format, 1 + (uint32_t)i % 13, 1 + (uint32_t)i % 5, 0);
        for (int m = 0; m <= i % 3; m++)
            mutate(&seed, &image);
        zcs_recorder *recorder = NULL;
        struct zcs_frame frame;
        const struct zcs_frame *got = NULL;
        zcs_source *source = NULL;
        const struct zcs_recorder_params params = {.path = "any.zcr", .image = image};
        if (image.size_bytes > RECORD_MAX_BYTES ||
            zcs_recorder_create(ctx, &params, &recorder) != ZCS_OK)
            continue;
        record_frame(&image, 0, pixels, &frame);
        CHECK_EQ(zcs_recorder_write(recorder, &frame), ZCS_OK);
        CHECK_EQ(zcs_recorder_finish(&recorder), ZCS_OK);
        CHECK_EQ(record_open(ctx, "any.zcr", &source), ZCS_OK);
        CHECK_EQ(zcs_source_next(source, -1, &got), ZCS_OK);
        CHECK(memcmp(got->host, pixels, image.size_bytes) == 0);
        zcs_frame_unref(&got);
        zcs_source_close(&source);
        taken++;
    }
    CHECK(taken > 500);
    setup_forget(&lines);
}

static zcs_status create(zcs_context *ctx, const char *path, const struct zcs_image *image,
                         zcs_recorder **out)
{
    const struct zcs_recorder_params params = {.path = path, .image = *image};
    return zcs_recorder_create(ctx, &params, out);
}

static unsigned files_here(void)
{
    unsigned count = 0;
    DIR *dir = opendir(".");
    CHECK(dir != NULL);
    while (readdir(dir) != NULL)
        count++;
    closedir(dir);
    return count;
}

/* An earlier recording stays until the first frame of the next one; then the file is that one's. */
static void test_earlier(zcs_context *ctx)
{
    static uint8_t pixels[RECORD_MAX_BYTES];
    const struct zcs_image image = image_of(ZCS_PIXFMT_GREY, 8, 8, 0);
    struct zcs_frame frame;
    zcs_recorder *recorder = NULL;
    record_write(ctx, "earlier.zcr", &image, 3);
    CHECK_EQ(symlink("earlier.zcr", "link.zcr"), 0);
    CHECK_EQ(chmod("earlier.zcr", 0640), 0);
    const unsigned files = files_here();
    CHECK_EQ(create(ctx, "link.zcr", &image, &recorder), ZCS_OK);
    CHECK_EQ(record_read(ctx, "earlier.zcr", &image), 3);
    CHECK_EQ(zcs_recorder_finish(&recorder), ZCS_OK);
    CHECK_EQ(record_read(ctx, "earlier.zcr", &image), 3);
    CHECK_EQ(files_here(), files);
    CHECK_EQ(create(ctx, "link.zcr", &image, &recorder), ZCS_OK);
    record_frame(&image, 0, pixels, &frame);
    CHECK_EQ(zcs_recorder_write(recorder, &frame), ZCS_OK);
    CHECK_EQ(record_read(ctx, "earlier.zcr", &image), 1); /* without an index yet */
    CHECK_EQ(zcs_recorder_finish(&recorder), ZCS_OK);
    CHECK_EQ(record_read(ctx, "link.zcr", &image), 1);
    CHECK_EQ(files_here(), files);
    struct stat there;
    CHECK(lstat("link.zcr", &there) == 0 && S_ISLNK(there.st_mode));
    CHECK(stat("link.zcr", &there) == 0 && (there.st_mode & 0777) == 0640);
}

/* A file has one recorder: a second one is refused before and after the first frame, for a new file
 * and for one that has frames. */
static void test_two(zcs_context *ctx)
{
    static uint8_t pixels[RECORD_MAX_BYTES];
    const struct zcs_image image = image_of(ZCS_PIXFMT_GREY, 8, 8, 0);
    for (uint64_t run = 0; run < 2; run++) {
        struct zcs_frame frame;
        zcs_recorder *first = NULL, *second = NULL;
        CHECK_EQ(create(ctx, "two.zcr", &image, &first), ZCS_OK);
        for (uint64_t n = 0; n < 2; n++) {
            setup_forget(&lines);
            CHECK_EQ(create(ctx, "two.zcr", &image, &second), ZCS_ERR_IO);
            CHECK_LINE(&lines, "two.zcr: is being recorded by another recorder");
            CHECK(second == NULL);
            record_frame(&image, n, pixels, &frame);
            CHECK_EQ(zcs_recorder_write(first, &frame), ZCS_OK);
        }
        CHECK_EQ(zcs_recorder_finish(&first), ZCS_OK);
        CHECK_EQ(record_read(ctx, "two.zcr", &image), 2);
    }
}

int main(void)
{
    char folder[64];
    setup_folder(folder);
    zcs_context *ctx = setup_context(&lines);
    test_every_format(ctx);
    test_layouts(ctx);
    test_info(ctx);
    test_told();
    test_bytes(ctx);
    test_cuts(ctx);
    test_damage(ctx);
    test_hostile(ctx);
    test_asked(ctx);
    test_loops(ctx);
    test_refusals(ctx);
    test_unused_planes(ctx);
    test_any_layout(ctx);

    test_earlier(ctx);
    test_two(ctx);
    zcs_close(&ctx);
    setup_remove_folder(folder);
    return 0;
}
