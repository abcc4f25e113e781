/* SPDX-License-Identifier: MIT */
/* The pattern source: a background that is drawn once, and the moving parts of each frame. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "os/clock.h"
#include "os/work_limit.h"
#include "context/context.h"
#include "source/fault_injector.h"
#include "source/pace.h"
#include "source/pattern/packer.h"
#include "source/pattern/picture.h"
#include "source/request.h"
#include "source/source.h"

#define DEFAULT_WIDTH 640
#define DEFAULT_HEIGHT 480
#define LARGE_BYTES ((size_t)64 << 20) /* a frame that takes a second or more to draw */

struct pattern {
    struct zcs_source head;
    struct zci_picture picture;
    struct zci_packer packer;
    struct zci_pace pace;
    struct zci_rgb *rows[2]; /* colours of the rows being packed */
    uint8_t *background;     /* a frame without its moving parts */
    int drawn;               /* the background is */
    uint64_t sequence;       /* of the next frame */
    uint64_t frames;         /* UINT64_MAX: endless */
    struct zci_fault_injector faults;
};

static int inside(const struct zci_rect *r, uint32_t x, uint32_t y)
{
    return x >= r->x && x - r->x < r->width && y >= r->y && y - r->y < r->height;
}

/* Draws the moving parts over `count` pixels of row y from x on. */
static void draw_moving(const struct pattern *p, uint64_t sequence, uint32_t x, uint32_t y,
                        uint32_t count, struct zci_rgb *colors)
{
    const struct zci_rgb white = {65535, 65535, 65535}, black = {0};
    const struct zci_rect square = zci_picture_square(&p->picture, sequence);
    const struct zci_rect stamp = zci_stamp_rect(p->picture.width, p->picture.height);
    for (uint32_t i = 0; i < count; i++) {
        if (inside(&stamp, x + i, y))
            colors[i] = zci_stamp_pixel(sequence, x + i, y) ? white : black;
        else if (inside(&square, x + i, y))
            colors[i] = white;
    }
}

/* Draws `area` of the frame at `base`, extended to whole groups of pixels. */
static void draw(struct pattern *p, uint8_t *base, struct zci_rect area, int moving)
{
    const uint32_t width = p->picture.width, height = p->picture.height;
    const uint32_t x = area.x & ~3u, end = area.x + area.width;
    const uint32_t x_end = end + 3 >= width ? width : (end + 3) & ~3u;
    for (uint32_t y = area.y & ~1u; y < area.y + area.height; y += 2) {
        const uint32_t count = y + 1 < height ? 2 : 1;
        for (uint32_t row = 0; row < count; row++) {
            zci_picture_row(&p->picture, x, y + row, x_end - x, p->rows[row]);
            if (moving)
                draw_moving(p, p->sequence, x, y + row, x_end - x, p->rows[row]);
        }
        const struct zci_rgb *const rows[2] = {p->rows[0], count == 2 ? p->rows[1] : NULL};
        zci_packer_rows(&p->packer, base, x, y, x_end - x, rows);
    }
}

static void draw_background(struct pattern *p)
{
    const struct zci_rect all = {.width = p->picture.width, .height = p->picture.height};
    draw(p, p->background, all, 0);
    p->drawn = 1;
}

static void fill(struct pattern *p, struct zci_slot *slot)
{
    struct zcs_frame *frame = &slot->frame;
    memcpy(slot->memory.host, p->background, p->head.image.size_bytes);
    draw(p, slot->memory.host, zci_picture_square(&p->picture, p->sequence), 1);
    draw(p, slot->memory.host, zci_stamp_rect(p->picture.width, p->picture.height), 1);
    frame->image = p->head.image;
    frame->path = ZCS_PATH_PATTERN;
    frame->cpu_bytes_copied = p->head.image.size_bytes;
    zci_pace_stamp(&p->pace, p->sequence, frame);
    p->head.path = ZCS_PATH_PATTERN;
    p->head.path_reason = "drawn by the CPU";
}

static int64_t time_ns(const struct pattern *p)
{
    return zci_pace_time_ns(&p->pace, p->sequence);
}

static zcs_status pattern_next(zcs_source *source, int64_t timeout_ns, struct zci_slot **out)
{
    struct pattern *p = (struct pattern *)source;
    if (p->sequence == p->frames)
        return ZCS_EOF;
    if (!p->drawn)
        draw_background(p);
    const int64_t deadline_ns = zci_deadline_ns(timeout_ns);
    struct zci_work_limit limit = zci_work_limit(deadline_ns);
    do {
        zcs_status status =
            zci_fault_injector_wait(&p->faults, "pattern", &source->log, deadline_ns);
        if (status == ZCS_OK)
            status = zci_pace_wait(&p->pace, time_ns(p), deadline_ns);
        if (status != ZCS_OK)
            return status;
        struct zci_slot *slot = zci_pool_take(source->pool);
        if (slot == NULL)
            return ZCS_AGAIN;
        if (zci_fault_injector_lost(&p->faults, source->lost)) {
            zci_slot_unref(slot);
            continue;
        }
        fill(p, slot);
        p->sequence++;
        *out = slot;
        return ZCS_OK;
    } while (++p->sequence < p->frames && !zci_work_is_over(&limit));
    return p->sequence == p->frames ? ZCS_EOF : ZCS_AGAIN;
}

