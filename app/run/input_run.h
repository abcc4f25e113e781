/* SPDX-License-Identifier: MIT */
/* The run of one input: its session, its frames, its results. */
#ifndef ZCAPP_RUN_INPUT_RUN_H
#define ZCAPP_RUN_INPUT_RUN_H

#include "app/run/report.h"
#include "app/run/session.h"

struct input_run {
    struct session session;
    struct zcs_stream_stats past;       /* the counters of earlier streams on the same source */
    struct stream_latency past_latency; /* the latencies of these streams */
    const char *label;                  /* printed before lines; NULL: this is the only input */
    int64_t opened_ns;                  /* CLOCK_REALTIME when opening began; 0: it did not */
    int64_t started_ns, ended_ns;       /* 0: not started */
    char error[CONSOLE_ERROR_BYTES];    /* the line about its failure; "": not known */
    uint64_t first;                     /* sequence number of the source's first frame */
    uint64_t next[ZCS_MAX_CHAINS];      /* the lowest number that no file of a chain has */
    int renumbered;                     /* 1: a warning about such numbers was shown */
    uint64_t results;
    uint64_t unwritten; /* results that were released before the writer got them, after a failure */
    int stopped;        /* 1: a signal asked for the end */
    int digested;       /* 1: `digest` is valid */
    uint64_t digest;    /* hash of the frames' digests, in order */
    uint64_t controls;  /* changes of camera controls that were reported */
    enum zcs_clock clock; /* of the latest frame's time ... */
    int exposure_start;   /* ... which is the start of the exposure */
};

/* A whole run with one input. Returns the exit status; every failure was reported. */
int input_run_main(const struct options *options, struct console *console);

/* The functions below are the steps of a run, for runs with several inputs.
 *
 *   open -> begin -> take ... take -> end -> report
 *                     |  ^
 *                     +--+  resume: the camera's frames have another size
 */

/* CLOCK_MONOTONIC. */
int64_t input_run_now_ns(void);

/* CLOCK_REALTIME. */
int64_t input_run_real_ns(void);

/* Opens the session. 0: the session is open, or `stopped` is set because the end was requested
 * while waiting for the input. Else an exit status after one line of error. */
int input_run_open(struct input_run *run);

/* The session is open: reports the choices and starts the clock. */
void input_run_begin(struct input_run *run);

/* The end was requested. The frames in flight still come. */
void input_run_stop(struct input_run *run);

/* Starts the next part of a single output file and of a recording, see part.h. */
void input_run_next_part(struct input_run *run);

/* True if `status` means that the frames of a camera have another size now. */
int input_run_can_resume(const struct input_run *run, zcs_status status);

/* Then: creates a stream for the new size, if the outputs allow it. 0, or an exit status after one
 * line of error. */
int input_run_resume(struct input_run *run);

/* Takes over the reference. 0, or an exit status after one line of error. */
int input_run_take(struct input_run *run, const struct zcs_frame *frame);

/* The same, with another number for the file than the frame's position in the source. */
int input_run_take_as(struct input_run *run, const struct zcs_frame *frame, uint64_t number);

/* 0: input_run_take would wait for the writer. */
int input_run_has_room(const struct input_run *run);

/* True if the recording failed, which was reported. Then the function takes over the reference to
 * `frame` (may be NULL), which is lost. */
int input_run_recording_failed(struct input_run *run, const struct zcs_frame *frame);

/* Stops the stream and releases the results in flight. Adds their number to *count. */
void input_run_release(struct input_run *run, uint64_t *count);

/* The number of frames lost so far, for any cause. */
uint64_t input_run_lost(const struct input_run *run);

/* Adds the run to the state of the progress line. `latency_ns`: from the capture to the result. */
void input_run_progress(const struct input_run *run, int64_t latency_ns,
                        struct progress_state *state);

/* Writes what is still queued. `status` is that of the run so far. Returns the exit status. */
int input_run_end(struct input_run *run, int status);

/* Also for a run that was not begun. *out is valid as long as the run. */
void input_run_report(const struct input_run *run, int status, struct report *out);

#endif
