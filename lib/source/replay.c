/* SPDX-License-Identifier: MIT */
/* The replay source: frames of files or a pipe, in order, as often as wanted. */
#include "source/replay.h"

#include <inttypes.h>
#include <stdlib.h>

#include "core/clock.h"

/* Opens a file that is to be like the one that was open before, and puts it in its place. */
static zcs_status open_file(struct replay *r, uint64_t index)
{
    struct zci_media next = zci_no_media(&r->head.log);
    zcs_status status = zci_media_open(&next, zci_replay_input_name(&r->input, index), 0, 0, 0);
    if (status == ZCS_OK)
        status = zci_media_follow(&next, &r->media);
    if (status != ZCS_OK) {
        zci_media_close(&next);
        return status;
    }
    /* The texts that the source tells of stay the first file's. */
    free(next.source);
    free(next.text);
    next.source = r->media.source;
    next.text = r->media.text;
    r->media.source = r->media.text = NULL;
    zci_media_close(&r->media);
    r->media = next;
    r->file = index;
    r->frame = 0;
    r->placed = 0;
    zci_stamps_new_file(&r->stamps);
    return ZCS_OK;
}

static void lose_short(struct replay *r, uint64_t bytes)
{
    const struct zcs_image *image = &r->head.image;
    r->head.lost[ZCS_LOSS_SHORT]++;
    zci_log(&r->head.log, ZCS_LOG_WARNING,
            "%s: %" PRIu64 " byte%s left over after %" PRIu64 " frame%s of %s %" PRIu32 "x%" PRIu32
            " (%zu bytes each): not used%s",
            r->media.reader.name, bytes, bytes == 1 ? "" : "s", r->frame, r->frame == 1 ? "" : "s",
            zcs_pixfmt_info(image->format)->name, image->width, image->height, image->size_bytes,
            r->media.ops == &zci_media_raw ? "; is the size right?" : "");
}

/* At the end of a file opens the next one, at the end of the last one the first again. Bytes behind the
 * last whole frame are told of when they are reached for the first time. */
static zcs_status next_file(struct replay *r)
{
    if (r->media.rest_bytes != 0 && r->pass == 0)
        lose_short(r, r->media.rest_bytes);
    if (r->file + 1 < r->input.count)
        return open_file(r, r->file + 1);
    const int again = r->loops == UINT32_MAX || r->pass + 1 < r->loops;
    if (!again || r->pass_frames == 0)
        return ZCS_EOF;
    if (r->pass < UINT32_MAX)
        r->pass++;
    r->pass_frames = 0;
    return open_file(r, 0);
}

static zcs_status find_file(struct replay *r)
{
    while (r->ended == ZCS_OK && !r->input.is_pipe && r->frame >= r->media.frames)
        r->ended = next_file(r);
    return r->ended;
}

/* Fewer bytes came than were there when the file was opened: the rest of it is lost. */
static void file_shrank(struct replay *r)
{
    struct zci_replay_reader *reader = &r->media.reader;
    r->head.lost[ZCS_LOSS_SHORT]++;
    zci_log(&r->head.log, ZCS_LOG_WARNING,
            "%s: was cut while it was read: %zu bytes after %" PRIu64 " of %" PRIu64
            " frames; %s: ignored",
            reader->name, reader->got_bytes, r->frame, r->media.frames, r->need);
    reader->got_bytes = 0;
    r->media.frames = r->frame;
    r->media.rest_bytes = 0;
    r->placed = 0;
}

static zcs_status pipe_ended(struct replay *r)
{
    const size_t bytes = r->media.reader.got_bytes;
    if (r->frame == 0)
        return zci_fail(&r->head.log, ZCS_ERR_FORMAT, "%s: ended after %zu bytes; %s",
                        r->media.reader.name, bytes, r->need);
    if (bytes != 0)
        lose_short(r, bytes);
    return ZCS_EOF;
}

/* On to the next frame. */
static void pass_frame(struct replay *r)
{
    zci_stamps_done(&r->stamps, &r->place);
    r->sequence++;
    r->frame++;
    r->pass_frames++;
    r->placed = 0;
    r->media.placed = 0;
}

static void pass_short(struct replay *r)
{
    r->head.lost[ZCS_LOSS_SHORT]++;
    zci_log(&r->head.log, ZCS_LOG_WARNING, "%s: frame %" PRIu64 " has another length; %s: ignored",
            r->media.reader.name, r->frame, r->need);
    pass_frame(r);
}

/* The next frame that is whole. */
static zcs_status find_frame(struct replay *r, int64_t deadline_ns)
{
    while (find_file(r) == ZCS_OK && !r->placed) {
        const zcs_status status = r->media.ops->find(&r->media, r->frame, deadline_ns, &r->place);
        if (status == ZCS_AGAIN)
            return status;
        if (status == ZCS_EOF && !r->input.is_pipe) {
            file_shrank(r);
        } else if (status == ZCS_OK) {
            zci_stamps_apply(&r->stamps, &r->pace, r->sequence, &r->place);
            r->placed = 1;
            if (r->place.bytes == 0)
                pass_short(r);
        } else {
            r->ended = status == ZCS_EOF ? pipe_ended(r) : status;
        }
    }
    return r->ended;
}

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

/* One attempt at the frame that find_frame found. ZCS_EOF: it is not there after all. */
static zcs_status read_frame(struct replay *r, int64_t deadline_ns)
{
    zcs_status status = zci_fate_wait(&r->fate, r->media.reader.name, &r->head.log, deadline_ns);
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
    while ((found = find_frame(r, deadline_ns)) == ZCS_OK) {
        const zcs_status status = read_frame(r, deadline_ns);
        if (status == ZCS_AGAIN)
            return status;
        if (status == ZCS_ERR_FORMAT) {
            r->head.lost[ZCS_LOSS_ERROR]++;
            pass_frame(r);
        } else if (status == ZCS_OK) {
            const int lost = zci_fate_lost(&r->fate, r->head.lost);
            if (!lost)
                deliver(r, out);
            pass_frame(r);
            if (!lost)
                return ZCS_OK;
        } else if (status != ZCS_EOF) {
            r->ended = status;
        } else if (r->input.is_pipe) {
            r->ended = pipe_ended(r);
        } else {
            file_shrank(r);
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
        zci_stamps_apply(&r->stamps, &r->pace, 0, &r->place);
    if (r->media.ops->find(&r->media, last, INT64_MAX, &r->place) == ZCS_OK) {
        zci_stamps_apply(&r->stamps, &r->pace, 0, &r->place);
        zci_stamps_done(&r->stamps, &r->place);
    }
}

static uint64_t replay_skip(zcs_source *source, uint64_t n)
{
    struct replay *r = (struct replay *)source;
    uint64_t left = r->fate.active ? 0 : n; /* those passed over may be lost as well */
    const uint64_t wanted = left;
    while (left > 0 && find_file(r) == ZCS_OK) {
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
    const size_t most = in_file > source->image.size_bytes ? in_file : source->image.size_bytes;
    return r->input.is_pipe ? most : zci_replay_slot_bytes(most);
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
    const int64_t later_ns = due_ns > r->fate.stall_ns ? due_ns : r->fate.stall_ns;
    return later_ns > zci_now_ns() ? later_ns : 0;
}

static int replay_fd(const zcs_source *source)
{
    const struct replay *r = (const struct replay *)source;
    /* What was read ahead announces itself no more; what is not due yet shall wake nobody. */
    if (r->media.reader.ahead_bytes > 0 || replay_due_ns(source) != 0)
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
