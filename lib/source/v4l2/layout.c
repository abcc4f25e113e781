/* SPDX-License-Identifier: MIT */
/* Laying the driver's planes into a slot: strides, offsets and sizes as the driver returned them,
 * and V4L2's colour fields with their defaults. SMPTE 240M is treated as BT.709, and
 * constant-luminance BT.2020 as ordinary BT.2020. */
#include "source/v4l2/layout.h"

#include <inttypes.h>
#include <unistd.h>

#include "core/color.h"
#include "core/format.h"

static enum zcs_matrix matrix_of(const struct zci_v4l2_format *format)
{
    switch (format->ycbcr_enc) {
    case 0:
        break;
    case ZCI_V4L2_ENC_709:
    case ZCI_V4L2_ENC_XV709:
    case ZCI_V4L2_ENC_SMPTE240M:
        return ZCS_MATRIX_BT709;
    case ZCI_V4L2_ENC_BT2020:
    case ZCI_V4L2_ENC_BT2020_CONST:
        return ZCS_MATRIX_BT2020;
    default:
        return ZCS_MATRIX_BT601;
    }
    switch (format->colorspace) {
    case ZCI_V4L2_CS_REC709:
    case ZCI_V4L2_CS_DCI_P3:
    case ZCI_V4L2_CS_SMPTE240M:
        return ZCS_MATRIX_BT709;
    case ZCI_V4L2_CS_BT2020:
        return ZCS_MATRIX_BT2020;
    default:
        return ZCS_MATRIX_BT601;
    }
}

static enum zcs_range range_of(const struct zci_v4l2_format *format)
{
    /* xvYCC has limited range by definition, whatever range the driver reports. */
    if (format->ycbcr_enc == ZCI_V4L2_ENC_XV601 || format->ycbcr_enc == ZCI_V4L2_ENC_XV709)
        return ZCS_RANGE_LIMITED;
    if (format->quantization == ZCI_V4L2_QUANT_FULL)
        return ZCS_RANGE_FULL;
    if (format->quantization == ZCI_V4L2_QUANT_LIMITED)
        return ZCS_RANGE_LIMITED;
    return format->colorspace == ZCI_V4L2_CS_JPEG ? ZCS_RANGE_FULL : ZCS_RANGE_LIMITED;
}

/* Of images made for display. Video transfer functions are displayed as sRGB everywhere, so they
 * are reported as sRGB. */
static void set_transfer(const struct zci_v4l2_format *format, struct zcs_color *color)
{
    const int by_space = format->xfer_func == 0;
    color->transfer = ZCS_TRANSFER_SRGB;
    if (format->xfer_func == ZCI_V4L2_XFER_NONE ||
        (by_space && format->colorspace == ZCI_V4L2_CS_RAW)) {
        color->transfer = ZCS_TRANSFER_LINEAR;
    } else if (format->xfer_func == ZCI_V4L2_XFER_OPRGB ||
               (by_space && format->colorspace == ZCI_V4L2_CS_OPRGB)) {
        color->transfer = ZCS_TRANSFER_POWER;
        color->gamma_milli = 2200;
    }
}

/* Resolves the members of `wanted` that are AUTO. They stay AUTO where the driver reports nothing
 * that would change the format's default. */
static struct zcs_color color_of(const struct zci_v4l2_format *format, enum zcs_pixfmt pixfmt,
                                 struct zcs_color wanted)
{
    const struct zcs_pixfmt_info *info = zcs_pixfmt_info(pixfmt);
    struct zcs_color color = wanted;
    if (info == NULL)
        return color;
    const int yuv = info->model == ZCS_MODEL_YUV;
    if (color.matrix == ZCS_MATRIX_AUTO && yuv)
        color.matrix = matrix_of(format);
    if (color.range == ZCS_RANGE_AUTO && yuv)
        color.range = range_of(format);
    /* Sensor data is linear, whatever the driver reports. */
    const int sensor = info->model == ZCS_MODEL_BAYER || (info->bits > 8 && !yuv);
    if (color.transfer == ZCS_TRANSFER_AUTO && !sensor)
        set_transfer(format, &color);
    return color;
}

static size_t whole_pages(size_t bytes)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    return (bytes + page - 1) / page * page;
}

/* Strides: the driver's where it reports them, else the minimum. */
static zcs_status init_image(const struct zci_v4l2_device *dev,
                             const struct zci_v4l2_format *format, enum zcs_pixfmt pixfmt,
                             struct zcs_image *image)
{
    const struct zcs_pixfmt_info *info = zcs_pixfmt_info(pixfmt);
    if (format->planes != info->buffers)
        return zci_fail(dev->log, ZCS_ERR_FORMAT,
                        "%s: the driver gives %" PRIu32 " buffers a frame, %s has %" PRIu32,
                        dev->path, format->planes, info->name, info->buffers);
    const zcs_status status =
        zcs_image_init(image, pixfmt, format->width, format->height, format->stride_bytes[0]);
    if (status == ZCS_ERR_FORMAT)
        return zci_fail(dev->log, status,
                        "%s: the driver gives rows of %" PRIu32 " bytes, %" PRIu32
                        " pixels of %s need %zu",
                        dev->path, format->stride_bytes[0], format->width, info->name,
                        zcs_image_min_stride(pixfmt, format->width, 0));
    if (status != ZCS_OK) /* not the caller's argument */
        return zci_fail(dev->log, ZCS_ERR_UNSUPPORTED,
                        "%s: the driver gives frames of %" PRIu32 "x%" PRIu32, dev->path,
                        format->width, format->height);
    for (uint32_t p = 1; p < format->planes; p++)
        if (format->stride_bytes[p] != 0)
            image->stride_bytes[p] = format->stride_bytes[p];
    return ZCS_OK;
}

