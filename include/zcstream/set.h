/* SPDX-License-Identifier: MIT */
/* Several streams in one loop: whatever comes next, or frames that were captured at the same time.
 *
 *     struct zcs_set_event event;
 *     while (zcs_set_next(set, -1, &event) == ZCS_OK)
 *         if (event.status == ZCS_OK) {
 *             use(event.member, event.frame);
 *             zcs_frame_unref(&event.frame);
 *         }
 */
#ifndef ZCSTREAM_SET_H
#define ZCSTREAM_SET_H

#include "zcstream/stream.h"

#ifdef __cplusplus
extern "C" {
#endif

#define ZCS_MAX_MEMBERS 32

/* Threads: one at a time, and that of its streams, which no one else pulls. Streams of one context share its
 * devices: each frame goes to the one that is least busy with all of them. */
typedef struct zcs_set zcs_set;

struct zcs_set_params {
    int64_t tolerance_ns; /* between the first and the last frame of one match; >= 0 */
    uint32_t
        waiting; /* results of each stream that may wait for others' to match; 0: 4, at most 64.
                             The stream needs them besides those that the application holds. */
};

/* `params` may be NULL. */
zcs_status zcs_set_create(zcs_context *ctx, const struct zcs_set_params *params,
                          zcs_set **out) ZCS_MUST_CHECK;

/* *member: 0, 1, ... The stream stays the caller's and outlives the set. ZCS_ERR_ARG: too many, or it is in already. */
zcs_status zcs_set_add(zcs_set *set, zcs_stream *stream, uint32_t *member) ZCS_MUST_CHECK;

/* A further stream in the place of one that has ended, such as that of a camera whose frames have another size now.
 * The old one may be destroyed before. ZCS_ERR_ARG: no such member, it still runs, or the stream is in already. */
zcs_status zcs_set_replace(zcs_set *set, uint32_t member, zcs_stream *stream) ZCS_MUST_CHECK;

/* A frame (status ZCS_OK), or, once for each member, its end: ZCS_EOF or a failure; the others go on. */
struct zcs_set_event {
    uint32_t member;
    zcs_status status;
    const struct zcs_frame *frame; /* NULL at the end */
};

/* The members take turns. ZCS_AGAIN: nothing within timeout_ns (0: do not wait, < 0: for ever), or a signal came, or
 * none of them can give anything: of each the application holds all results, or held it back with zcs_set_pause. A
 * wait without end is given up after a second of that. ZCS_EOF: all have ended. */
zcs_status zcs_set_next(zcs_set *set, int64_t timeout_ns, struct zcs_set_event *out) ZCS_MUST_CHECK;

/* One frame of each member, no further apart than the tolerance, into `frames`, which has a place for each; NULL
 * for members that failed, without which matching goes on. Frames without such partners are dropped and counted;
 * of a hundred in a row a warning tells how near they came.
 * Compared is time_ns where all have the same clock, else captured_ns. ZCS_AGAIN as above, and for want of
 * one member's results as for all. ZCS_EOF: a member came to its end, or all failed. Not to be mixed with
 * zcs_set_next. */
zcs_status zcs_set_match(zcs_set *set, int64_t timeout_ns,
                         const struct zcs_frame **frames) ZCS_MUST_CHECK;

/* No frames are taken from the member while `held` is 1; its stream's policy says what becomes of them. */
void zcs_set_pause(zcs_set *set, uint32_t member, int held);

/* ZCS_OK while it runs; then ZCS_EOF or why it failed. */
zcs_status zcs_set_member(const zcs_set *set, uint32_t member);

/* Readable when zcs_set_next or zcs_set_match may have something to do; owned by the set. */
int zcs_set_fd(const zcs_set *set);

struct zcs_set_stats {
    uint32_t members;
    uint64_t matches;
    uint64_t unmatched[ZCS_MAX_MEMBERS]; /* frames dropped for want of partners */
    uint32_t waiting[ZCS_MAX_MEMBERS];   /* frames that wait for partners now */
    /* Frames dropped because zcs_stream_stop had ended the stream that might have had partners for them. */
    uint64_t left[ZCS_MAX_MEMBERS];
    int exhausted; /* 1: zcs_set_match came to ZCS_EOF where a stream had ended by itself, so that results that its
                      streams still have are without partners too; 0: it did not, or only because of zcs_stream_stop */
};
void zcs_set_stats(const zcs_set *set, struct zcs_set_stats *out);

/* Drops the frames that wait. Accepts NULL content, sets NULL. */
void zcs_set_destroy(zcs_set **set);

#ifdef __cplusplus
}
#endif
#endif
