/* SPDX-License-Identifier: MIT */
/* Checks of controls and events. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>

#include "vcam/conformance/checks.h"

static int is_plain(const struct v4l2_queryctrl *q)
{
    return q->type == V4L2_CTRL_TYPE_INTEGER &&
           !(q->flags &
             (V4L2_CTRL_FLAG_DISABLED | V4L2_CTRL_FLAG_READ_ONLY | V4L2_CTRL_FLAG_INACTIVE |
              V4L2_CTRL_FLAG_WRITE_ONLY | V4L2_CTRL_FLAG_VOLATILE)) &&
           q->maximum > q->minimum;
}

/* Goes through the list; *plain gets the first number that can be set. */
static const char *walk(const struct node *n, struct v4l2_queryctrl *plain, int *found)
{
    struct v4l2_queryctrl q = {.id = V4L2_CTRL_FLAG_NEXT_CTRL};
    uint32_t last = 0;
    *found = 0;
    while (node_ask(n, VIDIOC_QUERYCTRL, &q) == 0) {
        if (q.id <= last || q.name[0] == '\0')
            return "ids do not grow, or a control has no name";
        last = q.id;
        struct v4l2_control value = {.id = q.id};
        if (is_plain(&q)) {
            if (node_ask(n, VIDIOC_G_CTRL, &value) != 0 || value.value < q.minimum ||
                value.value > q.maximum)
                return node_differs("a control's value", value.value, q.default_value);
            if (!*found)
                *plain = q;
            *found = 1;
        }
        q.id |= V4L2_CTRL_FLAG_NEXT_CTRL;
    }
    return last != 0 ? NULL : node_absent;
}

static const char *listed(const char *path)
{
    struct node n;
    struct v4l2_queryctrl plain;
    int found;
    if (node_open(&n, path, 0) != 0)
        return node_wrong("open");
    const char *result = walk(&n, &plain, &found);
    struct v4l2_queryctrl none = {.id = V4L2_CID_BASE + 0x7ff0};
    struct v4l2_control value = {.id = V4L2_CID_BASE + 0x7ff0};
    const int query = node_ask(&n, VIDIOC_QUERYCTRL, &none);
    const int get = node_ask(&n, VIDIOC_G_CTRL, &value);
    node_close(&n);
    if (result == NULL && (query != EINVAL || get != EINVAL))
        result = node_differs("a control that is not there", query, EINVAL);
    return result;
}

static const char *set_and_read(const struct node *n, const struct v4l2_queryctrl *q)
{
    struct v4l2_control before = {.id = q->id}, value = {.id = q->id, .value = q->maximum};
    if (node_ask(n, VIDIOC_G_CTRL, &before) != 0 || node_ask(n, VIDIOC_S_CTRL, &value) != 0)
        return node_wrong("S_CTRL");
    value.value = q->minimum - 1;
    if (node_ask(n, VIDIOC_G_CTRL, &value) != 0 || value.value < q->maximum - q->step + 1)
        return node_differs("the value that was set", value.value, q->maximum);
    struct v4l2_ext_control one = {.id = q->id, .value = q->minimum};
    struct v4l2_ext_controls all = {.count = 1, .controls = &one};
    if (node_ask(n, VIDIOC_TRY_EXT_CTRLS, &all) != 0 || node_ask(n, VIDIOC_S_EXT_CTRLS, &all) != 0)
        return node_wrong("S_EXT_CTRLS");
    one.value = q->maximum;
    if (node_ask(n, VIDIOC_G_EXT_CTRLS, &all) != 0 || one.value != q->minimum)
        return node_differs("G_EXT_CTRLS", one.value, q->minimum);
    return node_ask(n, VIDIOC_S_CTRL, &before) == 0 ? NULL : node_wrong("S_CTRL back");
}

static const char *set(const char *path)
{
    struct node n;
    struct v4l2_queryctrl plain = {0};
    int found;
    if (node_open(&n, path, 0) != 0)
        return node_wrong("open");
    const char *result = walk(&n, &plain, &found);
    if (result == NULL)
        result = found ? set_and_read(&n, &plain) : node_absent;
    node_close(&n);
    return result;
}

