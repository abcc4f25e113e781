/* SPDX-License-Identifier: MIT */
/* A set of streams: its members are pulled in turn, or their results are matched by time. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "zcstream/set.h"
#include "os/clock.h"
#include "os/work_limit.h"
#include "stream/stream.h"

#define MAX_WAITING 64u /* frames of a member, at most */

struct member {
    zcs_stream *stream; /* may be destroyed once it has ended */
    zcs_status end;     /* ZCS_OK while it runs */
    int stopped;        /* the application stopped it; its source might have had more frames */
    int ready;          /* its stream may have a result; otherwise its descriptor says when */
    int held;
    int watched; /* its descriptor is in the set's epoll descriptor */
    const struct zcs_frame *waiting[MAX_WAITING]; /* oldest first */
    uint32_t count;
    uint64_t unmatched, left;
};

struct zcs_set {
    struct zci_log log;
    struct zcs_set_params params;
    int epoll_fd; /* holds the descriptors of the members that are watched */
    struct member members[ZCS_MAX_MEMBERS];
    uint32_t count;
    uint32_t turn; /* the member that is asked first */
    int exhausted; /* matching ended, and not only because members were stopped */
    uint64_t matches;
    /* frames dropped in a row, each of them the oldest among frames of all members ... */
    uint32_t alone;
    uint64_t nearest_ns; /* ... and the least distance in time of these frames */
};

#define DEFAULT_WAITING 4u

zcs_status zcs_set_create(zcs_context *ctx, const struct zcs_set_params *params, zcs_set **out)
{
    static const struct zcs_set_params presets = {0};
    if (ctx == NULL)
        return ZCS_ERR_ARG;
    if (out == NULL)
        return zci_fail(&ctx->log, ZCS_ERR_ARG, "a set: out is NULL");
    if (params == NULL)
        params = &presets;
    if (params->tolerance_ns < 0 || params->waiting > MAX_WAITING)
        return zci_fail(
            &ctx->log, ZCS_ERR_ARG,
            "a set: a tolerance of %lld ns, %u frames waiting: at least 0 and at most %u",
            (long long)params->tolerance_ns, params->waiting, MAX_WAITING);
    struct zcs_set *set = calloc(1, sizeof *set);
    if (set == NULL)
        return zci_fail(&ctx->log, ZCS_ERR_NOMEM, "a set: no memory");
    set->log = ctx->log;
    set->params = *params;
    if (set->params.waiting == 0)
        set->params.waiting = DEFAULT_WAITING;
    set->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
    if (set->epoll_fd < 0) {
        const zcs_status status =
            zci_fail(&ctx->log, ZCS_ERR_IO, "a set's descriptor: %s", strerror(errno));
        zcs_set_destroy(&set);
        return status;
    }
    *out = set;
    return ZCS_OK;
}

/* Adds or removes the member's descriptor, so that its stream can wake the set. A readable
 * descriptor that nobody reads must not keep the set awake. */
static int watch(zcs_set *set, struct member *member, int watched)
{
    struct epoll_event event = {.events = EPOLLIN, .data.u32 = (uint32_t)(member - set->members)};
    if (member->watched == watched)
        return 0;
    member->watched = watched;
    return epoll_ctl(set->epoll_fd, watched ? EPOLL_CTL_ADD : EPOLL_CTL_DEL,
                     zcs_stream_fd(member->stream), &event);
}

static zcs_status begin(zcs_set *set, struct member *member, zcs_stream *stream)
{
    for (uint32_t i = 0; i < set->count; i++)
        if (set->members[i].stream == stream && set->members[i].end == ZCS_OK)
            return zci_fail(&set->log, ZCS_ERR_ARG, "this stream is a member of the set already");
    const zcs_status end = member->end;
    member->stream = stream;
    member->ready = 1;
    member->held = 0;
    member->end = ZCS_OK;
    if (watch(set, member, 1) == 0) {
        set->exhausted = 0;
        return ZCS_OK;
    }
    member->watched = 0;
    member->end = end;
    return zci_fail(&set->log, ZCS_ERR_IO, "a set's member: %s", strerror(errno));
}

