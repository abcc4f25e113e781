/* SPDX-License-Identifier: MIT */
/* --record: a thread writes captured frames into a recording.
 *
 *   zcs_stream_next --> tap: recording_put --> [queue] --> thread: zcs_recorder_write, release
 *
 * If the queue is full, the policy decides whether recording_put waits or drops a frame. The first
 * frame that cannot be written is reported and ends the recording: queued frames are dropped; the
 * frames written before can be played. */
#ifndef ZCAPP_RUN_RECORDING_H
#define ZCAPP_RUN_RECORDING_H

#include "zcstream/record.h"
#include "zcstream/stream.h"

#include "app/cli/console.h"
#include "app/output/retention.h"

struct recording_params {
    const char *path;
    const char *input; /* as on the command line */
    const char *text;  /* a comment for the file; NULL: none */
    struct zcs_source_info source;
    enum zcs_policy policy;
    struct retention_limit retention; /* {0}: keep all parts */
    struct console *console;
};

struct recording_stats {
    uint64_t written;
    uint64_t lost;  /* dropped, or failed */
    uint64_t parts; /* files with frames */
    uint64_t left;  /* with a limit: parts that still exist; valid after recording_drain */
    int failed;     /* an error line was shown */
};

typedef struct recording recording;

/* The number of frames that the queue and the thread can hold. */
unsigned recording_frames(const struct zcs_image *image);

/* NULL after one line of error. */
recording *recording_create(zcs_context *ctx, const struct recording_params *params);

/* Takes its own reference. One thread at a time. */
void recording_put(recording *r, const struct zcs_frame *frame);

/* The next frames go into another file; part.h describes its name. */
void recording_next_part(recording *r);

/* A snapshot. */
struct recording_stats recording_stats(recording *r);

/* Writes the queued frames, ends the thread and closes the file. */
void recording_drain(recording *r);

/* Accepts NULL content, sets NULL. */
void recording_destroy(recording **r);

#endif
