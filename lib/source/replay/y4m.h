/* SPDX-License-Identifier: MIT */
/* Y4M, the text around the frames of a YUV4MPEG2 stream. Pure: bytes in, numbers out. */
#ifndef ZCI_SOURCE_REPLAY_Y4M_H
#define ZCI_SOURCE_REPLAY_Y4M_H

#include "zcstream/format.h"

#define ZCI_Y4M_MAGIC "YUV4MPEG2 "

struct zci_y4m {
    enum zcs_pixfmt format;
    uint32_t width, height;
    uint32_t bits;             /* significant; 0: the format's */
    uint32_t fps_num, fps_den; /* 0/0: unknown */
    enum zcs_range range;      /* AUTO: not said */
    const char *siting;        /* of 4:2:0 chroma, in words, static; NULL: no matter or not said */
};

/* Reads the line at the stream's begin. Returns the bytes it takes with its line end; 0: it goes on
 * beyond `bytes`; -1: `why` says what is wrong. */
int zci_y4m_head(const uint8_t *data, size_t bytes, struct zci_y4m *out, char *why,
                 size_t why_bytes);

/* The same for the line before each frame. */
int zci_y4m_frame(const uint8_t *data, size_t bytes, char *why, size_t why_bytes);

#endif