zcs_status zcs_set_add(zcs_set *set, zcs_stream *stream, uint32_t *out)
{
    if (set == NULL)
        return ZCS_ERR_ARG;
    if (stream == NULL || out == NULL)
        return zci_fail(&set->log, ZCS_ERR_ARG, "a set's member: %s is NULL",
                        stream == NULL ? "stream" : "member");
    if (set->count == ZCS_MAX_MEMBERS)
        return zci_fail(&set->log, ZCS_ERR_ARG, "a set has at most %d members", ZCS_MAX_MEMBERS);
    const zcs_status status = begin(set, &set->members[set->count], stream);
    if (status == ZCS_OK)
        *out = set->count++;
    return status;
}

zcs_status zcs_set_replace(zcs_set *set, uint32_t at, zcs_stream *stream)
{
    if (set == NULL)
        return ZCS_ERR_ARG;
    if (stream == NULL)
        return zci_fail(&set->log, ZCS_ERR_ARG, "a set's member: stream is NULL");
    if (at >= set->count || set->members[at].end == ZCS_OK)
        return zci_fail(&set->log, ZCS_ERR_ARG, "a set's member %u: %s", at,
                        at < set->count ? "has not ended" : "there is no such one");
    return begin(set, &set->members[at], stream);
}

/* The member's next frame, without waiting. ZCS_AGAIN: there is none, or the member is paused or
 * has ended. Its end is returned once. */
static zcs_status pull(zcs_set *set, struct member *member, const struct zcs_frame **out)
{
    if (!member->ready || member->held || member->end != ZCS_OK)
        return ZCS_AGAIN;
    const zcs_status status = zcs_stream_next(member->stream, 0, out);
    if (status == ZCS_AGAIN) {
        member->ready = 0;
    } else if (status != ZCS_OK) {
        member->end = status;
        member->stopped = member->stream->stopped;
        (void)watch(set, member, 0);
    }
    return status;
}

/* 1: the member gives nothing, whatever its source has, until the application releases results or
 * resumes it. */
static int is_stuck(const struct member *member)
{
    return member->end == ZCS_OK && (member->held || zci_stream_is_stuck(member->stream));
}

/* 1: the deadline has passed, and a round has taken some milliseconds already. */
static int is_late(struct zci_work_limit *round)
{
    return round->deadline_ns != INT64_MAX && zci_work_is_over(round);
}

/* The time at which a wait until `deadline_ns` is given up. It is earlier if, as now, all members
 * are `stuck` until the application acts. *since_ns keeps the time of that between calls; it is 0
 * at first. */
static int64_t wait_until(int64_t deadline_ns, int stuck, int64_t *since_ns)
{
    if (!stuck)
        *since_ns = 0;
    else if (*since_ns == 0)
        *since_ns = zci_now_ns();
    return stuck && deadline_ns == INT64_MAX ? *since_ns + ZCI_STUCK_WAIT_NS : deadline_ns;
}

/* Sleeps until a member may have something, or until `deadline_ns`. ZCS_AGAIN: the deadline passed,
 * even if a member has something, or a signal came. */
static zcs_status sleep_until(zcs_set *set, int64_t deadline_ns)
{
    struct epoll_event events[ZCS_MAX_MEMBERS];
    const int64_t left_ns = zci_left_ns(deadline_ns);
    const int64_t left_ms = left_ns < 0 ? -1 : (left_ns + 999999) / 1000000;
    const int count = epoll_wait(set->epoll_fd, events, ZCS_MAX_MEMBERS,
                                 left_ms < INT32_MAX ? (int)left_ms : INT32_MAX);
    for (int i = 0; i < count; i++)
        set->members[events[i].data.u32].ready = 1;
    /* A member that always has something must not make the wait endless. */
    return count > 0 && zci_left_ns(deadline_ns) != 0 ? ZCS_OK : ZCS_AGAIN;
}

/* The same, until `until_ns`. Also ZCS_AGAIN: a wait without deadline finds members that always
 * have something, but never a frame. */
