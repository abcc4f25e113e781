/* SPDX-License-Identifier: MIT */
/* A camera on trial: which ways its frames can come, and two seconds of them. */
#ifndef ZCAPP_DOCTOR_DOCTOR_CAPTURE_H
#define ZCAPP_DOCTOR_DOCTOR_CAPTURE_H

#include "app/doctor/findings.h"
#include "app/cli/options.h"

/* `usb_mbit`: of its port, 0 where it has none. 0, or an exit status where no frame came. */
int doctor_capture(const struct options *options, unsigned usb_mbit, struct findings *findings);

#endif
