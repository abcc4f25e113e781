/* SPDX-License-Identifier: MIT */
/* Looks at the structs of the requests about buffers and formats. */
#include "vcam/strict.h"

#include <stdio.h>

#include "vcam/words.h"

static int all_zero(const void *from, size_t bytes)
{
    const uint8_t *at = from;
    for (size_t i = 0; i < bytes; i++)
        if (at[i] != 0)
            return 0;
    return 1;
}

/* A dequeued buffer's struct that is used again has them set. */
static int clean_buffer(const struct v4l2_buffer *b)
{
    return b->reserved2 == 0 && b->request_fd == 0 && b->flags == 0 && b->sequence == 0 &&
           b->timestamp.tv_sec == 0 && b->bytesused == 0 && b->field == 0 && b->memory != 0 &&
           b->type != 0;
}

static int clean(uint32_t request, const void *argument)
{
    switch (request) {
    case (uint32_t)VIDIOC_QBUF:
    case (uint32_t)VIDIOC_DQBUF:
    case (uint32_t)VIDIOC_QUERYBUF:
    case (uint32_t)VIDIOC_PREPARE_BUF:
        return clean_buffer(argument);
    case (uint32_t)VIDIOC_REQBUFS: {
        const struct v4l2_requestbuffers *r = argument;
        return all_zero(r->reserved, sizeof r->reserved) && r->capabilities == 0;
    }
    case (uint32_t)VIDIOC_ENUM_FMT: {
        const struct v4l2_fmtdesc *d = argument;
        return all_zero(d->reserved, sizeof d->reserved) && d->flags == 0;
    }
    default:
        return 1;
    }
}

void vcam_strict(struct vcam_camera *camera, const struct vcam_call *call, const void *argument)
{
    char line[96];
    if (clean(call->request, argument))
        return;
    snprintf(line, sizeof line, "%s: the struct is not clean", vcam_request_name(call->request));
    vcam_camera_complain(camera, line);
}
