/* SPDX-License-Identifier: MIT */
/* Recordings (.zcr): frames are found by the index; if it is damaged, by a scan for records. */
#define _GNU_SOURCE /* SEEK_DATA */
#include "source/replay/media.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define ENTRIES_AT_ONCE (ZCI_PEEK_BYTES / ZCI_ZCR_ENTRY_BYTES)

static int zcr_is(const uint8_t *data, size_t bytes)
{
    return bytes >= ZCI_ZCR_MAGIC_BYTES && memcmp(data, ZCI_ZCR_MAGIC, ZCI_ZCR_MAGIC_BYTES) == 0;
}

/* Peeks at all of `bytes` at `offset`, or returns ZCS_EOF. */
static zcs_status peek_all(struct zci_media *m, uint64_t offset, size_t bytes, const uint8_t **data)
{
    size_t got;
    const zcs_status status = zci_reader_peek(&m->reader, offset, bytes, INT64_MAX, data, &got);
    return status == ZCS_OK && got < bytes ? ZCS_EOF : status;
}

static zcs_status refuse(const struct zci_media *m, const char *why)
{
    return zci_fail(m->log, ZCS_ERR_FORMAT, "%s: the recording's header: %s", m->reader.name, why);
}

static char *copy_text(const uint8_t *bytes, size_t count)
{
    char *text = malloc(count + 1);
    if (text != NULL) {
        memcpy(text, bytes, count);
        text[count] = '\0';
    }
    return text;
}

/* Reads the whole header, checks its checksum and copies its texts. */
static zcs_status read_texts(struct zci_media *m, const struct zci_zcr_header *header)
{
    const size_t bytes = zci_zcr_header_bytes(header);
    uint8_t *all = malloc(bytes);
    zcs_status status = all != NULL ? ZCS_OK : ZCS_ERR_NOMEM;
    for (size_t at = 0; status == ZCS_OK && at < bytes; at += ZCI_PEEK_BYTES) {
        const uint8_t *data;
        status = peek_all(m, at, ZCI_PEEK_BYTES, &data);
        if (status == ZCS_OK)
            memcpy(all + at, data, ZCI_PEEK_BYTES);
    }
    if (status == ZCS_EOF)
        status = refuse(m, "the file ends within it");
    else if (status == ZCS_OK && !zci_zcr_header_whole(all, header))
        status = refuse(m, "its checksum is wrong");
    else if (status == ZCS_OK) {
        m->source = copy_text(all + ZCI_ZCR_FIXED_BYTES, header->source_bytes);
        m->text = copy_text(all + ZCI_ZCR_FIXED_BYTES + header->source_bytes, header->text_bytes);
        status = m->source != NULL && m->text != NULL ? ZCS_OK : ZCS_ERR_NOMEM;
    }
    free(all);
    if (status == ZCS_ERR_NOMEM)
        zci_fail(m->log, status, "%s: no memory for its header of %zu bytes", m->reader.name,
                 bytes);
    return status;
}

static zcs_status zcr_open(struct zci_media *m, int64_t deadline_ns)
{
    struct zci_zcr_header header;
    const uint8_t *data;
    (void)deadline_ns;
    zcs_status status = peek_all(m, 0, ZCI_ZCR_FIXED_BYTES, &data);
    if (status == ZCS_EOF)
        return refuse(m, "the file ends within it");
    if (status != ZCS_OK)
        return status;
    const char *wrong = zci_zcr_get_header(data, &header);
    if (wrong != NULL)
        return refuse(m, wrong);
    status = read_texts(m, &header);
    if (status != ZCS_OK)
        return status;
    m->first = zci_zcr_header_bytes(&header);
    m->layout = header.image;
    m->declared = (struct zci_request){.format = header.image.format,
                                       .width = header.image.width,
                                       .height = header.image.height,
                                       .bits = header.image.bits,
                                       .shift = header.image.shift,
                                       .color = header.image.color};
    m->fps_num = header.fps_num;
    m->fps_den = header.fps_den;
    return ZCS_OK;
}

/* Whether the payload of a record is a frame and ends before `end`. */
static int fits(const struct zci_media *m, const struct zci_zcr_record *record, uint64_t end)
{
    const uint64_t page = ZCI_ZCR_PAGE;
    return record->offset % page == 0 && record->offset >= m->first &&
           record->bytes == m->layout.size_bytes && record->offset <= end &&
           end - record->offset >= page && end - record->offset - page >= record->bytes;
}

static uint64_t end_of(const struct zci_zcr_record *record)
{
    return record->offset + ZCI_ZCR_PAGE + zci_zcr_round_up(record->bytes);
}

/* ZCS_EOF: the entries do not match the footer. */
static zcs_status read_entries(struct zci_media *m, const struct zci_zcr_footer *footer)
{
    uint64_t next = m->first;
    uint32_t crc = 0;
    for (uint64_t i = 0; i < footer->count;) {
        const uint64_t left = footer->count - i;
        const size_t count = left < ENTRIES_AT_ONCE ? (size_t)left : ENTRIES_AT_ONCE;
        const uint8_t *data;
        const zcs_status status = peek_all(m, footer->index_offset + i * ZCI_ZCR_ENTRY_BYTES,
                                           count * ZCI_ZCR_ENTRY_BYTES, &data);
        if (status != ZCS_OK)
            return status;
        crc = zci_crc32(crc, data, count * ZCI_ZCR_ENTRY_BYTES);
        for (size_t k = 0; k < count; k++, i++) {
            struct zci_zcr_record *record = &m->records[i];
            if (!zci_zcr_get_entry(data + k * ZCI_ZCR_ENTRY_BYTES, record) ||
                !fits(m, record, footer->index_offset) || record->offset < next)
                return ZCS_EOF;
            next = end_of(record);
        }
    }
    return crc == footer->entries_crc ? ZCS_OK : ZCS_EOF;
}