/* The bytes of image plane `p` up to the end of the last row's pixels. Packed pixels count in whole
 * groups. */
static size_t plane_min_bytes(const struct zcs_image *image, uint32_t p)
{
    const uint32_t rows = zcs_image_rows(image->format, image->height, p);
    return image->stride_bytes[p] * (rows - 1) + zci_image_row_bytes(image, p);
}

/* Reads each plane's data_offset. Few drivers set one, and they report it once a buffer is
 * prepared. So a buffer is prepared where the planes are larger than needed. */
static void read_data_offsets(const struct zci_v4l2_device *dev, struct zci_v4l2_layout *layout,
                              const struct zci_v4l2_format *format)
{
    int room = 0;
    for (uint32_t p = 0; p < layout->planes; p++)
        room |= format->size_bytes[p] > layout->min_bytes[p];
    if (!dev->port.mplane || !room)
        return;
    uint32_t count = 1, can = 0;
    struct zci_v4l2_buffer buffer = {.planes = layout->planes};
    if (zci_v4l2_reqbufs(&dev->port, ZCI_V4L2_MMAP, &count, &can) != 0)
        return;
    if (zci_v4l2_prepare_buf(&dev->port, &buffer) == 0)
        for (uint32_t p = 0; p < layout->planes && p < buffer.planes; p++)
            layout->data_offset[p] = buffer.plane[p].data_offset;
    count = 0;
    (void)zci_v4l2_reqbufs(&dev->port, ZCI_V4L2_MMAP, &count, &can);
}

static void place_planes(struct zci_v4l2_layout *layout, const struct zci_v4l2_format *format)
{
    for (uint32_t p = 0; p < layout->planes; p++) {
        layout->offset[p] = layout->slot_bytes;
        layout->bytes[p] = whole_pages(format->size_bytes[p]);
        layout->slot_bytes += layout->bytes[p];
        layout->min_bytes[p] += layout->data_offset[p];
    }
    struct zcs_image *image = &layout->image;
    for (uint32_t p = 0; p < image->planes; p++) {
        const uint32_t buffer = layout->planes > 1 ? p : 0;
        const size_t within = layout->planes > 1 ? 0 : image->offset_bytes[p];
        image->offset_bytes[p] = layout->offset[buffer] + layout->data_offset[buffer] + within;
    }
    const uint32_t last = layout->planes - 1;
    image->size_bytes = layout->offset[last] + format->size_bytes[last];
}

zcs_status zci_v4l2_layout_make(const struct zci_v4l2_device *dev,
                                const struct zci_v4l2_format *format, enum zcs_pixfmt pixfmt,
                                struct zcs_color color, struct zci_v4l2_layout *out)
{
    *out = (struct zci_v4l2_layout){.planes = format->planes};
    struct zcs_image *image = &out->image;
    const zcs_status status = init_image(dev, format, pixfmt, image);
    if (status != ZCS_OK)
        return status;
    for (uint32_t p = 0; p < out->planes; p++)
        if (whole_pages(format->size_bytes[p]) > UINT32_MAX)
            return zci_fail(dev->log, ZCS_ERR_UNSUPPORTED,
                            "%s: the driver asks for buffers of %" PRIu32 " bytes", dev->path,
                            format->size_bytes[p]);
    image->color = zci_color_resolve(pixfmt, color_of(format, pixfmt, color));
    for (uint32_t p = 0; p < image->planes; p++) {
        const uint32_t buffer = out->planes > 1 ? p : 0;
        const size_t before = out->planes > 1 ? 0 : image->offset_bytes[p];
        out->min_bytes[buffer] = before + plane_min_bytes(image, p);
    }
    read_data_offsets(dev, out, format);
    for (uint32_t p = 0; p < out->planes; p++)
        if (format->size_bytes[p] < out->min_bytes[p] + out->data_offset[p])
            return zci_fail(dev->log, ZCS_ERR_FORMAT,
                            "%s: the driver's buffers of %" PRIu32 " bytes are too small: %" PRIu32
                            "x%" PRIu32 " %s needs %zu",
                            dev->path, format->size_bytes[p], format->width, format->height,
                            zcs_pixfmt_info(pixfmt)->name, out->min_bytes[p] + out->data_offset[p]);
    place_planes(out, format);
    return zcs_image_check(image) == ZCS_OK
               ? ZCS_OK
               : zci_fail(dev->log, ZCS_ERR_FORMAT, "%s: the driver's layout fits no %s image",
                          dev->path, zcs_pixfmt_info(pixfmt)->name);
}

int zci_v4l2_layout_same(const struct zci_v4l2_layout *a, const struct zci_v4l2_layout *b)
{
    int same = a->planes == b->planes && a->slot_bytes == b->slot_bytes &&
               a->image.format == b->image.format && a->image.width == b->image.width &&
               a->image.height == b->image.height && a->image.planes == b->image.planes;
    for (uint32_t p = 0; p < ZCS_MAX_PLANES; p++)
        same = same && a->offset[p] == b->offset[p] && a->bytes[p] == b->bytes[p] &&
               a->min_bytes[p] == b->min_bytes[p] && a->data_offset[p] == b->data_offset[p] &&
               a->image.stride_bytes[p] == b->image.stride_bytes[p] &&
               a->image.offset_bytes[p] == b->image.offset_bytes[p];
    return same;
}
