/* SPDX-License-Identifier: MIT */
/* --record: captured frames into a recording, by a thread of its own behind a bounded queue.
 *
 *   zcs_stream_next --> tap: recording_put --> [queue] --> the thread: zcs_recorder_write, let it go
 *
 * A full queue waits or drops, as the policy says. The first frame that cannot be written is reported and
 * ends the recording: what is queued then is dropped; what was written before can be played. */
#ifndef ZCAPP_RUN_RECORD_H
#define ZCAPP_RUN_RECORD_H

#include "zcstream/record.h"
#include "zcstream/stream.h"

#include "app/cli/console.h"
#include "app/output/retention.h"

struct recording_params {
    const char *path;
    const char *input; /* as the command line names it */
    const char *text;  /* free text for the file; NULL: none */
    struct zcs_source_info source;
    enum zcs_policy policy;
    struct keep_limit keep; /* {0}: all parts stay */
    struct console *console;
};

struct recording_stats {
    uint64_t written;
    uint64_t lost;  /* dropped, or failed */
    uint64_t parts; /* files with frames */
    uint64_t left;  /* with a limit: parts that it left, once the recording is drained */
    int failed;     /* an error line was shown */
};

typedef struct recording recording;

/* How many frames may wait for the thread, or be with it. */
unsigned recording_frames(const struct zcs_image *image);

/* NULL after one line of error. */
recording *recording_create(zcs_context *ctx, const struct recording_params *params);

/* Takes a reference of its own. One thread at a time. */
void recording_put(recording *r, const struct zcs_frame *frame);

/* The frames put from now on go into another file, named as part.h says. */
void recording_part(recording *r);

/* As they are now. */
struct recording_stats recording_stats(recording *r);

/* Writes what is queued, ends the thread and closes the file. */
void recording_drain(recording *r);

/* Accepts NULL content, sets NULL. */
void recording_destroy(recording **r);

#endif
