/* SPDX-License-Identifier: MIT */
/* The replay source: frames of files or a pipe, in order, as often as wanted. */
#include "source/replay/replay.h"

#include <stdlib.h>

#include "os/clock.h"
#include "source/replay/replay_walk.h"

static void deliver(struct replay *r, struct zci_slot **out)
{
    struct zcs_frame *frame = &r->slot->frame;
    frame->image = r->head.image;
    frame->sequence = r->place.sequence;
    frame->time_ns = r->place.time_ns;
    frame->clock = r->place.clock;
    frame->flags = r->place.flags;
    frame->captured_ns = zci_now_ns();
    r->head.path = frame->path;
    r->head.path_reason = r->media.reader.reason;
    *out = r->slot;
    r->slot = NULL;
}

/* One attempt at the frame that zci_replay_find_frame found. ZCS_EOF: it is not there after all. */
static zcs_status read_frame(struct replay *r, int64_t deadline_ns)
{
    zcs_status status =
        zci_fault_injector_wait(&r->faults, r->media.reader.name, &r->head.log, deadline_ns);
    if (status == ZCS_OK)
        status = zci_pace_wait(&r->pace, r->place.time_ns, deadline_ns);
    if (status != ZCS_OK)
        return status;
    if (r->slot == NULL)
        r->slot = zci_pool_take(r->head.pool);
    if (r->slot == NULL)
        return ZCS_AGAIN;
    return zci_media_read(&r->media, &r->place, deadline_ns, r->slot);
}

static zcs_status replay_next(zcs_source *source, int64_t timeout_ns, struct zci_slot **out)
{
    struct replay *r = (struct replay *)source;
    const int64_t deadline_ns = zci_deadline_ns(timeout_ns);
    zcs_status found;
    while ((found = zci_replay_find_frame(r, deadline_ns)) == ZCS_OK) {
        const zcs_status status = read_frame(r, deadline_ns);
        if (status == ZCS_AGAIN)
            return status;
        if (status == ZCS_ERR_FORMAT) {
            r->head.lost[ZCS_LOSS_ERROR]++;
            zci_replay_pass_frame(r);
        } else if (status == ZCS_OK) {
            const int lost = zci_fault_injector_lost(&r->faults, r->head.lost);
            if (!lost)
                deliver(r, out);
            zci_replay_pass_frame(r);
            if (!lost)
                return ZCS_OK;
        } else if (status != ZCS_EOF) {
            r->ended = status;
        } else if (r->input.is_pipe) {
            r->ended = zci_replay_pipe_ended(r);
        } else {
            zci_replay_shrank(r);
        }
        if (zci_left_ns(deadline_ns) == 0) /* all may be lost, for ever */
            return ZCS_AGAIN;
    }
    return found;
}

/* The stamps of recorded frames passed over count as seen; the first and the last of them tell all. */
static void note_passed(struct replay *r, uint64_t first, uint64_t last)
{
    if (r->media.records == NULL)
        return;
    if (r->media.ops->find(&r->media, first, INT64_MAX, &r->place) == ZCS_OK)
        zci_rebase_apply(&r->rebase, &r->pace, 0, &r->place);
    if (r->media.ops->find(&r->media, last, INT64_MAX, &r->place) == ZCS_OK) {
        zci_rebase_apply(&r->rebase, &r->pace, 0, &r->place);
        zci_rebase_done(&r->rebase, &r->place);
    }
}

static uint64_t replay_skip(zcs_source *source, uint64_t n)
{
    struct replay *r = (struct replay *)source;
    uint64_t left = r->faults.active ? 0 : n; /* those passed over may be lost as well */
    const uint64_t wanted = left;
    if (left > 0) /* a frame of which a part was read is passed over too */
        r->media.reader.got_bytes = 0;
    while (left > 0 && zci_replay_find_file(r) == ZCS_OK) {
        const uint64_t here = r->media.frames - r->frame;
        const uint64_t step = left < here ? left : here;
        note_passed(r, r->frame, r->frame + step - 1);
        r->frame += step;
        r->pass_frames += step;
        r->sequence += step;
        r->placed = 0;
        left -= step;
    }
    return wanted - left;
}

/* Room for a frame wherever it begins, and for what lies between its planes in some files. */
static size_t replay_slot_bytes(const zcs_source *source)
{
    const struct replay *r = (const struct replay *)source;
    const size_t in_file = zci_media_frame_bytes(&r->media);
    const size_t max = in_file > source->image.size_bytes ? in_file : source->image.size_bytes;
    return r->input.is_pipe ? max : zci_replay_slot_bytes(max);
}

static enum zcs_role replay_role(const zcs_source *source)
{
    const struct replay *r = (const struct replay *)source;
    return zci_media_touches(&r->media) ? ZCS_ROLE_INGEST_CACHED : ZCS_ROLE_INGEST;
}

static int64_t replay_due_ns(const zcs_source *source)
{
    const struct replay *r = (const struct replay *)source;
    if (r->ended != ZCS_OK || !r->placed)
        return 0;
    const int64_t due_ns = zci_pace_due_ns(&r->pace, r->place.time_ns);
    const int64_t later_ns = due_ns > r->faults.stall_ns ? due_ns : r->faults.stall_ns;
    return later_ns > zci_now_ns() ? later_ns : 0;
}

static int replay_fd(const zcs_source *source)
{
    const struct replay *r = (const struct replay *)source;
    /* What was read ahead announces itself no more; what is not due yet shall wake nobody. */
    const int is_ahead = r->media.reader.ahead_bytes > 0 && !r->wants_input;
    if (is_ahead || replay_due_ns(source) != 0)
        return -1;
    return zci_replay_poll_fd(&r->media.reader);
}

static int replay_starved(const zcs_source *source)
{
    const struct replay *r = (const struct replay *)source;
    return r->slot == NULL && zci_pool_home_count(source->pool) == 0;
}

static void replay_close(zcs_source *source)
{
    struct replay *r = (struct replay *)source;
    if (r->slot != NULL)
        zci_slot_unref(r->slot);
    zci_media_close(&r->media);
    zci_replay_input_finish(&r->input);
    free(r);
}

const struct zci_source_ops zci_replay_file_ops = {
    .kind = "replay",
    .slot_bytes = replay_slot_bytes,
    .role = replay_role,
    .next = replay_next,
    .skip = replay_skip,
    .fd = replay_fd,
    .due_ns = replay_due_ns,
    .starved = replay_starved,
    .close = replay_close,
};

const struct zci_source_ops zci_replay_pipe_ops = {
    .kind = "replay",
    .slot_bytes = replay_slot_bytes,
    .role = replay_role,
    .next = replay_next,
    .fd = replay_fd,
    .due_ns = replay_due_ns,
    .starved = replay_starved,
    .close = replay_close,
};
