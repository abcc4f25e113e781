/* SPDX-License-Identifier: MIT */
/* Frames that files keep in a form which no pixel format has, put right where they lie. */
#ifndef ZCI_SOURCE_REPLAY_MEDIA_FIX_H
#define ZCI_SOURCE_REPLAY_MEDIA_FIX_H

#include "source/replay/media.h"

/* Bytes of a frame before it is put right. */
size_t zci_fix_file_bytes(enum zci_fix fix, const struct zcs_image *image);

/* `data` has room for the image and for zci_fix_file_bytes. */
void zci_fix_apply(enum zci_fix fix, const struct zcs_image *image, uint32_t full, uint8_t *data);

#endif
