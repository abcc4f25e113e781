/* SPDX-License-Identifier: MIT */
/* Encodes and decodes the parts of a .zcr recording: numbers at fixed offsets, checksums. */
#include "core/zcr.h"

#include <string.h>

#include "core/bytes.h"

#define VERSION 1u
#define RECORD_MAGIC "ZCRFRAME"
#define FOOTER_MAGIC "ZCRINDEX"
#define NAME_BYTES 16u

/* Offsets in the header; docs/zcr.md has the same table. */
enum {
    AT_VERSION = 8,
    AT_HEADER_BYTES = 12,
    AT_CRC = 16,
    AT_FOURCC = 20,
    AT_NAME = 24,
    AT_WIDTH = 40,
    AT_HEIGHT = 44,
    AT_PLANES = 48,
    AT_BITS = 52,
    AT_SHIFT = 56,
    AT_MATRIX = 60,
    AT_RANGE = 64,
    AT_TRANSFER = 68,
    AT_GAMMA = 72,
    AT_FPS_NUM = 76,
    AT_FPS_DEN = 80,
    AT_SOURCE_BYTES = 84,
    AT_SIZE = 88,
    AT_STRIDES = 96,
    AT_OFFSETS = 120,
    AT_REALTIME = 144,
    AT_MONOTONIC = 152,
    AT_TEXT_BYTES = 160,
};

/* Files store the values of these enums. */
_Static_assert(ZCS_MATRIX_BT601 == 1 && ZCS_MATRIX_BT709 == 2 && ZCS_MATRIX_BT2020 == 3, "zcr.md");
_Static_assert(ZCS_RANGE_LIMITED == 1 && ZCS_RANGE_FULL == 2, "zcr.md");
_Static_assert(ZCS_TRANSFER_SRGB == 1 && ZCS_TRANSFER_LINEAR == 2 && ZCS_TRANSFER_POWER == 3,
               "zcr.md");
_Static_assert(ZCS_CLOCK_NONE == 0 && ZCS_CLOCK_MONOTONIC == 1 && ZCS_CLOCK_MEDIA == 2 &&
                   ZCS_CLOCK_UNKNOWN == 3,
               "zcr.md");

uint32_t zci_crc32(uint32_t crc, const uint8_t *data, size_t bytes)
{
    static const uint32_t table[16] = {0x00000000, 0x1DB71064, 0x3B6E20C8, 0x26D930AC,
                                       0x76DC4190, 0x6B6B51F4, 0x4DB26158, 0x5005713C,
                                       0xEDB88320, 0xF00F9344, 0xD6D6A3E8, 0xCB61B38C,
                                       0x9B64C2B0, 0x86D3D2D4, 0xA00AE278, 0xBDBDF21C};
    crc = ~crc;
    for (size_t i = 0; i < bytes; i++) {
        crc = table[(crc ^ data[i]) & 15] ^ crc >> 4;
        crc = table[(crc ^ data[i] >> 4) & 15] ^ crc >> 4;
    }
    return ~crc;
}

/* The checksum of `bytes`, with its own field at offset `at` taken as 0. */
static uint32_t crc_without(const uint8_t *data, size_t bytes, size_t at)
{
    static const uint8_t zero[4] = {0};
    const uint32_t before = zci_crc32(zci_crc32(0, data, at), zero, sizeof zero);
    return zci_crc32(before, data + at + 4, bytes - at - 4);
}

const char *zci_zcr_layout(const struct zcs_image *image, struct zcs_image *out)
{
    struct zcs_image layout = *image;
    if (zcs_image_check(&layout) != ZCS_OK || layout.color.matrix == ZCS_MATRIX_AUTO ||
        layout.color.range == ZCS_RANGE_AUTO || layout.color.transfer == ZCS_TRANSFER_AUTO)
        return "its layout is inconsistent";
    for (uint32_t p = 0; p < ZCS_MAX_PLANES; p++) {
        if (p >= layout.planes)
            layout.stride_bytes[p] = layout.offset_bytes[p] = 0;
        if (layout.stride_bytes[p] > layout.size_bytes)
            return "a stride exceeds the size of its frames";
    }
    *out = layout;
    return NULL;
}

static void put_image(uint8_t *out, const struct zcs_image *image)
{
    const struct zcs_pixfmt_info *info = zcs_pixfmt_info(image->format);
    zci_put32(out + AT_FOURCC, info->fourcc);
    strncpy((char *)out + AT_NAME, info->v4l2_name, NAME_BYTES - 1);
    zci_put32(out + AT_WIDTH, image->width);
    zci_put32(out + AT_HEIGHT, image->height);
    zci_put32(out + AT_PLANES, image->planes);
    zci_put32(out + AT_BITS, image->bits);
    zci_put32(out + AT_SHIFT, image->shift);
    zci_put32(out + AT_MATRIX, (uint32_t)image->color.matrix);
    zci_put32(out + AT_RANGE, (uint32_t)image->color.range);
    zci_put32(out + AT_TRANSFER, (uint32_t)image->color.transfer);
    zci_put32(out + AT_GAMMA, image->color.gamma_milli);
    zci_put64(out + AT_SIZE, image->size_bytes);
    for (size_t p = 0; p < ZCS_MAX_PLANES; p++) {
        zci_put64(out + AT_STRIDES + 8 * p, image->stride_bytes[p]);
        zci_put64(out + AT_OFFSETS + 8 * p, image->offset_bytes[p]);
    }
}

