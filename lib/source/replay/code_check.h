/* SPDX-License-Identifier: MIT */
/* A check of the first frames of a replay: samples in 16-bit words that have more bits than the
 * format says would all become white. */
#ifndef ZCI_SOURCE_REPLAY_CODE_CHECK_H
#define ZCI_SOURCE_REPLAY_CODE_CHECK_H

#include "core/log.h"
#include "zcstream/format.h"

/* Looks at some words of the frame at `pixels`. Returns 1 if a code exceeds image->bits: a warning
 * was then logged with `name`, and with the shift or the format that would fit. `fixed`: the input
 * itself defines the format and the shift. Formats without 16-bit words return 0. */
int zci_code_check(const struct zcs_image *image, const uint8_t *pixels, int fixed,
                   const char *name, const struct zci_log *log);

#endif
