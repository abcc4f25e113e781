/* SPDX-License-Identifier: MIT */
/* Calibration: measures what a frame takes on each route with the branch's own frame contexts,
 * sizes and chain. */
#ifndef ZCI_STREAM_CALIBRATE_H
#define ZCI_STREAM_CALIBRATE_H

#include "context/context.h"
#include "stream/stream.h"

/* Chooses the branch's route among its candidates. Either it measures them for some tens of
 * milliseconds, with as many frames in flight as the branch will have, or it finds the figures in
 * the context's route cache. The stream's slots, results and frame contexts exist and are idle. */
zcs_status zci_calibrate(struct zcs_stream *stream, struct zci_branch *branch);

/* Measures again, because frames have become slower than measured. No frame context is busy.
 * ZCS_AGAIN: the application holds too many results, and nothing was done. */
zcs_status zci_recalibrate(struct zcs_stream *stream, struct zci_branch *branch);

#endif
