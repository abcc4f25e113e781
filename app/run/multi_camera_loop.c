/* SPDX-License-Identifier: MIT */
/* The loops over several inputs: whoever has a frame is served; who fails is left out. */
#include "app/run/multi_camera_loop.h"

#include "app/cli/signals.h"
#include "app/cli/status.h"

#define TIMEOUT_NS 100000000 /* how late a signal may be noticed that came just before a wait */
#define ROOM_NS 10000000     /* from one look at a writer that has no room to the next */

static struct one *one_of(const struct several *several, uint32_t member)
{
    struct one *one = several->all;
    while (!one->in_set || one->member != member)
        one++;
    return one;
}

static void finish_one(struct several *several, struct one *one, int status)
{
    if (!one->running)
        return;
    one->running = 0;
    one->status = status;
    one->feed.ended_ns = feed_now_ns();
    several->running--;
    zcs_set_pause(several->set, one->member, 1);
}

static void ended(struct several *several, struct one *one, zcs_status status)
{
    const struct session *s = &one->feed.session;
    finish_one(several, one,
               status == ZCS_EOF
                   ? 0
                   : session_failure(s->console, one->errors, s->options->input, status));
}

static void stop_all(struct several *several)
{
    for (unsigned i = 0; i < several->count; i++)
        if (several->all[i].running)
            feed_stop(&several->all[i].feed);
}

static void heed_signals(struct several *several)
{
    if (signals_stop() && !several->stopped) {
        several->stopped = 1;
        stop_all(several);
    }
    if (signals_part())
        for (unsigned i = 0; i < several->count; i++)
            if (several->all[i].running)
                feed_part(&several->all[i].feed);
}

static void show_progress(struct several *several, int64_t latency_ns)
{
    uint64_t frames = 0, lost = 0;
    if (several->progress.console == NULL)
        return;
    for (unsigned i = 0; i < several->count; i++) {
        const struct one *one = &several->all[i];
        frames += one->feed.results;
        lost += one->in_set ? feed_lost(&one->feed) : 0;
    }
    progress_update(&several->progress, feed_now_ns(), frames, lost, latency_ns);
}

/* A recording that failed ends its input. 1: one did. */
static int check_recordings(struct several *several)
{
    int failed = 0;
    for (unsigned i = 0; i < several->count; i++) {
        if (!several->all[i].running || !feed_broke(&several->all[i].feed, NULL))
            continue;
        finish_one(several, &several->all[i], ZCAPP_FAILED);
        failed = 1;
    }
    return failed;
}

/* Nobody is asked for a frame that would have to wait for a writer; the others go on. 1: some are
 * held. */
static int hold(struct several *several)
{
    int held = 0;
    for (unsigned i = 0; i < several->count; i++) {
        struct one *one = &several->all[i];
        const int full = one->running && !feed_has_room(&one->feed);
        if (one->running && full != one->held)
            zcs_set_pause(several->set, one->member, full);
        one->held = full;
        held |= full;
    }
    return held;
}

/* A further stream takes the place of the one that ended. */
static void resume(struct several *several, struct one *one)
{
    int status = feed_resume(&one->feed);
    if (status == 0 &&
        zcs_set_replace(several->set, one->member, one->feed.session.stream) != ZCS_OK)
        status = ZCAPP_FAILED;
    one->held = 0;
    if (status != 0)
        finish_one(several, one, status);
}

void several_loop(struct several *several)
{
    while (several->running > 0) {
        struct zcs_set_event event;
        heed_signals(several);
        const int held = hold(several);
        const zcs_status status = zcs_set_next(several->set, held ? ROOM_NS : TIMEOUT_NS, &event);
        (void)check_recordings(several); /* the others go on */
        if (status != ZCS_OK)
            continue;
        struct one *one = one_of(several, event.member);
        if (feed_can_go_on(&one->feed, event.status)) {
            resume(several, one);
            continue;
        }
        if (event.status != ZCS_OK) {
            ended(several, one, event.status);
            continue;
        }
        const int64_t latency_ns = event.frame->result_ns - event.frame->captured_ns;
        const int taken = feed_take(&one->feed, event.frame);
        if (taken != 0)
            finish_one(several, one, taken);
        show_progress(several, latency_ns);
    }
}

/* The frames of one match. 1: an output failed. */
static int take_match(struct several *several, const struct zcs_frame **frames)
{
    int failed = 0;
    int64_t latency_ns = 0;
    for (unsigned i = 0; i < several->count; i++) {
        struct one *one = &several->all[i];
        if (!one->in_set || frames[one->member] == NULL)
            continue;
        const struct zcs_frame *frame = frames[one->member];
        latency_ns = frame->result_ns - frame->captured_ns;
        const int taken = feed_take_as(&one->feed, frame, several->matches);
        if (taken != 0)
            finish_one(several, one, taken);
        failed |= taken != 0;
    }
    several->matches++;
    show_progress(several, latency_ns);
    return failed;
}

/* Members whose frames have another size go on with those; others that failed are told, and
 * matching goes on without them. */
static void note_ends(struct several *several)
{
    for (unsigned i = 0; i < several->count; i++) {
        struct one *one = &several->all[i];
        const zcs_status status = one->running ? zcs_set_member(several->set, one->member) : ZCS_OK;
        if (status < 0 && feed_can_go_on(&one->feed, status))
            resume(several, one);
        else if (status < 0)
            ended(several, one, status);
    }
}

/* An output that fails, a recording too, ends the run: matches need all of them. */
static void match_until(struct several *several)
{
    const struct zcs_frame *frames[ZCS_MAX_MEMBERS] = {NULL};
    const uint64_t max = several->options->frames_given ? several->options->frames : 0;
    int failed = 0;
    while (several->running > 0 && !failed && (max == 0 || several->matches < max)) {
        heed_signals(several);
        const zcs_status status = zcs_set_match(several->set, TIMEOUT_NS, frames);
        failed = check_recordings(several);
        note_ends(several);
        if (status == ZCS_OK)
            failed |= take_match(several, frames);
        else if (status != ZCS_AGAIN)
            break;
    }
}

/* What still waits or is in flight where the run was ended, by -n for one, might have had partners;
 * where an input came to its end it has none. */
static void end_matches(struct several *several)
{
    struct zcs_set_stats stats;
    zcs_set_stats(several->set, &stats);
    for (unsigned i = 0; i < several->count; i++) {
        struct one *one = &several->all[i];
        if (!one->in_set)
            continue;
        if (one->running) {
            feed_let_go(&one->feed, stats.exhausted ? &one->unmatched : &one->left);
            finish_one(several, one, 0);
        }
        one->unmatched += stats.unmatched[one->member];
        one->left += stats.left[one->member] + stats.waiting[one->member];
    }
}

void several_match(struct several *several)
{
    match_until(several);
    end_matches(several);
}