void zci_zcr_put_header(uint8_t *out, const struct zci_zcr_header *header, const char *source,
                        const char *text)
{
    const size_t bytes = zci_zcr_header_bytes(header);
    memset(out, 0, bytes);
    memcpy(out, ZCI_ZCR_MAGIC, ZCI_ZCR_MAGIC_BYTES);
    zci_put32(out + AT_VERSION, VERSION);
    zci_put32(out + AT_HEADER_BYTES, (uint32_t)bytes);
    put_image(out, &header->image);
    zci_put32(out + AT_FPS_NUM, header->fps_num);
    zci_put32(out + AT_FPS_DEN, header->fps_den);
    zci_put64(out + AT_REALTIME, (uint64_t)header->realtime_ns);
    zci_put64(out + AT_MONOTONIC, (uint64_t)header->monotonic_ns);
    zci_put32(out + AT_SOURCE_BYTES, header->source_bytes);
    zci_put32(out + AT_TEXT_BYTES, header->text_bytes);
    if (header->source_bytes > 0)
        memcpy(out + ZCI_ZCR_FIXED_BYTES, source, header->source_bytes);
    if (header->text_bytes > 0)
        memcpy(out + ZCI_ZCR_FIXED_BYTES + header->source_bytes, text, header->text_bytes);
    zci_put32(out + AT_CRC, crc_without(out, bytes, AT_CRC));
}

static const char *get_image(const uint8_t *in, struct zcs_image *image)
{
    *image = (struct zcs_image){.format = zcs_pixfmt_from_fourcc(zci_get32(in + AT_FOURCC))};
    const struct zcs_pixfmt_info *info = zcs_pixfmt_info(image->format);
    char name[NAME_BYTES + 1] = "";
    memcpy(name, in + AT_NAME, NAME_BYTES);
    if (info == NULL || strcmp(name, info->v4l2_name) != 0)
        return "its pixel format is unknown";
    image->width = zci_get32(in + AT_WIDTH);
    image->height = zci_get32(in + AT_HEIGHT);
    image->planes = zci_get32(in + AT_PLANES);
    image->bits = zci_get32(in + AT_BITS);
    image->shift = zci_get32(in + AT_SHIFT);
    image->color.matrix = (enum zcs_matrix)zci_get32(in + AT_MATRIX);
    image->color.range = (enum zcs_range)zci_get32(in + AT_RANGE);
    image->color.transfer = (enum zcs_transfer)zci_get32(in + AT_TRANSFER);
    image->color.gamma_milli = zci_get32(in + AT_GAMMA);
    const uint64_t size = zci_get64(in + AT_SIZE);
    if (size > SIZE_MAX / 2)
        return "its layout is inconsistent";
    image->size_bytes = (size_t)size;
    for (size_t p = 0; p < ZCS_MAX_PLANES; p++) {
        const uint64_t stride = zci_get64(in + AT_STRIDES + 8 * p);
        const uint64_t offset = zci_get64(in + AT_OFFSETS + 8 * p);
        /* Values beyond any memory stay beyond the frame where size_t is shorter than 64 bits. */
        image->stride_bytes[p] = stride <= size ? (size_t)stride : SIZE_MAX;
        image->offset_bytes[p] = offset <= size ? (size_t)offset : SIZE_MAX;
    }
    return zci_zcr_layout(image, image);
}

const char *zci_zcr_get_header(const uint8_t fixed[ZCI_ZCR_FIXED_BYTES], struct zci_zcr_header *out)
{
    struct zci_zcr_header h = {.fps_num = zci_get32(fixed + AT_FPS_NUM),
                               .fps_den = zci_get32(fixed + AT_FPS_DEN),
                               .realtime_ns = (int64_t)zci_get64(fixed + AT_REALTIME),
                               .monotonic_ns = (int64_t)zci_get64(fixed + AT_MONOTONIC),
                               .source_bytes = zci_get32(fixed + AT_SOURCE_BYTES),
                               .text_bytes = zci_get32(fixed + AT_TEXT_BYTES)};
    if (memcmp(fixed, ZCI_ZCR_MAGIC, ZCI_ZCR_MAGIC_BYTES) != 0)
        return "it is not a recording";
    if (zci_get32(fixed + AT_VERSION) != VERSION)
        return "its version is not 1";
    if (h.source_bytes > ZCI_ZCR_TEXT_LIMIT || h.text_bytes > ZCI_ZCR_TEXT_LIMIT ||
        zci_get32(fixed + AT_HEADER_BYTES) != zci_zcr_header_bytes(&h))
        return "the lengths of its texts are wrong";
    if ((h.fps_num == 0) != (h.fps_den == 0))
        return "the frame rate is incomplete";
    const char *wrong = get_image(fixed, &h.image);
    if (wrong == NULL)
        *out = h;
    return wrong;
}

