/* SPDX-License-Identifier: MIT */
/* One input of a run: its session, what becomes of each of its frames, and what it came to. */
#ifndef ZCAPP_RUN_INPUT_RUN_H
#define ZCAPP_RUN_INPUT_RUN_H

#include "app/run/report.h"
#include "app/run/session.h"

struct feed {
    struct session session;
    struct zcs_stream_stats past;     /* of streams before the present one: counters only */
    struct stream_delays past_delays; /* of the same */
    const char *label;            /* of several: before lines about this one; NULL: the only one */
    int64_t started_ns, ended_ns; /* 0: it did not begin */
    uint64_t first;               /* sequence of the source's first frame */
    uint64_t results;
    uint64_t unwritten; /* results that the writer should have had, let go because of a failure */
    int stopped;        /* by a signal */
    int digested;       /* some frame had a digest */
    uint64_t digest;    /* of the frames' digests, in order */
    uint64_t controls;  /* changes of the camera's controls that were told */
    enum zcs_clock
        clock; /* of the latest frame's time, and whether that is of the exposure's start */
    int exposure_start;
};

int64_t feed_now_ns(void);

/* session_open of it. 0, with the session open, or `stopped` where the end was asked for while the
 * input was waited for; or an exit status after one line of error. */
int feed_open(struct feed *feed);

/* The session is open. */
void feed_begin(struct feed *feed);

/* The end was asked for: what is in flight still comes. */
void feed_stop(struct feed *feed);

/* Single files and recordings go on in another part: see part.h. */
void feed_part(struct feed *feed);

/* `status` is the end of a camera's stream whose frames have another size now. */
int feed_can_go_on(const struct feed *feed, zcs_status status);

/* The stream ended because the camera's frames have another size: it goes on with those, where that
 * can be. 0, or an exit status after one line of error. */
int feed_resume(struct feed *feed);

/* Takes over the reference. 0, or an exit status after one line of error. */
int feed_take(struct feed *feed, const struct zcs_frame *frame);

/* The same, under another number than its place in the source. */
int feed_take_as(struct feed *feed, const struct zcs_frame *frame, uint64_t number);

/* 0: the next frame would have to wait until one before is written. */
int feed_has_room(const struct feed *feed);

/* Whether the recording failed, which has had its line; then `frame` (may be NULL), whose reference
 * it takes over, is lost. */
int feed_broke(struct feed *feed, const struct zcs_frame *frame);

/* The stream ends: what is in flight comes out, and is counted in *count. */
void feed_let_go(struct feed *feed, uint64_t *count);

/* Frames lost so far, whatever the cause. */
uint64_t feed_lost(const struct feed *feed);

/* `status` as the run went; writes what is still to be written. Returns the exit status. */
int feed_end(struct feed *feed, int status);

/* Also of a feed that did not begin; valid as long as the feed. */
void feed_report(const struct feed *feed, int status, struct report *out);

#endif
