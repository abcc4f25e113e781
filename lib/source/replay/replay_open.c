/* SPDX-License-Identifier: MIT */
/* Opening a replay: its files looked through, its layout settled, its frames counted. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "context/context.h"
#include "source/replay/replay_walk.h"

/* A file without a whole frame is an error if it is the only one; so are many of which none has one. */
static zcs_status no_frame(struct replay *r, uint64_t max)
{
    const struct zci_log *log = &r->head.log;
    const struct zci_replay_input *input = &r->input;
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
    const struct zci_replay_input *input = &r->input;
    zcs_status status = zci_media_open(&r->media, zci_replay_input_name(&r->input, 0),
                                       input->is_pipe, input->is_stdin, raw);
    while (status == ZCS_OK && zci_replay_is_empty(&r->media.reader) &&
           r->file + 1 < input->count) {
        zci_media_close(&r->media);
        status = zci_media_open(&r->media, zci_replay_input_name(&r->input, ++r->file), 0, 0, 0);
    }
    return status;
}

/* The frames of file `index`, which must be as the open one is. */
static zcs_status look_at(struct replay *r, uint64_t index, uint64_t *frames, uint64_t *max)
{
    struct zci_media other = zci_no_media(&r->head.log);
    zcs_status status = zci_media_open(&other, zci_replay_input_name(&r->input, index), 0, 0, 0);
    if (status == ZCS_OK)
        status = zci_media_follow(&other, &r->media);
    if (status == ZCS_OK)
        zci_media_doubt(&other);
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
        r->media.reader.name = zci_replay_input_name(&r->input, r->file);
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
    zcs_status status = zci_media_settle(m, &request);
    if (status != ZCS_OK)
        return status;
    const int asked = params->fps_num != 0 || params->fps_den != 0, timed = note_first(r);
    const struct zcs_image *image = &r->head.image;
    r->head.image = m->image;
    r->head.recorded_from = m->source;
    r->head.recorded_text = m->text;
    tell_recorded(r);
    zci_media_doubt(m);
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
        status = zci_replay_input_init(&r->input, params->path, log);
    /* Whoever says that they are raw may read on where these frames end. */
    if (status == ZCS_OK && !raw)
        zci_replay_input_use_file(&r->input);
    if (status != ZCS_OK)
        return status;
    const char *name = zci_replay_input_name(&r->input, 0);
    if (r->input.is_pipe && params->loops > 1)
        return zci_fail(log, ZCS_ERR_ARG, "%s: a pipe cannot be played %" PRIu32 " times", name,
                        params->loops);
    if (r->input.is_pipe)
        r->head.ops = &zci_replay_pipe_ops;
    status = open_first(r, raw);
    if (status == ZCS_OK)
        status = settle(r, params);
    if (status == ZCS_OK && !r->input.is_pipe)
        status = count_frames(r, params->loops);
    if (status == ZCS_OK && r->file > 0)
        status = zci_replay_open_file(r, 0);
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
    zci_source_init(&r->head, &zci_replay_file_ops, ctx);
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
