/* SPDX-License-Identifier: MIT */
/* Negotiating with a camera, and holding the driver to what was asked.
 *
 * The order matters, because each step may undo later ones: input, timings, controls that change
 * the layout, crop, format, rate, other controls. All come before streaming: most drivers refuse
 * them later.
 *
 * Where no pixel format is asked for, the driver's present one is kept if it is raw. If it is
 * compressed, the first raw format of the driver's list is taken. A camera that offers deep grey,
 * and besides only 8-bit grey and Y'CbCr, is a thermal or depth camera whose data is in the deep
 * grey, so that is taken. */
#include "source/v4l2/negotiate.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_LISTED 256u
#define OFFER_BYTES 400

/* The pixel formats that the driver lists. */
struct offer {
    char text[OFFER_BYTES];
    enum zcs_pixfmt first;     /* the first raw one */
    enum zcs_pixfmt deep_grey; /* the deepest grey, if the others are previews of it */
};

struct fourcc_text {
    char text[8];
};

/* The library's name of the format, or the four characters. */
static struct fourcc_text name_of(uint32_t fourcc)
{
    struct fourcc_text name = {"?"};
    const struct zcs_pixfmt_info *info = zcs_pixfmt_info(zcs_pixfmt_from_fourcc(fourcc));
    if (info != NULL) {
        snprintf(name.text, sizeof name.text, "%.7s", info->name);
        return name;
    }
    for (int i = 0; i < 4; i++) {
        const char c = (char)(fourcc >> (8 * i) & 127);
        name.text[i] = c > ' ' && c < 127 ? c : '.';
    }
    name.text[4] = '\0';
    return name;
}

static int is_raw(enum zcs_pixfmt pixfmt)
{
    const struct zcs_pixfmt_info *info = zcs_pixfmt_info(pixfmt);
    return info != NULL && info->model != ZCS_MODEL_JPEG;
}

static void add_name(struct offer *offer, uint32_t fourcc)
{
    const size_t length = strlen(offer->text);
    snprintf(offer->text + length, sizeof offer->text - length, "%s%s", length ? ", " : "",
             name_of(fourcc).text);
}

static void add_raw(struct offer *offer, enum zcs_pixfmt pixfmt, int *other_sensors)
{
    const struct zcs_pixfmt_info *info = zcs_pixfmt_info(pixfmt);
    if (offer->first == ZCS_PIXFMT_NONE)
        offer->first = pixfmt;
    if (info->model == ZCS_MODEL_BAYER || info->model == ZCS_MODEL_RGB)
        *other_sensors = 1;
    const struct zcs_pixfmt_info *best = zcs_pixfmt_info(offer->deep_grey);
    if (info->model == ZCS_MODEL_MONO && info->bits > (best != NULL ? best->bits : 8))
        offer->deep_grey = pixfmt;
}

static void read_offer(const struct zci_v4l2_device *dev, struct offer *out)
{
    int other_sensors = 0;
    *out = (struct offer){.first = ZCS_PIXFMT_NONE, .deep_grey = ZCS_PIXFMT_NONE};
    for (uint32_t i = 0; i < MAX_LISTED; i++) {
        struct zci_v4l2_fmtdesc listed;
        if (zci_v4l2_enum_fmt(&dev->port, i, &listed) != 0)
            break;
        if (listed.emulated)
            continue;
        add_name(out, listed.fourcc);
        const enum zcs_pixfmt pixfmt = zcs_pixfmt_from_fourcc(listed.fourcc);
        if (is_raw(pixfmt))
            add_raw(out, pixfmt, &other_sensors);
    }
    if (other_sensors)
        out->deep_grey = ZCS_PIXFMT_NONE;
    if (out->text[0] == '\0')
        snprintf(out->text, sizeof out->text, "no list of formats");
}

