/* SPDX-License-Identifier: MIT */
/* Frames as DLPack tensors: the shape of a plane, where it is, and a reference that goes with
 * it. */
#include "zcstream/dlpack.h"

#include <stdlib.h>

#include "core/format.h"
#include "frame/pool.h"

/* What of DLPack's binary interface a tensor needs. */
enum { DL_CPU = 1, DL_CUDA = 2, DL_CUDA_HOST = 3, DL_UNSIGNED = 1 };

struct dl_tensor {
    void *data;
    struct {
        int32_t type, id;
    } device;
    int32_t ndim;
    struct {
        uint8_t code, bits;
        uint16_t lanes;
    } dtype;
    int64_t *shape, *strides;
    uint64_t byte_offset;
};

struct DLManagedTensor {
    struct dl_tensor tensor;
    void *manager_ctx;
    void (*deleter)(struct DLManagedTensor *self);
};

struct export
{
    struct DLManagedTensor managed; /* first: what is handed out */
    int64_t shape[3], strides[3];
    const struct zcs_frame *frame; /* a reference */
};

static void let_go(struct DLManagedTensor *self)
{
    struct export *export = (struct export *)self;
    zcs_frame_unref(&export->frame);
    free(export);
}

/* How the samples of plane 0 lie; channels 0: its rows are bytes alone. */
struct kind {
    uint8_t bytes, channels;
};

static struct kind kind_of(uint8_t unpack)
{
    switch ((enum zci_unpack)unpack) {
    case ZCI_UNPACK_U16:
    case ZCI_UNPACK_SEMI10:
    case ZCI_UNPACK_PLANAR16:
    case ZCI_UNPACK_RGB565:
        return (struct kind){2, 1};
    case ZCI_UNPACK_RGBA64:
        return (struct kind){2, 4};
    case ZCI_UNPACK_RGB32:
        return (struct kind){1, 4};
    case ZCI_UNPACK_RGB24:
        return (struct kind){1, 3};
    case ZCI_UNPACK_YUV422:
    case ZCI_UNPACK_U16BE:
    case ZCI_UNPACK_RGB565BE:
        return (struct kind){1, 2};
    case ZCI_UNPACK_P10:
    case ZCI_UNPACK_P12:
    case ZCI_UNPACK_P14:
        return (struct kind){1, 0};
    case ZCI_UNPACK_U8:
    case ZCI_UNPACK_SEMI8:
    case ZCI_UNPACK_PLANAR8:
    case ZCI_UNPACK_NONE:
    case ZCI_UNPACK_COUNT:
        break;
    }
    return (struct kind){1, 1};
}

static void set_shape(struct export *export, const struct zcs_image *image, uint32_t plane)
{
    const struct zci_format *format = zci_format(image->format);
    struct kind kind = kind_of(format->unpack);
    const int semi = format->unpack == ZCI_UNPACK_SEMI8 || format->unpack == ZCI_UNPACK_SEMI10;
    if (plane > 0 && semi)
        kind.channels = 2;
    const size_t row_bytes = zci_image_row_bytes(image, plane);
    const uint32_t samples = kind.channels > 0 ? kind.channels : 1;
    export->shape[0] = zcs_image_rows(image->format, image->height, plane);
    export->shape[1] = (int64_t)(row_bytes / kind.bytes / samples);
    export->shape[2] = samples;
    export->strides[0] = (int64_t)(image->stride_bytes[plane] / kind.bytes);
    export->strides[1] = samples;
    export->strides[2] = 1;
    struct dl_tensor *tensor = &export->managed.tensor;
    tensor->ndim = samples > 1 ? 3 : 2;
    tensor->dtype.code = DL_UNSIGNED;
    tensor->dtype.bits = (uint8_t)(8 * kind.bytes);
    tensor->dtype.lanes = 1;
    tensor->shape = export->shape;
    tensor->strides = export->strides;
}

static int32_t host_type(const struct zci_slot *slot, uint32_t flags)
{
    const enum zcs_memory kind = slot->memory.kind;
    const int pinned = kind == ZCS_MEMORY_CACHED || kind == ZCS_MEMORY_WC;
    return pinned && (flags & ZCS_DLPACK_PINNED) ? DL_CUDA_HOST : DL_CPU;
}

/* The frame's slot says where it is; a pushed one is the caller's memory. */
static void set_place(struct export *export, const struct zcs_frame *frame, uint32_t plane,
                      uint32_t flags)
{
    const struct zci_slot *slot = (const struct zci_slot *)(const void *)frame;
    struct dl_tensor *tensor = &export->managed.tensor;
    const int on_device = frame->host == NULL;
    uint8_t *at = on_device ? frame->device_data : (uint8_t *)(uintptr_t)frame->host;
    tensor->data = at + frame->image.offset_bytes[plane];
    tensor->device.type = on_device ? DL_CUDA : host_type(slot, flags);
    tensor->device.id = on_device ? slot->cuda.cuda_device : 0;
}

zcs_status zcs_frame_dlpack(const struct zcs_frame *frame, uint32_t plane, uint32_t flags,
                            struct DLManagedTensor **out)
{
    if (frame == NULL || out == NULL)
        return ZCS_ERR_ARG;
    const struct zcs_image *image = &frame->image;
    const struct zci_format *format = zci_format(image->format);
    if (format == NULL || plane >= image->planes || (flags & ~(uint32_t)ZCS_DLPACK_PINNED) != 0)
        return ZCS_ERR_ARG;
    if (format->unpack == ZCI_UNPACK_NONE)
        return ZCS_ERR_UNSUPPORTED;
    struct export *export = calloc(1, sizeof *export);
    if (export == NULL)
        return ZCS_ERR_NOMEM;
    set_shape(export, image, plane);
    set_place(export, frame, plane, flags);
    const size_t bytes = export->managed.tensor.dtype.bits / 8u;
    if (image->stride_bytes[plane] % bytes != 0 ||
        (uintptr_t) export->managed.tensor.data % bytes != 0) {
        free(export);
        return ZCS_ERR_UNSUPPORTED;
    }
    export->frame = zcs_frame_ref(frame);
    export->managed.deleter = let_go;
    *out = &export->managed;
    return ZCS_OK;
}
