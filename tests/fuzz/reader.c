/* SPDX-License-Identifier: MIT */
/* Fuzzes the readers of files. The first line is the request, "FORMAT WIDTHxHEIGHT" or nothing; the
 * rest is the file, in which <page> means zeros up to the next multiple of 4096. Checksums are
 * corrected, so that the code after their check is reached. */
#include "context.h"

#include <fcntl.h>

#include "core/bytes.h"
#include "core/zcr.h"

#define MAX_IMAGE_BYTES ((size_t)1 << 20)
#define MAX_FILE_BYTES ((size_t)1 << 18)
#define MAX_FRAMES 40

struct bytes {
    uint8_t *data;
    size_t size;
};

static struct bytes expand(const uint8_t *data, size_t size)
{
    static const char mark[] = "<page>";
    const size_t length = sizeof mark - 1;
    struct bytes out = {calloc(1, MAX_FILE_BYTES), 0};
    CHECK(out.data != NULL);
    for (size_t i = 0; i < size && out.size < MAX_FILE_BYTES;) {
        if (size - i >= length && memcmp(data + i, mark, length) == 0) {
            out.size = (size_t)zci_zcr_round_up(out.size);
            i += length;
        } else {
            out.data[out.size++] = data[i++];
        }
    }
    return out;
}

/* --- checksums --- */

static void put_crc(uint8_t *part, size_t bytes, size_t at)
{
    memset(part + at, 0, 4);
    zci_put32(part + at, zci_crc32(0, part, bytes));
}

static void mend_index(struct bytes file)
{
    if (file.size < ZCI_ZCR_FOOTER_BYTES)
        return;
    const size_t end = file.size - ZCI_ZCR_FOOTER_BYTES;
    uint8_t *footer = file.data + end;
    const uint64_t index = zci_get64(footer + 16);
    if (memcmp(footer, "ZCRINDEX", 8) != 0)
        return;
    if (index <= end)
        zci_put32(footer + 32, zci_crc32(0, file.data + index, end - (size_t)index));
    put_crc(footer, ZCI_ZCR_FOOTER_BYTES, 8);
}

static void mend_recording(struct bytes file)
{
    struct zci_zcr_header header;
    if (file.size < ZCI_ZCR_PAGE || zci_zcr_get_header(file.data, &header) != NULL)
        return;
    if (zci_zcr_header_bytes(&header) <= file.size)
        put_crc(file.data, zci_zcr_header_bytes(&header), 16);
    for (size_t at = 0; at + ZCI_ZCR_RECORD_BYTES <= file.size; at += ZCI_ZCR_PAGE)
        if (memcmp(file.data + at, "ZCRFRAME", 8) == 0)
            put_crc(file.data + at, ZCI_ZCR_RECORD_BYTES, 8);
    mend_index(file);
}

/* The chunks of a PNG: length, name, content, checksum of name and content, all big-endian. */
static void mend_png(struct bytes file)
{
    static const uint8_t magic[] = {0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n'};
    if (file.size < sizeof magic || memcmp(file.data, magic, sizeof magic) != 0)
        return;
    for (size_t at = sizeof magic; at + 12 <= file.size;) {
        uint8_t *chunk = file.data + at;
        const size_t length =
            (size_t)chunk[0] << 24 | (size_t)chunk[1] << 16 | (size_t)chunk[2] << 8 | chunk[3];
        if (length > file.size - at - 12)
            return;
        const uint32_t crc = zci_crc32(0, chunk + 4, length + 4);
        for (unsigned i = 0; i < 4; i++)
            chunk[8 + length + i] = (uint8_t)(crc >> (24 - 8 * i));
        at += length + 12;
    }
}

/* --- the file --- */

/* One unnamed file for the whole process. */
static const char *write_file(struct bytes file)
{
    static char path[64];
    static int fd = -1;
    if (fd < 0) {
        char name[] = "/dev/shm/zcs-fuzz-XXXXXX", other[] = "/tmp/zcs-fuzz-XXXXXX";
        char *made = name;
        fd = mkstemp(name);
        if (fd < 0)
            fd = mkstemp(made = other);
        CHECK(fd >= 0 && unlink(made) == 0);
        snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    }
    CHECK(ftruncate(fd, 0) == 0);
    CHECK(pwrite(fd, file.data, file.size, 0) == (ssize_t)file.size);
    return path;
}

/* Reads the whole image, so that sanitizers report invalid and uninitialized memory. */
static void check_frame(const struct zcs_frame *frame, const struct zcs_image *image)
{
    uint64_t sum = 0;
    const uint8_t *host = frame->host;
    CHECK(memcmp(&frame->image, image, sizeof *image) == 0 && host != NULL);
    for (size_t i = 0; i < image->size_bytes; i++)
        sum += host[i];
    CHECK(sum <= 255 * (uint64_t)image->size_bytes);
    CHECK(frame->clock != ZCS_CLOCK_NONE || frame->time_ns == 0);
    CHECK(frame->path == ZCS_PATH_READ || frame->path == ZCS_PATH_DIRECT);
}

static void read_frames(zcs_source *source)
{
    struct zcs_image image;
    const struct zcs_frame *frame = NULL;
    zcs_status status = ZCS_OK;
    zcs_source_image(source, &image);
    CHECK_EQ(zcs_image_check(&image), ZCS_OK);
    CHECK_EQ(fuzz_errors, 0);
    if (image.size_bytes > MAX_IMAGE_BYTES)
        return;
    for (int i = 0; i < MAX_FRAMES && status >= ZCS_OK && status != ZCS_EOF; i++) {
        status = zcs_source_next(source, -1, &frame);
        if (status == ZCS_OK) {
            check_frame(frame, &image);
            zcs_frame_unref(&frame);
        }
    }
    CHECK_EQ(fuzz_errors, status < ZCS_OK);
}

static void replay(const char *asked, struct bytes file)
{
    struct zcs_replay_params params = {.path = write_file(file)};
    zcs_source *source = NULL;
    char name[32], size[32];
    if (sscanf(asked, "%31s %31s", name, size) == 2 &&
        (zcs_pixfmt_parse(name, &params.format) != ZCS_OK ||
         zcs_size_parse(size, &params.width, &params.height) != ZCS_OK))
        return;
    fuzz_errors = 0;
    if (zcs_source_open_replay(fuzz_context(), &params, &source) == ZCS_OK)
        read_frames(source);
    else
        CHECK(source == NULL && fuzz_errors == 1);
    zcs_source_close(&source);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const uint8_t *end = size > 0 ? memchr(data, '\n', size) : NULL;
    if (end == NULL)
        return 0;
    char *asked = fuzz_text(data, (size_t)(end - data));
    struct bytes file = expand(end + 1, size - (size_t)(end + 1 - data));
    mend_recording(file);
    mend_png(file);
    replay(asked, file);
    free(file.data);
    free(asked);
    return 0;
}
