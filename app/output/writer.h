/* SPDX-License-Identifier: MIT */
/* Files of results by threads of their own, behind a bounded queue of frame references.
 *
 *   zcs_stream_next --> writer_put --> [queue] --> a thread: encode, let the frame go
 *
 * A full queue waits or drops, as the policy says. The first frame that cannot be written is reported and
 * ends the writing: what is queued then is dropped. */
#ifndef ZCAPP_OUTPUT_WRITER_H
#define ZCAPP_OUTPUT_WRITER_H

#include "zcstream/stream.h"

#include "app/cli/console.h"
#include "app/run/latency.h"
#include "app/output/output.h"

struct writer_params {
    /* Of each chain, side by side, all of one kind; they must outlive the writer, as the texts in
     * `style`. */
    const struct output_target *target;
    unsigned chains; /* at least 1; a frame's `chain` is below it */
    struct encoder_options style;
    enum zcs_policy policy;
    struct retention_limit retention; /* {0}: all files stay */
    int live;                         /* 0: frames were recorded before */
    unsigned threads, queue;          /* at least 1 each; 1 thread for a series */
    struct console *console;
};

struct writer_stats {
    uint64_t written;
    uint64_t lost;     /* dropped, or failed */
    uint64_t min, max; /* numbers of the frames written, of the first chain's files that are left */
    uint64_t parts;    /* of a series: files with frames, of the first chain */
    uint64_t chain_written[ZCS_MAX_CHAINS]; /* of `written` */
    uint64_t chain_left[ZCS_MAX_CHAINS];    /* with a limit: files of this run that it left */
    int failed; /* a file could not be written, and an error line was shown */
    struct file_latency latency;
};

typedef struct writer writer;

/* NULL after one line of error. */
writer *writer_create(const struct writer_params *params);

/* Takes over the reference and sets NULL. 0, or -1 once writing has failed. One thread at a
 * time. */
int writer_put(writer *w, const struct zcs_frame **frame, uint64_t number);

/* A series: the frames put from now on go into another file, see output_part. */
void writer_part(writer *w);

/* 0: writer_put would wait. */
int writer_has_room(writer *w);

/* Waits until a frame has been let go since the last call, timeout_ms at most, if any is held. */
void writer_wait(writer *w, unsigned timeout_ms);

/* Frames dropped or failed up to now. */
uint64_t writer_lost(writer *w);

/* Writes what is queued and ends the threads; to be called before writer_stats. */
void writer_drain(writer *w);
const struct writer_stats *writer_stats(const writer *w);

/* Accepts NULL content, sets NULL. */
void writer_destroy(writer **w);

#endif
