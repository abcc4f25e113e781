/* SPDX-License-Identifier: MIT */
/* Controls, lists and events for the scripted device: the requests that v4l2_script.h answers with
 * ENOTTY. */
#ifndef ZCS_TESTS_UNIT_V4L2_SCRIPT_CONTROLS_H
#define ZCS_TESTS_UNIT_V4L2_SCRIPT_CONTROLS_H

#include "unit/v4l2_script.h"

#define CAM_FLIP V4L2_CID_HFLIP

struct cam_control {
    struct v4l2_query_ext_ctrl is;
    int64_t value;
    char text[32];
    const char *items[4]; /* of a menu; NULL: a hole */
    int64_t numbers[4];   /* of an integer menu */
    int64_t grain;        /* the driver rounds down to multiples */
    int error;            /* of setting it */
    int watched;
};

/* The script is its first member, so that one pointer is both. */
struct cam {
    struct script s;
    struct cam_control controls[16];
    uint32_t count;
    int old;        /* only has VIDIOC_QUERYCTRL, G_CTRL and S_CTRL */
    int signals;    /* reports source changes */
    int flip_turns; /* the flip exchanges RGGB and GRBG */
    int gain_turns; /* so does the gain, without a flag */
    struct v4l2_event events[8];
    uint32_t event_count;
    int flaps; /* one source change after the other, without end */
    int sets;
};

static inline struct cam_control *cam_find(struct cam *c, uint32_t id)
{
    for (uint32_t i = 0; i < c->count; i++)
        if (c->controls[i].is.id == id)
            return &c->controls[i];
    return NULL;
}

static inline int cam_query(struct cam *c, struct v4l2_query_ext_ctrl *q)
{
    const uint32_t after = q->id & ~(V4L2_CTRL_FLAG_NEXT_CTRL | V4L2_CTRL_FLAG_NEXT_COMPOUND);
    CHECK(q->id & V4L2_CTRL_FLAG_NEXT_CTRL);
    for (uint32_t i = 0; i < c->count; i++)
        if (c->controls[i].is.id > after) {
            *q = c->controls[i].is;
            return 0;
        }
    return script_error(EINVAL);
}

static inline int cam_query_old(struct cam *c, struct v4l2_queryctrl *q)
{
    struct v4l2_query_ext_ctrl got = {.id = q->id};
    if (cam_query(c, &got) < 0)
        return -1;
    *q = (struct v4l2_queryctrl){.id = got.id,
                                 .type = got.type,
                                 .minimum = (int32_t)got.minimum,
                                 .maximum = (int32_t)got.maximum,
                                 .step = (int32_t)got.step,
                                 .default_value = (int32_t)got.default_value,
                                 .flags = got.flags};
    memcpy(q->name, got.name, sizeof got.name);
    return 0;
}

static inline int cam_menu(struct cam *c, struct v4l2_querymenu *q)
{
    const struct cam_control *control = cam_find(c, q->id);
    if (control == NULL || q->index > 3)
        return script_error(EINVAL);
    if (control->is.type == V4L2_CTRL_TYPE_INTEGER_MENU) {
        q->value = control->numbers[q->index];
        return 0;
    }
    if (control->items[q->index] == NULL)
        return script_error(EINVAL);
    snprintf((char *)q->name, sizeof q->name, "%s", control->items[q->index]);
    return 0;
}

static inline void cam_turn(struct cam *c)
{
    uint32_t *fourcc = &c->s.now.pixelformat;
    *fourcc = *fourcc == V4L2_PIX_FMT_SRGGB8 ? V4L2_PIX_FMT_SGRBG8 : V4L2_PIX_FMT_SRGGB8;
    for (int i = 0; i < 8; i++)
        c->s.fourccs[i] = i == 0 ? *fourcc : 0;
}

