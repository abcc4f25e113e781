/* SPDX-License-Identifier: MIT */
/* The replay source: frames of files or a pipe, in order, as often as wanted. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "context/context.h"
#include "os/clock.h"
#include "os/work_limit.h"
#include "source/fault_injector.h"
#include "source/pace.h"
#include "source/replay/code_check.h"
#include "source/replay/input.h"
#include "source/replay/media.h"
#include "source/replay/rebase.h"
#include "source/source.h"

#define CODE_CHECKED_FRAMES 8u

struct replay {
    struct zcs_source head;
    struct zci_input input;
    struct zci_media media; /* of file `file` */
    struct zci_pace pace;
    struct zci_rebase rebase;
    struct zci_fault_injector faults;
    struct zci_slot *slot;       /* being filled; kept while bytes are missing */
    struct zci_media_frame next; /* the next frame, if has_next */
    int has_next;
    int wants_input; /* of a pipe: the bytes read ahead end inside the header of the next frame */
    uint64_t file, frame; /* of the next frame: the index of its file, and its index there */
    uint64_t sequence;    /* of the next frame, if none is recorded */
    uint64_t pass_frames; /* delivered, skipped or lost by injection in this pass */
    uint32_t pass, loops; /* UINT32_MAX loops: endless */
    zcs_status ended;     /* ZCS_OK: not yet; else what next returns from now on */
    uint32_t unchecked;   /* further frames whose codes are checked */
    char need[96];        /* "a frame of YUYV 640x480 needs 614400" */
};

/* Opens file `index`, which must match the open file, and replaces that one. Logged. */
static zcs_status open_file(struct replay *r, uint64_t index)
{
    struct zci_media next = zci_no_media(&r->head.log, &r->media.framing);
    zcs_status status =
        zci_media_open(&next, zci_input_name(&r->input, index), 0, r->input.is_stdin, 0);
    if (status == ZCS_OK)
        status = zci_media_match(&next, &r->media);
    if (status != ZCS_OK) {
        zci_media_close(&next);
        return status;
    }
    /* The source keeps the texts of the first file. */
    free(next.source);
    free(next.text);
    next.source = r->media.source;
    next.text = r->media.text;
    r->media.source = r->media.text = NULL;
    zci_media_close(&r->media);
    r->media = next;
    r->file = index;
    r->frame = 0;
    r->has_next = 0;
    zci_rebase_new_file(&r->rebase);
    return ZCS_OK;
}

static void lose_short(struct replay *r, uint64_t bytes)
{
    const struct zcs_image *image = &r->head.image;
    r->head.lost[ZCS_LOSS_SHORT]++;
    r->sequence++; /* a lost frame is a missing number */
    if (r->pass > 0)
        return;
    zci_log(&r->head.log, ZCS_LOG_WARNING,
            "%s: %" PRIu64 " byte%s left over after %" PRIu64 " frame%s of %s %" PRIu32 "x%" PRIu32
            " (%zu bytes each): not used%s",
            r->media.reader.name, bytes, bytes == 1 ? "" : "s", r->frame, r->frame == 1 ? "" : "s",
            zcs_pixfmt_info(image->format)->name, image->width, image->height,
            zci_media_frame_bytes(&r->media),
            r->media.ops == &zci_media_raw ? "; is the size right?" : "");
}

static void lose_empty(struct replay *r)
{
    r->head.lost[ZCS_LOSS_SHORT]++;
    r->sequence++;
    if (r->pass == 0)
        zci_log(&r->head.log, ZCS_LOG_WARNING, "%s: empty, 0 bytes; %s: ignored",
                r->media.reader.name, r->need);
}

/* Opens the next file; after the last one, the first again. Trailing bytes and empty files are
 * counted in each pass and reported in the first one. */