static zcs_status sleep_within(zcs_set *set, int64_t until_ns, struct zci_work_limit *limit)
{
    const int64_t asleep_ns = zci_now_ns();
    const zcs_status status = sleep_until(set, until_ns);
    zci_work_slept(limit, asleep_ns);
    return limit->deadline_ns == INT64_MAX && zci_work_is_over(limit) ? ZCS_AGAIN : status;
}

/* One round without sleeping. It ends early where members take long without a result; the next
 * round goes on from there. */
static zcs_status step(zcs_set *set, int64_t deadline_ns, struct zcs_set_event *out)
{
    struct zci_work_limit round = zci_work_limit(deadline_ns);
    int running = 0;
    for (uint32_t i = 0; i < set->count; i++) {
        const uint32_t at = (set->turn + i) % set->count;
        struct member *member = &set->members[at];
        const struct zcs_frame *frame = NULL;
        const zcs_status status = pull(set, member, &frame);
        running |= member->end == ZCS_OK;
        if (status == ZCS_AGAIN && !(running && is_late(&round)))
            continue;
        set->turn = (at + 1) % set->count;
        if (status == ZCS_AGAIN)
            return ZCS_AGAIN;
        *out = (struct zcs_set_event){.member = at, .status = status, .frame = frame};
        return ZCS_OK;
    }
    return running ? ZCS_AGAIN : ZCS_EOF;
}

/* A member that is not stuck may still give something, or end. */
static int all_are_stuck(const zcs_set *set)
{
    for (uint32_t i = 0; i < set->count; i++)
        if (set->members[i].end == ZCS_OK && !is_stuck(&set->members[i]))
            return 0;
    return 1;
}

zcs_status zcs_set_next(zcs_set *set, int64_t timeout_ns, struct zcs_set_event *out)
{
    if (set == NULL || out == NULL)
        return ZCS_ERR_ARG;
    const int64_t deadline_ns = zci_deadline_ns(timeout_ns);
    struct zci_work_limit limit = zci_work_limit(deadline_ns);
    int64_t stuck_ns = 0;
    (void)sleep_until(set, 0); /* a member that always has something must not hide the others */
    for (int over = 0;;) {     /* after the deadline, or a signal, it looks once more */
        const zcs_status status = step(set, deadline_ns, out);
        if (status != ZCS_AGAIN || over)
            return status;
        const int64_t until_ns = wait_until(deadline_ns, all_are_stuck(set), &stuck_ns);
        over = sleep_within(set, until_ns, &limit) != ZCS_OK;
    }
}

void zcs_set_pause(zcs_set *set, uint32_t at, int held)
{
    struct member *member = at < set->count ? &set->members[at] : NULL;
    if (member == NULL || member->end != ZCS_OK)
        return;
    member->held = held != 0;
    member->ready = 1;
    (void)watch(set, member, !held);
}

zcs_status zcs_set_member(const zcs_set *set, uint32_t member)
{
    return member < set->count ? set->members[member].end : ZCS_ERR_ARG;
}

int zcs_set_fd(const zcs_set *set)
{
    return set->epoll_fd;
}

void zcs_set_stats(const zcs_set *set, struct zcs_set_stats *out)
{
    *out = (struct zcs_set_stats){
        .members = set->count, .matches = set->matches, .exhausted = set->exhausted};
    for (uint32_t i = 0; i < set->count; i++) {
        out->unmatched[i] = set->members[i].unmatched;
        out->left[i] = set->members[i].left;
        out->waiting[i] = set->members[i].count;
    }
}

void zcs_set_destroy(zcs_set **set)
{
    if (set == NULL || *set == NULL)
        return;
    for (uint32_t i = 0; i < (*set)->count; i++)
        for (uint32_t k = 0; k < (*set)->members[i].count; k++)
            zcs_frame_unref(&(*set)->members[i].waiting[k]);
    if ((*set)->epoll_fd >= 0)
        close((*set)->epoll_fd);
    free(*set);
    *set = NULL;
}

/* A camera delivers a frame at most this long after the frame's time. After that, a silent camera
 * has no frame for that time. */
#define LATE_NS INT64_C(100000000)
/* Frames without partners before a warning: cameras that are not triggered together may never
 * match. */