static inline int cam_store(struct cam *c, struct cam_control *control, int64_t value)
{
    c->sets++;
    if (control->error != 0)
        return script_error(control->error);
    const int64_t before = control->value;
    control->value = control->grain > 0 ? value / control->grain * control->grain : value;
    if (before != control->value && ((control->is.id == CAM_FLIP && c->flip_turns) ||
                                     (control->is.id == V4L2_CID_GAIN && c->gain_turns)))
        cam_turn(c);
    return 0;
}

static inline int cam_extended(struct cam *c, struct v4l2_ext_controls *all, int set)
{
    CHECK_EQ(all->count, 1);
    CHECK_EQ(all->which, V4L2_CTRL_WHICH_CUR_VAL);
    struct v4l2_ext_control *one = all->controls;
    struct cam_control *control = cam_find(c, one->id);
    if (control == NULL)
        return script_error(EINVAL);
    const int wide = control->is.type == V4L2_CTRL_TYPE_INTEGER64;
    if (control->is.type == V4L2_CTRL_TYPE_STRING) {
        CHECK(set || one->size > strlen(control->text));
        if (set)
            snprintf(control->text, sizeof control->text, "%s", one->string);
        else
            snprintf(one->string, one->size, "%s", control->text);
        return 0;
    }
    if (set)
        return cam_store(c, control, wide ? one->value64 : one->value);
    if (wide)
        one->value64 = control->value;
    else
        one->value = (int32_t)control->value;
    return 0;
}

static inline int cam_old_value(struct cam *c, struct v4l2_control *one, int set)
{
    struct cam_control *control = cam_find(c, one->id);
    if (control == NULL)
        return script_error(EINVAL);
    if (set)
        return cam_store(c, control, one->value);
    one->value = (int32_t)control->value;
    return 0;
}

static inline int cam_event(struct cam *c, struct v4l2_event *out)
{
    if (c->flaps)
        *out = (struct v4l2_event){.type = V4L2_EVENT_SOURCE_CHANGE,
                                   .u.src_change = {.changes = V4L2_EVENT_SRC_CH_RESOLUTION}};
    if (c->flaps)
        return 0;
    if (c->event_count == 0)
        return script_error(ENOENT);
    *out = c->events[0];
    memmove(c->events, c->events + 1, --c->event_count * sizeof c->events[0]);
    return 0;
}

static inline int cam_watch(struct cam *c, const struct v4l2_event_subscription *wanted)
{
    struct cam_control *control = cam_find(c, wanted->id);
    if (wanted->type == V4L2_EVENT_SOURCE_CHANGE)
        return c->signals ? 0 : script_error(EINVAL);
    CHECK_EQ(wanted->type, V4L2_EVENT_CTRL);
    CHECK(control != NULL);
    control->watched = 1;
    return 0;
}

/* -2: another request. */
static inline int cam_dispatch(struct cam *c, unsigned long request, void *argument)
{
    switch (request) {
    case VIDIOC_QUERYMENU:
        return cam_menu(c, argument);
    case VIDIOC_QUERYCTRL:
        return c->old ? cam_query_old(c, argument) : -2;
    case VIDIOC_G_CTRL:
        return c->old ? cam_old_value(c, argument, 0) : -2;
    case VIDIOC_S_CTRL:
        return c->old ? cam_old_value(c, argument, 1) : -2;
    case VIDIOC_QUERY_EXT_CTRL:
        return c->old ? -2 : cam_query(c, argument);
    case VIDIOC_G_EXT_CTRLS:
        return c->old ? -2 : cam_extended(c, argument, 0);
    case VIDIOC_S_EXT_CTRLS:
        return c->old ? -2 : cam_extended(c, argument, 1);
    case VIDIOC_SUBSCRIBE_EVENT:
        return c->old ? -2 : cam_watch(c, argument);
    case VIDIOC_DQEVENT:
        return c->old ? -2 : cam_event(c, argument);
    default:
        return -2;
    }
}

