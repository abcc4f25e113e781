/* SPDX-License-Identifier: MIT */
/* Calibration: what a frame takes on each route, measured on the stream's own lanes, sizes and chain. */
#ifndef ZCI_STREAM_CALIBRATE_H
#define ZCI_STREAM_CALIBRATE_H

#include "frame/context.h"
#include "stream/stream.h"

/* Chooses stream->route among stream->candidates: measured in some milliseconds with as many frames in
 * flight as the stream will have, or found in the context's notes. The stream's slots, results and lanes
 * are made and idle. */
zcs_status zci_calibrate(zcs_context *ctx, struct zcs_stream *stream);

/* Measures once more, as frames have become slower than was measured; no lane is busy. ZCS_AGAIN: the
 * application holds too many results, nothing was done. */
zcs_status zci_recalibrate(zcs_context *ctx, struct zcs_stream *stream);

#endif
