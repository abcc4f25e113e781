/* SPDX-License-Identifier: MIT */
/* Encodes and decodes the parts of a .zcr recording; docs/zcr.md describes each byte. Pure: no I/O.
 *
 *   header | record, payload | record, payload | ... | index entries | footer
 *
 * Header, records and payloads start at multiples of 4096. */
#ifndef ZCI_CORE_ZCR_H
#define ZCI_CORE_ZCR_H

#include "zcstream/frame.h"

#define ZCI_ZCR_PAGE 4096u
#define ZCI_ZCR_MAGIC "ZCSREC\x1a\n"
#define ZCI_ZCR_MAGIC_BYTES 8u
#define ZCI_ZCR_FIXED_BYTES 256u /* of the header, before its texts */
#define ZCI_ZCR_TEXT_LIMIT 65535u
#define ZCI_ZCR_RECORD_BYTES 64u
#define ZCI_ZCR_ENTRY_BYTES 48u
#define ZCI_ZCR_FOOTER_BYTES 40u

struct zci_zcr_header {
    struct zcs_image image;
    uint32_t fps_num, fps_den;
    int64_t realtime_ns, monotonic_ns; /* the same instant on both clocks */
    uint32_t source_bytes, text_bytes; /* of the texts that follow the fixed part */
};

/* A record; an index entry is the same with its offset. */
struct zci_zcr_record {
    uint64_t offset;
    uint64_t sequence;
    int64_t time_ns;
    enum zcs_clock clock;
    uint32_t flags;
    uint64_t bytes; /* of the payload */
};

struct zci_zcr_footer {
    uint64_t index_offset, count;
    uint32_t entries_crc;
};

/* CRC-32 of PNG and zlib; `crc` is 0 or that of the bytes before. */
uint32_t zci_crc32(uint32_t crc, const uint8_t *data, size_t bytes);

static inline uint64_t zci_zcr_round_up(uint64_t bytes)
{
    return (bytes + ZCI_ZCR_PAGE - 1) & ~(uint64_t)(ZCI_ZCR_PAGE - 1);
}

/* The size of a whole header, a multiple of ZCI_ZCR_PAGE. */
static inline size_t zci_zcr_header_bytes(const struct zci_zcr_header *h)
{
    return (size_t)zci_zcr_round_up((uint64_t)ZCI_ZCR_FIXED_BYTES + h->source_bytes +
                                    h->text_bytes);
}

/* The layout that a recording stores for `image`: the members of planes that the format does not
 * have are 0. The recorder and the reader both take layouts through this function. Returns NULL, or
 * a static text of what is wrong; `out` is then unchanged. */
const char *zci_zcr_layout(const struct zcs_image *image, struct zcs_image *out);

/* `out` has room for zci_zcr_header_bytes. */
void zci_zcr_put_header(uint8_t *out, const struct zci_zcr_header *header, const char *source,
                        const char *text);

/* Decodes the fixed part only. Returns NULL, or a static text of what is wrong. */
const char *zci_zcr_get_header(const uint8_t fixed[ZCI_ZCR_FIXED_BYTES],
                               struct zci_zcr_header *out);

/* 1: the checksum of the whole header is right. */
int zci_zcr_header_whole(const uint8_t *data, const struct zci_zcr_header *header);

void zci_zcr_put_record(uint8_t out[ZCI_ZCR_RECORD_BYTES], const struct zci_zcr_record *record);

/* 0: the bytes are not a record at this offset. */
int zci_zcr_get_record(const uint8_t data[ZCI_ZCR_RECORD_BYTES], uint64_t offset,
                       struct zci_zcr_record *out);

void zci_zcr_put_entry(uint8_t out[ZCI_ZCR_ENTRY_BYTES], const struct zci_zcr_record *record);

/* 0: the clock is unknown. */
int zci_zcr_get_entry(const uint8_t data[ZCI_ZCR_ENTRY_BYTES], struct zci_zcr_record *out);

void zci_zcr_put_footer(uint8_t out[ZCI_ZCR_FOOTER_BYTES], const struct zci_zcr_footer *footer);

/* 0: the bytes are not the footer of a file of `file_bytes`. */
int zci_zcr_get_footer(const uint8_t data[ZCI_ZCR_FOOTER_BYTES], uint64_t file_bytes,
                       struct zci_zcr_footer *out);

#endif