static inline int cam_ioctl(void *user, int fd, unsigned long request, void *argument)
{
    struct cam *c = user;
    const int fails = c->s.fail_at != 0 && c->s.calls_made + 1 == c->s.fail_at;
    const int result = fails ? -2 : cam_dispatch(c, request, argument);
    if (result == -2)
        return script_ioctl(user, fd, request, argument);
    c->s.calls_made++;
    return result;
}

static inline struct cam_control *cam_add(struct cam *c, uint32_t id, uint32_t type,
                                          const char *name, int64_t min, int64_t max, int64_t value)
{
    struct cam_control *control = &c->controls[c->count++];
    *control = (struct cam_control){.is = {.id = id,
                                           .type = type,
                                           .minimum = min,
                                           .maximum = max,
                                           .step = 1,
                                           .default_value = value,
                                           .elem_size = 4,
                                           .elems = 1},
                                    .value = value};
    snprintf(control->is.name, sizeof control->is.name, "%s", name);
    return control;
}

/* A camera with one control of each kind, in the order of their ids. */
static inline void cam_init(struct cam *c)
{
    memset(c, 0, sizeof *c);
    script_init(&c->s);
    c->s.calls.user = c;
    c->s.calls.ioctl = cam_ioctl;
    cam_add(c, V4L2_CID_USER_CLASS, V4L2_CTRL_TYPE_CTRL_CLASS, "User Controls", 0, 0, 0);
    cam_add(c, V4L2_CID_BRIGHTNESS, V4L2_CTRL_TYPE_INTEGER, "Brightness", -64, 64, 0);
    cam_add(c, V4L2_CID_GAIN, V4L2_CTRL_TYPE_INTEGER, "Gain", 0, 255, 16);
    cam_add(c, CAM_FLIP, V4L2_CTRL_TYPE_BOOLEAN, "Horizontal Flip", 0, 1, 0);
    struct cam_control *control = cam_add(c, V4L2_CID_POWER_LINE_FREQUENCY, V4L2_CTRL_TYPE_MENU,
                                          "Power Line Frequency", 0, 3, 1);
    control->items[0] = "Disabled";
    control->items[1] = "50 Hz";
    control->items[3] = "Auto";
    cam_add(c, V4L2_CID_USER_BASE + 0x1000, V4L2_CTRL_TYPE_BUTTON, "Press Me", 0, 0, 0);
    cam_add(c, V4L2_CID_USER_BASE + 0x1001, V4L2_CTRL_TYPE_INTEGER64, "Wide", -(INT64_C(1) << 40),
            INT64_C(1) << 40, INT64_C(1) << 33);
    control = cam_add(c, V4L2_CID_USER_BASE + 0x1002, V4L2_CTRL_TYPE_STRING, "Label", 0, 31, 0);
    snprintf(control->text, sizeof control->text, "left");
    cam_add(c, V4L2_CID_USER_BASE + 0x1003, V4L2_CTRL_TYPE_BITMASK, "Lamps", 0, 0xf0000001, 1);
    control = cam_add(c, V4L2_CID_USER_BASE + 0x1004, V4L2_CTRL_TYPE_U8, "Table", 0, 255, 0);
    control->is.nr_of_dims = 2;
    control->is.dims[0] = control->is.dims[1] = 16;
    cam_add(c, V4L2_CID_EXPOSURE_ABSOLUTE, V4L2_CTRL_TYPE_INTEGER, "Exposure Time, Absolute", 1,
            5000, 156);
    control = cam_add(c, V4L2_CID_ISO_SENSITIVITY, V4L2_CTRL_TYPE_INTEGER_MENU, "ISO Sensitivity",
                      0, 3, 0);
    for (int i = 0; i < 4; i++)
        control->numbers[i] = 100 << i;
    cam_add(c, V4L2_CID_PIXEL_RATE, V4L2_CTRL_TYPE_INTEGER, "Pixel Rate", 0, 1000, 500)->is.flags =
        V4L2_CTRL_FLAG_READ_ONLY;
}

#endif
