/* SPDX-License-Identifier: MIT */
/* Checks of what a device is, of its formats, rates and inputs. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/ioctl.h>

#include "vcam/conformance/checks.h"

static const char *capabilities(const char *path)
{
    struct node n;
    struct v4l2_capability cap;
    if (node_open(&n, path, 0) != 0)
        return node_wrong("open");
    const int error = node_ask(&n, VIDIOC_QUERYCAP, &cap);
    node_close(&n);
    if (error != 0)
        return node_differs("QUERYCAP", error, 0);
    if (cap.driver[0] == '\0' || cap.card[0] == '\0' || cap.bus_info[0] == '\0')
        return "driver, card or bus has no name";
    if (!(cap.capabilities & V4L2_CAP_DEVICE_CAPS) || (cap.device_caps & V4L2_CAP_DEVICE_CAPS))
        return "DEVICE_CAPS belongs to capabilities and not to device_caps";
    if ((cap.capabilities & cap.device_caps) != cap.device_caps)
        return "device_caps has what capabilities have not";
    return cap.device_caps & V4L2_CAP_STREAMING ? NULL : "no streaming";
}

static const char *unknown_request(const char *path)
{
    struct node n;
    if (node_open(&n, path, 0) != 0)
        return node_wrong("open");
    const int error = node_ask(&n, _IO('V', 255), NULL);
    node_close(&n);
    return error == ENOTTY ? NULL : node_differs("an unknown request", error, ENOTTY);
}

static const char *list(const struct node *n)
{
    uint32_t seen[512], count = 0;
    for (;; count++) {
        struct v4l2_fmtdesc desc = {.index = count, .type = n->type};
        const int error = node_ask(n, VIDIOC_ENUM_FMT, &desc);
        if (error == EINVAL && count > 0)
            break;
        if (error != 0 || count == 512)
            return node_differs("ENUM_FMT", error, 0);
        if (desc.index != count || desc.type != n->type || desc.description[0] == '\0')
            return "a format without a description, or another index";
        for (uint32_t i = 0; i < count; i++)
            if (seen[i] == desc.pixelformat)
                return "a format is listed twice";
        seen[count] = desc.pixelformat;
    }
    struct v4l2_fmtdesc desc = {.type = V4L2_BUF_TYPE_VIDEO_OUTPUT};
    const int error = node_ask(n, VIDIOC_ENUM_FMT, &desc);
    return error == EINVAL ? NULL : node_differs("ENUM_FMT of outputs", error, EINVAL);
}

static const char *format_list(const char *path)
{
    struct node n;
    if (node_open(&n, path, 0) != 0)
        return node_wrong("open");
    const char *result = list(&n);
    node_close(&n);
    return result;
}

static const char *format_now(const char *path)
{
    struct node n;
    struct v4l2_format other = {.type = V4L2_BUF_TYPE_VIDEO_OUTPUT};
    if (node_open(&n, path, 0) != 0)
        return node_wrong("open");
    const struct node before = n;
    const int error = node_ask(&n, VIDIOC_G_FMT, &other);
    const int again = node_get_format(&n);
    node_close(&n);
    if (error != EINVAL)
        return node_differs("G_FMT of outputs", error, EINVAL);
    if (again != 0 || before.fourcc != n.fourcc || before.width != n.width ||
        before.size[0] != n.size[0])
        return "G_FMT says something else the second time";
    return n.size[0] >= n.stride[0] * n.height ? NULL : "sizeimage is smaller than its rows";
}

static int try_format(const struct node *n, uint32_t fourcc, uint32_t width, uint32_t height,
                      struct v4l2_format *out)
{
    *out = (struct v4l2_format){.type = n->type};
    if (n->multi) {
        out->fmt.pix_mp.pixelformat = fourcc;
        out->fmt.pix_mp.width = width;
        out->fmt.pix_mp.height = height;
    } else {
        out->fmt.pix.pixelformat = fourcc;
        out->fmt.pix.width = width;
        out->fmt.pix.height = height;
    }
    return node_ask(n, VIDIOC_TRY_FMT, out);
}

static uint32_t width_of(const struct node *n, const struct v4l2_format *format)
{
    return n->multi ? format->fmt.pix_mp.width : format->fmt.pix.width;
}

/* Nothing is refused; what cannot be is replaced by something that can. */
static const char *format_tried(const char *path)
{
    struct node n;
    struct v4l2_format format;
    if (node_open(&n, path, 0) != 0)
        return node_wrong("open");
    const uint32_t width = n.width;
    const char *result = NULL;
    if (try_format(&n, V4L2_PIX_FMT_YUYV, 1, 1, &format) != 0 || width_of(&n, &format) == 0)
        result = node_wrong("TRY_FMT of 1x1");
    else if (try_format(&n, V4L2_PIX_FMT_YUYV, 100000, 100000, &format) != 0 ||
             width_of(&n, &format) >= 100000)
        result = node_wrong("TRY_FMT of 100000x100000");
    else if (node_get_format(&n) != 0 || n.width != width)
        result = "TRY_FMT changed the format";
    node_close(&n);
    return result;
}

