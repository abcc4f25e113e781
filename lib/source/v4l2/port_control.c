/* SPDX-License-Identifier: MIT */
/* Requests about controls: listing, reading and setting them; and events. */
#include "source/v4l2/port.h"

#include <errno.h>
#include <linux/videodev2.h>
#include <stdio.h>
#include <string.h>

static uint32_t flags_of(uint32_t flags)
{
    static const struct {
        uint32_t from, to;
    } pairs[] = {
        {V4L2_CTRL_FLAG_DISABLED, ZCS_CONTROL_DISABLED},
        {V4L2_CTRL_FLAG_READ_ONLY, ZCS_CONTROL_READ_ONLY},
        {V4L2_CTRL_FLAG_WRITE_ONLY, ZCS_CONTROL_WRITE_ONLY},
        {V4L2_CTRL_FLAG_INACTIVE, ZCS_CONTROL_INACTIVE},
        {V4L2_CTRL_FLAG_VOLATILE, ZCS_CONTROL_VOLATILE},
        {V4L2_CTRL_FLAG_GRABBED, ZCS_CONTROL_GRABBED},
        {V4L2_CTRL_FLAG_MODIFY_LAYOUT, ZCS_CONTROL_LAYOUT},
    };
    uint32_t out = 0;
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
        if (flags & pairs[i].from)
            out |= pairs[i].to;
    return out;
}

static enum zcs_control_type type_of(const struct v4l2_query_ext_ctrl *got)
{
    if (got->nr_of_dims > 0)
        return ZCS_CONTROL_COMPOUND;
    switch (got->type) {
    case V4L2_CTRL_TYPE_INTEGER:
    case V4L2_CTRL_TYPE_INTEGER64:
        return ZCS_CONTROL_INTEGER;
    case V4L2_CTRL_TYPE_BOOLEAN:
        return ZCS_CONTROL_BOOLEAN;
    case V4L2_CTRL_TYPE_MENU:
        return ZCS_CONTROL_MENU;
    case V4L2_CTRL_TYPE_INTEGER_MENU:
        return ZCS_CONTROL_INTEGER_MENU;
    case V4L2_CTRL_TYPE_BUTTON:
        return ZCS_CONTROL_BUTTON;
    case V4L2_CTRL_TYPE_BITMASK:
        return ZCS_CONTROL_BITMASK;
    case V4L2_CTRL_TYPE_STRING:
        return ZCS_CONTROL_STRING;
    default:
        return ZCS_CONTROL_COMPOUND;
    }
}

static const char *kind_of(uint32_t type)
{
    static const struct {
        uint32_t type;
        const char *name;
    } kinds[] = {
        {V4L2_CTRL_TYPE_INTEGER, "int"},
        {V4L2_CTRL_TYPE_INTEGER64, "int64"},
        {V4L2_CTRL_TYPE_BOOLEAN, "bool"},
        {V4L2_CTRL_TYPE_MENU, "menu"},
        {V4L2_CTRL_TYPE_INTEGER_MENU, "intmenu"},
        {V4L2_CTRL_TYPE_BUTTON, "button"},
        {V4L2_CTRL_TYPE_BITMASK, "bitmask"},
        {V4L2_CTRL_TYPE_STRING, "string"},
        {V4L2_CTRL_TYPE_U8, "u8"},
        {V4L2_CTRL_TYPE_U16, "u16"},
        {V4L2_CTRL_TYPE_U32, "u32"},
        {V4L2_CTRL_TYPE_AREA, "area"},
        {V4L2_CTRL_TYPE_HDR10_CLL_INFO, "hdr10_cll_info"},
        {V4L2_CTRL_TYPE_HDR10_MASTERING_DISPLAY, "hdr10_mastering_display"},
    };
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (kinds[i].type == type)
            return kinds[i].name;
    return NULL;
}

