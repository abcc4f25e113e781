/* SPDX-License-Identifier: MIT */
/* Running a stream on the caller's thread: it completes frames, captures, submits and sleeps. */
#include <sched.h>

#include "os/clock.h"
#include "os/work_limit.h"
#include "core/trace.h"
#include "stream/calibrate.h"
#include "stream/freshness.h"
#include "stream/stream.h"

#define SPIN_SLICE_NS 20000
#define BLOCK_SLICE_NS 100000
#define SPIN_NS 1000000

uint32_t zci_stream_busy(const struct zcs_stream *stream)
{
    uint32_t busy = 0;
    for (uint32_t i = 0; i < stream->branch_count; i++)
        busy += stream->branches[i].inflight.busy;
    return busy;
}

/* Whether a captured frame could be submitted to every branch now. */
static int can_submit(const struct zcs_stream *stream)
{
    for (uint32_t i = 0; i < stream->branch_count; i++) {
        const struct zci_branch *branch = &stream->branches[i];
        if (branch->drifted && branch->inflight.busy > 0)
            return 0; /* the frames in flight come first, then the measurement */
        if (!zci_inflight_idle(&branch->inflight) || zci_pool_home_count(branch->results) == 0)
            return 0;
    }
    return 1;
}

int zci_stream_is_stuck(const struct zcs_stream *stream)
{
    return zci_stream_busy(stream) == 0 && !can_submit(stream);
}

/* A frame counts as processed, or failed, when its last chain is done. */
static void end_turn(struct zcs_stream *stream, int failed)
{
    stream->turn_failed |= failed;
    if (++stream->turn < stream->branch_count)
        return;
    stream->processed += !stream->turn_failed;
    stream->failed += stream->turn_failed;
    stream->turn = 0;
    stream->turn_failed = 0;
}

static zcs_status collect(struct zcs_stream *stream, const struct zcs_frame **out)
{
    struct zci_slot *result = NULL;
    struct zci_branch *branch = &stream->branches[stream->turn];
    const int partial = stream->turn_failed;
    const zcs_status status = zci_inflight_collect(&branch->inflight, &result);
    if (status == ZCS_AGAIN)
        return status;
    end_turn(stream, status != ZCS_OK);
    if (status != ZCS_OK)
        return status;
    if (branch->plan.digest_state >= 0)
        result->frame.flags |= ZCS_FRAME_DIGEST;
    if (partial)
        result->frame.flags |= ZCS_FRAME_PARTIAL;
    result->frame.chain = branch->index;
    zci_timing_add(&stream->timing, stream->source, &result->frame);
    branch->drifted |= zci_drift_add(&branch->drift, branch->inflight.took_ns);
    stream->cpu_bytes_copied += result->frame.cpu_bytes_copied;
    *out = &result->frame;
    return ZCS_OK;
}

/* Measures routes again, between two frames. If the application holds too many results, it waits
 * for the next drift. */
static zcs_status measure_anew(struct zcs_stream *stream)
{
    for (uint32_t i = 0; i < stream->branch_count && stream->intake.end == ZCS_OK; i++) {
        struct zci_branch *branch = &stream->branches[i];
        if (!branch->drifted || branch->inflight.busy > 0)
            continue;
        branch->drifted = 0;
        const zcs_status status = zci_recalibrate(stream, branch);
        if (status < 0)
            return status;
    }
    return ZCS_OK;
}

/* Submits to every branch, each with a reference of its own, and drops the caller's. If a branch
 * fails, the stream ends: the branches after it get no more frames. */
static zcs_status submit(struct zcs_stream *stream, struct zci_slot *slot)
{
    zcs_status status = ZCS_OK;
    uint32_t i = 0;
    for (; i < stream->branch_count && status == ZCS_OK; i++) {
        struct zci_branch *branch = &stream->branches[i];
        struct zci_slot *result = zci_pool_take(branch->results);
        result->frame.image = branch->plan.result;
        zci_slot_ref(slot);
        status = zci_inflight_submit(&branch->inflight, branch->route, slot, result);
    }
    zci_slot_unref(slot);
    /* Otherwise the results of earlier branches come first, and then the failure. */
    if (status != ZCS_OK)
        stream->failed++;
    return status;
}

