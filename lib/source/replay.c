/* SPDX-License-Identifier: MIT */
/* The replay source: frames of raw files or a pipe, in order, as often as wanted. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "core/clock.h"
#include "frame/context.h"
#include "source/request.h"
#include "source/pace.h"
#include "source/replay_input.h"
#include "source/replay_read.h"
#include "source/source.h"

struct replay {
    struct zcs_source head;
    struct zci_replay_input input;
    struct zci_replay_reader reader; /* of file `file` */
    struct zci_pace pace;
    struct zci_slot *slot; /* being filled; kept while its bytes have not all come */
    uint64_t file;
    uint64_t frame, file_frames; /* of that file: next, and how many it holds */
    uint64_t sequence;           /* of the next frame */
    uint64_t pass_frames;        /* delivered or passed over in this pass */
    uint32_t pass, loops;        /* UINT32_MAX loops: for ever */
    zcs_status ended;            /* ZCS_OK while it goes on; then what every next gives */
    char need[96];               /* "a frame of YUYV 640x480 needs 614400" */
};

static zcs_status open_file(struct replay *r, uint64_t index)
{
    const size_t frame_bytes = r->head.image.size_bytes;
    zci_replay_close(&r->reader);
    const zcs_status status =
        zci_replay_open(&r->reader, zci_replay_input_name(&r->input, index), frame_bytes);
    r->file = index;
    r->frame = 0;
    r->file_frames = status == ZCS_OK ? r->reader.size_bytes / frame_bytes : 0;
    return status;
}

static void lose_short(struct replay *r, size_t bytes)
{
    const struct zcs_image *image = &r->head.image;
    r->head.lost[ZCS_LOSS_SHORT]++;
    zci_log(&r->head.log, ZCS_LOG_WARNING,
            "%s: %zu byte%s left over after %" PRIu64 " frame%s of %s %" PRIu32 "x%" PRIu32
            " (%zu bytes each): not used; is the size right?",
            r->reader.name, bytes, bytes == 1 ? "" : "s", r->frame, r->frame == 1 ? "" : "s",
            zcs_pixfmt_info(image->format)->name, image->width, image->height, image->size_bytes);
}

/* Bytes behind the last whole frame, told of when it is reached for the first time. */
static void note_rest(struct replay *r)
{
    const uint64_t rest = r->reader.size_bytes % r->head.image.size_bytes;
    if (rest != 0 && r->pass == 0)
        lose_short(r, (size_t)rest);
}

