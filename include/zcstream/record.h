/* SPDX-License-Identifier: MIT */
/* Records captured frames into a .zcr file, which zcs_source_open_replay plays. docs/zcr.md defines
 * the format. */
#ifndef ZCSTREAM_RECORD_H
#define ZCSTREAM_RECORD_H

#include "zcstream/frame.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Threads: any, one at a time. Calls write the file and block until the write is done. In a child
 * process after fork, calls write nothing and return ZCS_ERR_DEVICE; zcs_recorder_finish frees the
 * memory. */
typedef struct zcs_recorder zcs_recorder;

struct zcs_recorder_params {
    const char *path;       /* created, or replaced with the first frame */
    struct zcs_image image; /* every frame has this layout; from zcs_source_image */
    uint32_t fps_num;       /* frame rate, for information; 0/0: unknown */
    uint32_t fps_den;
    const char *source; /* origin of the frames; NULL: none. At most 65535 bytes */
    const char *text;   /* free text, such as the camera's controls; NULL: none. The same limit */
};

/* If the program dies, the frames written so far can still be played. An earlier file at `path` is
 * replaced when the first frame is written. A recorder without frames leaves it as it was, and a
 * crash before that may leave a file ".NAME.PID.N.tmp" beside it. What is no regular file is
 * written in place. The file is locked (flock) until zcs_recorder_finish. A second recorder on it,
 * of any process, gets ZCS_ERR_IO. Failures are logged. */
zcs_status zcs_recorder_create(zcs_context *ctx, const struct zcs_recorder_params *params,
                               zcs_recorder **out) ZCS_MUST_CHECK;

/* Appends a captured frame: pixels, sequence, time, clock and flags. ZCS_ERR_ARG: its layout
 * differs, or it has no host address. Other failures are logged and terminal; the file stays as it
 * was before the call. */
zcs_status zcs_recorder_write(zcs_recorder *recorder, const struct zcs_frame *frame) ZCS_MUST_CHECK;

/* Writes the index and closes the file, also after a failure. Accepts NULL content, sets NULL.
 * Returns the first failure of all calls; the frames written before it can be played. */
zcs_status zcs_recorder_finish(zcs_recorder **recorder) ZCS_MUST_CHECK;

#ifdef __cplusplus
}
#endif
#endif
