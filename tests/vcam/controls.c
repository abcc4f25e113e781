/* SPDX-License-Identifier: MIT */
/* Asks for controls, their menus and values. */
#include "vcam/controls.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "vcam/events.h"
#include "vcam/format.h"
#include "vcam/target.h"

#define FLAGS_NEXT (V4L2_CTRL_FLAG_NEXT_CTRL | V4L2_CTRL_FLAG_NEXT_COMPOUND)

/* A class's controls come behind one that is its name. */
static uint32_t class_of(uint32_t id)
{
    return (id & 0x0fff0000u) | 1u;
}

/* The id that a query means: itself, or the next one there is. 0: none. */
static uint32_t meant(const struct vcam_script *s, uint32_t id)
{
    const uint32_t plain = id & V4L2_CTRL_ID_MASK;
    uint32_t best = 0;
    if (!(id & FLAGS_NEXT))
        return id;
    if (!(id & V4L2_CTRL_FLAG_NEXT_CTRL))
        return 0;
    for (uint32_t i = 0; i < s->control_count; i++) {
        const uint32_t ids[] = {class_of(s->controls[i].id), s->controls[i].id};
        for (int k = 0; k < 2; k++)
            if (ids[k] > plain && (best == 0 || ids[k] < best))
                best = ids[k];
    }
    return best;
}

/* The place of a control; -1: none, -2: it is a class's name. */
static int find(const struct vcam_script *s, uint32_t id)
{
    for (int i = 0; i < (int)s->control_count; i++) {
        if (s->controls[i].id == id)
            return i;
        if (class_of(s->controls[i].id) == id)
            return -2;
    }
    return -1;
}

static const char *class_name(uint32_t id)
{
    return id == V4L2_CID_CAMERA_CLASS ? "Camera Controls" : "User Controls";
}

int vcam_queryctrl(const struct vcam_camera *camera, struct v4l2_queryctrl *query)
{
    const uint32_t id = meant(camera->script, query->id);
    const int i = find(camera->script, id);
    if (i == -1)
        return -EINVAL;
    if (i < 0) {
        *query =
            (struct v4l2_queryctrl){.id = id,
                                    .type = V4L2_CTRL_TYPE_CTRL_CLASS,
                                    .flags = V4L2_CTRL_FLAG_READ_ONLY | V4L2_CTRL_FLAG_WRITE_ONLY};
        snprintf((char *)query->name, sizeof query->name, "%s", class_name(id));
        return 0;
    }
    const struct vcam_control *c = &camera->script->controls[i];
    *query = (struct v4l2_queryctrl){.id = c->id,
                                     .type = c->type,
                                     .minimum = c->min,
                                     .maximum = c->max,
                                     .step = c->step,
                                     .default_value = c->default_value};
    memcpy(query->name, c->name, sizeof query->name);
    return 0;
}

int vcam_query_ext_ctrl(const struct vcam_camera *camera, struct v4l2_query_ext_ctrl *query)
{
    const uint32_t id = meant(camera->script, query->id);
    const int i = find(camera->script, id);
    if (i == -1)
        return -EINVAL;
    if (i < 0) {
        *query = (struct v4l2_query_ext_ctrl){.id = id,
                                              .type = V4L2_CTRL_TYPE_CTRL_CLASS,
                                              .flags = V4L2_CTRL_FLAG_READ_ONLY |
                                                       V4L2_CTRL_FLAG_WRITE_ONLY};
        snprintf(query->name, sizeof query->name, "%s", class_name(id));
        return 0;
    }
    const struct vcam_control *c = &camera->script->controls[i];
    *query = (struct v4l2_query_ext_ctrl){.id = c->id,
                                          .type = c->type,
                                          .minimum = c->min,
                                          .maximum = c->max,
                                          .step = (uint64_t)c->step,
                                          .default_value = c->default_value,
                                          .elem_size = sizeof(int32_t),
                                          .elems = 1};
    memcpy(query->name, c->name, sizeof query->name);
    return 0;
}

int vcam_querymenu(const struct vcam_camera *camera, struct v4l2_querymenu *menu)
{
    const int i = find(camera->script, menu->id & V4L2_CTRL_ID_MASK);
    if (i < 0 || menu->index >= VCAM_MENU ||
        camera->script->controls[i].type != V4L2_CTRL_TYPE_MENU ||
        camera->script->controls[i].menu[menu->index][0] == '\0')
        return -EINVAL;
    memcpy(menu->name, camera->script->controls[i].menu[menu->index], sizeof menu->name);
    menu->reserved = 0;
    return 0;
}

