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

/* The place of a control; with a NEXT flag, of the one with the next id. -1: none. */
static int find(const struct vcam_script *s, uint32_t id)
{
    int best = -1;
    const uint32_t plain = id & V4L2_CTRL_ID_MASK;
    if ((id & FLAGS_NEXT) == V4L2_CTRL_FLAG_NEXT_COMPOUND)
        return -1;
    for (int i = 0; i < (int)s->control_count; i++) {
        if (!(id & FLAGS_NEXT) && s->controls[i].id == id)
            return i;
        if ((id & FLAGS_NEXT) && s->controls[i].id > plain &&
            (best < 0 || s->controls[i].id < s->controls[best].id))
            best = i;
    }
    return best;
}

int vcam_queryctrl(const struct vcam_camera *camera, struct v4l2_queryctrl *query)
{
    const int i = find(camera->script, query->id);
    if (i < 0)
        return -EINVAL;
    const struct vcam_control *c = &camera->script->controls[i];
    *query = (struct v4l2_queryctrl){.id = c->id,
                                     .type = c->type,
                                     .minimum = c->least,
                                     .maximum = c->most,
                                     .step = c->step,
                                     .default_value = c->preset};
    memcpy(query->name, c->name, sizeof query->name);
    return 0;
}

int vcam_query_ext_ctrl(const struct vcam_camera *camera, struct v4l2_query_ext_ctrl *query)
{
    const int i = find(camera->script, query->id);
    if (i < 0)
        return -EINVAL;
    const struct vcam_control *c = &camera->script->controls[i];
    *query = (struct v4l2_query_ext_ctrl){.id = c->id,
                                          .type = c->type,
                                          .minimum = c->least,
                                          .maximum = c->most,
                                          .step = (uint64_t)c->step,
                                          .default_value = c->preset,
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
        return *value >= c->least && *value <= c->most ? 0 : -ERANGE;
    if (c->type == V4L2_CTRL_TYPE_BOOLEAN) {
        *value = *value != 0;
        return 0;
    }
    int64_t v = *value < c->least ? c->least : *value > c->most ? c->most : *value;
    v = c->least + (v - c->least + c->step / 2) / c->step * c->step;
    *value = (int32_t)(v > c->most ? v - c->step : v);
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
        return -EINVAL;
    control->value = camera->control[i];
    return 0;
}

int vcam_s_ctrl(struct vcam_camera *camera, const struct vcam_handle *handle,
                struct v4l2_control *control)
{
    const int i = find(camera->script, control->id & V4L2_CTRL_ID_MASK);
    if (i < 0)
        return -EINVAL;
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
        return -EINVAL;
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

static int is_preset(uint32_t request, const struct v4l2_ext_controls *controls)
{
    return request == (uint32_t)VIDIOC_G_EXT_CTRLS && controls->which == V4L2_CTRL_WHICH_DEF_VAL;
}

int vcam_ext_ctrls(struct vcam_camera *camera, const struct vcam_handle *handle,
                   const struct vcam_call *call, struct v4l2_ext_controls *controls)
{
    struct v4l2_ext_control all[VCAM_CONTROLS];
    const uint64_t at = (uint64_t)(uintptr_t)controls->controls;
    if (controls->count > VCAM_CONTROLS || controls->which == V4L2_CTRL_WHICH_REQUEST_VAL)
        return -EINVAL;
    controls->error_idx = controls->count;
    if (controls->count == 0)
        return 0;
    int error = vcam_target_read(call->tid, at, all, controls->count * sizeof *all);
    for (uint32_t i = 0; error == 0 && i < controls->count; i++) {
        error = one_of(camera, handle, call->request, &all[i]);
        if (error == 0 && is_preset(call->request, controls))
            all[i].value = camera->script->controls[find(camera->script, all[i].id)].preset;
        if (error != 0 && call->request != (uint32_t)VIDIOC_S_EXT_CTRLS)
            controls->error_idx = i;
    }
    if (error == 0)
        error = vcam_target_write(call->tid, at, all, controls->count * sizeof *all);
    return error;
}