static zcs_status choose_format(const struct zci_v4l2_device *dev,
                                const struct zcs_v4l2_params *params, const struct offer *offer,
                                uint32_t present, uint32_t *fourcc)
{
    enum zcs_pixfmt pixfmt = params->format;
    if (pixfmt == ZCS_PIXFMT_NONE)
        pixfmt = offer->deep_grey;
    if (pixfmt == ZCS_PIXFMT_NONE && is_raw(zcs_pixfmt_from_fourcc(present)))
        pixfmt = zcs_pixfmt_from_fourcc(present);
    if (pixfmt == ZCS_PIXFMT_NONE)
        pixfmt = offer->first;
    const struct zcs_pixfmt_info *info = zcs_pixfmt_info(pixfmt);
    if (pixfmt == ZCS_PIXFMT_NONE)
        return zci_fail(dev->log, ZCS_ERR_UNSUPPORTED,
                        "%s: offers %s: no raw format that the library knows", dev->path,
                        offer->text);
    if (info == NULL)
        return zci_fail(dev->log, ZCS_ERR_ARG, "%s: format %d does not exist", dev->path,
                        (int)pixfmt);
    if (!is_raw(pixfmt))
        return zci_fail(dev->log, ZCS_ERR_UNSUPPORTED,
                        "%s: %s is compressed, and raw frames are needed; the camera offers %s",
                        dev->path, info->name, offer->text);
    *fourcc = info->fourcc;
    return ZCS_OK;
}

static zcs_status set_format(const struct zci_v4l2_device *dev, struct zci_v4l2_format *format)
{
    unsigned tries = 0;
    const struct zci_v4l2_format wanted = *format;
    int error;
    do {
        *format = wanted;
        error = zci_v4l2_set_format(&dev->port, format);
    } while (zci_v4l2_retry_busy(error, &tries));
    return error == 0 ? ZCS_OK : zci_v4l2_fail(dev, "VIDIOC_S_FMT", error);
}

/* The driver returned something else than was asked for: an error, or a warning with
 * accept_nearest. */
static zcs_status check_as_asked(const struct zci_v4l2_device *dev,
                                 const struct zcs_v4l2_params *params, const struct offer *offer,
                                 const struct zci_v4l2_format *got)
{
    const struct zcs_pixfmt_info *info = zcs_pixfmt_info(params->format);
    const int format_kept = info == NULL || info->fourcc == got->fourcc;
    const int size_kept = (params->width == 0 || params->width == got->width) &&
                          (params->height == 0 || params->height == got->height);
    const int stride_kept =
        params->stride_bytes == 0 || params->stride_bytes == got->stride_bytes[0];
    if (format_kept && size_kept && stride_kept)
        return ZCS_OK;
    const enum zcs_log_level level = params->accept_nearest ? ZCS_LOG_WARNING : ZCS_LOG_ERROR;
    if (!format_kept)
        zci_log(dev->log, level, "%s: asked for %s, the driver gives %s; it offers %s", dev->path,
                info->name, name_of(got->fourcc).text, offer->text);
    if (!size_kept)
        zci_log(dev->log, level,
                "%s: asked for %" PRIu32 "x%" PRIu32 ", the driver gives %" PRIu32 "x%" PRIu32,
                dev->path, params->width, params->height, got->width, got->height);
    if (!stride_kept)
        zci_log(dev->log, level, "%s: asked for rows of %zu bytes, the driver gives %" PRIu32,
                dev->path, params->stride_bytes, got->stride_bytes[0]);
    return params->accept_nearest ? ZCS_OK : ZCS_ERR_FORMAT;
}

static zcs_status check_field(const struct zci_v4l2_device *dev, const struct zci_v4l2_format *got)
{
    if (got->field == ZCI_V4L2_FIELD_FRAME)
        return ZCS_OK;
    return zci_fail(dev->log, ZCS_ERR_UNSUPPORTED,
                    "%s: the driver gives interlaced fields %s; whole frames are needed", dev->path,
                    got->field == ZCI_V4L2_FIELD_SEQUENTIAL ? "one below the other"
                                                            : "as frames of their own");
}

