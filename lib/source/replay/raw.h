/* SPDX-License-Identifier: MIT */
/* Raw frames without headers, or with headers that are skipped. */
#ifndef ZCI_SOURCE_REPLAY_RAW_H
#define ZCI_SOURCE_REPLAY_RAW_H

#include "source/replay/media.h"

/* Warns if the rows of a file have padding that was not requested. Call when m->image is set, and
 * before the frames are counted. */
void zci_raw_warn_stride(struct zci_media *m);

#endif
