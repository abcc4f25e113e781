/* SPDX-License-Identifier: MIT */
/* Makes an image layout from what an application requests: size, stride, bits, shift and colour. */
#include "source/request.h"

#include <inttypes.h>
#include <string.h>

#include "core/color.h"
#include "core/format.h"

zcs_status zci_request_check_enums(enum zcs_pixfmt format, const struct zcs_color *color,
                                   const char *what, const struct zci_log *log)
{
    if (format != ZCS_PIXFMT_NONE && zcs_pixfmt_info(format) == NULL)
        return zci_fail(log, ZCS_ERR_ARG, "%s: format %d does not exist", what, (int)format);
    if (!zci_color_in_range(color))
        return zci_fail(log, ZCS_ERR_ARG, "%s: the colour has a value that is not in its enum",
                        what);
    return ZCS_OK;
}

static zcs_status refuse(zcs_status status, const struct zci_request *r, const char *what,
                         const struct zci_log *log)
{
    const struct zcs_pixfmt_info *info = zcs_pixfmt_info(r->format);
    if (info == NULL)
        return zci_fail(log, status, "%s: no pixel format was given", what);
    if (status == ZCS_ERR_UNSUPPORTED)
        return zci_fail(log, status, "%s: %s is compressed; raw frames are needed", what,
                        info->name);
    if (status == ZCS_ERR_FORMAT)
        return zci_fail(log, status,
                        "%s: a stride of %zu bytes is below %zu, the minimum for %s %" PRIu32
                        "x%" PRIu32,
                        what, r->stride_bytes, zcs_image_min_stride(r->format, r->width, 0),
                        info->name, r->width, r->height);
    if (r->width >= 1 && r->width <= ZCS_MAX_DIMENSION && r->height >= 1 &&
        r->height <= ZCS_MAX_DIMENSION)
        return zci_fail(log, status, "%s: a stride of %zu bytes exceeds any memory", what,
                        r->stride_bytes);
    return zci_fail(log, status, "%s: size %" PRIu32 "x%" PRIu32 ": each side is 1 to %u pixels",
                    what, r->width, r->height, ZCS_MAX_DIMENSION);
}

struct zci_request zci_request_of_replay(const struct zcs_replay_params *params)
{
    struct zci_request request = {
        .format = params->format,
        .width = params->width,
        .height = params->height,
        .stride_bytes = params->stride_bytes,
        .bits = params->bits,
        .shift = params->shift,
        .color = params->color,
        .layout = params->layout,
    };
    memcpy(request.chroma_stride_bytes, params->chroma_stride_bytes,
           sizeof request.chroma_stride_bytes);
    memcpy(request.plane_offset_bytes, params->plane_offset_bytes,
           sizeof request.plane_offset_bytes);
    return request;
}

int zci_request_has_planes(const struct zci_request *request)
{
    int any = request->layout != ZCS_LAYOUT_V4L2 || request->plane_offset_bytes[0] != 0;
    for (uint32_t p = 1; p < ZCS_MAX_PLANES; p++)
        any |= request->chroma_stride_bytes[p - 1] != 0 || request->plane_offset_bytes[p] != 0;
    return any;
}

static size_t round_up(size_t value, size_t multiple)
{
    return (value + multiple - 1) / multiple * multiple;
}

/* The stride of plane `p` that the request says or implies; `follows`: that of V4L2's layout. */
static size_t plane_stride(const struct zci_request *r, uint32_t p, size_t follows)
{
    const size_t given = p == 0 ? r->stride_bytes : r->chroma_stride_bytes[p - 1];
    if (given != 0)
        return given;
    return r->layout == ZCS_LAYOUT_GSTREAMER
               ? round_up(zcs_image_min_stride(r->format, r->width, p), 4)
               : follows;
}

