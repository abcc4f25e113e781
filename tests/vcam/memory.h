/* SPDX-License-Identifier: MIT */
/* The memory that frames are written into: the program's own, the camera's, or a dma-buf. */
#ifndef VCAM_MEMORY_H
#define VCAM_MEMORY_H

#include "vcam/camera.h"

/* The memfd for all buffers of an MMAP camera. */
int vcam_memory_make(struct vcam_camera *camera);
void vcam_memory_free(struct vcam_camera *camera);
/* Checks the memory that comes with a buffer, and remembers it. */
int vcam_memory_take(struct vcam_camera *camera, const struct vcam_call *call, uint32_t i,
                     const struct v4l2_plane planes[VCAM_PLANES]);
/* Writes the camera's picture, or each plane's lower half of it, into buffer i. */
int vcam_memory_write(struct vcam_camera *camera, uint32_t i, int lower_half);
/* Whether some queued buffer's memory lies there. */
int vcam_memory_queued(const struct vcam_camera *camera, pid_t pid, uint64_t at, uint64_t bytes);

#endif