/* The value that is taken instead of the one that was asked for. */
static int fit(const struct vcam_control *c, int32_t *value)
{
    if (c->type == V4L2_CTRL_TYPE_MENU)
        return *value >= c->min && *value <= c->max ? 0 : -ERANGE;
    if (c->type == V4L2_CTRL_TYPE_BOOLEAN) {
        *value = *value != 0;
        return 0;
    }
    int64_t v = *value < c->min ? c->min : *value > c->max ? c->max : *value;
    v = c->min + (v - c->min + c->step / 2) / c->step * c->step;
    *value = (int32_t)(v > c->max ? v - c->step : v);
    return 0;
}

static void store(struct vcam_camera *camera, const struct vcam_handle *handle, int i,
                  int32_t value)
{
    if (camera->control[i] == value)
        return;
    camera->control[i] = value;
    vcam_format_choose(camera, camera->format.fourcc, camera->format.width, camera->format.height,
                       &camera->format);
    vcam_event_control(camera, (uint32_t)i, handle);
}

int vcam_g_ctrl(const struct vcam_camera *camera, struct v4l2_control *control)
{
    const int i = find(camera->script, control->id & V4L2_CTRL_ID_MASK);
    if (i < 0)
        return i == -1 ? -EINVAL : -EACCES;
    control->value = camera->control[i];
    return 0;
}

int vcam_s_ctrl(struct vcam_camera *camera, const struct vcam_handle *handle,
                struct v4l2_control *control)
{
    const int i = find(camera->script, control->id & V4L2_CTRL_ID_MASK);
    if (i < 0)
        return i == -1 ? -EINVAL : -EACCES;
    const int error = fit(&camera->script->controls[i], &control->value);
    if (error == 0)
        store(camera, handle, i, control->value);
    return error;
}

/* One of several; -EINVAL makes its place the error_idx. */
static int one_of(struct vcam_camera *camera, const struct vcam_handle *handle, uint32_t request,
                  struct v4l2_ext_control *one)
{
    const int i = find(camera->script, one->id & V4L2_CTRL_ID_MASK);
    if (i < 0)
        return i == -1 ? -EINVAL : -EACCES;
    if (request == (uint32_t)VIDIOC_G_EXT_CTRLS) {
        one->value = camera->control[i];
        return 0;
    }
    int32_t value = one->value; /* the struct is packed */
    const int error = fit(&camera->script->controls[i], &value);
    one->value = value;
    if (error == 0 && request == (uint32_t)VIDIOC_S_EXT_CTRLS)
        store(camera, handle, i, value);
    return error;
}

/* Which controls may be named together. */
static int class_fits(const struct v4l2_ext_controls *controls, uint32_t id)
{
    return controls->which == V4L2_CTRL_WHICH_CUR_VAL ||
           controls->which == V4L2_CTRL_WHICH_DEF_VAL ||
           (id & 0x0fff0000u) == (controls->which & 0x0fff0000u);
}

int vcam_ext_ctrls(struct vcam_camera *camera, const struct vcam_handle *handle,
                   const struct vcam_call *call, struct v4l2_ext_controls *controls)
{
    struct v4l2_ext_control all[VCAM_CONTROLS];
    const uint64_t at = (uint64_t)(uintptr_t)controls->controls;
    const int presets = controls->which == V4L2_CTRL_WHICH_DEF_VAL;
    if (controls->count > VCAM_CONTROLS || controls->which == V4L2_CTRL_WHICH_REQUEST_VAL ||
        (presets && call->request != (uint32_t)VIDIOC_G_EXT_CTRLS))
        return -EINVAL;
    controls->error_idx = controls->count;
    if (controls->count == 0)
        return 0;
    int error = vcam_target_read(call->tid, at, all, controls->count * sizeof *all);
    for (uint32_t i = 0; error == 0 && i < controls->count; i++) {
        error = class_fits(controls, all[i].id) ? one_of(camera, handle, call->request, &all[i])
                                                : -EINVAL;
        if (error == 0 && presets)
            all[i].value = camera->script->controls[find(camera->script, all[i].id)].default_value;
        if (error != 0 && call->request == (uint32_t)VIDIOC_TRY_EXT_CTRLS)
            controls->error_idx = i;
    }
    if (error == 0)
        error = vcam_target_write(call->tid, at, all, controls->count * sizeof *all);
    return error;
}
