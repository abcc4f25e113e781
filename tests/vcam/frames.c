/* SPDX-License-Identifier: MIT */
/* The clock of a virtual camera. */
#include "vcam/frames.h"

#include <errno.h>
#include <string.h>

#include "vcam/content.h"
#include "vcam/events.h"
#include "vcam/format.h"
#include "vcam/memory.h"

#define MS_NS INT64_C(1000000)

static int64_t period_ns(const struct vcam_camera *camera)
{
    return 1000 * MS_NS / camera->fps;
}

/* The rule of this kind for the frame that is due; NULL: none. */
static const struct vcam_rule *rule_of(const struct vcam_camera *camera, enum vcam_action action)
{
    for (uint32_t i = 0; i < camera->script->rule_count; i++) {
        const struct vcam_rule *rule = &camera->script->rules[i];
        if (rule->action == action && camera->due >= rule->first && camera->due <= rule->last &&
            (camera->due - rule->first) % rule->every == 0)
            return rule;
    }
    return NULL;
}

void vcam_frames_start(struct vcam_camera *camera)
{
    camera->streaming = 1;
    camera->sequence = 0;
    camera->due_ns = vcam_now_ns() + period_ns(camera);
}

void vcam_frames_stop(struct vcam_camera *camera)
{
    camera->streaming = camera->broken = camera->ever_queued = 0;
    camera->queued_count = camera->done_count = 0;
    camera->eio = camera->again = 0;
    camera->due_ns = VCAM_NEVER;
    for (uint32_t i = 0; i < camera->count; i++) {
        camera->buffers[i].state = VCAM_IDLE;
        camera->buffers[i].prepared = 0;
        camera->buffers[i].early_ns = VCAM_NEVER;
    }
}

/* Whether the next frame may come, when its time has. */
static int may_come(const struct vcam_camera *camera)
{
    return camera->streaming && (camera->script->drops || camera->queued_count > 0);
}

int64_t vcam_frames_due_ns(const struct vcam_camera *camera)
{
    int64_t due_ns = may_come(camera) ? camera->due_ns : VCAM_NEVER;
    if (camera->gone && camera->back_ns < due_ns)
        due_ns = camera->back_ns;
    for (uint32_t i = 0; i < camera->count; i++)
        if (camera->buffers[i].early_ns < due_ns)
            due_ns = camera->buffers[i].early_ns;
    return due_ns;
}

static void write_frame(struct vcam_camera *camera, uint32_t i, uint32_t number, int lower_half)
{
    vcam_content(camera->script, &camera->format, number, camera->picture);
    if (vcam_memory_write(camera, i, lower_half) != 0 && camera->script->guard)
        vcam_camera_complain(camera, "memory that is queued is not there any more");
}

void vcam_frames_fill_early(struct vcam_camera *camera, uint32_t i, uint32_t ahead)
{
    write_frame(camera, i, camera->sequence + ahead, 0);
}

void vcam_frames_taken(struct vcam_camera *camera, uint32_t i)
{
    struct vcam_buffer *b = &camera->buffers[i];
    if (b->early_after_ns >= 0)
        b->early_ns = vcam_now_ns() + b->early_after_ns;
}

static void stamp(struct vcam_camera *camera, struct vcam_buffer *b)
{
    const struct vcam_rule *rule = rule_of(camera, VCAM_TIME);
    const int64_t us = rule != NULL ? rule->value : vcam_now_ns() / 1000;
    b->time = (struct timeval){.tv_sec = us / 1000000, .tv_usec = us % 1000000};
}