/* Whether the driver's format is what was asked for, and can be read. */
static zcs_status check_format(const struct zci_v4l2_device *dev,
                               const struct zcs_v4l2_params *params, const struct offer *offer,
                               const struct zci_v4l2_format *format, enum zcs_pixfmt *pixfmt)
{
    zcs_status status = check_as_asked(dev, params, offer, format);
    if (status == ZCS_OK)
        status = check_field(dev, format);
    *pixfmt = zcs_pixfmt_from_fourcc(format->fourcc);
    if (status == ZCS_OK && !is_raw(*pixfmt))
        status = zci_fail(dev->log, ZCS_ERR_UNSUPPORTED,
                          "%s: the driver gives %s, which the library cannot read; it offers %s",
                          dev->path, name_of(format->fourcc).text, offer->text);
    return status;
}

static zcs_status negotiate_format(const struct zci_v4l2_device *dev,
                                   const struct zcs_v4l2_params *params,
                                   struct zci_v4l2_format *out, enum zcs_pixfmt *pixfmt)
{
    struct offer offer;
    struct zci_v4l2_format format;
    read_offer(dev, &offer);
    const int error = zci_v4l2_get_format(&dev->port, &format);
    if (error != 0)
        return zci_v4l2_fail(dev, "VIDIOC_G_FMT", error);
    zcs_status status = choose_format(dev, params, &offer, format.fourcc, &format.fourcc);
    if (status != ZCS_OK)
        return status;
    if (params->width != 0)
        format.width = params->width;
    if (params->height != 0)
        format.height = params->height;
    format.planes = zcs_pixfmt_info(zcs_pixfmt_from_fourcc(format.fourcc))->buffers;
    for (uint32_t p = 0; p < format.planes; p++)
        format.stride_bytes[p] = p == 0 ? (uint32_t)params->stride_bytes : 0;
    status = set_format(dev, &format);
    if (status == ZCS_OK)
        status = check_format(dev, params, &offer, &format, pixfmt);
    *out = format;
    return status;
}

/* Reads the format again after something may have changed it, and checks it. */
static zcs_status reread_format(const struct zci_v4l2_device *dev,
                                const struct zcs_v4l2_params *params,
                                struct zci_v4l2_format *format, enum zcs_pixfmt *pixfmt)
{
    struct offer offer;
    const uint32_t before = format->fourcc;
    const int error = zci_v4l2_get_format(&dev->port, format);
    if (error != 0)
        return zci_v4l2_fail(dev, "VIDIOC_G_FMT", error);
    if (format->fourcc != before)
        zci_log(dev->log, ZCS_LOG_INFO, "%s: its controls changed the format from %s to %s",
                dev->path, name_of(before).text, name_of(format->fourcc).text);
    read_offer(dev, &offer);
    return check_format(dev, params, &offer, format, pixfmt);
}

#define MAX_INPUTS 64u

/* Finds an input by its number or its name. */
static zcs_status find_input(const struct zci_v4l2_device *dev, const char *wanted, uint32_t *out)
{
    char *end = NULL;
    const unsigned long number = strtoul(wanted, &end, 10);
    const int is_number = end != wanted && *end == '\0';
    uint32_t count = 0;
    struct zci_v4l2_input input;
    for (; count < MAX_INPUTS && zci_v4l2_enum_input(&dev->port, count, &input) == 0; count++)
        if (is_number ? count == number : strcmp(input.name, wanted) == 0) {
            *out = count;
            return ZCS_OK;
        }
    return zci_fail(dev->log, ZCS_ERR_UNSUPPORTED, "%s: no input '%s'; it has %" PRIu32, dev->path,
                    wanted, count);
}

static zcs_status negotiate_input(const struct zci_v4l2_device *dev, const char *wanted)
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
    } while (zci_v4l2_retry_busy(error, &tries));
    return error == 0 ? ZCS_OK : zci_v4l2_fail(dev, "VIDIOC_S_INPUT", error);
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

