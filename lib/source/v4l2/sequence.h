/* SPDX-License-Identifier: MIT */
/* A driver's 32-bit frame numbers as 64-bit ones that only grow, and the gaps between them. */
#ifndef ZCI_SOURCE_V4L2_SEQUENCE_H
#define ZCI_SOURCE_V4L2_SEQUENCE_H

#include <stdint.h>

/* {0} before the first frame. */
struct zci_v4l2_sequence {
    uint64_t number;  /* of the latest frame */
    uint64_t counted; /* frames lost since then that are in the ledger already */
    uint32_t last;    /* the driver's number of it */
    uint8_t started;
    uint8_t restarted; /* the driver begins to count anew: its next number says nothing */
};

/* The number of the frame that the driver calls `raw`. *gap: frames lost before it and not counted yet. A
 * number that stands still or goes back counts as the next one. */
uint64_t zci_v4l2_sequence_next(struct zci_v4l2_sequence *sequence, uint32_t raw, uint64_t *gap);

/* `missed` frames had no number of the driver's: those that come have higher ones. */
void zci_v4l2_sequence_pass(struct zci_v4l2_sequence *sequence, uint64_t missed);

#endif
