/* SPDX-License-Identifier: MIT */
/* The regular files of a directory in the order of their names, numbers in them by value. */
#ifndef ZCI_SOURCE_REPLAY_REPLAY_DIR_H
#define ZCI_SOURCE_REPLAY_REPLAY_DIR_H

#include "source/replay/replay_input.h"

/* Reads the directory input->path; hidden files and what is no regular file are passed over.
 * ZCS_ERR_FORMAT: none is left. Logged. */
zcs_status zci_replay_dir_init(struct zci_replay_input *input, const struct zci_log *log);

/* Writes the name of entry `index` into input->name. */
void zci_replay_dir_name(struct zci_replay_input *input, uint64_t index);

#endif
