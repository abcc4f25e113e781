/* SPDX-License-Identifier: MIT */
/* When frames come, and what the script makes of each. */
#ifndef VCAM_FRAMES_H
#define VCAM_FRAMES_H

#include "vcam/camera.h"

void vcam_frames_start(struct vcam_camera *camera);
/* Buffers go back to the program, whoever has them; a DQBUF that waits ends. */
void vcam_frames_stop(struct vcam_camera *camera);
/* When something of the camera is due next, on CLOCK_MONOTONIC; VCAM_NEVER. */
int64_t vcam_frames_due_ns(const struct vcam_camera *camera);
/* Does what is due. */
void vcam_frames_run(struct vcam_camera *camera, int64_t now_ns);
/* The program has dequeued buffer i. */
void vcam_frames_taken(struct vcam_camera *camera, uint32_t i);
/* Writes at once what buffer i will hold when its turn comes, `ahead` frames from the next. */
void vcam_frames_fill_early(struct vcam_camera *camera, uint32_t i, uint32_t ahead);

#endif