/* ZCS_ERR_ARG: a plane does not exist, its stride is too short, or it exceeds any memory. */
static zcs_status place_plane(const struct zci_request *r, uint32_t p, const char *what,
                              const struct zci_log *log, struct zcs_image *image)
{
    const struct zcs_pixfmt_info *info = zcs_pixfmt_info(r->format);
    const size_t min = zcs_image_min_stride(r->format, r->width, p), max = SIZE_MAX / 4;
    const size_t stride = plane_stride(r, p, image->stride_bytes[p]);
    const size_t offset = r->plane_offset_bytes[p] ? r->plane_offset_bytes[p] : image->size_bytes;
    size_t rows = zcs_image_rows(r->format, r->height, p);
    if (r->layout == ZCS_LAYOUT_GSTREAMER && p == 0)
        rows = round_up(rows, info->vsub);
    if (p >= info->planes && (r->plane_offset_bytes[p] != 0 || r->chroma_stride_bytes[p - 1] != 0))
        return zci_fail(log, ZCS_ERR_ARG,
                        "%s: a stride or an offset of plane %" PRIu32 ": %s has %" PRIu32, what,
                        p + 1, info->name, info->planes);
    if (p >= info->planes)
        return ZCS_OK;
    if (stride < min)
        return zci_fail(log, ZCS_ERR_ARG,
                        "%s: a stride of %zu bytes of plane %" PRIu32
                        " is below %zu, the minimum for %s %" PRIu32 "x%" PRIu32,
                        what, stride, p + 1, min, info->name, r->width, r->height);
    if (stride > max / rows || offset > max)
        return zci_fail(log, ZCS_ERR_ARG, "%s: plane %" PRIu32 " exceeds any memory", what, p + 1);
    image->stride_bytes[p] = stride;
    image->offset_bytes[p] = offset;
    if (offset + stride * rows > image->size_bytes)
        image->size_bytes = offset + stride * rows;
    return ZCS_OK;
}

static zcs_status place_planes(const struct zci_request *r, const char *what,
                               const struct zci_log *log, struct zcs_image *image)
{
    zcs_status status = ZCS_OK;
    image->size_bytes = 0;
    for (uint32_t p = 0; status == ZCS_OK && p < ZCS_MAX_PLANES; p++)
        status = place_plane(r, p, what, log, image);
    return status;
}

/* Formats of 16-bit words may hold shifted samples of any depth: the bits above the shift can be
 * significant. */
static zcs_status apply_bits(const struct zci_request *r, const char *what,
                             const struct zci_log *log, struct zcs_image *image)
{
    const struct zci_format *row = zci_format(r->format);
    const int words = row->unpack == ZCI_UNPACK_U16 || row->unpack == ZCI_UNPACK_U16BE;
    const char *name = row->info.name;
    if (r->shift != 0 && !words)
        return zci_fail(log, ZCS_ERR_ARG,
                        "%s: a shift of %" PRIu32 " bits: the samples of %s are no 16-bit words",
                        what, r->shift, name);
    if (r->shift > 15)
        return zci_fail(log, ZCS_ERR_ARG, "%s: a shift of %" PRIu32 " bits: the maximum is 15",
                        what, r->shift);
    if (r->bits > row->info.bits)
        return zci_fail(log, ZCS_ERR_ARG,
                        "%s: %" PRIu32 " significant bits: a sample of %s has %" PRIu32, what,
                        r->bits, name, row->info.bits);
    if (r->bits != 0 && r->bits != row->info.bits && row->info.model != ZCS_MODEL_MONO &&
        row->info.model != ZCS_MODEL_BAYER)
        return zci_fail(log, ZCS_ERR_ARG,
                        "%s: %" PRIu32 " significant bits: colours of %s have %" PRIu32, what,
                        r->bits, name, row->info.bits);
    if (r->bits != 0)
        image->bits = r->bits;
    else if (words && row->info.bits == 16)
        image->bits = 16 - r->shift;
    if (image->bits + r->shift > 16)
        return zci_fail(log, ZCS_ERR_ARG,
                        "%s: %" PRIu32 " bits shifted by %" PRIu32
                        " do not fit 16: the maximum for %s is %" PRIu32,
                        what, image->bits, r->shift, name, 16 - image->bits);
    image->shift = r->shift;
    return ZCS_OK;
}

zcs_status zci_request_image(const struct zci_request *request, const char *what,
                             const struct zci_log *log, struct zcs_image *out)
{
    struct zcs_image image;
    zcs_status status = zci_request_check_enums(request->format, &request->color, what, log);
    if (status != ZCS_OK)
        return status;
    status = zcs_image_init(&image, request->format, request->width, request->height,
                            request->stride_bytes);
    if (status != ZCS_OK)
        return refuse(status, request, what, log);
    if ((unsigned)request->layout > ZCS_LAYOUT_GSTREAMER)
        return zci_fail(log, ZCS_ERR_ARG, "%s: layout %d does not exist", what,
                        (int)request->layout);
    if (zci_request_has_planes(request))
        status = place_planes(request, what, log, &image);
    if (status != ZCS_OK)
        return status;
    status = apply_bits(request, what, log, &image);
    if (status != ZCS_OK)
        return status;
    image.color = zci_color_resolve(request->format, request->color);
    status = zcs_image_check(&image);
    if (status != ZCS_OK)
        return zci_fail(log, status, "%s: %s", what, zcs_strerror(status));
    *out = image;
    return ZCS_OK;
}