static zcs_status no_memory(const struct zci_media *m, uint64_t count)
{
    return zci_fail(m->log, ZCS_ERR_NOMEM, "%s: no memory for an index of %" PRIu64, m->reader.name,
                    count);
}

/* ZCS_EOF: no index, or not one of this file. */
static zcs_status read_index(struct zci_media *m)
{
    struct zci_zcr_footer footer;
    const uint64_t bytes = m->reader.size_bytes;
    const uint8_t *data;
    if (bytes < m->first + ZCI_ZCR_FOOTER_BYTES)
        return ZCS_EOF;
    const zcs_status status =
        peek_all(m, bytes - ZCI_ZCR_FOOTER_BYTES, ZCI_ZCR_FOOTER_BYTES, &data);
    if (status != ZCS_OK)
        return status;
    if (!zci_zcr_get_footer(data, bytes, &footer) ||
        footer.count > bytes / (ZCI_ZCR_PAGE + m->layout.size_bytes))
        return ZCS_EOF;
    m->records = calloc((size_t)footer.count + 1, sizeof *m->records);
    if (m->records == NULL)
        return no_memory(m, footer.count);
    m->frames = footer.count;
    return read_entries(m, &footer);
}

static zcs_status add_record(struct zci_media *m, const struct zci_zcr_record *record)
{
    if ((m->frames & (m->frames + 1)) == 0) { /* the 2^n - 1 allocated entries are used */
        const size_t room = 2 * ((size_t)m->frames + 1);
        struct zci_zcr_record *records = realloc(m->records, room * sizeof *records);
        if (records == NULL)
            return no_memory(m, m->frames);
        m->records = records;
    }
    m->records[m->frames++] = *record;
    return ZCS_OK;
}

/* The next page after `at`, or the first after the hole that follows it: holes have no records. */
static uint64_t next_page(const struct zci_media *m, uint64_t at)
{
    const uint64_t next = at + ZCI_ZCR_PAGE;
    const off_t data = lseek(m->reader.fd, (off_t)next, SEEK_DATA);
    if (data < 0)
        return errno == ENXIO ? m->reader.size_bytes : next;
    return (uint64_t)data > next ? (uint64_t)data / ZCI_ZCR_PAGE * ZCI_ZCR_PAGE : next;
}

/* Skips pages that are not records, so that damage loses only the records that it hit. Trailing
 * bytes are those of an incomplete record only: after the last record may be a damaged index. */
static zcs_status scan(struct zci_media *m)
{
    const uint64_t end = m->reader.size_bytes;
    zcs_status status = ZCS_OK;
    uint64_t cut = end; /* offset of an incomplete record */
    free(m->records);
    m->records = NULL;
    m->frames = 0;
    for (uint64_t at = m->first; status == ZCS_OK && at < end;) {
        struct zci_zcr_record record;
        const uint8_t *data;
        status = peek_all(m, at, ZCI_ZCR_RECORD_BYTES, &data);
        if (status != ZCS_OK)
            break;
        const int is_record = zci_zcr_get_record(data, at, &record);
        if (is_record && fits(m, &record, end)) {
            status = add_record(m, &record);
            at = end_of(&record);
        } else {
            cut = is_record ? at : cut;
            at = next_page(m, at);
        }
    }
    m->trailing_bytes = end - cut;
    return status == ZCS_EOF ? ZCS_OK : status;
}

static zcs_status zcr_count(struct zci_media *m)
{
    zcs_status status = read_index(m);
    if (status == ZCS_EOF) {
        status = scan(m);
        if (status == ZCS_OK)
            zci_log(m->log, ZCS_LOG_WARNING,
                    "%s: no complete index; a scan found %" PRIu64 " complete frames",
                    m->reader.name, m->frames);
    }
    if (status == ZCS_OK)
        zci_reader_choose_path(&m->reader, 0, ZCI_ZCR_PAGE, m->frames);
    return status;
}

static zcs_status zcr_find(struct zci_media *m, uint64_t n, int64_t deadline_ns,
                           struct zci_media_frame *out)
{
    const struct zci_zcr_record *record = &m->records[n];
    (void)deadline_ns;
    *out = (struct zci_media_frame){.offset = record->offset + ZCI_ZCR_PAGE,
                                    .bytes = (size_t)record->bytes,
                                    .recorded = 1,
                                    .sequence = record->sequence,
                                    .time_ns = record->time_ns,
                                    .clock = record->clock,
                                    .flags = record->flags};
    return ZCS_OK;
}

const struct zci_media_ops zci_media_zcr = {
    .name = "recording", .is = zcr_is, .open = zcr_open, .count = zcr_count, .find = zcr_find};
