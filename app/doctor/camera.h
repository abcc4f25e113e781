/* SPDX-License-Identifier: MIT */
/* Examination of a camera: its driver, its capture paths, and two seconds of frames. */
#ifndef ZCAPP_DOCTOR_CAMERA_H
#define ZCAPP_DOCTOR_CAMERA_H

#include "app/doctor/findings.h"
#include "app/cli/options.h"

/* Examines the camera options->input, which takes some seconds. 0, or an exit status if no frame
 * arrives. */
int doctor_camera(const struct options *options, struct findings *findings);

#endif