#define TOLD_AFTER 100u

static const struct zcs_frame *take_oldest(struct member *member)
{
    const struct zcs_frame *frame = member->waiting[0];
    member->count--;
    for (uint32_t i = 0; i < member->count; i++)
        member->waiting[i] = member->waiting[i + 1];
    return frame;
}

static void drop_oldest(struct member *member, uint64_t *count)
{
    const struct zcs_frame *frame = take_oldest(member);
    zcs_frame_unref(&frame);
    ++*count;
}

static int misses(const struct member *member)
{
    return member->count == 0 && member->end == ZCS_OK;
}

/* 1: the oldest frame of the member can have no partner any more, since a member without a frame,
 * captured or in flight, will not have one that is so old. Only live sources go on meanwhile and
 * would lose frames that could match. */
static int is_hopeless(const zcs_set *set, const struct member *member, int64_t now_ns)
{
    if (member->end != ZCS_OK || !member->stream->source->live ||
        member->count < set->params.waiting ||
        now_ns - member->waiting[0]->captured_ns - LATE_NS < set->params.tolerance_ns)
        return 0;
    for (uint32_t i = 0; i < set->count; i++)
        if (misses(&set->members[i]) && zci_stream_busy(set->members[i].stream) == 0)
            return 1;
    return 0;
}

/* Pulls the results that are there, up to the lengths of the queues, and ends early as step does.
 * 1: some queue is full and waits for others. */
static int fill(zcs_set *set, int64_t deadline_ns)
{
    struct zci_work_limit round = zci_work_limit(deadline_ns);
    const uint32_t first = set->turn;
    int full = 0, late = 0;
    for (uint32_t i = 0; i < set->count; i++) {
        const uint32_t at = (first + i) % set->count;
        struct member *member = &set->members[at];
        if (member->count > 0 && is_hopeless(set, member, zci_now_ns()))
            drop_oldest(member, &member->unmatched);
        while (!late && member->count < set->params.waiting &&
               pull(set, member, &member->waiting[member->count]) == ZCS_OK)
            member->count++;
        if (!late && is_late(&round)) {
            late = 1;
            set->turn = (at + 1) % set->count;
        }
        const int is_full = member->count == set->params.waiting;
        if (member->end == ZCS_OK && !member->held)
            (void)watch(set, member, !is_full);
        member->ready |= is_full; /* to be asked again once there is room */
        full |= is_full;
    }
    return full;
}

/* 1: time_ns of all oldest frames is of the same clock. */
static int one_clock(const zcs_set *set)
{
    enum zcs_clock clock = ZCS_CLOCK_NONE;
    for (uint32_t i = 0; i < set->count; i++) {
        if (set->members[i].count == 0)
            continue;
        const struct zcs_frame *frame = set->members[i].waiting[0];
        if (frame->clock == ZCS_CLOCK_NONE || (clock != ZCS_CLOCK_NONE && frame->clock != clock))
            return 0;
        clock = frame->clock;
    }
    return 1;
}

/* The member with the oldest of all first frames, and how much older it is than the newest of
 * them. */
static struct member *oldest_of(zcs_set *set, uint64_t *apart_ns)
{
    const int by_clock = one_clock(set);
    struct member *oldest = NULL;
    int64_t min = 0, max = 0;
    for (uint32_t i = 0; i < set->count; i++) {
        struct member *member = &set->members[i];
        if (member->count == 0)
            continue;
        const int64_t time_ns =
            by_clock ? member->waiting[0]->time_ns : member->waiting[0]->captured_ns;
        max = oldest == NULL || time_ns > max ? time_ns : max;
        if (oldest == NULL || time_ns < min) {
            min = time_ns;
            oldest = member;
        }
    }
    *apart_ns = (uint64_t)max - (uint64_t)min;
    return oldest;
}

/* Warns once until the next match. */
static void note_apart(zcs_set *set, uint64_t apart_ns)
{
    if (set->alone == 0 || apart_ns < set->nearest_ns)
        set->nearest_ns = apart_ns;
    set->alone += set->alone <= TOLD_AFTER;
    if (set->alone == TOLD_AFTER)
        zci_log(&set->log, ZCS_LOG_WARNING,
                "%u frames in a row had no partners within %.3f ms: those of all streams were "
                "%.3f ms apart at best",
                TOLD_AFTER, (double)set->params.tolerance_ns / 1e6, (double)set->nearest_ns / 1e6);
}