/* At the end of a file opens the next one, at the end of the last one the first again. */
static zcs_status next_file(struct replay *r)
{
    note_rest(r);
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

static zcs_status find_frame(struct replay *r)
{
    while (r->ended == ZCS_OK && !r->input.is_pipe && r->frame >= r->file_frames)
        r->ended = next_file(r);
    return r->ended;
}

/* Fewer bytes came than were there when the file was opened: the rest of it is lost. */
static void file_shrank(struct replay *r)
{
    r->head.lost[ZCS_LOSS_SHORT]++;
    zci_log(&r->head.log, ZCS_LOG_WARNING,
            "%s: was cut while it was read: %zu bytes after %" PRIu64 " of %" PRIu64
            " frames; %s: ignored",
            r->reader.name, r->reader.got_bytes, r->frame, r->file_frames, r->need);
    r->reader.got_bytes = 0;
    r->reader.size_bytes = r->frame * r->head.image.size_bytes;
    r->file_frames = r->frame;
}

static zcs_status pipe_ended(struct replay *r)
{
    const size_t bytes = r->reader.got_bytes;
    if (r->frame == 0)
        return zci_fail(&r->head.log, ZCS_ERR_FORMAT, "%s: ended after %zu bytes; %s",
                        r->reader.name, bytes, r->need);
    if (bytes != 0)
        lose_short(r, bytes);
    return ZCS_EOF;
}

static void deliver(struct replay *r, struct zci_slot **out)
{
    struct zcs_frame *frame = &r->slot->frame;
    frame->image = r->head.image;
    zci_pace_stamp(&r->pace, r->sequence, frame);
    r->head.path = frame->path;
    r->head.path_reason = r->reader.reason;
    r->sequence++;
    r->frame++;
    r->pass_frames++;
    *out = r->slot;
    r->slot = NULL;
}

/* One attempt at the frame that find_frame found. ZCS_EOF: it is not there after all. */
static zcs_status read_frame(struct replay *r, int64_t deadline_ns, struct zci_slot **out)
{
    zcs_status status = zci_pace_wait(&r->pace, r->sequence, deadline_ns);
    if (status != ZCS_OK)
        return status;
    if (r->slot == NULL)
        r->slot = zci_pool_take(r->head.pool);
    if (r->slot == NULL)
        return ZCS_AGAIN;
    const size_t bytes = r->head.image.size_bytes;
    status = zci_replay_read(&r->reader, r->frame * bytes, bytes, deadline_ns, r->slot);
    if (status == ZCS_OK)
        deliver(r, out);
    return status;
}

static zcs_status replay_next(zcs_source *source, int64_t timeout_ns, struct zci_slot **out)
{
    struct replay *r = (struct replay *)source;
    const int64_t deadline_ns = zci_deadline_ns(timeout_ns);
    while (find_frame(r) == ZCS_OK) {
        const zcs_status status = read_frame(r, deadline_ns, out);
        if (status == ZCS_OK || status == ZCS_AGAIN)
            return status;
        if (status != ZCS_EOF)
            r->ended = status;
        else if (r->input.is_pipe)
            r->ended = pipe_ended(r);
        else
            file_shrank(r);
    }
    return r->ended;
}

static uint64_t replay_skip(zcs_source *source, uint64_t n)
{
    struct replay *r = (struct replay *)source;
    uint64_t left = n;
    while (left > 0 && find_frame(r) == ZCS_OK) {
        const uint64_t here = r->file_frames - r->frame;
        const uint64_t step = left < here ? left : here;
        r->frame += step;
        r->pass_frames += step;
        r->sequence += step;
        left -= step;
    }
    return n - left;
}

static size_t replay_slot_bytes(const zcs_source *source)
{
    return zci_replay_slot_bytes(source->image.size_bytes);
}

static int replay_fd(const zcs_source *source)
{
    const struct replay *r = (const struct replay *)source;
    return r->pace.live ? -1 : zci_replay_poll_fd(&r->reader);
}

static int64_t replay_due_ns(const zcs_source *source)
{
    const struct replay *r = (const struct replay *)source;
    return r->ended == ZCS_OK ? zci_pace_due_ns(&r->pace, r->sequence) : 0;
}

static void replay_close(zcs_source *source)
{
    struct replay *r = (struct replay *)source;
    if (r->slot != NULL)
        zci_slot_unref(r->slot);
    zci_replay_close(&r->reader);
    zci_replay_input_finish(&r->input);
    free(r);
}

static const struct zci_source_ops file_ops = {
    .kind = "replay",
    .slot_bytes = replay_slot_bytes,
    .next = replay_next,
    .skip = replay_skip,
    .fd = replay_fd,
    .due_ns = replay_due_ns,
    .close = replay_close,
};

static const struct zci_source_ops pipe_ops = {
    .kind = "replay",
    .next = replay_next,
    .fd = replay_fd,
    .due_ns = replay_due_ns,
    .close = replay_close,
};

static zcs_status open_pipe(struct replay *r, uint32_t loops)
{
    const char *name = zci_replay_input_name(&r->input, 0);
    if (loops > 1)
        return zci_fail(&r->head.log, ZCS_ERR_ARG, "%s: a pipe cannot be played %" PRIu32 " times",
                        name, loops);
    r->head.ops = &pipe_ops;
    return zci_replay_open_pipe(&r->reader, name, r->input.is_stdin);
}

static zcs_status open_files(struct replay *r, uint32_t loops)
{
    uint64_t frames = 0;
    const zcs_status status =
        zci_replay_input_count(&r->input, r->head.image.size_bytes, r->need, &r->head.log, &frames);
    if (status != ZCS_OK)
        return status;
    r->loops = loops ? loops : 1;
    const int counted = r->loops != UINT32_MAX && frames <= UINT64_MAX / r->loops;
    r->head.frames = counted ? frames * r->loops : 0;
    return open_file(r, 0);
}

static zcs_status set_up(struct replay *r, const struct zcs_replay_params *params)
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
    const struct zci_log *log = &r->head.log;
    struct zcs_image *image = &r->head.image;
    zcs_status status = zci_request_image(&request, params->path, log, image);
    if (status == ZCS_OK)
        status = zci_pace_init(&r->pace, params->fps_num, params->fps_den, params->pace,
                               params->path, log);
    if (status == ZCS_OK)
        status = zci_replay_input_init(&r->input, params->path, log);
    if (status != ZCS_OK)
        return status;
    snprintf(r->need, sizeof r->need, "a frame of %s %" PRIu32 "x%" PRIu32 " needs %zu",
             zcs_pixfmt_info(image->format)->name, image->width, image->height, image->size_bytes);
    r->head.fps_num = params->fps_num;
    r->head.fps_den = params->fps_den;
    r->head.live = r->pace.live;
    return r->input.is_pipe ? open_pipe(r, params->loops) : open_files(r, params->loops);
}

zcs_status zcs_source_open_replay(zcs_context *ctx, const struct zcs_replay_params *params,
                                  zcs_source **out)
{
    if (ctx == NULL || params == NULL || params->path == NULL || out == NULL)
        return ZCS_ERR_ARG;
    struct replay *r = calloc(1, sizeof *r);
    if (r == NULL)
        return zci_fail(&ctx->log, ZCS_ERR_NOMEM, "%s: no memory for a source", params->path);
    zci_source_init(&r->head, &file_ops, ctx);
    r->reader.fd = -1;
    r->reader.log = &r->head.log;
    zcs_source *source = &r->head;
    const zcs_status status = set_up(r, params);
    if (status != ZCS_OK) {
        zcs_source_close(&source);
        return status;
    }
    *out = source;
    return ZCS_OK;
}