/* Sets the detected DV timings. Without a signal the driver delivers frames of its own choice. */
static void negotiate_timings(const struct zci_v4l2_device *dev, struct zci_v4l2_negotiated *out)
{
    uint32_t index = 0;
    struct zci_v4l2_input input;
    if (zci_v4l2_get_input(&dev->port, &index) != 0 ||
        zci_v4l2_enum_input(&dev->port, index, &input) != 0)
        return;
    int error = 0;
    if (input.has_timings)
        error = zci_v4l2_apply_dv_timings(&dev->port, &out->fps_num, &out->fps_den);
    if (error == ENODATA || error == ENOTTY)
        error = 0;
    if (error != 0)
        zci_log(dev->log, ZCS_LOG_WARNING, "%s: input '%s': %s", dev->path, input.name,
                no_timings(error));
    else if (input.no_signal)
        zci_log(dev->log, ZCS_LOG_WARNING, "%s: input '%s': no signal", dev->path, input.name);
}

static zcs_status negotiate_crop(const struct zci_v4l2_device *dev,
                                 const struct zcs_v4l2_params *params)
{
    const struct zci_v4l2_rect wanted = {params->crop_x, params->crop_y, params->crop_width,
                                         params->crop_height};
    if (wanted.width == 0 && wanted.height == 0)
        return ZCS_OK;
    struct zci_v4l2_rect got = wanted;
    const int error = zci_v4l2_set_crop(&dev->port, &got);
    if (error != 0)
        return zci_v4l2_fail(dev, "VIDIOC_S_SELECTION (crop)", error);
    if (memcmp(&got, &wanted, sizeof got) == 0)
        return ZCS_OK;
    zci_log(dev->log, params->accept_nearest ? ZCS_LOG_WARNING : ZCS_LOG_ERROR,
            "%s: asked for the crop %" PRIu32 "x%" PRIu32 " at %" PRIu32 ",%" PRIu32
            ", the driver gives %" PRIu32 "x%" PRIu32 " at %" PRIu32 ",%" PRIu32,
            dev->path, wanted.width, wanted.height, wanted.x, wanted.y, got.width, got.height,
            got.x, got.y);
    return params->accept_nearest ? ZCS_OK : ZCS_ERR_FORMAT;
}

/* The driver may choose another rate, which is logged. Where it reports none, the rate asked for is
 * a label. */
static void negotiate_rate(const struct zci_v4l2_device *dev, const struct zcs_v4l2_params *params,
                           struct zci_v4l2_negotiated *out)
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

/* Sets the controls whose range depends on format and rate. A driver may change the format with
 * them although their flags do not say so, so the format is read again. */
static zcs_status negotiate_controls(const struct zci_v4l2_device *dev,
                                     const struct zcs_v4l2_params *params,
                                     const struct zci_v4l2_settings *settings,
                                     struct zci_v4l2_format *format, enum zcs_pixfmt *pixfmt)
{
    if (settings->count == 0)
        return ZCS_OK;
    const zcs_status status = zci_v4l2_settings_apply(settings, dev, 0);
    return status == ZCS_OK ? reread_format(dev, params, format, pixfmt) : status;
}

zcs_status zci_v4l2_negotiate(const struct zci_v4l2_device *dev,
                              const struct zcs_v4l2_params *params,
                              const struct zci_v4l2_settings *settings,
                              struct zci_v4l2_negotiated *out)
{
    struct zci_v4l2_format format = {0};
    enum zcs_pixfmt pixfmt = ZCS_PIXFMT_NONE;
    *out = (struct zci_v4l2_negotiated){0};
    zcs_status status = negotiate_input(dev, params->input);
    if (status != ZCS_OK)
        return status;
    negotiate_timings(dev, out);
    status = zci_v4l2_settings_apply(settings, dev, 1);
    if (status == ZCS_OK)
        status = negotiate_crop(dev, params);
    if (status == ZCS_OK)
        status = negotiate_format(dev, params, &format, &pixfmt);
    if (status != ZCS_OK)
        return status;
    negotiate_rate(dev, params, out);
    status = negotiate_controls(dev, params, settings, &format, &pixfmt);
    if (status != ZCS_OK)
        return status;
    out->pixfmt = pixfmt;
    out->stride_bytes = format.stride_bytes[0];
    if (params->treat_as != ZCS_PIXFMT_NONE)
        pixfmt = params->treat_as;
    return zci_v4l2_layout_make(dev, &format, pixfmt, params->color, &out->layout);
}