static const char *format_unknown(const char *path)
{
    struct node n;
    struct v4l2_format format;
    if (node_open(&n, path, 0) != 0)
        return node_wrong("open");
    const int error = try_format(&n, v4l2_fourcc('?', '?', '?', '?'), 320, 240, &format);
    const uint32_t got = n.multi ? format.fmt.pix_mp.pixelformat : format.fmt.pix.pixelformat;
    node_close(&n);
    if (error != 0)
        return node_differs("TRY_FMT of no format", error, 0);
    return got != v4l2_fourcc('?', '?', '?', '?') ? NULL : "no format is taken for one";
}

/* What S_FMT answered is what G_FMT says, for every format in the list. */
static const char *formats_kept(const char *path)
{
    struct node n;
    const char *result = NULL;
    if (node_open(&n, path, 0) != 0)
        return node_wrong("open");
    for (uint32_t i = 0; result == NULL; i++) {
        struct v4l2_fmtdesc desc = {.index = i, .type = n.type};
        struct v4l2_format format;
        if (node_ask(&n, VIDIOC_ENUM_FMT, &desc) != 0)
            break;
        if (try_format(&n, desc.pixelformat, 320, 240, &format) != 0)
            result = node_wrong("TRY_FMT of a listed format");
        else if (node_ask(&n, VIDIOC_S_FMT, &format) != 0 || node_get_format(&n) != 0)
            result = node_wrong("S_FMT of a listed format");
        else if (n.fourcc != desc.pixelformat || n.width != width_of(&n, &format))
            result = node_differs("the format set", n.fourcc, desc.pixelformat);
    }
    node_close(&n);
    return result;
}

static const char *sizes(const char *path)
{
    struct node n;
    if (node_open(&n, path, 0) != 0)
        return node_wrong("open");
    struct v4l2_frmsizeenum size = {.pixel_format = n.fourcc};
    const int first = node_ask(&n, VIDIOC_ENUM_FRAMESIZES, &size);
    struct v4l2_frmsizeenum last = {.index = 1000, .pixel_format = n.fourcc};
    const int end = node_ask(&n, VIDIOC_ENUM_FRAMESIZES, &last);
    struct v4l2_frmsizeenum none = {.pixel_format = v4l2_fourcc('?', '?', '?', '?')};
    const int unknown = node_ask(&n, VIDIOC_ENUM_FRAMESIZES, &none);
    node_close(&n);
    if (first == ENOTTY)
        return node_absent;
    if (first != 0)
        return node_differs("ENUM_FRAMESIZES", first, 0);
    if (end != EINVAL || unknown != EINVAL)
        return node_differs("ENUM_FRAMESIZES beyond its end", end, EINVAL);
    return size.type != 0 ? NULL : "no type";
}

static const char *rates(const char *path)
{
    struct node n;
    if (node_open(&n, path, 0) != 0)
        return node_wrong("open");
    struct v4l2_streamparm parm = {.type = n.type}, other = {.type = V4L2_BUF_TYPE_VIDEO_OUTPUT};
    const int get = node_ask(&n, VIDIOC_G_PARM, &parm);
    parm.parm.capture.timeperframe = (struct v4l2_fract){0, 0};
    const int set = node_ask(&n, VIDIOC_S_PARM, &parm);
    const int wrong = node_ask(&n, VIDIOC_G_PARM, &other);
    node_close(&n);
    if (get == ENOTTY)
        return node_absent;
    if (get != 0 || set != 0)
        return node_differs("S_PARM of 0/0", set, 0);
    if (!(parm.parm.capture.capability & V4L2_CAP_TIMEPERFRAME) ||
        parm.parm.capture.timeperframe.numerator == 0 ||
        parm.parm.capture.timeperframe.denominator == 0)
        return "no rate was chosen for 0/0";
    return wrong == EINVAL ? NULL : node_differs("G_PARM of outputs", wrong, EINVAL);
}

static const char *inputs(const char *path)
{
    struct node n;
    int now = -1, wrong = 99;
    if (node_open(&n, path, 0) != 0)
        return node_wrong("open");
    struct v4l2_input input = {.index = 0}, beyond = {.index = 99};
    const int get = node_ask(&n, VIDIOC_G_INPUT, &now);
    const int first = node_ask(&n, VIDIOC_ENUMINPUT, &input);
    const int end = node_ask(&n, VIDIOC_ENUMINPUT, &beyond);
    const int set = node_ask(&n, VIDIOC_S_INPUT, &wrong);
    node_close(&n);
    if (get != 0 || first != 0 || now < 0 || input.name[0] == '\0')
        return node_differs("ENUMINPUT", first, 0);
    return end == EINVAL && set == EINVAL ? NULL : node_differs("S_INPUT 99", set, EINVAL);
}

const struct check checks_of_formats[] = {
    {"capabilities", capabilities},
    {"an unknown request is ENOTTY", unknown_request},
    {"list of formats", format_list},
    {"G_FMT", format_now},
    {"TRY_FMT answers anything and changes nothing", format_tried},
    {"an unknown format is replaced", format_unknown},
    {"every listed format can be set", formats_kept},
    {"list of sizes", sizes},
    {"rates", rates},
    {"inputs", inputs},
    {NULL, NULL},
};
