/* SPDX-License-Identifier: MIT */
/* The steps of agreeing with a camera, in the order in which they undo each other: input, timings, controls that
 * turn the picture, crop, format, rate, other controls. All before streaming: most drivers refuse them later. */
#include "source/v4l2/negotiate.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "source/v4l2/format.h"
#include "source/v4l2/layout.h"

#define MAX_INPUTS 64u

/* An input by its number or its name. */
static zcs_status find_input(const struct zci_v4l2_device *dev, const char *wanted, uint32_t *out)
{
    char *end = NULL;
    const unsigned long number = strtoul(wanted, &end, 10);
    const int is_number = end != wanted && *end == '\0';
    uint32_t count = 0;
    struct zci_v4l2_input input;
    for (; count < MAX_INPUTS && zci_v4l2_list_input(&dev->port, count, &input) == 0; count++)
        if (is_number ? count == number : strcmp(input.name, wanted) == 0) {
            *out = count;
            return ZCS_OK;
        }
    return zci_fail(dev->log, ZCS_ERR_UNSUPPORTED, "%s: no input '%s'; it has %" PRIu32, dev->path,
                    wanted, count);
}

static zcs_status agree_input(const struct zci_v4l2_device *dev, const char *wanted)
{
    if (wanted == NULL)
        return ZCS_OK;
    uint32_t index = 0;
    const zcs_status status = find_input(dev, wanted, &index);
    if (status != ZCS_OK)
        return status;
    unsigned tries = 0;
    int error;
    do {
        error = zci_v4l2_set_input(&dev->port, index);
    } while (zci_v4l2_again(error, &tries));
    return error == 0 ? ZCS_OK : zci_v4l2_trouble(dev, "VIDIOC_S_INPUT", error);
}

static const char *no_timings(int error)
{
    switch (error) {
    case ENOLINK:
        return "no cable or no signal";
    case ENOLCK:
        return "a signal that is not stable";
    case ERANGE:
        return "a signal out of its range";
    default:
        return strerror(error);
    }
}

/* Follows the signal where there is one to follow; without one the frames are whatever the driver shows. */
static void agree_timings(const struct zci_v4l2_device *dev, struct zci_v4l2_agreed *out)
{
    uint32_t index = 0;
    struct zci_v4l2_input input;
    if (zci_v4l2_get_input(&dev->port, &index) != 0 ||
        zci_v4l2_list_input(&dev->port, index, &input) != 0)
        return;
    int error = 0;
    if (input.has_timings)
        error = zci_v4l2_follow_timings(&dev->port, &out->fps_num, &out->fps_den);
    if (error == ENODATA || error == ENOTTY)
        error = 0;
    if (error != 0)
        zci_log(dev->log, ZCS_LOG_WARNING, "%s: input '%s': %s", dev->path, input.name,
                no_timings(error));
    else if (input.no_signal)
        zci_log(dev->log, ZCS_LOG_WARNING, "%s: input '%s': no signal", dev->path, input.name);
}

static zcs_status agree_crop(const struct zci_v4l2_device *dev,
                             const struct zcs_v4l2_params *params)
{
    const struct zci_v4l2_rectangle wanted = {params->crop_x, params->crop_y, params->crop_width,
                                              params->crop_height};
    if (wanted.width == 0 && wanted.height == 0)
        return ZCS_OK;
    struct zci_v4l2_rectangle got = wanted;
    const int error = zci_v4l2_set_crop(&dev->port, &got);
    if (error != 0)
        return zci_v4l2_trouble(dev, "VIDIOC_S_SELECTION (crop)", error);
    if (memcmp(&got, &wanted, sizeof got) == 0)
        return ZCS_OK;
    zci_log(dev->log, params->accept_nearest ? ZCS_LOG_WARNING : ZCS_LOG_ERROR,
            "%s: asked for the crop %" PRIu32 "x%" PRIu32 " at %" PRIu32 ",%" PRIu32
            ", the driver gives %" PRIu32 "x%" PRIu32 " at %" PRIu32 ",%" PRIu32,
            dev->path, wanted.width, wanted.height, wanted.x, wanted.y, got.width, got.height,
            got.x, got.y);
    return params->accept_nearest ? ZCS_OK : ZCS_ERR_FORMAT;
}

/* A rate is a wish: what the driver makes of it is shown. Cameras without a rate keep it as a label. */
static void agree_rate(const struct zci_v4l2_device *dev, const struct zcs_v4l2_params *params,
                       struct zci_v4l2_agreed *out)
{
    uint32_t num = params->fps_num, den = params->fps_den;
    const int asked = num != 0 && den != 0;
    const int error = asked ? zci_v4l2_set_rate(&dev->port, &num, &den)
                            : zci_v4l2_get_rate(&dev->port, &num, &den);
    if (error == 0 && num != 0 && den != 0) {
        out->fps_num = num;
        out->fps_den = den;
    } else if (asked && out->fps_num == 0) {
        out->fps_num = params->fps_num;
        out->fps_den = params->fps_den;
    }
    if (asked && (error != 0 || num == 0))
        zci_log(dev->log, ZCS_LOG_WARNING, "%s: the driver has no rate to set: %s", dev->path,
                error != 0 ? strerror(error) : "it said none");
    else if (asked && (uint64_t)num * params->fps_den != (uint64_t)params->fps_num * den)
        zci_log(dev->log, ZCS_LOG_WARNING,
                "%s: asked for %" PRIu32 "/%" PRIu32 " frames a second, the driver gives %" PRIu32
                "/%" PRIu32,
                dev->path, params->fps_num, params->fps_den, num, den);
}

/* Controls whose range depends on format and rate. A driver may change the format with them and not say so in
 * their flags: it is read once more. */
static zcs_status agree_controls(const struct zci_v4l2_device *dev,
                                 const struct zcs_v4l2_params *params,
                                 const struct zci_v4l2_settings *settings,
                                 struct zci_v4l2_format *format, enum zcs_pixfmt *pixfmt)
{
    if (settings->count == 0)
        return ZCS_OK;
    const zcs_status status = zci_v4l2_settings_apply(settings, dev, 0);
    return status == ZCS_OK ? zci_v4l2_follow_format(dev, params, format, pixfmt) : status;
}

zcs_status zci_v4l2_negotiate(const struct zci_v4l2_device *dev,
                              const struct zcs_v4l2_params *params,
                              const struct zci_v4l2_settings *settings, struct zci_v4l2_agreed *out)
{
    struct zci_v4l2_format format;
    enum zcs_pixfmt pixfmt = ZCS_PIXFMT_NONE;
    *out = (struct zci_v4l2_agreed){0};
    zcs_status status = agree_input(dev, params->input);
    if (status != ZCS_OK)
        return status;
    agree_timings(dev, out);
    status = zci_v4l2_settings_apply(settings, dev, 1);
    if (status == ZCS_OK)
        status = agree_crop(dev, params);
    if (status == ZCS_OK)
        status = zci_v4l2_agree_format(dev, params, &format, &pixfmt);
    if (status != ZCS_OK)
        return status;
    agree_rate(dev, params, out);
    status = agree_controls(dev, params, settings, &format, &pixfmt);
    if (status != ZCS_OK)
        return status;
    out->pixfmt = pixfmt;
    out->stride_bytes = format.stride_bytes[0];
    if (params->treat_as != ZCS_PIXFMT_NONE)
        pixfmt = params->treat_as;
    return zci_v4l2_layout_make(dev, &format, pixfmt, params->color, &out->layout);
}
