/* SPDX-License-Identifier: MIT */
/* Several streams in one loop: the next frame of any stream, or frames captured at the same time.
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

/* Threads: one at a time, the same as that of its streams. Nobody else may call zcs_stream_next on
 * these streams. Streams of one context share its devices: each frame goes to the device with the
 * fewest frames in flight. */
typedef struct zcs_set zcs_set;

struct zcs_set_params {
    int64_t tolerance_ns; /* maximum between the first and the last frame of a match; >= 0 */
    /* Results of each stream that may wait for a match; 0: 4, at most 64. The stream needs these
     * results in addition to those that the application holds. */
    uint32_t waiting;
};

/* `params` may be NULL. */
zcs_status zcs_set_create(zcs_context *ctx, const struct zcs_set_params *params,
                          zcs_set **out) ZCS_MUST_CHECK;

/* *member becomes 0, 1, ... The caller owns the stream, which must outlive the set. ZCS_ERR_ARG:
 * too many streams, or this stream is a member already. */
zcs_status zcs_set_add(zcs_set *set, zcs_stream *stream, uint32_t *member) ZCS_MUST_CHECK;

/* Replaces the stream of a member that has ended, for example after a camera changed its frame
 * size. The old stream may be destroyed before. ZCS_ERR_ARG: no such member, it still runs, or this
 * stream is a member already. */
zcs_status zcs_set_replace(zcs_set *set, uint32_t member, zcs_stream *stream) ZCS_MUST_CHECK;

/* A frame (status ZCS_OK), or the end of a member (ZCS_EOF or a failure). Each member ends once;
 * the others go on. */
struct zcs_set_event {
    uint32_t member;
    zcs_status status;
    const struct zcs_frame *frame; /* NULL at the end of a member */
};

/* Members take turns. ZCS_AGAIN: no frame within timeout_ns (0: do not wait, < 0: no limit), or a
 * signal arrived, or no member can produce one because the application holds all of its results or
 * paused it (zcs_set_pause). In the last case an infinite wait returns ZCS_AGAIN after one second
 * without progress. Limits and signals are as in zcs_stream_next. ZCS_EOF: all members have
 * ended. */
zcs_status zcs_set_next(zcs_set *set, int64_t timeout_ns, struct zcs_set_event *out) ZCS_MUST_CHECK;

/* Writes one frame of each member to `frames`, which has one element per member. The frames are no
 * further apart than the tolerance. Compared is time_ns if all members have the same clock, else
 * captured_ns. An element is NULL if its member failed; matching goes on without it. Frames without
 * a match are dropped and counted. After 100 of them in a row a warning reports how close they
 * came. ZCS_AGAIN: as in zcs_set_next; results missing from one member suffice. ZCS_EOF: a member
 * reached its end, or all members failed. Do not mix with zcs_set_next. */
zcs_status zcs_set_match(zcs_set *set, int64_t timeout_ns,
                         const struct zcs_frame **frames) ZCS_MUST_CHECK;

/* held 1: the set takes no frames from this member until a call with 0. The stream's policy then
 * applies to them. */
void zcs_set_pause(zcs_set *set, uint32_t member, int held);

/* ZCS_OK while the member runs, then ZCS_EOF or its failure. */
zcs_status zcs_set_member(const zcs_set *set, uint32_t member);

/* Readable when zcs_set_next or zcs_set_match may make progress. The set owns it. */
int zcs_set_fd(const zcs_set *set);

struct zcs_set_stats {
    uint32_t members;
    uint64_t matches;
    uint64_t unmatched[ZCS_MAX_MEMBERS]; /* frames dropped without a match */
    uint32_t waiting[ZCS_MAX_MEMBERS];   /* frames that wait for a match now */
    /* Frames dropped because zcs_stream_stop had ended the stream that might have matched them. */
    uint64_t left[ZCS_MAX_MEMBERS];
    /* 1: zcs_set_match returned ZCS_EOF because a stream ended by itself, so the remaining results
     * of the other streams have no match either. 0: no ZCS_EOF yet, or only because of
     * zcs_stream_stop. */
    int exhausted;
};
void zcs_set_stats(const zcs_set *set, struct zcs_set_stats *out);

/* Drops the waiting frames. Accepts NULL content, sets NULL. */
void zcs_set_destroy(zcs_set **set);

#ifdef __cplusplus
}
#endif
#endif
