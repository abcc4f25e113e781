/* SPDX-License-Identifier: MIT */
/* Hears of the program's calls and answers those that are about cameras. */
#ifndef VCAM_SUPERVISE_H
#define VCAM_SUPERVISE_H

#include "vcam/camera.h"

struct vcam_supervisor {
    int listener;
    int verbose;
    pid_t program;
    struct vcam_camera cameras[VCAM_CAMERAS];
    uint32_t camera_count;
};

/* Until the program ends; returns its status as wait() has it. `signals` is a signalfd: what comes is passed
 * on to the program. */
int vcam_supervise(struct vcam_supervisor *v, int signals);

/* The open file under this number of that process; *theirs is a copy of it that the caller closes. NULL: it
 * is no camera's. */
struct vcam_handle *vcam_handle_of(struct vcam_supervisor *v, pid_t pid, int fd, int *theirs);

#endif
