/* SPDX-License-Identifier: MIT */
/* The replay source: frames of files or a pipe, in order, as often as wanted. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "context/context.h"
#include "os/clock.h"
#include "source/fault_injector.h"
#include "source/pace.h"
#include "source/replay/input.h"
#include "source/replay/media.h"
#include "source/source.h"

struct rebase {
    uint64_t first;                   /* sequence of the first frame of all */
    int begun;                        /* a frame was stamped */
    int new_file;                     /* the next frame is a file's first to be stamped */
    uint64_t sequence, sequence_base; /* of the last frame; what is added to recorded ones */
    int64_t time_ns, time_base, interval_ns;
};

struct replay {
    struct zcs_source head;
    struct zci_input input;
    struct zci_media media; /* of file `file` */
    struct zci_pace pace;
    struct rebase rebase;
    struct zci_fault_injector faults;
    struct zci_slot *slot;       /* being filled; kept while its bytes have not all come */
    struct zci_media_frame next; /* the next frame, if has_next */
    int has_next;
    int wants_input; /* of a pipe: what was read ahead is too little for the next frame's header */
    uint64_t file, frame; /* next of that file */
    uint64_t sequence;    /* of the next frame, unless it is recorded */
    uint64_t pass_frames; /* delivered or passed over in this pass */
    uint32_t pass, loops; /* UINT32_MAX loops: for ever */
    zcs_status ended;     /* ZCS_OK while it goes on; then what every next gives */
    char need[96];        /* "a frame of YUYV 640x480 needs 614400" */
};

static int64_t add_ns(int64_t a, int64_t b)
{
    return (int64_t)((uint64_t)a + (uint64_t)b);
}

static int64_t subtract_ns(int64_t a, int64_t b)
{
    return (int64_t)((uint64_t)a - (uint64_t)b);
}

static void rebase_new_file(struct rebase *rebase)
{
    rebase->new_file = 1;
}

static void continue_from(struct rebase *rebase, struct zci_media_frame *frame)
{
    if (rebase->begun && rebase->new_file) {
        rebase->sequence_base = 0;
        rebase->time_base = 0;
        if (frame->sequence <= rebase->sequence)
            rebase->sequence_base = rebase->sequence + 1 - frame->sequence;
        if (frame->time_ns <= rebase->time_ns)
            rebase->time_base =
                subtract_ns(add_ns(rebase->time_ns, rebase->interval_ns), frame->time_ns);
    }
    rebase->new_file = 0;
    frame->sequence += rebase->sequence_base;
    if (frame->clock != ZCS_CLOCK_NONE)
        frame->time_ns = add_ns(frame->time_ns, rebase->time_base);
}

static void rebase_apply(struct rebase *rebase, const struct zci_pace *pace, uint64_t n,
                         struct zci_media_frame *frame)
{
    if (frame->recorded)
        continue_from(rebase, frame);
    else
        frame->sequence = n;
    if (frame->recorded && pace->fps_num == 0)
        return;
    /* Numbers below the first one's, which damaged and hostile files have, are no time beyond all others. */
    const uint64_t since = frame->sequence > rebase->first ? frame->sequence - rebase->first : 0;
    frame->time_ns = zci_pace_time_ns(pace, since);
    frame->clock = pace->fps_num ? ZCS_CLOCK_MEDIA : ZCS_CLOCK_NONE;
}

static void rebase_done(struct rebase *rebase, const struct zci_media_frame *frame)
{
    if (!frame->recorded)
        return;
    const int64_t interval_ns = subtract_ns(frame->time_ns, rebase->time_ns);
    if (rebase->begun && interval_ns > 0)
        rebase->interval_ns = interval_ns;
    rebase->begun = 1;
    rebase->sequence = frame->sequence;
    rebase->time_ns = frame->time_ns;
}

