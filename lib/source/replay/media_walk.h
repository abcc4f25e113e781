/* SPDX-License-Identifier: MIT */
/* Files whose frames have headers before them, walked from one to the next. */
#ifndef ZCI_SOURCE_REPLAY_MEDIA_WALK_H
#define ZCI_SOURCE_REPLAY_MEDIA_WALK_H

#include "source/replay/media.h"

/* Peeks at the header at `offset` with ever more bytes until `read` (as ops->frame_head; its `payload`
 * may be ignored) says more than 0. ZCS_EOF: the input ends there, or within it. ZCS_ERR_FORMAT: not
 * logged; `why` says what is wrong. */
zcs_status zci_walk_head(struct zci_media *m, uint64_t offset, int64_t deadline_ns,
                         int (*read)(struct zci_media *m, const uint8_t *data, size_t bytes,
                                     size_t *payload, char *why, size_t why_bytes),
                         size_t *head, size_t *payload, char *why, size_t why_bytes);

/* ops->count and ops->find by ops->frame_head. */
zcs_status zci_walk_count(struct zci_media *m);
zcs_status zci_walk_find(struct zci_media *m, uint64_t n, int64_t deadline_ns,
                         struct zci_place *out);

#endif