static const char *unknown_of_two(const char *path)
{
    struct node n;
    struct v4l2_queryctrl plain = {0};
    int found;
    if (node_open(&n, path, 0) != 0)
        return node_wrong("open");
    const char *result = walk(&n, &plain, &found);
    if (result == NULL && !found)
        result = node_absent;
    if (result == NULL) {
        struct v4l2_ext_control two[2] = {{.id = plain.id, .value = plain.default_value},
                                          {.id = V4L2_CID_BASE + 0x7ff0}};
        struct v4l2_ext_controls all = {.count = 2, .controls = two};
        const int tried = node_ask(&n, VIDIOC_TRY_EXT_CTRLS, &all);
        if (tried != EINVAL || all.error_idx != 1)
            result = node_differs("error_idx of TRY_EXT_CTRLS", all.error_idx, 1);
        const int done = node_ask(&n, VIDIOC_S_EXT_CTRLS, &all);
        if (result == NULL && (done != EINVAL || all.error_idx != 2))
            result = node_differs("error_idx of S_EXT_CTRLS", all.error_idx, 2);
    }
    node_close(&n);
    return result;
}

/* What one user sets, the other hears of, through POLLPRI. */
static const char *heard(const struct node *n, const struct node *other,
                         const struct v4l2_queryctrl *q)
{
    struct v4l2_event_subscription wanted = {.type = V4L2_EVENT_CTRL, .id = q->id};
    struct v4l2_event event;
    struct v4l2_control before = {.id = q->id}, value = {.id = q->id};
    int error = node_ask(n, VIDIOC_SUBSCRIBE_EVENT, &wanted);
    if (error == ENOTTY)
        return node_absent;
    if (error != 0 || (error = node_ask(n, VIDIOC_DQEVENT, &event)) != ENOENT)
        return node_differs("DQEVENT of none", error, ENOENT);
    if (node_poll(n, POLLPRI, 0) & POLLPRI)
        return "POLLPRI without an event";
    if (node_ask(other, VIDIOC_G_CTRL, &before) != 0)
        return node_wrong("G_CTRL");
    value.value = before.value == q->minimum ? q->minimum + q->step : q->minimum;
    if (node_ask(other, VIDIOC_S_CTRL, &value) != 0)
        return node_wrong("S_CTRL");
    const int polled = node_poll(n, POLLPRI, 2000);
    error = node_ask(n, VIDIOC_DQEVENT, &event);
    (void)node_ask(other, VIDIOC_S_CTRL, &before);
    if (!(polled & POLLPRI) || error != 0)
        return node_differs("poll after S_CTRL", polled, POLLPRI);
    if (event.type != V4L2_EVENT_CTRL || event.id != q->id || event.u.ctrl.value != value.value)
        return node_differs("the event's value", event.u.ctrl.value, value.value);
    if (node_ask(n, VIDIOC_UNSUBSCRIBE_EVENT, &wanted) != 0 ||
        node_ask(n, VIDIOC_DQEVENT, &event) != ENOENT)
        return "an event after UNSUBSCRIBE_EVENT";
    return NULL;
}

static const char *events(const char *path)
{
    struct node n, other;
    struct v4l2_queryctrl plain = {0};
    int found;
    if (node_open(&n, path, O_NONBLOCK) != 0)
        return node_wrong("open");
    if (node_open(&other, path, O_NONBLOCK) != 0) {
        node_close(&n);
        return node_wrong("a second open");
    }
    const char *result = walk(&n, &plain, &found);
    if (result == NULL)
        result = found ? heard(&n, &other, &plain) : node_absent;
    node_close(&other);
    node_close(&n);
    return result;
}

static const char *no_such_event(const char *path)
{
    struct node n;
    struct v4l2_event_subscription wanted = {.type = 0x7777};
    struct v4l2_event event;
    if (node_open(&n, path, O_NONBLOCK) != 0)
        return node_wrong("open");
    const int error = node_ask(&n, VIDIOC_SUBSCRIBE_EVENT, &wanted);
    const int none = node_ask(&n, VIDIOC_DQEVENT, &event);
    node_close(&n);
    if (error == ENOTTY)
        return node_absent;
    return error == EINVAL && none == ENOENT
               ? NULL
               : node_differs("SUBSCRIBE_EVENT of none", error, EINVAL);
}

const struct check checks_of_controls[] = {
    {"list of controls", listed},        {"S_CTRL, S_EXT_CTRLS, read back", set},
    {"error_idx", unknown_of_two},       {"events of controls, POLLPRI", events},
    {"an unknown event", no_such_event}, {NULL, NULL},
};
