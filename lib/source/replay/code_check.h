/* SPDX-License-Identifier: MIT */
/* A check of the first frames of a replay: samples in 16-bit words that have more bits than the
 * format says would all become white. */
#ifndef ZCI_SOURCE_REPLAY_CODE_CHECK_H
#define ZCI_SOURCE_REPLAY_CODE_CHECK_H

#include "source/replay/media.h"

/* Looks at some words of the frame at `pixels`. Returns 1 if a code exceeds m->image.bits: a
 * warning was then logged, with the shift or the format that would fit if they can be requested.
 * Formats without 16-bit words return 0. */
int zci_code_check(const struct zci_media *m, const uint8_t *pixels);

#endif