/* Captures at most one frame and submits it. ZCS_OK: progress was made. */
static zcs_status feed(struct zcs_stream *stream)
{
    struct zci_slot *slot = NULL;
    zcs_status status = measure_anew(stream);
    if (status != ZCS_OK)
        return status;
    zci_trace_push("capture");
    status = zci_intake_take(&stream->intake, can_submit(stream), &slot);
    zci_trace_pop();
    if (status != ZCS_OK || slot == NULL)
        return status;
    status = zci_freshness_check(stream, &slot);
    if (status != ZCS_OK || slot == NULL)
        return status;
    if (stream->tap != NULL)
        stream->tap(stream->tap_user, &slot->frame);
    return submit(stream, slot);
}

static int is_watched(struct zcs_stream *stream)
{
    return zci_notifier_is_watched(&stream->waiter.notifier);
}

/* The source's descriptor is polled from outside, or for as long as this sleep lasts. */
static zcs_status sleep_waiting(struct zcs_stream *stream, int with_source, int64_t due_ns,
                                int64_t deadline_ns)
{
    if (with_source)
        zci_source_watch_fd(stream->source, 1);
    const zcs_status status = zci_waiter_wait(&stream->waiter, with_source, due_ns, deadline_ns);
    if (with_source)
        zci_source_watch_fd(stream->source, is_watched(stream));
    return status;
}

/* Sleeps in slices while the backend notifies nobody, and looks at everything after each. */
static zcs_status sleep_polling(struct zcs_stream *stream, const struct zci_intake_wait *wait,
                                int64_t deadline_ns, int64_t spin_until_ns)
{
    const int64_t now_ns = zci_now_ns(), left_ns = zci_left_ns(deadline_ns);
    const int spin =
        stream->wait == ZCS_WAIT_SPIN || (stream->wait == ZCS_WAIT_AUTO && now_ns < spin_until_ns);
    if (spin)
        zci_inflight_wait(&stream->branches[stream->turn].inflight,
                          left_ns >= 0 && left_ns < SPIN_SLICE_NS ? left_ns : SPIN_SLICE_NS);
    else if (stream->wait == ZCS_WAIT_YIELD)
        sched_yield();
    if (spin || stream->wait == ZCS_WAIT_YIELD)
        return ZCS_OK;
    const int64_t slice_ns = now_ns + BLOCK_SLICE_NS;
    return sleep_waiting(stream, wait->descriptor,
                         wait->due_ns > 0 && wait->due_ns < slice_ns ? wait->due_ns : slice_ns,
                         deadline_ns);
}

static struct zci_intake_wait wait_of(struct zcs_stream *stream)
{
    const zcs_source *source = stream->source;
    /* A source may have no descriptor for a while, such as a pipe with data that was read ahead. */
    const int other = stream->fd_epoch != source->fd_epoch || stream->waiter.source_fd < 0;
    if (other && source->ops->fd != NULL)
        zci_waiter_follow(&stream->waiter, source->ops->fd(source));
    stream->fd_epoch = source->fd_epoch;
    return zci_intake_wait(&stream->intake, can_submit(stream));
}

static zcs_status sleep_until(struct zcs_stream *stream, int64_t deadline_ns, int64_t spin_until_ns)
{
    const struct zci_intake_wait wait = wait_of(stream);
    if (wait.ready)
        return ZCS_OK;
    if (stream->backend->ops->polled && zci_stream_busy(stream) > 0)
        return sleep_polling(stream, &wait, deadline_ns, spin_until_ns);
    return sleep_waiting(stream, wait.descriptor, wait.due_ns, deadline_ns);
}

/* A failure ends the intake. Frames in flight are still delivered, and then the failure. */
static void break_off(struct zcs_stream *stream, zcs_status status)
{
    zci_intake_stop(&stream->intake, status);
    if (stream->broken == ZCS_OK)
        stream->broken = status;
}

