/* SPDX-License-Identifier: MIT */
/* Calibration: what a frame takes on each route, measured on a branch's own frame contexts, sizes and chain. */
#ifndef ZCI_STREAM_CALIBRATE_H
#define ZCI_STREAM_CALIBRATE_H

#include "context/context.h"
#include "stream/stream.h"

/* Chooses the branch's route among its candidates: measured in some tens of milliseconds with as many frames in
 * flight as the branch will have, or found in the context's notes. The stream's slots, results and frame contexts
 * are made and idle. */
zcs_status zci_calibrate(struct zcs_stream *stream, struct zci_branch *branch);

/* Measures once more, as frames have become slower than was measured; no frame context is busy. ZCS_AGAIN: the
 * application holds too many results, nothing was done. */
zcs_status zci_recalibrate(struct zcs_stream *stream, struct zci_branch *branch);

#endif
