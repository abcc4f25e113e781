/* SPDX-License-Identifier: MIT */
/* File names with a number in them: "frame-%06u.raw". */
#ifndef ZCI_SOURCE_REPLAY_REPLAY_SERIES_H
#define ZCI_SOURCE_REPLAY_REPLAY_SERIES_H

#include "source/replay/replay_input.h"

/* 1 where `path` has a per cent sign, and so may be meant as a series. */
int zci_replay_series_meant(const char *path);

/* Reads the pattern and finds the first file and how many follow without a gap. ZCS_ERR_FORMAT: the
 * text; ZCS_ERR_IO: no such file. Logged. */
zcs_status zci_replay_series_init(struct zci_replay_input *input, const struct zci_log *log);

/* Writes the name of number `first + index` into input->name. */
void zci_replay_series_name(struct zci_replay_input *input, uint64_t index);

#endif
