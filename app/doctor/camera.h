/* SPDX-License-Identifier: MIT */
/* zcapp doctor DEVICE: what this camera and its driver can do here, measured, and what could be
 * better. */
#ifndef ZCAPP_DOCTOR_CAMERA_H
#define ZCAPP_DOCTOR_CAMERA_H

#include "app/doctor/findings.h"
#include "app/cli/options.h"

/* The camera that options->input names; takes some seconds. 0, or an exit status where it gives no
 * frames. */
int doctor_camera(const struct options *options, struct findings *findings);

#endif
