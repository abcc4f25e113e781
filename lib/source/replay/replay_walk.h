/* SPDX-License-Identifier: MIT */
/* A replay's way from frame to frame, through files and passes, and past what is not whole. */
#ifndef ZCI_SOURCE_REPLAY_REPLAY_WALK_H
#define ZCI_SOURCE_REPLAY_REPLAY_WALK_H

#include "source/replay/replay.h"

/* Opens a file that is to be like the one that was open before, and puts it in its place. Logged. */
zcs_status zci_replay_open_file(struct replay *r, uint64_t index);

/* Goes on to a file that has a next frame; `ended`, which is ZCS_OK if there is one. */
zcs_status zci_replay_find_file(struct replay *r);

/* Places the next frame that is whole. ZCS_AGAIN, or `ended`. */
zcs_status zci_replay_find_frame(struct replay *r, int64_t deadline_ns);

/* On to the next frame. */
void zci_replay_pass_frame(struct replay *r);

/* Fewer bytes came than were there when the file was opened: the rest of it is lost. */
void zci_replay_shrank(struct replay *r);

/* What the end of a pipe is: ZCS_EOF, or ZCS_ERR_FORMAT, logged, before its first frame. */
zcs_status zci_replay_pipe_ended(struct replay *r);

#endif
