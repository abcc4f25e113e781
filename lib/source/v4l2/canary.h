/* SPDX-License-Identifier: MIT */
/* Poison: words that no camera sends, put into a buffer before its first use, so that a frame which was
 * announced but not written is known. */
#ifndef ZCI_SOURCE_V4L2_CANARY_H
#define ZCI_SOURCE_V4L2_CANARY_H

#include "source/v4l2/layout.h"

/* Writes the words into each plane of the slot at `base`: first, last and some rows between. */
void zci_v4l2_canary_fill(const struct zci_v4l2_layout *layout, void *base);

/* 1: in some plane all of them are still there. */
int zci_v4l2_canary_intact(const struct zci_v4l2_layout *layout, const void *base);

#endif