/* "u8[16][16]". A type that the header of the build does not know is described by its number. */
static void describe(const struct v4l2_query_ext_ctrl *got, char *out, size_t bytes)
{
    const char *kind = kind_of(got->type);
    int used = kind != NULL ? snprintf(out, bytes, "%s", kind)
                            : snprintf(out, bytes, "type 0x%x, %u bytes", got->type,
                                       got->elem_size * got->elems);
    for (uint32_t d = 0; d < got->nr_of_dims && d < V4L2_CTRL_MAX_DIMS; d++)
        if (used > 0 && (size_t)used < bytes)
            used += snprintf(out + used, bytes - (size_t)used, "[%u]", got->dims[d]);
}

static void copy_info(const struct v4l2_query_ext_ctrl *got, struct zci_v4l2_control *out)
{
    *out = (struct zci_v4l2_control){
        .info = {.id = got->id,
                 .type = type_of(got),
                 .flags = flags_of(got->flags),
                 .min = got->minimum,
                 .max = got->maximum,
                 .default_value = got->default_value,
                 .step = got->step},
        .is_64bit = got->type == V4L2_CTRL_TYPE_INTEGER64,
    };
    if (got->id == V4L2_CID_HFLIP || got->id == V4L2_CID_VFLIP || got->id == V4L2_CID_ROTATE)
        out->info.flags |= ZCS_CONTROL_LAYOUT; /* some drivers do not set the flag */
    snprintf(out->info.title, sizeof out->info.title, "%.32s", got->name);
    describe(got, out->info.kind, sizeof out->info.kind);
}

/* VIDIOC_QUERYCTRL, for drivers without VIDIOC_QUERY_EXT_CTRL. */
static int query_old(const struct zci_v4l2_port *port, uint32_t after,
                     struct v4l2_query_ext_ctrl *out)
{
    struct v4l2_queryctrl got = {.id = after | V4L2_CTRL_FLAG_NEXT_CTRL};
    const int error = zci_v4l2_ioctl(port, VIDIOC_QUERYCTRL, &got);
    if (error != 0)
        return error;
    *out = (struct v4l2_query_ext_ctrl){.id = got.id,
                                        .type = got.type,
                                        .minimum = got.minimum,
                                        .maximum = got.maximum,
                                        .step = (uint64_t)got.step,
                                        .default_value = got.default_value,
                                        .flags = got.flags};
    if (got.type == V4L2_CTRL_TYPE_BITMASK)
        out->maximum = (uint32_t)got.maximum;
    memcpy(out->name, got.name, sizeof out->name);
    return 0;
}

int zci_v4l2_next_control(const struct zci_v4l2_port *port, uint32_t after,
                          struct zci_v4l2_control *out)
{
    for (;;) {
        struct v4l2_query_ext_ctrl got = {.id = after | V4L2_CTRL_FLAG_NEXT_CTRL |
                                                V4L2_CTRL_FLAG_NEXT_COMPOUND};
        int error = zci_v4l2_ioctl(port, VIDIOC_QUERY_EXT_CTRL, &got);
        if (error == ENOTTY)
            error = query_old(port, after, &got);
        if (error != 0)
            return error;
        if (got.id <= after) /* the driver does not advance */
            return EINVAL;
        after = got.id;
        if (got.type == V4L2_CTRL_TYPE_CTRL_CLASS)
            continue;
        copy_info(&got, out);
        return 0;
    }
}

int zci_v4l2_querymenu(const struct zci_v4l2_port *port, const struct zci_v4l2_control *control,
                       uint32_t index, struct zcs_control_item *out)
{
    struct v4l2_querymenu got = {.id = control->info.id, .index = index};
    const int error = zci_v4l2_ioctl(port, VIDIOC_QUERYMENU, &got);
    if (error != 0)
        return error;
    out->index = index;
    if (control->info.type == ZCS_CONTROL_INTEGER_MENU)
        snprintf(out->text, sizeof out->text, "%lld", (long long)got.value);
    else
        snprintf(out->text, sizeof out->text, "%.32s", (const char *)got.name);
    return 0;
}

static int ext_ctrls(const struct zci_v4l2_port *port, unsigned long request,
                     struct v4l2_ext_control *control)
{
    struct v4l2_ext_controls all = {.count = 1, .controls = control};
    return zci_v4l2_ioctl(port, request, &all);
}

