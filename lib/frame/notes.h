/* SPDX-License-Identifier: MIT */
/* Notes: routes that were measured once in a context, found again by a key of what was measured. */
#ifndef ZCI_FRAME_NOTES_H
#define ZCI_FRAME_NOTES_H

#include "zcstream/base.h"
#include "core/route.h"

#define ZCI_NOTES 16u /* remembered; the oldest goes first */

struct zci_note {
    uint64_t key;
    struct zci_route_choice choice;
};

struct zci_notes {
    struct zci_note notes[ZCI_NOTES]; /* a ring */
    uint32_t count;                   /* ever added */
};

/* Any thread. 1: found. Adding replaces what was noted under that key. */
int zci_notes_find(zcs_context *ctx, uint64_t key, struct zci_route_choice *out);
void zci_notes_add(zcs_context *ctx, uint64_t key, const struct zci_route_choice *choice);

#endif
