/* SPDX-License-Identifier: MIT */
/* The text headers of a YUV4MPEG2 (Y4M) stream. Pure: no I/O. */
#ifndef ZCI_SOURCE_REPLAY_Y4M_H
#define ZCI_SOURCE_REPLAY_Y4M_H

#include "source/replay/conversion.h"
#include "zcstream/format.h"

#define ZCI_Y4M_MAGIC "YUV4MPEG2 "

struct zci_y4m {
    enum zcs_pixfmt format;
    uint32_t width, height;
    uint32_t bits;             /* significant; 0: those of the format */
    uint32_t fps_num, fps_den; /* 0/0: unknown */
    enum zcs_range range;      /* AUTO: not declared */
    const char *siting;        /* of 4:2:0 chroma, as text, static; NULL: not declared */
    const char *interlaced;    /* the order of the fields, as text, static; NULL: not interlaced */
    enum zci_conversion conversion; /* of the planes in the file to those of `format` */
};

/* Parses the stream header. Returns its size with the newline; 0: it goes on beyond `bytes`; -1:
 * `why` says what is wrong. */
int zci_y4m_head(const uint8_t *data, size_t bytes, struct zci_y4m *out, char *why,
                 size_t why_bytes);

/* The same for the line before each frame. */
int zci_y4m_frame(const uint8_t *data, size_t bytes, char *why, size_t why_bytes);

#endif
