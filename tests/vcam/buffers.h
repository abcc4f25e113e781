/* SPDX-License-Identifier: MIT */
/* The buffers of a virtual camera: asked for, queued, dequeued, as vb2 does it. */
#ifndef VCAM_BUFFERS_H
#define VCAM_BUFFERS_H

#include "vcam/camera.h"

int vcam_reqbufs(struct vcam_camera *camera, struct vcam_handle *handle,
                 const struct vcam_call *call, struct v4l2_requestbuffers *request);
int vcam_querybuf(struct vcam_camera *camera, const struct vcam_call *call,
                  struct v4l2_buffer *buffer);
int vcam_prepare_buf(struct vcam_camera *camera, struct vcam_handle *handle,
                     const struct vcam_call *call, struct v4l2_buffer *buffer);
int vcam_qbuf(struct vcam_camera *camera, struct vcam_handle *handle, const struct vcam_call *call,
              struct v4l2_buffer *buffer);
/* VCAM_WAITS: no frame is there, and the program waits for one. */
int vcam_dqbuf(struct vcam_camera *camera, const struct vcam_call *call,
               struct v4l2_buffer *buffer);
int vcam_streamon(struct vcam_camera *camera, struct vcam_handle *handle, int type);
int vcam_streamoff(struct vcam_camera *camera, struct vcam_handle *handle, int type);

/* Streaming off and all buffers gone, whatever maps them. */
void vcam_buffers_free(struct vcam_camera *camera);
/* Where plane p of buffer i begins in the memfd. */
size_t vcam_store_offset(const struct vcam_camera *camera, uint32_t i, uint32_t p);

#endif