static zcs_status next_file(struct replay *r)
{
    if (r->media.trailing_bytes != 0)
        lose_short(r, r->media.trailing_bytes);
    if (zci_reader_is_empty(&r->media.reader))
        lose_empty(r);
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

/* Opens files until one has a next frame. `ended`, ZCS_OK if there is one; ZCS_AGAIN: not yet. */
static zcs_status find_file(struct replay *r, struct zci_work_limit *limit)
{
    while (r->ended == ZCS_OK && !r->input.is_pipe && r->frame >= r->media.frames) {
        r->ended = next_file(r);
        if (r->ended == ZCS_OK && zci_work_is_over(limit))
            return ZCS_AGAIN;
    }
    return r->ended;
}

/* The file has become shorter since it was opened: the rest of its frames is lost. */
static void file_shrank(struct replay *r)
{
    struct zci_reader *reader = &r->media.reader;
    r->head.lost[ZCS_LOSS_SHORT]++;
    zci_log(&r->head.log, ZCS_LOG_WARNING,
            "%s: was truncated while it was read: %zu bytes after %" PRIu64 " of %" PRIu64
            " frames; %s: ignored",
            reader->name, reader->got_bytes, r->frame, r->media.frames, r->need);
    reader->got_bytes = 0;
    r->media.frames = r->frame;
    r->media.trailing_bytes = 0;
    r->has_next = 0;
}

/* What the end of a pipe means: ZCS_EOF; before the first frame ZCS_ERR_FORMAT, logged. */
static zcs_status pipe_ended(struct replay *r)
{
    const struct zci_media *m = &r->media;
    /* The header of an incomplete frame counts too, as does an incomplete header. */
    const size_t head = m->has_pipe_frame ? (size_t)m->pipe_frame.offset : 0;
    const size_t bytes = head + m->reader.got_bytes + m->reader.ahead_bytes;
    if (r->frame == 0)
        return zci_fail(&r->head.log, ZCS_ERR_FORMAT, "%s: ended after %zu bytes; %s",
                        r->media.reader.name, bytes, r->need);
    if (bytes != 0)
        lose_short(r, bytes);
    return ZCS_EOF;
}

/* Goes on to the next frame. `damaged`: a pass with such frames only is the last one. */
static void advance(struct replay *r, int damaged)
{
    zci_rebase_done(&r->rebase, &r->next);
    r->sequence++;
    r->frame++;
    r->pass_frames += !damaged;
    r->has_next = 0;
    r->media.has_pipe_frame = 0;
}

static void skip_short(struct replay *r)
{
    r->head.lost[ZCS_LOSS_SHORT]++;
    zci_log(&r->head.log, ZCS_LOG_WARNING,
            "%s: frame %" PRIu64 " has the wrong length; %s: ignored", r->media.reader.name,
            r->frame, r->need);
    advance(r, 1);
}

/* Finds the next complete frame. ZCS_AGAIN, or `ended`. */
static zcs_status find_frame(struct replay *r, struct zci_work_limit *limit)
{
    zcs_status found;
    while ((found = find_file(r, limit)) == ZCS_OK && !r->has_next) {
        const int64_t deadline_ns = limit->deadline_ns;
        const zcs_status status = r->media.ops->find(&r->media, r->frame, deadline_ns, &r->next);
        r->wants_input = status == ZCS_AGAIN;
        if (status == ZCS_AGAIN)
            return status;
        if (status == ZCS_EOF && !r->input.is_pipe && r->frame >= r->media.frames)
            continue; /* the file has fewer frames than its size told */
        if (status == ZCS_EOF && !r->input.is_pipe) {
            file_shrank(r);
        } else if (status == ZCS_OK) {
            zci_rebase_apply(&r->rebase, &r->pace, r->sequence, &r->next);
            r->has_next = 1;
            if (r->next.bytes == 0)
                skip_short(r);
        } else {
            r->ended = status == ZCS_EOF ? pipe_ended(r) : status;
        }
        if (r->ended == ZCS_OK && !r->has_next && zci_work_is_over(limit))
            return ZCS_AGAIN;
    }
    return found;
}

static void deliver(struct replay *r, struct zci_slot **out)
{
    struct zcs_frame *frame = &r->slot->frame;
    if (r->unchecked > 0) /* a warning ends the check: the other frames are alike */
        r->unchecked = zci_code_check(&r->media, frame->host) ? 0 : r->unchecked - 1;
    frame->image = r->head.image;
    frame->sequence = r->next.sequence;
    frame->time_ns = r->next.time_ns;
    frame->clock = r->next.clock;
    frame->flags = r->next.flags;
    frame->captured_ns = zci_now_ns();
    r->head.path = frame->path;
    r->head.path_reason = r->media.reader.reason;
    *out = r->slot;
    r->slot = NULL;
}

/* Reads the next frame into the slot. ZCS_EOF: its bytes are not there after all. */
static zcs_status read_frame(struct replay *r, int64_t deadline_ns)
{
    zcs_status status =
        zci_fault_injector_wait(&r->faults, r->media.reader.name, &r->head.log, deadline_ns);
    if (status == ZCS_OK)
        status = zci_pace_wait(&r->pace, r->next.time_ns, deadline_ns);
    if (status != ZCS_OK)
        return status;
    if (r->slot == NULL)
        r->slot = zci_pool_take(r->head.pool);
    if (r->slot == NULL)
        return ZCS_AGAIN;
    return zci_media_read(&r->media, &r->next, deadline_ns, r->slot);
}

static zcs_status replay_next(zcs_source *source, int64_t timeout_ns, struct zci_slot **out)
{
    struct replay *r = (struct replay *)source;
    const int64_t deadline_ns = zci_deadline_ns(timeout_ns);
    struct zci_work_limit limit = zci_work_limit(deadline_ns);
    zcs_status found;
    while ((found = find_frame(r, &limit)) == ZCS_OK) {
        const zcs_status status = read_frame(r, deadline_ns);
        if (status == ZCS_AGAIN)
            return status;
        if (status == ZCS_ERR_FORMAT) {
            r->head.lost[ZCS_LOSS_ERROR]++;
            advance(r, 1);
        } else if (status == ZCS_OK) {
            if (!zci_fault_injector_lost(&r->faults, r->head.lost))
                deliver(r, out);
            advance(r, 0);
            if (r->slot == NULL) /* delivered */
                return ZCS_OK;
        } else if (status != ZCS_EOF) {
            r->ended = status;
        } else if (r->input.is_pipe) {
            r->ended = pipe_ended(r);
        } else {
            file_shrank(r);
        }
        if (r->ended == ZCS_OK && zci_work_is_over(&limit)) /* perhaps all frames are lost */
            return ZCS_AGAIN;
    }
    return found;
}

/* Rebases skipped recorded frames: the first and the last of them suffice. */
static void rebase_skipped(struct replay *r, uint64_t first, uint64_t last)
{
    if (r->media.records == NULL)
        return;
    if (r->media.ops->find(&r->media, first, INT64_MAX, &r->next) == ZCS_OK)
        zci_rebase_apply(&r->rebase, &r->pace, 0, &r->next);
    if (r->media.ops->find(&r->media, last, INT64_MAX, &r->next) == ZCS_OK) {
        zci_rebase_apply(&r->rebase, &r->pace, 0, &r->next);
        zci_rebase_done(&r->rebase, &r->next);
    }
}

static uint64_t replay_skip(zcs_source *source, uint64_t n)
{
    struct replay *r = (struct replay *)source;
    uint64_t left = r->faults.active ? 0 : n; /* skipped frames might have been lost */
    const uint64_t wanted = left;
    struct zci_work_limit limit = zci_work_limit(0);
    if (left > 0) /* a frame that was read in part is skipped too */
        r->media.reader.got_bytes = 0;
    while (left > 0 && find_file(r, &limit) == ZCS_OK) {
        const uint64_t here = r->media.frames - r->frame;
        const uint64_t step = left < here ? left : here;
        rebase_skipped(r, r->frame, r->frame + step - 1);
        r->frame += step;
        r->pass_frames += step;
        r->sequence += step;
        r->has_next = 0;
        left -= step;
    }
    return wanted - left;
}

/* Room for a frame at any file offset, and for the headers between its planes. */
static size_t replay_slot_bytes(const zcs_source *source)
{
    const struct replay *r = (const struct replay *)source;
    const size_t in_file = zci_media_frame_bytes(&r->media);
    const size_t max = in_file > source->image.size_bytes ? in_file : source->image.size_bytes;
    return r->input.is_pipe ? max : zci_reader_slot_bytes(max);
}

static enum zcs_role replay_role(const zcs_source *source)
{
    const struct replay *r = (const struct replay *)source;
    return zci_media_converts(&r->media) ? ZCS_ROLE_INGEST_CACHED : ZCS_ROLE_INGEST;
}

static int64_t replay_due_ns(const zcs_source *source)
{
    const struct replay *r = (const struct replay *)source;
    if (r->ended != ZCS_OK || !r->has_next)
        return 0;
    const int64_t due_ns = zci_pace_due_ns(&r->pace, r->next.time_ns);
    const int64_t later_ns = due_ns > r->faults.stall_ns ? due_ns : r->faults.stall_ns;
    return later_ns > zci_now_ns() ? later_ns : 0;
}

static int replay_fd(const zcs_source *source)
{
    const struct replay *r = (const struct replay *)source;
    /* poll does not report bytes that were read ahead, and a frame that is not due must not wake
     * the caller. */
    const int is_ahead = r->media.reader.ahead_bytes > 0 && !r->wants_input;
    if (is_ahead || replay_due_ns(source) != 0)
        return -1;
    return zci_reader_poll_fd(&r->media.reader);
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
    zci_input_finish(&r->input);
    free(r);
}

static const struct zci_source_ops replay_file_ops = {
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

static const struct zci_source_ops replay_pipe_ops = {
    .kind = "replay",
    .slot_bytes = replay_slot_bytes,
    .role = replay_role,
    .next = replay_next,
    .fd = replay_fd,
    .due_ns = replay_due_ns,
    .starved = replay_starved,
    .close = replay_close,
};

/* No file has a complete frame. `max` is the size of the largest. */
static zcs_status no_frame(struct replay *r, uint64_t max)
{
    const struct zci_log *log = &r->head.log;
    const struct zci_input *input = &r->input;
    if (input->count > 1)
        return zci_fail(log, ZCS_ERR_FORMAT,
                        "%s: the largest of its %" PRIu64 " files has %" PRIu64 " bytes; %s",
                        input->path, input->count, max, r->need);
    const char *name = r->media.reader.name;
    if (max == 0)
        return zci_fail(log, ZCS_ERR_FORMAT, "%s: empty, 0 bytes; %s", name, r->need);
    return zci_fail(log, ZCS_ERR_FORMAT, "%s: %" PRIu64 " bytes; %s", name, max, r->need);
}

/* Opens the first file that is not empty, which determines the image. `raw`: see zci_media_open. */
static zcs_status open_first(struct replay *r, int raw)
{
    const struct zci_input *input = &r->input;
    zcs_status status = zci_media_open(&r->media, zci_input_name(&r->input, 0), input->is_pipe,
                                       input->is_stdin, raw);
    while (status == ZCS_OK && zci_reader_is_empty(&r->media.reader) &&
           r->file + 1 < input->count) {
        zci_media_close(&r->media);
        status = zci_media_open(&r->media, zci_input_name(&r->input, ++r->file), 0, 0, 0);
    }
    return status;
}

/* Adds the frames of file `index`, which must match the open file. */
static zcs_status count_file(struct replay *r, uint64_t index, uint64_t *frames, uint64_t *max)
{
    struct zci_media other = zci_no_media(&r->head.log, &r->media.framing);
    zcs_status status = zci_media_open(&other, zci_input_name(&r->input, index), 0, 0, 0);
    if (status == ZCS_OK)
        status = zci_media_match(&other, &r->media);
    if (status == ZCS_OK)
        zci_media_warn_type(&other);
    *frames += status == ZCS_OK ? other.frames : 0;
    if (other.reader.size_bytes > *max)
        *max = other.reader.size_bytes;
    zci_media_close(&other);
    return status;
}

static zcs_status count_frames(struct replay *r, uint32_t loops)
{
    uint64_t frames = r->media.frames, max = r->media.reader.size_bytes;
    zcs_status status = ZCS_OK;
    for (uint64_t i = 0; status == ZCS_OK && i < r->input.count; i++)
        if (i != r->file)
            status = count_file(r, i, &frames, &max);
    if (r->input.count > 1) /* the names of the other files overwrote it */
        r->media.reader.name = zci_input_name(&r->input, r->file);
    if (status == ZCS_OK && frames == 0)
        status = no_frame(r, max);
    r->loops = loops ? loops : 1;
    const int counted = r->loops != UINT32_MAX && frames <= UINT64_MAX / r->loops;
    r->head.frames = counted ? frames * r->loops : 0;
    return status;
}

/* Takes the sequence of the first frame; returns whether frames have recorded times. */
static int note_first(struct replay *r)
{
    const struct zci_media *m = &r->media;
    if (m->records == NULL || m->frames == 0)
        return 0;
    r->head.first_sequence = r->rebase.first = m->records[0].sequence;
    return m->records[0].clock != ZCS_CLOCK_NONE;
}

static zcs_status set_image(struct replay *r, const struct zcs_replay_params *params)
{
    const struct zci_request request = zci_request_of_replay(params);
    struct zci_media *m = &r->media;
    zcs_status status = zci_media_set_image(m, &request);
    if (status != ZCS_OK)
        return status;
    const int requested = params->fps_num != 0 || params->fps_den != 0, timed = note_first(r);
    const struct zcs_image *image = &r->head.image;
    r->head.image = m->image;
    r->unchecked = CODE_CHECKED_FRAMES;
    r->head.recorded_from = m->source;
    r->head.recorded_text = m->text;
    zci_media_log_texts(m);
    zci_media_warn_type(m);
    r->head.fps_num = requested ? params->fps_num : m->fps_num;
    r->head.fps_den = requested ? params->fps_den : m->fps_den;
    snprintf(r->need, sizeof r->need, "a frame of %s %" PRIu32 "x%" PRIu32 " needs %zu",
             zcs_pixfmt_info(image->format)->name, image->width, image->height,
             zci_media_frame_bytes(m));
    const uint64_t before = m->framing.offset + m->framing.header;
    const size_t used = strlen(r->need);
    if (before > 0)
        snprintf(r->need + used, sizeof r->need - used, " after %" PRIu64 " others", before);
    /* Recorded times override a recorded rate, but not a requested one. */
    const int use_rate = requested || !timed;
    status = zci_pace_init(&r->pace, use_rate ? r->head.fps_num : 0, use_rate ? r->head.fps_den : 0,
                           params->pace, timed, params->path, &r->head.log);
    r->head.live = r->pace.live;
    return status;
}

static zcs_status set_up(struct replay *r, const struct zcs_replay_params *params)
{
    const struct zci_log *log = &r->head.log;
    const int raw =
        params->format != ZCS_PIXFMT_NONE && (params->width != 0 || params->height != 0);
    zcs_status status = zci_request_check_enums(params->format, &params->color, params->path, log);
    if (status == ZCS_OK)
        status = zci_fault_injector_init(&r->faults, params->inject, params->path, log);
    if (status == ZCS_OK)
        status = zci_input_init(&r->input, params->path, log);
    /* With raw frames the caller may read on after them on the same descriptor. */
    if (status == ZCS_OK && !raw)
        zci_input_reopen_stdin(&r->input);
    if (status != ZCS_OK)
        return status;
    const char *name = zci_input_name(&r->input, 0);
    if (r->input.is_pipe && params->loops > 1)
        return zci_fail(log, ZCS_ERR_ARG, "%s: a pipe cannot be played %" PRIu32 " times", name,
                        params->loops);
    if (r->input.is_pipe)
        r->head.ops = &replay_pipe_ops;
    status = open_first(r, raw);
    if (status == ZCS_OK)
        status = set_image(r, params);
    if (status == ZCS_OK && !r->input.is_pipe)
        status = count_frames(r, params->loops);
    if (status == ZCS_OK && r->file > 0)
        status = open_file(r, 0);
    return status;
}

zcs_status zcs_source_open_replay(zcs_context *ctx, const struct zcs_replay_params *params,
                                  zcs_source **out)
{
    if (ctx == NULL)
        return ZCS_ERR_ARG;
    if (params == NULL || params->path == NULL || out == NULL)
        return zci_fail(&ctx->log, ZCS_ERR_ARG, "a replay: %s is NULL",
                        params == NULL         ? "params"
                        : params->path == NULL ? "params->path"
                                               : "out");
    struct replay *r = calloc(1, sizeof *r);
    if (r == NULL)
        return zci_fail(&ctx->log, ZCS_ERR_NOMEM, "%s: no memory for a source", params->path);
    zci_source_init(&r->head, &replay_file_ops, ctx);
    const struct zci_framing framing = {params->offset_bytes, params->frame_header_bytes,
                                        params->frame_footer_bytes};
    r->media = zci_no_media(&r->head.log, &framing);
    zcs_source *source = &r->head;
    const zcs_status status = set_up(r, params);
    if (status != ZCS_OK) {
        zcs_source_close(&source);
        return status;
    }
    *out = source;
    return ZCS_OK;
}
