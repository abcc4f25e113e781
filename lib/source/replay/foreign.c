/* SPDX-License-Identifier: MIT */
/* The table of file kinds that are not read, and what reads like text. */
#include "source/replay/foreign.h"

#include <string.h>

struct mark {
    const char *name;
    size_t offset, bytes;
    const char *data;
};

static const struct mark marks[] = {
    {"a JPEG", 0, 3, "\xff\xd8\xff"},
    {"a TIFF", 0, 4, "II*\0"},
    {"a TIFF", 0, 4, "MM\0*"},
    {"a GIF", 0, 4, "GIF8"},
    {"an AVI", 8, 4, "AVI "},
    {"a WebP", 8, 4, "WEBP"},
    {"an MP4", 4, 4, "ftyp"},
    {"a Matroska", 0, 4, "\x1a\x45\xdf\xa3"},
    {"a PBM of bits (P4)", 0, 3, "P4\n"},
    {"a PAM (P7)", 0, 3, "P7\n"},
    {"a gzip", 0, 3, "\x1f\x8b\x08"},
};

static int is_sentinel(uint8_t byte)
{
    return byte == ' ' || (byte >= '\t' && byte <= '\r');
}

/* Words with something between them: rows of one value are no text. */
static int is_text(const uint8_t *data, size_t bytes)
{
    size_t blanks = 0;
    for (size_t i = 0; i < bytes; i++) {
        if (!is_sentinel(data[i]) && (data[i] < ' ' || data[i] > '~'))
            return 0;
        blanks += is_sentinel(data[i]) != 0;
    }
    return blanks > 0 && blanks < bytes;
}

struct zci_foreign zci_foreign(const uint8_t *data, size_t bytes)
{
    static const char *const plain[] = {"a PBM in text (P1)", "a PGM in text (P2)",
                                        "a PPM in text (P3)"};
    for (size_t i = 0; i < sizeof marks / sizeof *marks; i++) {
        const struct mark *m = &marks[i];
        if (m->offset + m->bytes <= bytes && memcmp(data + m->offset, m->data, m->bytes) == 0)
            return (struct zci_foreign){m->name, 0};
    }
    if (bytes >= 3 && data[0] == 'P' && data[1] >= '1' && data[1] <= '3' && is_sentinel(data[2]))
        return (struct zci_foreign){plain[data[1] - '1'], 0};
    return (struct zci_foreign){is_text(data, bytes) ? "a text" : NULL, 1};
}
