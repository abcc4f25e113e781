/* SPDX-License-Identifier: MIT */
/* Frames as the application holds them: references on their slots. */
#include "zcstream/cuda.h"

#include "frame/pool.h"

/* A frame is its slot's first member, and every slot is writable memory of a pool. */
static struct zci_slot *slot_of(const struct zcs_frame *frame)
{
    return (struct zci_slot *)(uintptr_t)frame;
}

const struct zcs_frame *zcs_frame_ref(const struct zcs_frame *frame)
{
    zci_slot_ref(slot_of(frame));
    return frame;
}

void zcs_frame_unref(const struct zcs_frame **frame)
{
    const struct zcs_frame *held = *frame;
    *frame = NULL;
    if (held != NULL)
        zci_slot_unref(slot_of(held));
}

/* No log: the frame may have outlived its context. */
zcs_status zcs_frame_cuda(const struct zcs_frame *frame, struct zcs_cuda_frame *out)
{
    if (frame == NULL || out == NULL)
        return ZCS_ERR_ARG;
    const struct zci_slot *slot = slot_of(frame);
    if (slot->cuda.stream == NULL)
        return ZCS_ERR_UNSUPPORTED;
    *out = slot->cuda;
    return ZCS_OK;
}
