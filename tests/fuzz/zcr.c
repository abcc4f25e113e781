/* SPDX-License-Identifier: MIT */
/* Fuzzes the parts of a .zcr recording: decoded, encoded and decoded again, they are the same. */
#include "fuzz.h"

#include "core/zcr.h"

/* The texts: the letter x, as often as the header declares. */
static void check_header(const struct zci_zcr_header *header)
{
    struct zci_zcr_header again;
    const size_t bytes = zci_zcr_header_bytes(header);
    char *texts = malloc((size_t)header->source_bytes + header->text_bytes + 1);
    uint8_t *out = malloc(bytes);
    CHECK(texts != NULL && out != NULL && bytes % ZCI_ZCR_PAGE == 0);
    memset(texts, 'x', (size_t)header->source_bytes + header->text_bytes);
    zci_zcr_put_header(out, header, texts, texts + header->source_bytes);
    CHECK(zci_zcr_get_header(out, &again) == NULL && zci_zcr_header_whole(out, &again));
    CHECK(memcmp(&again.image, &header->image, sizeof again.image) == 0);
    CHECK(again.fps_num == header->fps_num && again.fps_den == header->fps_den);
    CHECK(again.realtime_ns == header->realtime_ns && again.monotonic_ns == header->monotonic_ns);
    CHECK(again.source_bytes == header->source_bytes && again.text_bytes == header->text_bytes);
    out[bytes - 1] ^= 1;
    CHECK(!zci_zcr_header_whole(out, &again));
    free(out);
    free(texts);
}

static void header(const uint8_t *data, size_t size)
{
    struct zci_zcr_header h;
    if (size < ZCI_ZCR_FIXED_BYTES)
        return;
    const char *wrong = zci_zcr_get_header(data, &h);
    if (wrong != NULL) {
        fuzz_check_line(wrong);
        return;
    }
    CHECK_EQ(zcs_image_check(&h.image), ZCS_OK);
    check_header(&h);
}

static int same(const struct zci_zcr_record *a, const struct zci_zcr_record *b)
{
    return a->offset == b->offset && a->sequence == b->sequence && a->time_ns == b->time_ns &&
           a->clock == b->clock && a->flags == b->flags && a->bytes == b->bytes;
}

static void records(const uint8_t *data, size_t size)
{
    uint8_t out[ZCI_ZCR_RECORD_BYTES];
    struct zci_zcr_record record, again;
    if (size >= ZCI_ZCR_RECORD_BYTES)
        (void)zci_zcr_get_record(data, 4096, &record);
    if (size < ZCI_ZCR_ENTRY_BYTES || !zci_zcr_get_entry(data, &record))
        return;
    CHECK(record.clock != ZCS_CLOCK_NONE || record.time_ns == 0);
    zci_zcr_put_record(out, &record);
    CHECK(zci_zcr_get_record(out, record.offset, &again) && same(&record, &again));
    CHECK(!zci_zcr_get_record(out, record.offset + 1, &again));
    out[8 + data[0] % (ZCI_ZCR_RECORD_BYTES - 8)] ^= 4;
    CHECK(!zci_zcr_get_record(out, record.offset, &again));
    zci_zcr_put_entry(out, &record);
    CHECK(zci_zcr_get_entry(out, &again) && same(&record, &again));
}

static void footer(const uint8_t *data, size_t size)
{
    uint8_t out[ZCI_ZCR_FOOTER_BYTES];
    struct zci_zcr_footer made = {0}, again;
    if (size < ZCI_ZCR_FOOTER_BYTES)
        return;
    (void)zci_zcr_get_footer(data, size, &again);
    memcpy(&made.count, data, 4);
    memcpy(&made.index_offset, data + 4, 6);
    memcpy(&made.entries_crc, data + 10, 4);
    const uint64_t all =
        made.index_offset + made.count * ZCI_ZCR_ENTRY_BYTES + ZCI_ZCR_FOOTER_BYTES;
    zci_zcr_put_footer(out, &made);
    CHECK(zci_zcr_get_footer(out, all, &again) && !zci_zcr_get_footer(out, all + 1, &again));
    CHECK(again.count == made.count && again.index_offset == made.index_offset &&
          again.entries_crc == made.entries_crc);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    header(data, size);
    records(data, size);
    footer(data, size);
    return 0;
}
