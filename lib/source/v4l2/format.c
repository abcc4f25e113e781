/* SPDX-License-Identifier: MIT */
/* Choosing a pixel format and holding the driver to it.
 *
 * Without a wish the driver's present format is kept where it is a raw one. Cameras that offer deep grey
 * and besides only 8-bit grey and Y'CbCr are thermal or depth cameras, whose data is in the deep grey: it is
 * taken. Where the present format is compressed, the first raw one of the driver's list is taken. */
#include "source/v4l2/format.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define MAX_LISTED 256u
#define OFFER_BYTES 400

/* What the driver offers. */
struct offer {
    char text[OFFER_BYTES];
    enum zcs_pixfmt first;     /* raw format of the list */
    enum zcs_pixfmt deep_grey; /* the deepest, if the rest is preview */
};

struct fourcc_text {
    char text[8];
};

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

static void weigh(struct offer *offer, enum zcs_pixfmt pixfmt, int *other_sensors)
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
        struct zci_v4l2_listed listed;
        if (zci_v4l2_list_format(&dev->port, i, &listed) != 0)
            break;
        if (listed.emulated)
            continue;
        add_name(out, listed.fourcc);
        const enum zcs_pixfmt pixfmt = zcs_pixfmt_from_fourcc(listed.fourcc);
        if (is_raw(pixfmt))
            weigh(out, pixfmt, &other_sensors);
    }
    if (other_sensors)
        out->deep_grey = ZCS_PIXFMT_NONE;
    if (out->text[0] == '\0')
        snprintf(out->text, sizeof out->text, "no list of formats");
}

static zcs_status choose(const struct zci_v4l2_device *dev, const struct zcs_v4l2_params *params,
                         const struct offer *offer, uint32_t present, uint32_t *fourcc)
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
                        "%s: offers %s: no raw format that is known here", dev->path, offer->text);
    if (info == NULL)
        return zci_fail(dev->log, ZCS_ERR_ARG, "%s: format %d: there is no such one", dev->path,
                        (int)pixfmt);
    if (!is_raw(pixfmt))
        return zci_fail(dev->log, ZCS_ERR_UNSUPPORTED,
                        "%s: %s is compressed, and raw frames are needed; the camera offers %s",
                        dev->path, info->name, offer->text);
    *fourcc = info->fourcc;
    return ZCS_OK;
}

static zcs_status set(const struct zci_v4l2_device *dev, struct zci_v4l2_format *format)
{
    unsigned tries = 0;
    const struct zci_v4l2_format wanted = *format;
    int error;
    do {
        *format = wanted;
        error = zci_v4l2_set_format(&dev->port, format);
    } while (zci_v4l2_again(error, &tries));
    return error == 0 ? ZCS_OK : zci_v4l2_trouble(dev, "VIDIOC_S_FMT", error);
}

/* A wish that was not kept: an error, or a warning where the nearest will do. */
static zcs_status kept(const struct zci_v4l2_device *dev, const struct zcs_v4l2_params *params,
                       const struct offer *offer, const struct zci_v4l2_format *got)
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
    if (got->field == ZCI_V4L2_FIELD_WHOLE)
        return ZCS_OK;
    return zci_fail(dev->log, ZCS_ERR_UNSUPPORTED,
                    "%s: the driver gives interlaced fields %s; whole frames are needed", dev->path,
                    got->field == ZCI_V4L2_FIELD_SEQUENTIAL ? "one below the other"
                                                            : "as frames of their own");
}

/* What the driver has settled on: is it what was asked for, and can it be read? */
static zcs_status settle(const struct zci_v4l2_device *dev, const struct zcs_v4l2_params *params,
                         const struct offer *offer, const struct zci_v4l2_format *format,
                         enum zcs_pixfmt *pixfmt)
{
    zcs_status status = kept(dev, params, offer, format);
    if (status == ZCS_OK)
        status = check_field(dev, format);
    *pixfmt = zcs_pixfmt_from_fourcc(format->fourcc);
    if (status == ZCS_OK && !is_raw(*pixfmt))
        status = zci_fail(dev->log, ZCS_ERR_UNSUPPORTED,
                          "%s: the driver gives %s, which cannot be read here; it offers %s",
                          dev->path, name_of(format->fourcc).text, offer->text);
    return status;
}

zcs_status zci_v4l2_agree_format(const struct zci_v4l2_device *dev,
                                 const struct zcs_v4l2_params *params, struct zci_v4l2_format *out,
                                 enum zcs_pixfmt *pixfmt)
{
    struct offer offer;
    struct zci_v4l2_format format;
    read_offer(dev, &offer);
    const int error = zci_v4l2_get_format(&dev->port, &format);
    if (error != 0)
        return zci_v4l2_trouble(dev, "VIDIOC_G_FMT", error);
    zcs_status status = choose(dev, params, &offer, format.fourcc, &format.fourcc);
    if (status != ZCS_OK)
        return status;
    if (params->width != 0)
        format.width = params->width;
    if (params->height != 0)
        format.height = params->height;
    format.planes = zcs_pixfmt_info(zcs_pixfmt_from_fourcc(format.fourcc))->buffers;
    for (uint32_t p = 0; p < format.planes; p++)
        format.stride_bytes[p] = p == 0 ? (uint32_t)params->stride_bytes : 0;
    status = set(dev, &format);
    if (status == ZCS_OK)
        status = settle(dev, params, &offer, &format, pixfmt);
    *out = format;
    return status;
}

zcs_status zci_v4l2_follow_format(const struct zci_v4l2_device *dev,
                                  const struct zcs_v4l2_params *params,
                                  struct zci_v4l2_format *format, enum zcs_pixfmt *pixfmt)
{
    struct offer offer;
    const uint32_t before = format->fourcc;
    const int error = zci_v4l2_get_format(&dev->port, format);
    if (error != 0)
        return zci_v4l2_trouble(dev, "VIDIOC_G_FMT", error);
    if (format->fourcc != before)
        zci_log(dev->log, ZCS_LOG_INFO, "%s: its controls made %s of %s", dev->path,
                name_of(format->fourcc).text, name_of(before).text);
    read_offer(dev, &offer);
    return settle(dev, params, &offer, format, pixfmt);
}