/* Fills the buffer that has waited longest. */
static void deliver(struct vcam_camera *camera)
{
    const uint32_t i = camera->queued[0];
    struct vcam_buffer *b = &camera->buffers[i];
    const struct vcam_rule *bytes = rule_of(camera, VCAM_BYTES);
    const struct vcam_rule *early = rule_of(camera, VCAM_EARLY);
    memmove(camera->queued, camera->queued + 1, --camera->queued_count * sizeof camera->queued[0]);
    if (!camera->script->at_queue && rule_of(camera, VCAM_UNWRITTEN) == NULL)
        write_frame(camera, i, camera->sequence, rule_of(camera, VCAM_HALF) != NULL);
    for (uint32_t p = 0; p < camera->format.planes; p++)
        b->bytes_used[p] = bytes != NULL ? (uint32_t)bytes->value : camera->format.size[p];
    b->flags = rule_of(camera, VCAM_ERROR) != NULL ? V4L2_BUF_FLAG_ERROR : 0;
    b->sequence = camera->sequence;
    b->early_after_ns = early != NULL ? early->value * 1000 : -1;
    b->state = VCAM_DONE;
    stamp(camera, b);
    camera->done[camera->done_count++] = i;
}

/* A source of another size: nothing comes until the program has begun anew. */
static void change_signal(struct vcam_camera *camera, const struct vcam_mode *mode)
{
    camera->signal = mode;
    vcam_format_choose(camera, mode->fourcc, mode->width, mode->height, &camera->format);
    camera->due++;
    camera->due_ns = VCAM_NEVER;
    vcam_event_source(camera);
}

/* A rule for the whole camera. 1: no frame comes now. */
static int disturb(struct vcam_camera *camera)
{
    const struct vcam_rule *rule;
    if ((rule = rule_of(camera, VCAM_GONE)) != NULL) {
        camera->due++;
        camera->back_ns = rule->value > 0 ? vcam_now_ns() + rule->value * MS_NS : VCAM_NEVER;
        vcam_camera_unplug(camera);
        return 1;
    }
    if (rule_of(camera, VCAM_SILENCE) != NULL) {
        camera->due_ns = VCAM_NEVER;
        return 1;
    }
    if (rule_of(camera, VCAM_FATAL) != NULL) {
        camera->due++;
        camera->broken = 1;
        camera->due_ns = VCAM_NEVER;
        return 1;
    }
    if ((rule = rule_of(camera, VCAM_SEQUENCE)) != NULL)
        camera->sequence = (uint32_t)rule->value;
    if ((rule = rule_of(camera, VCAM_PAUSE)) != NULL)
        camera->due_ns += rule->value * MS_NS;
    if ((rule = rule_of(camera, VCAM_SOURCE)) == NULL)
        return 0;
    if (rule->value > 0 && (uint64_t)rule->value <= camera->script->mode_count) {
        change_signal(camera, &camera->script->modes[rule->value - 1]);
        return 1;
    }
    vcam_event_source(camera);
    return 0;
}

static void one_frame(struct vcam_camera *camera)
{
    camera->due_ns += period_ns(camera);
    if (!camera->script->drops && camera->due_ns < vcam_now_ns())
        camera->due_ns = vcam_now_ns();
    if (disturb(camera))
        return;
    if (rule_of(camera, VCAM_EIO) != NULL)
        camera->eio++;
    else if (rule_of(camera, VCAM_LOST) == NULL && camera->queued_count > 0)
        deliver(camera);
    if (rule_of(camera, VCAM_AGAIN) != NULL)
        camera->again = 1;
    camera->sequence++;
    camera->due++;
}

/* What the driver of another buffer would write next comes into one that the program has. */
static void write_early(struct vcam_camera *camera, int64_t now_ns)
{
    for (uint32_t i = 0; i < camera->count; i++) {
        struct vcam_buffer *b = &camera->buffers[i];
        if (b->state != VCAM_IDLE || b->early_ns > now_ns)
            continue;
        b->early_ns = VCAM_NEVER;
        write_frame(camera, i, b->sequence + 1, 0);
    }
}

void vcam_frames_run(struct vcam_camera *camera, int64_t now_ns)
{
    if (camera->gone && camera->back_ns <= now_ns) {
        camera->gone = 0;
        camera->back_ns = VCAM_NEVER;
    }
    write_early(camera, now_ns);
    if (!may_come(camera) || camera->due_ns > now_ns)
        return;
    one_frame(camera);
    vcam_camera_show(camera);
}
