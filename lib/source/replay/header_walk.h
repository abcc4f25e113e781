/* SPDX-License-Identifier: MIT */
/* Files with a header before each frame: finding frame N by reading header after header. */
#ifndef ZCI_SOURCE_REPLAY_HEADER_WALK_H
#define ZCI_SOURCE_REPLAY_HEADER_WALK_H

#include "source/replay/media.h"

/* Peeks at the header at `offset`, with more and more bytes, until `read` returns a value other
 * than 0. ZCS_EOF: the input ends at `offset` or inside the header. ZCS_ERR_FORMAT: not logged;
 * `why` has the reason. */
zcs_status zci_walk_head(struct zci_media *m, uint64_t offset, int64_t deadline_ns,
                         zci_header_fn read, size_t *head, size_t *payload, char *why,
                         size_t why_bytes);

/* Reads the header at the start of the file with `read`; `*head` is its size in bytes. Logged. */
zcs_status zci_walk_open(struct zci_media *m, int64_t deadline_ns, zci_header_fn read,
                         size_t *head);

/* ops->count and ops->find for media that have ops->frame_head. */
zcs_status zci_walk_count(struct zci_media *m);
zcs_status zci_walk_find(struct zci_media *m, uint64_t n, int64_t deadline_ns,
                         struct zci_media_frame *out);

#endif
