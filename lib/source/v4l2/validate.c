/* SPDX-License-Identifier: MIT */
/* Judging filled buffers: damaged, short, moved, or never written. */
#include "source/v4l2/validate.h"

#include <inttypes.h>
#include <stdio.h>

#include "source/v4l2/canary.h"

/* The first of a kind is told, all are counted. */
static int lose(struct zci_v4l2_camera *camera, enum zcs_loss cause, uint64_t number,
                const char *what)
{
    if (!(camera->told >> cause & 1u))
        zci_log(&camera->head.log, ZCS_LOG_WARNING,
                "%s: frame %" PRIu64 " is not delivered, nor are others like it: %s",
                camera->dev.path, number, what);
    camera->told |= 1u << cause;
    camera->head.lost[cause]++;
    return 0;
}

/* The plane with fewer bytes than its part of the picture needs; `planes` where there is none. */
static uint32_t short_plane(const struct zci_v4l2_layout *layout,
                            const struct zci_v4l2_buffer *buffer)
{
    uint32_t p = 0;
    while (p < layout->planes && p < buffer->planes &&
           buffer->plane[p].bytes_used >= layout->needed[p])
        p++;
    return p;
}

static int is_moved(const struct zci_v4l2_layout *layout, const struct zci_v4l2_buffer *buffer)
{
    for (uint32_t p = 0; p < layout->planes; p++)
        if (buffer->plane[p].data_offset != layout->data_offset[p])
            return 1;
    return 0;
}

int zci_v4l2_validate(struct zci_v4l2_camera *camera, const struct zci_v4l2_buffer *buffer,
                      uint64_t number)
{
    const struct zci_v4l2_layout *layout = &camera->agreed.layout;
    if (buffer->error)
        return lose(camera, ZCS_LOSS_ERROR, number, "the driver says that it is damaged");
    const uint32_t plane = short_plane(layout, buffer);
    if (plane < layout->planes) {
        char what[96];
        const uint32_t got = plane < buffer->planes ? buffer->plane[plane].bytes_used : 0;
        snprintf(what, sizeof what, "%" PRIu32 " bytes, and the picture needs %zu", got,
                 layout->needed[plane]);
        return lose(camera, ZCS_LOSS_SHORT, number, what);
    }
    if (is_moved(layout, buffer))
        return lose(camera, ZCS_LOSS_ERROR, number, "its data begins elsewhere than in others");
    const uint32_t bit = UINT32_C(1) << buffer->index;
    if ((camera->buffers.fresh & bit) &&
        zci_v4l2_canary_intact(layout, zci_v4l2_buffers_base(&camera->buffers, buffer->index)))
        return lose(camera, ZCS_LOSS_STALE, number,
                    "the driver announced it, but its buffer was not written");
    camera->buffers.fresh &= ~bit;
    return 1;
}
