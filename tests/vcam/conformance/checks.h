/* SPDX-License-Identifier: MIT */
/* The checks, by what they are about. Each opens the device anew and closes it. */
#ifndef CONFORMANCE_CHECKS_H
#define CONFORMANCE_CHECKS_H

#include "vcam/conformance/node.h"

struct check {
    const char *name;
    check_fn *run;
};

/* Each ends with a name that is NULL. */
extern const struct check checks_of_formats[], checks_of_buffers[], checks_of_frames[],
    checks_of_controls[];

#endif