static zcs_status open_file(struct replay *r, uint64_t index)
{
    struct zci_media next = zci_no_media(&r->head.log);
    zcs_status status =
        zci_media_open(&next, zci_input_name(&r->input, index), 0, r->input.is_stdin, 0);
    if (status == ZCS_OK)
        status = zci_media_match(&next, &r->media);
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
    r->has_next = 0;
    rebase_new_file(&r->rebase);
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
    if (r->media.trailing_bytes != 0 && r->pass == 0)
        lose_short(r, r->media.trailing_bytes);
    if (zci_reader_is_empty(&r->media.reader) && r->pass == 0)
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

static zcs_status find_file(struct replay *r)
{
    while (r->ended == ZCS_OK && !r->input.is_pipe && r->frame >= r->media.frames)
        r->ended = next_file(r);
    return r->ended;
}

static void file_shrank(struct replay *r)
{
    struct zci_reader *reader = &r->media.reader;
    r->head.lost[ZCS_LOSS_SHORT]++;
    zci_log(&r->head.log, ZCS_LOG_WARNING,
            "%s: was cut while it was read: %zu bytes after %" PRIu64 " of %" PRIu64
            " frames; %s: ignored",
            reader->name, reader->got_bytes, r->frame, r->media.frames, r->need);
    reader->got_bytes = 0;
    r->media.frames = r->frame;
    r->media.trailing_bytes = 0;
    r->has_next = 0;
}

static zcs_status pipe_ended(struct replay *r)
{
    const struct zci_media *m = &r->media;
    /* Of a frame that was begun, its header too, or of a header that is not whole. */
    const size_t head = m->has_pipe_frame ? (size_t)m->pipe_frame.offset : 0;
    const size_t bytes = head + m->reader.got_bytes + m->reader.ahead_bytes;
    if (r->frame == 0)
        return zci_fail(&r->head.log, ZCS_ERR_FORMAT, "%s: ended after %zu bytes; %s",
                        r->media.reader.name, bytes, r->need);
    if (bytes != 0)
        lose_short(r, bytes);
    return ZCS_EOF;
}

static void pass_frame(struct replay *r)
{
    rebase_done(&r->rebase, &r->next);
    r->sequence++;
    r->frame++;
    r->pass_frames++;
    r->has_next = 0;
    r->media.has_pipe_frame = 0;
}

static void pass_short(struct replay *r)
{
    r->head.lost[ZCS_LOSS_SHORT]++;
    zci_log(&r->head.log, ZCS_LOG_WARNING, "%s: frame %" PRIu64 " has another length; %s: ignored",
            r->media.reader.name, r->frame, r->need);
    pass_frame(r);
}

static zcs_status find_frame(struct replay *r, int64_t deadline_ns)
{
    while (find_file(r) == ZCS_OK && !r->has_next) {
        const zcs_status status = r->media.ops->find(&r->media, r->frame, deadline_ns, &r->next);
        r->wants_input = status == ZCS_AGAIN;
        if (status == ZCS_AGAIN)
            return status;
        if (status == ZCS_EOF && !r->input.is_pipe) {
            file_shrank(r);
        } else if (status == ZCS_OK) {
            rebase_apply(&r->rebase, &r->pace, r->sequence, &r->next);
            r->has_next = 1;
            if (r->next.bytes == 0)
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

/* One attempt at the frame that find_frame found. ZCS_EOF: it is not there after all. */
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
    zcs_status found;
    while ((found = find_frame(r, deadline_ns)) == ZCS_OK) {
        const zcs_status status = read_frame(r, deadline_ns);
        if (status == ZCS_AGAIN)
            return status;
        if (status == ZCS_ERR_FORMAT) {
            r->head.lost[ZCS_LOSS_ERROR]++;
            pass_frame(r);
        } else if (status == ZCS_OK) {
            const int lost = zci_fault_injector_lost(&r->faults, r->head.lost);
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
    if (r->media.ops->find(&r->media, first, INT64_MAX, &r->next) == ZCS_OK)
        rebase_apply(&r->rebase, &r->pace, 0, &r->next);
    if (r->media.ops->find(&r->media, last, INT64_MAX, &r->next) == ZCS_OK) {
        rebase_apply(&r->rebase, &r->pace, 0, &r->next);
        rebase_done(&r->rebase, &r->next);
    }
}

static uint64_t replay_skip(zcs_source *source, uint64_t n)
{
    struct replay *r = (struct replay *)source;
    uint64_t left = r->faults.active ? 0 : n; /* those passed over may be lost as well */
    const uint64_t wanted = left;
    if (left > 0) /* a frame of which a part was read is passed over too */
        r->media.reader.got_bytes = 0;
    while (left > 0 && find_file(r) == ZCS_OK) {
        const uint64_t here = r->media.frames - r->frame;
        const uint64_t step = left < here ? left : here;
        note_passed(r, r->frame, r->frame + step - 1);
        r->frame += step;
        r->pass_frames += step;
        r->sequence += step;
        r->has_next = 0;
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
    /* What was read ahead announces itself no more; what is not due yet shall wake nobody. */
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

/* A file without a whole frame is an error if it is the only one; so are many of which none has one. */
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

/* Of many, the first that is not empty says what frames are; `raw` as of zci_media_open. */
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

/* The frames of file `index`, which must be as the open one is. */
static zcs_status look_at(struct replay *r, uint64_t index, uint64_t *frames, uint64_t *max)
{
    struct zci_media other = zci_no_media(&r->head.log);
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
            status = look_at(r, i, &frames, &max);
    if (r->input.count > 1) /* the open file's name was in the room of the others' */
        r->media.reader.name = zci_input_name(&r->input, r->file);
    if (status == ZCS_OK && frames == 0)
        status = no_frame(r, max);
    r->loops = loops ? loops : 1;
    const int counted = r->loops != UINT32_MAX && frames <= UINT64_MAX / r->loops;
    r->head.frames = counted ? frames * r->loops : 0;
    return status;
}

/* What the first frame has, and whether frames have times. */
static int note_first(struct replay *r)
{
    const struct zci_media *m = &r->media;
    if (m->records == NULL || m->frames == 0)
        return 0;
    r->head.first_sequence = r->rebase.first = m->records[0].sequence;
    return m->records[0].clock != ZCS_CLOCK_NONE;
}

/* What the recorder said, each line of its own. */
static void tell_recorded(const struct replay *r)
{
    const struct zci_media *m = &r->media;
    const char *text = m->text != NULL ? m->text : "";
    if (m->source != NULL && m->source[0] != '\0')
        zci_log(&r->head.log, ZCS_LOG_INFO, "%s: recorded from %s", m->reader.name, m->source);
    while (*text != '\0') {
        const size_t bytes = strcspn(text, "\n");
        zci_log(&r->head.log, ZCS_LOG_INFO, "%s: recorded with %.*s", m->reader.name, (int)bytes,
                text);
        text += bytes + (text[bytes] == '\n');
    }
}

static zcs_status settle(struct replay *r, const struct zcs_replay_params *params)
{
    const struct zci_request request = {
        .format = params->format,
        .width = params->width,
        .height = params->height,
        .stride_bytes = params->stride_bytes,
        .bits = params->bits,
        .shift = params->shift,
        .color = params->color,
    };
    struct zci_media *m = &r->media;
    zcs_status status = zci_media_set_image(m, &request);
    if (status != ZCS_OK)
        return status;
    const int asked = params->fps_num != 0 || params->fps_den != 0, timed = note_first(r);
    const struct zcs_image *image = &r->head.image;
    r->head.image = m->image;
    r->head.recorded_from = m->source;
    r->head.recorded_text = m->text;
    tell_recorded(r);
    zci_media_warn_type(m);
    r->head.fps_num = asked ? params->fps_num : m->fps_num;
    r->head.fps_den = asked ? params->fps_den : m->fps_den;
    snprintf(r->need, sizeof r->need, "a frame of %s %" PRIu32 "x%" PRIu32 " needs %zu",
             zcs_pixfmt_info(image->format)->name, image->width, image->height, image->size_bytes);
    /* Recorded times go before a rate that was recorded beside them. */
    const int made_up = asked || !timed;
    status = zci_pace_init(&r->pace, made_up ? r->head.fps_num : 0, made_up ? r->head.fps_den : 0,
                           params->pace, timed, params->path, &r->head.log);
    r->head.live = r->pace.live;
    return status;
}

static zcs_status set_up(struct replay *r, const struct zcs_replay_params *params)
{
    const struct zci_log *log = &r->head.log;
    const int raw =
        params->format != ZCS_PIXFMT_NONE && (params->width != 0 || params->height != 0);
    zcs_status status = zci_fault_injector_init(&r->faults, params->inject, params->path, log);
    if (status == ZCS_OK)
        status = zci_input_init(&r->input, params->path, log);
    /* Whoever says that they are raw may read on where these frames end. */
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
        status = settle(r, params);
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
    r->media = zci_no_media(&r->head.log);
    zcs_source *source = &r->head;
    const zcs_status status = set_up(r, params);
    if (status != ZCS_OK) {
        zcs_source_close(&source);
        return status;
    }
    *out = source;
    return ZCS_OK;
}
