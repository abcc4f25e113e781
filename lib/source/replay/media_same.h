/* SPDX-License-Identifier: MIT */
/* Whether the files of one replay are alike, and in which words it is told that they are not. */
#ifndef ZCI_SOURCE_REPLAY_MEDIA_SAME_H
#define ZCI_SOURCE_REPLAY_MEDIA_SAME_H

#include "source/replay/media.h"

/* Whether `m`, which is open, says of its frames what `first` does, which is settled. ZCS_ERR_FORMAT: logged
 * with what both say. */
zcs_status zci_media_check_same(const struct zci_media *m, const struct zci_media *first);

#endif
