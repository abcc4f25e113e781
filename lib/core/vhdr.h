/* SPDX-License-Identifier: MIT */
/* What `v4l2-ctl --stream-to-hdr` writes before each frame: a word that names the kind, and before
 * the bytes of each of the frame's buffers their number; both big-endian. Pure. */
#ifndef ZCI_CORE_VHDR_H
#define ZCI_CORE_VHDR_H

#include <stddef.h>
#include <stdint.h>

#define ZCI_VHDR_BYTES 8u /* of the word and the first number */
#define ZCI_VHDR_NEXT_BYTES 4u

static inline uint32_t zci_vhdr_word(const uint8_t *data)
{
    return (uint32_t)data[0] << 24 | (uint32_t)data[1] << 16 | (uint32_t)data[2] << 8 | data[3];
}

/* 1 where `data`, of at least ZCI_VHDR_BYTES, begins a frame. */
static inline int zci_vhdr_is(const uint8_t *data)
{
    return zci_vhdr_word(data) == 0x72646856; /* "rdhV" */
}

#endif
