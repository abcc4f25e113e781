/* SPDX-License-Identifier: MIT */
/* Writes results in threads of its own, from a bounded queue of frame references.
 *
 *   zcs_stream_next --> writer_put --> [queue] --> a thread: encode, release the frame
 *
 * The policy says whether a full queue waits or drops. The first failed write is reported and ends
 * the writing; queued frames are dropped. */
#ifndef ZCAPP_OUTPUT_WRITER_H
#define ZCAPP_OUTPUT_WRITER_H

#include "zcstream/stream.h"

#include "app/cli/console.h"
#include "app/run/latency.h"
#include "app/output/output.h"

struct writer_params {
    /* An array, one per chain, all of one kind. It must outlive the writer, as must the texts
     * in `style`. */
    const struct output_target *target;
    unsigned chains; /* at least 1; a frame's `chain` is below it */
    struct encoder_options style;
    enum zcs_policy policy;
    struct retention_limit retention; /* {0}: keep all files */
    int live;                         /* 0: the frames are recorded ones */
    unsigned threads, queue;          /* at least 1 each; 1 thread for a series */
    struct console *console;
};

struct writer_stats {
    uint64_t written;
    uint64_t lost; /* dropped, or failed */
    uint64_t min,
        max;        /* numbers of the frames written, or of the first chain's files that are left */
    uint64_t parts; /* of a series: files with frames, of the first chain */
    uint64_t chain_written[ZCS_MAX_CHAINS]; /* of `written` */
    uint64_t chain_left[ZCS_MAX_CHAINS];    /* with a limit: files of this run that are left */
    int failed; /* a file could not be written, and an error line was shown */
    struct file_latency latency;
};

typedef struct writer writer;

/* NULL after one error line. */
writer *writer_create(const struct writer_params *params);

/* Takes over the reference and sets NULL. 0, or -1 after a failed write. One thread at a time. */
int writer_put(writer *w, const struct zcs_frame **frame, uint64_t number);

/* For a series: later frames go into another file, see output_part. */
void writer_part(writer *w);

/* 0: writer_put would wait. */
int writer_has_room(writer *w);

/* If frames are queued or being written, waits until one is released, timeout_ms at most. */
void writer_wait(writer *w, unsigned timeout_ms);

/* The number of frames dropped or failed so far. */
uint64_t writer_lost(writer *w);

/* From the capture of the frame written last until its file was complete; 0: none was written. */
int64_t writer_latency_ns(writer *w);

/* Writes the queued frames and ends the threads; call it before writer_stats. */
void writer_drain(writer *w);
const struct writer_stats *writer_stats(const writer *w);

/* Accepts NULL content, sets NULL. */
void writer_destroy(writer **w);

#endif
