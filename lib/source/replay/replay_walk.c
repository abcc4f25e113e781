/* SPDX-License-Identifier: MIT */
/* A replay's way from frame to frame, through files and passes, and past what is not whole. */
#include "source/replay/replay_walk.h"

#include <inttypes.h>
#include <stdlib.h>

zcs_status zci_replay_open_file(struct replay *r, uint64_t index)
{
    struct zci_media next = zci_no_media(&r->head.log);
    zcs_status status =
        zci_media_open(&next, zci_replay_input_name(&r->input, index), 0, r->input.is_stdin, 0);
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
    zci_rebase_new_file(&r->rebase);
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

static void lose_empty(struct replay *r)
{
    r->head.lost[ZCS_LOSS_SHORT]++;
    zci_log(&r->head.log, ZCS_LOG_WARNING, "%s: empty, 0 bytes; %s: ignored", r->media.reader.name,
            r->need);
}

/* At the end of a file opens the next one, at the end of the last one the first again. Bytes behind the
 * last whole frame, and files without any, are told of when they are reached for the first time. */
static zcs_status next_file(struct replay *r)
{
    if (r->media.rest_bytes != 0 && r->pass == 0)
        lose_short(r, r->media.rest_bytes);
    if (zci_replay_is_empty(&r->media.reader) && r->pass == 0)
        lose_empty(r);
    if (r->file + 1 < r->input.count)
        return zci_replay_open_file(r, r->file + 1);
    const int again = r->loops == UINT32_MAX || r->pass + 1 < r->loops;
    if (!again || r->pass_frames == 0)
        return ZCS_EOF;
    if (r->pass < UINT32_MAX)
        r->pass++;
    r->pass_frames = 0;
    return zci_replay_open_file(r, 0);
}

zcs_status zci_replay_find_file(struct replay *r)
{
    while (r->ended == ZCS_OK && !r->input.is_pipe && r->frame >= r->media.frames)
        r->ended = next_file(r);
    return r->ended;
}

void zci_replay_shrank(struct replay *r)
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

zcs_status zci_replay_pipe_ended(struct replay *r)
{
    const struct zci_media *m = &r->media;
    /* Of a frame that was begun, its header too, or of a header that is not whole. */
    const size_t head = m->placed ? (size_t)m->place.offset : 0;
    const size_t bytes = head + m->reader.got_bytes + m->reader.ahead_bytes;
    if (r->frame == 0)
        return zci_fail(&r->head.log, ZCS_ERR_FORMAT, "%s: ended after %zu bytes; %s",
                        r->media.reader.name, bytes, r->need);
    if (bytes != 0)
        lose_short(r, bytes);
    return ZCS_EOF;
}

void zci_replay_pass_frame(struct replay *r)
{
    zci_rebase_done(&r->rebase, &r->place);
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
    zci_replay_pass_frame(r);
}

zcs_status zci_replay_find_frame(struct replay *r, int64_t deadline_ns)
{
    while (zci_replay_find_file(r) == ZCS_OK && !r->placed) {
        const zcs_status status = r->media.ops->find(&r->media, r->frame, deadline_ns, &r->place);
        r->wants_input = status == ZCS_AGAIN;
        if (status == ZCS_AGAIN)
            return status;
        if (status == ZCS_EOF && !r->input.is_pipe) {
            zci_replay_shrank(r);
        } else if (status == ZCS_OK) {
            zci_rebase_apply(&r->rebase, &r->pace, r->sequence, &r->place);
            r->placed = 1;
            if (r->place.bytes == 0)
                pass_short(r);
        } else {
            r->ended = status == ZCS_EOF ? zci_replay_pipe_ended(r) : status;
        }
    }
    return r->ended;
}