static zcs_status hand_out(zcs_set *set, const struct zcs_frame **frames)
{
    set->alone = 0;
    for (uint32_t i = 0; i < set->count; i++) {
        struct member *member = &set->members[i];
        frames[i] = member->count > 0 ? take_oldest(member) : NULL;
    }
    set->matches++;
    return ZCS_OK;
}

/* No frame of it waits, and none will come. */
static int is_over(const struct member *member)
{
    return member->count == 0 && member->end == ZCS_EOF;
}

/* A member is over. Waiting frames have no partner if a member ended by itself. If all members that
 * are over were stopped, there might have been one. */
static zcs_status end(zcs_set *set)
{
    for (uint32_t i = 0; i < set->count; i++)
        set->exhausted |= is_over(&set->members[i]) && !set->members[i].stopped;
    for (uint32_t i = 0; i < set->count; i++)
        for (struct member *member = &set->members[i]; member->count > 0;)
            drop_oldest(member, set->exhausted ? &member->unmatched : &member->left);
    return ZCS_EOF;
}

/* Compares the waiting frames. ZCS_AGAIN: a member has none. */
static zcs_status compare(zcs_set *set, const struct zcs_frame **frames)
{
    for (;;) {
        uint32_t heads = 0, missing = 0;
        for (uint32_t i = 0; i < set->count; i++) {
            const struct member *member = &set->members[i];
            heads += member->count > 0;
            missing += misses(member);
            if (is_over(member))
                return end(set);
        }
        if (missing > 0)
            return ZCS_AGAIN;
        if (heads == 0)
            return ZCS_EOF;
        uint64_t apart_ns = 0;
        struct member *oldest = oldest_of(set, &apart_ns);
        if (apart_ns <= (uint64_t)set->params.tolerance_ns)
            return hand_out(set, frames);
        note_apart(set, apart_ns);
        drop_oldest(oldest, &oldest->unmatched);
    }
}

/* Queues that were full have room again. Their streams must wake those who sleep here or on the
 * set's descriptor. */
static void watch_those_with_room(zcs_set *set)
{
    for (uint32_t i = 0; i < set->count; i++) {
        struct member *member = &set->members[i];
        if (member->end == ZCS_OK && !member->held && member->count < set->params.waiting)
            (void)watch(set, member, 1);
    }
}

/* 1: a member that lacks a frame is stuck; all members wait for it. */
static int one_is_stuck(const zcs_set *set)
{
    for (uint32_t i = 0; i < set->count; i++)
        if (misses(&set->members[i]) && is_stuck(&set->members[i]))
            return 1;
    return 0;
}

zcs_status zcs_set_match(zcs_set *set, int64_t timeout_ns, const struct zcs_frame **frames)
{
    if (set == NULL || frames == NULL || set->count == 0)
        return ZCS_ERR_ARG;
    const int64_t deadline_ns = zci_deadline_ns(timeout_ns);
    struct zci_work_limit limit = zci_work_limit(deadline_ns);
    int64_t stuck_ns = 0;
    for (int over = 0;;) {
        const int full = fill(set, deadline_ns);
        const zcs_status status = compare(set, frames);
        if (status == ZCS_AGAIN)
            watch_those_with_room(set);
        if (status != ZCS_AGAIN || over)
            return status;
        /* Full queues are checked again when their oldest frames may have become hopeless. */
        const int64_t look_ns = full ? zci_now_ns() + LATE_NS / 4 : INT64_MAX;
        const int64_t until_ns = wait_until(deadline_ns, one_is_stuck(set), &stuck_ns);
        const int look_first = look_ns < until_ns;
        const zcs_status slept = sleep_within(set, look_first ? look_ns : until_ns, &limit);
        over = slept != ZCS_OK && (!look_first || zci_left_ns(look_ns) > 0); /* or a signal */
    }
}
