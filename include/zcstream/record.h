/* SPDX-License-Identifier: MIT */
/* Recording captured frames into a .zcr file, which zcs_source_open_replay plays. docs/zcr.md has the
 * format. */
#ifndef ZCSTREAM_RECORD_H
#define ZCSTREAM_RECORD_H

#include "zcstream/frame.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Threads: one at a time, any. Calls write the file themselves and wait for it. In a child after fork nothing is
 * written: ZCS_ERR_DEVICE, and finishing frees memory. */
typedef struct zcs_recorder zcs_recorder;

struct zcs_recorder_params {
    const char *path;          /* created, or emptied */
    struct zcs_image image;    /* every frame has this layout; from zcs_source_image */
    uint32_t fps_num, fps_den; /* for information; 0/0: unknown */
    const char *source;        /* where the frames come from; NULL: not said. Up to 65535 bytes */
    const char *text;          /* free text, such as the camera's controls; the same */
};

/* The file is written in place: whatever ends the program, the frames written so far can be played. On
 * failure, logged, an empty file may be left. */
zcs_status zcs_recorder_create(zcs_context *ctx, const struct zcs_recorder_params *params,
                               zcs_recorder **out) ZCS_MUST_CHECK;

/* Appends a captured frame: its pixels, sequence, time, clock and flags. ZCS_ERR_ARG: it has another
 * layout, or no address for the CPU. Other failures are terminal, logged, and leave the file as it was
 * before the call. */
zcs_status zcs_recorder_write(zcs_recorder *recorder, const struct zcs_frame *frame) ZCS_MUST_CHECK;

/* Writes the index and closes the file, also after a failure. Accepts NULL content, sets NULL. The
 * first failure of all is returned; the frames written before it can be played. */
zcs_status zcs_recorder_finish(zcs_recorder **recorder) ZCS_MUST_CHECK;

#ifdef __cplusplus
}
#endif
#endif