static uint64_t pattern_skip(zcs_source *source, uint64_t n)
{
    struct pattern *p = (struct pattern *)source;
    if (p->faults.active) /* skipped frames might have been lost */
        return 0;
    const uint64_t left = p->frames - p->sequence, passed = n < left ? n : left;
    p->sequence += passed;
    return passed;
}

static int pattern_starved(const zcs_source *source)
{
    return zci_pool_home_count(source->pool) == 0;
}

static int64_t pattern_due_ns(const zcs_source *source)
{
    const struct pattern *p = (const struct pattern *)source;
    const int64_t due_ns = zci_pace_due_ns(&p->pace, time_ns(p));
    if (p->sequence == p->frames)
        return 0;
    return due_ns > p->faults.stall_ns ? due_ns : p->faults.stall_ns;
}

static void pattern_close(zcs_source *source)
{
    struct pattern *p = (struct pattern *)source;
    free(p->rows[0]);
    free(p->rows[1]);
    free(p->background);
    free(p);
}

static const struct zci_source_ops pattern_ops = {
    .kind = "pattern",
    .next = pattern_next,
    .skip = pattern_skip,
    .due_ns = pattern_due_ns,
    .starved = pattern_starved,
    .close = pattern_close,
};

static zcs_status find_kind(const char *name, const struct zci_log *log, uint32_t *kind)
{
    const char *const *names = zcs_pattern_names();
    for (uint32_t i = 0; names[i] != NULL; i++)
        if (name == NULL || strcmp(name, names[i]) == 0) {
            *kind = i;
            return ZCS_OK;
        }
    return zci_fail(log, ZCS_ERR_ARG, "pattern %s: unknown; there are bars, ramp, zone and square",
                    name);
}

static zcs_status make_background(struct pattern *p, const char *what)
{
    const struct zcs_image *image = &p->head.image;
    for (int row = 0; row < 2; row++)
        p->rows[row] = calloc(image->width, sizeof *p->rows[row]);
    p->background = calloc(1, image->size_bytes);
    if (p->rows[0] == NULL || p->rows[1] == NULL || p->background == NULL)
        return zci_fail(&p->head.log, ZCS_ERR_NOMEM, "%s: no memory for a frame of %zu bytes", what,
                        image->size_bytes);
    if (image->size_bytes < LARGE_BYTES) /* larger ones are drawn when the first frame is needed */
        draw_background(p);
    return ZCS_OK;
}

static zcs_status set_up(struct pattern *p, const struct zcs_pattern_params *params)
{
    const struct zci_log *log = &p->head.log;
    const int no_size = params->width == 0 && params->height == 0;
    const struct zci_request request = {
        .format = params->format == ZCS_PIXFMT_NONE ? ZCS_PIXFMT_YUYV : params->format,
        .width = no_size ? DEFAULT_WIDTH : params->width,
        .height = no_size ? DEFAULT_HEIGHT : params->height,
        .stride_bytes = params->stride_bytes,
        .color = params->color,
    };
    zcs_status status = find_kind(params->name, log, &p->picture.kind);
    if (status != ZCS_OK)
        return status;
    const char *name = zcs_pattern_names()[p->picture.kind];
    status = zci_request_image(&request, name, log, &p->head.image);
    if (status == ZCS_OK)
        status =
            zci_pace_init(&p->pace, params->fps_num, params->fps_den, params->pace, 0, name, log);
    if (status == ZCS_OK)
        status = zci_fault_injector_init(&p->faults, params->inject, name, log);
    if (status != ZCS_OK)
        return status;
    p->picture.width = p->head.image.width;
    p->picture.height = p->head.image.height;
    zci_packer_init(&p->packer, &p->head.image);
    p->frames = params->frames ? params->frames : UINT64_MAX;
    p->head.frames = params->frames;
    p->head.fps_num = params->fps_num;
    p->head.fps_den = params->fps_den;
    p->head.live = p->pace.live;
    return make_background(p, name);
}

zcs_status zcs_source_open_pattern(zcs_context *ctx, const struct zcs_pattern_params *params,
                                   zcs_source **out)
{
    if (ctx == NULL)
        return ZCS_ERR_ARG;
    if (params == NULL || out == NULL)
        return zci_fail(&ctx->log, ZCS_ERR_ARG, "a pattern: %s is NULL",
                        params == NULL ? "params" : "out");
    struct pattern *p = calloc(1, sizeof *p);
    if (p == NULL)
        return zci_fail(&ctx->log, ZCS_ERR_NOMEM, "pattern: no memory for a source");
    zci_source_init(&p->head, &pattern_ops, ctx);
    zcs_source *source = &p->head;
    const zcs_status status = set_up(p, params);
    if (status != ZCS_OK) {
        zcs_source_close(&source);
        return status;
    }
    *out = source;
    return ZCS_OK;
}