int zci_v4l2_get_control(const struct zci_v4l2_port *port, const struct zci_v4l2_control *control,
                         int64_t *value)
{
    struct v4l2_ext_control one = {.id = control->info.id};
    int error = ext_ctrls(port, VIDIOC_G_EXT_CTRLS, &one);
    if (error == ENOTTY && !control->is_64bit) {
        struct v4l2_control old = {.id = control->info.id};
        error = zci_v4l2_ioctl(port, VIDIOC_G_CTRL, &old);
        one.value = old.value;
    }
    if (error != 0)
        return error;
    const int64_t number = control->is_64bit ? one.value64 : one.value;
    *value = control->info.type == ZCS_CONTROL_BITMASK ? (uint32_t)number : number;
    return 0;
}

int zci_v4l2_set_control(const struct zci_v4l2_port *port, const struct zci_v4l2_control *control,
                         int64_t value)
{
    struct v4l2_ext_control one = {.id = control->info.id};
    if (control->is_64bit)
        one.value64 = value;
    else
        one.value = (int32_t)value;
    const int error = ext_ctrls(port, VIDIOC_S_EXT_CTRLS, &one);
    if (error != ENOTTY || control->is_64bit)
        return error;
    struct v4l2_control old = {.id = control->info.id, .value = (int32_t)value};
    return zci_v4l2_ioctl(port, VIDIOC_S_CTRL, &old);
}

int zci_v4l2_get_string(const struct zci_v4l2_port *port, const struct zci_v4l2_control *control,
                        char *text, size_t bytes)
{
    struct v4l2_ext_control one = {.id = control->info.id, .size = (uint32_t)bytes, .string = text};
    const int error = ext_ctrls(port, VIDIOC_G_EXT_CTRLS, &one);
    text[error == 0 ? bytes - 1 : 0] = '\0';
    return error;
}

int zci_v4l2_set_string(const struct zci_v4l2_port *port, const struct zci_v4l2_control *control,
                        const char *text, size_t bytes)
{
    /* The kernel only reads it. */
    union {
        const char *from;
        char *to;
    } string = {.from = text};
    struct v4l2_ext_control one = {
        .id = control->info.id, .size = (uint32_t)bytes, .string = string.to};
    return ext_ctrls(port, VIDIOC_S_EXT_CTRLS, &one);
}

int zci_v4l2_subscribe_control(const struct zci_v4l2_port *port, uint32_t id)
{
    struct v4l2_event_subscription wanted = {.type = V4L2_EVENT_CTRL, .id = id};
    return zci_v4l2_ioctl(port, VIDIOC_SUBSCRIBE_EVENT, &wanted);
}

int zci_v4l2_subscribe_source_change(const struct zci_v4l2_port *port)
{
    struct v4l2_event_subscription wanted = {.type = V4L2_EVENT_SOURCE_CHANGE};
    if (zci_v4l2_get_input(port, &wanted.id) != 0)
        wanted.id = 0;
    return zci_v4l2_ioctl(port, VIDIOC_SUBSCRIBE_EVENT, &wanted);
}

int zci_v4l2_dqevent(const struct zci_v4l2_port *port, struct zci_v4l2_event *out)
{
    struct v4l2_event got = {0};
    const int error = zci_v4l2_ioctl(port, VIDIOC_DQEVENT, &got);
    if (error != 0)
        return error;
    *out = (struct zci_v4l2_event){.id = got.id,
                                   .time_ns = (int64_t)got.timestamp.tv_sec * 1000000000 +
                                              got.timestamp.tv_nsec};
    out->source_change = got.type == V4L2_EVENT_SOURCE_CHANGE &&
                         (got.u.src_change.changes & V4L2_EVENT_SRC_CH_RESOLUTION) != 0;
    if (got.type != V4L2_EVENT_CTRL || !(got.u.ctrl.changes & V4L2_EVENT_CTRL_CH_VALUE))
        return 0;
    out->control = 1;
    out->value =
        got.u.ctrl.type == V4L2_CTRL_TYPE_INTEGER64 ? got.u.ctrl.value64 : got.u.ctrl.value;
    return 0;
}