int zci_zcr_header_whole(const uint8_t *data, const struct zci_zcr_header *header)
{
    return zci_get32(data + AT_CRC) == crc_without(data, zci_zcr_header_bytes(header), AT_CRC);
}

/* Sequence, time, clock, flags and bytes are encoded alike in records and index entries. */
static void put_fields(uint8_t *out, const struct zci_zcr_record *record)
{
    zci_put64(out, record->sequence);
    zci_put64(out + 8, (uint64_t)record->time_ns);
    zci_put32(out + 16, (uint32_t)record->clock);
    zci_put32(out + 20, record->flags);
    zci_put64(out + 24, record->bytes);
}

static int get_fields(const uint8_t *data, uint64_t offset, struct zci_zcr_record *out)
{
    const uint32_t clock = zci_get32(data + 16);
    *out = (struct zci_zcr_record){.offset = offset,
                                   .sequence = zci_get64(data),
                                   .time_ns = (int64_t)zci_get64(data + 8),
                                   .clock = (enum zcs_clock)clock,
                                   .flags = zci_get32(data + 20),
                                   .bytes = zci_get64(data + 24)};
    if (clock == ZCS_CLOCK_NONE)
        out->time_ns = 0; /* as in struct zcs_frame */
    return clock <= ZCS_CLOCK_UNKNOWN;
}

void zci_zcr_put_record(uint8_t out[ZCI_ZCR_RECORD_BYTES], const struct zci_zcr_record *record)
{
    memset(out, 0, ZCI_ZCR_RECORD_BYTES);
    memcpy(out, RECORD_MAGIC, 8);
    zci_put64(out + 16, record->offset);
    put_fields(out + 24, record);
    zci_put32(out + 8, crc_without(out, ZCI_ZCR_RECORD_BYTES, 8));
}

int zci_zcr_get_record(const uint8_t data[ZCI_ZCR_RECORD_BYTES], uint64_t offset,
                       struct zci_zcr_record *out)
{
    return memcmp(data, RECORD_MAGIC, 8) == 0 && zci_get64(data + 16) == offset &&
           zci_get32(data + 8) == crc_without(data, ZCI_ZCR_RECORD_BYTES, 8) &&
           get_fields(data + 24, offset, out);
}

void zci_zcr_put_entry(uint8_t out[ZCI_ZCR_ENTRY_BYTES], const struct zci_zcr_record *record)
{
    memset(out, 0, ZCI_ZCR_ENTRY_BYTES);
    zci_put64(out, record->offset);
    put_fields(out + 8, record);
}

int zci_zcr_get_entry(const uint8_t data[ZCI_ZCR_ENTRY_BYTES], struct zci_zcr_record *out)
{
    return get_fields(data + 8, zci_get64(data), out);
}

void zci_zcr_put_footer(uint8_t out[ZCI_ZCR_FOOTER_BYTES], const struct zci_zcr_footer *footer)
{
    memset(out, 0, ZCI_ZCR_FOOTER_BYTES);
    memcpy(out, FOOTER_MAGIC, 8);
    zci_put64(out + 16, footer->index_offset);
    zci_put64(out + 24, footer->count);
    zci_put32(out + 32, footer->entries_crc);
    zci_put32(out + 8, crc_without(out, ZCI_ZCR_FOOTER_BYTES, 8));
}

int zci_zcr_get_footer(const uint8_t data[ZCI_ZCR_FOOTER_BYTES], uint64_t file_bytes,
                       struct zci_zcr_footer *out)
{
    *out = (struct zci_zcr_footer){.index_offset = zci_get64(data + 16),
                                   .count = zci_get64(data + 24),
                                   .entries_crc = zci_get32(data + 32)};
    if (memcmp(data, FOOTER_MAGIC, 8) != 0 ||
        zci_get32(data + 8) != crc_without(data, ZCI_ZCR_FOOTER_BYTES, 8))
        return 0;
    const uint64_t before = file_bytes - ZCI_ZCR_FOOTER_BYTES;
    return out->index_offset <= before && out->count <= before / ZCI_ZCR_ENTRY_BYTES &&
           out->index_offset + out->count * ZCI_ZCR_ENTRY_BYTES == before;
}