/* One round without sleeping. ZCS_OK: *out is a result, or NULL if there was progress only. */
static zcs_status step(struct zcs_stream *stream, const struct zcs_frame **out)
{
    zci_notifier_clear(&stream->waiter.notifier);
    zcs_status status = collect(stream, out);
    if (status < 0)
        break_off(stream, status); /* the next frame may be complete */
    if (status != ZCS_AGAIN)
        return ZCS_OK;
    status = feed(stream);
    if (status < 0)
        break_off(stream, status);
    if (status == ZCS_OK)
        return ZCS_OK;
    if (stream->intake.end == ZCS_OK || stream->intake.pending != NULL ||
        zci_stream_busy(stream) > 0)
        return ZCS_AGAIN;
    return stream->broken != ZCS_OK ? stream->broken : ZCS_EOF;
}

/* The deadline while only the application can end the wait. There is one even if the caller wants
 * to wait for ever. */
static int64_t held_deadline(const struct zcs_stream *stream, int64_t held_since_ns,
                             int64_t deadline_ns)
{
    if (deadline_ns != INT64_MAX || !zci_stream_is_stuck(stream))
        return deadline_ns;
    return held_since_ns + ZCI_STUCK_WAIT_NS;
}

/* 1: a wait without deadline, while the source only loses frames and nothing is in flight. */
static int is_vain(const struct zcs_stream *stream, struct zci_work_limit *limit)
{
    return limit->deadline_ns == INT64_MAX && zci_stream_busy(stream) == 0 &&
           zci_work_is_over(limit);
}

static zcs_status run(struct zcs_stream *stream, int64_t deadline_ns, const struct zcs_frame **out)
{
    struct zci_work_limit limit = zci_work_limit(deadline_ns);
    int64_t since_ns = zci_now_ns(); /* when there was progress last */
    int over = 0;                    /* the deadline passed, or a signal came: look once more */
    for (;;) {
        const zcs_status status = step(stream, out);
        if (status == ZCS_OK && *out == NULL) {
            since_ns = zci_now_ns();
            if (limit.deadline_ns != INT64_MAX && zci_work_is_over(&limit))
                return ZCS_AGAIN;
            continue;
        }
        const int64_t until_ns = held_deadline(stream, since_ns, deadline_ns);
        if (status != ZCS_AGAIN || over || zci_left_ns(until_ns) == 0 || is_vain(stream, &limit))
            return status;
        const int64_t asleep_ns = zci_now_ns();
        over = sleep_until(stream, until_ns, since_ns + SPIN_NS) != ZCS_OK;
        zci_work_slept(&limit, asleep_ns);
        if (over)
            limit.deadline_ns = 0;
    }
}

/* Sets what wakes those who poll the stream's descriptor; nobody else waits on this. `more`:
 * another result may be complete, or the source may be at its end, without a notification. */
static void arm(struct zcs_stream *stream, int more)
{
    if (!is_watched(stream))
        return;
    zci_source_watch_fd(stream->source, 1);
    const struct zci_intake_wait wait = wait_of(stream);
    const int ended =
        stream->intake.end != ZCS_OK && stream->intake.pending == NULL &&
        zci_stream_busy(stream) == 0; /* a pending frame waits for a result to be released */
    int64_t due = wait.due_ns;
    const int64_t tick_ns = zci_now_ns() + BLOCK_SLICE_NS; /* nobody else announces a result */
    if (stream->backend->ops->polled && zci_stream_busy(stream) > 0 && (due == 0 || tick_ns < due))
        due = tick_ns;
    zci_waiter_arm(&stream->waiter, wait.descriptor, due, more || ended || wait.ready);
}

zcs_status zcs_stream_next(zcs_stream *stream, int64_t timeout_ns, const struct zcs_frame **out)
{
    if (stream == NULL || out == NULL)
        return ZCS_ERR_ARG;
    const struct zcs_frame *frame = NULL;
    const zcs_status status = run(stream, zci_deadline_ns(timeout_ns), &frame);
    arm(stream, status == ZCS_OK);
    if (status == ZCS_OK)
        *out = frame;
    return status;
}

int zcs_stream_fd(const zcs_stream *stream)
{
    /* Setting up the descriptor does not change the stream as the caller sees it. */
    return zci_waiter_watch(&((zcs_stream *)(uintptr_t)stream)->waiter);
}

void zcs_stream_stop(zcs_stream *stream)
{
    stream->stopped |= stream->intake.end == ZCS_OK;
    zci_intake_stop(&stream->intake, ZCS_EOF);
    zci_notifier_signal(&stream->waiter.notifier);
}
