/* SPDX-License-Identifier: MIT */
/* Matching frames of several streams by their times.
 *
 *   Each member's frames wait in a queue. Once all have one, the oldest head is dropped, again and again, until
 *   the heads are no further apart than the tolerance: what comes behind a newer head is newer still. */
#include "os/clock.h"
#include "stream/set.h"
#include "stream/stream.h"

/* A frame comes out of its camera at most so long after its time; beyond it a silent camera has none for it. */
#define LATE_NS INT64_C(100000000)
/* Frames without partners, before it is told: cameras that are not triggered together may never match. */
#define TOLD_AFTER 100u

static const struct zcs_frame *take_oldest(struct zci_member *member)
{
    const struct zcs_frame *frame = member->waiting[0];
    member->count--;
    for (uint32_t i = 0; i < member->count; i++)
        member->waiting[i] = member->waiting[i + 1];
    return frame;
}

static void drop_oldest(struct zci_member *member, uint64_t *count)
{
    const struct zcs_frame *frame = take_oldest(member);
    zcs_frame_unref(&frame);
    ++*count;
}

static int misses(const struct zci_member *member)
{
    return member->count == 0 && member->end == ZCS_OK;
}

/* Whether a head can have no partner any more: a member without a frame, captured or in work, will not have one
 * that is so old. Only live sources go on meanwhile, and would lose frames that others could have. */
static int is_hopeless(const zcs_set *set, const struct zci_member *member, int64_t now_ns)
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

/* Takes what there is, up to the queues' lengths. 1: some queue is full, and waits for others. */
static int fill(zcs_set *set)
{
    int full = 0;
    for (uint32_t i = 0; i < set->count; i++) {
        struct zci_member *member = &set->members[i];
        if (member->count > 0 && is_hopeless(set, member, zci_now_ns()))
            drop_oldest(member, &member->unmatched);
        while (member->count < set->params.waiting &&
               zci_set_pull(set, member, &member->waiting[member->count]) == ZCS_OK)
            member->count++;
        const int is_full = member->count == set->params.waiting;
        if (member->end == ZCS_OK && !member->held)
            (void)zci_set_watch(set, member, !is_full);
        member->ready |= is_full; /* to be asked once there is room */
        full |= is_full;
    }
    return full;
}

/* 1: time_ns of all heads counts from the same. */
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

/* Of the heads: the member with the oldest, and how much older it is than the newest. */
static struct zci_member *oldest_of(zcs_set *set, uint64_t *apart_ns)
{
    const int by_clock = one_clock(set);
    struct zci_member *oldest = NULL;
    int64_t min = 0, max = 0;
    for (uint32_t i = 0; i < set->count; i++) {
        struct zci_member *member = &set->members[i];
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

/* Once until the next match. */
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
        struct zci_member *member = &set->members[i];
        frames[i] = member->count > 0 ? take_oldest(member) : NULL;
    }
    set->matches++;
    return ZCS_OK;
}

/* Nothing waits of it, and nothing will come. */
static int is_over(const struct zci_member *member)
{
    return member->count == 0 && member->end == ZCS_EOF;
}

/* Some member is over. What waits has no partner where one ended by itself; where all of them were stopped, there
 * might have been one. */
static zcs_status end(zcs_set *set)
{
    for (uint32_t i = 0; i < set->count; i++)
        set->exhausted |= is_over(&set->members[i]) && !set->members[i].stopped;
    for (uint32_t i = 0; i < set->count; i++)
        for (struct zci_member *member = &set->members[i]; member->count > 0;)
            drop_oldest(member, set->exhausted ? &member->unmatched : &member->left);
    return ZCS_EOF;
}

/* Of what waits. ZCS_AGAIN: some member misses a frame. */
static zcs_status compare(zcs_set *set, const struct zcs_frame **frames)
{
    for (;;) {
        uint32_t heads = 0, missing = 0;
        for (uint32_t i = 0; i < set->count; i++) {
            const struct zci_member *member = &set->members[i];
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
        struct zci_member *oldest = oldest_of(set, &apart_ns);
        if (apart_ns <= (uint64_t)set->params.tolerance_ns)
            return hand_out(set, frames);
        note_apart(set, apart_ns);
        drop_oldest(oldest, &oldest->unmatched);
    }
}

/* Queues that were full have room again: their streams are to wake whoever sleeps, here or with the set's descriptor. */
static void watch_those_with_room(zcs_set *set)
{
    for (uint32_t i = 0; i < set->count; i++) {
        struct zci_member *member = &set->members[i];
        if (member->end == ZCS_OK && !member->held && member->count < set->params.waiting)
            (void)zci_set_watch(set, member, 1);
    }
}

/* Whoever misses a frame is waited for by all. */
static int one_is_stuck(const zcs_set *set)
{
    for (uint32_t i = 0; i < set->count; i++)
        if (misses(&set->members[i]) && zci_set_is_stuck(&set->members[i]))
            return 1;
    return 0;
}

zcs_status zcs_set_match(zcs_set *set, int64_t timeout_ns, const struct zcs_frame **frames)
{
    if (set == NULL || frames == NULL || set->count == 0)
        return ZCS_ERR_ARG;
    const int64_t deadline_ns = zci_deadline_ns(timeout_ns);
    int64_t stuck_ns = 0;
    for (int over = 0;;) {
        const int full = fill(set);
        const zcs_status status = compare(set, frames);
        if (status == ZCS_AGAIN)
            watch_those_with_room(set);
        if (status != ZCS_AGAIN || over)
            return status;
        /* Full queues are looked at again when their heads may have become hopeless. */
        const int64_t look_ns = full ? zci_now_ns() + LATE_NS / 4 : INT64_MAX;
        const int64_t until_ns = zci_set_until(deadline_ns, one_is_stuck(set), &stuck_ns);
        const int look_first = look_ns < until_ns;
        const zcs_status slept = zci_set_sleep(set, look_first ? look_ns : until_ns);
        over = slept != ZCS_OK && (!look_first || zci_left_ns(look_ns) > 0); /* a signal */
    }
}
