/* SPDX-License-Identifier: MIT */
/* The exit statuses, and the one for a failure of the library. */
#ifndef ZCAPP_CLI_STATUS_H
#define ZCAPP_CLI_STATUS_H

#include "zcstream/base.h"

enum zcapp_status {
    ZCAPP_DONE = 0,
    ZCAPP_FAILED = 1,      /* while running */
    ZCAPP_USAGE = 2,       /* the command line is wrong, or contradicts the input */
    ZCAPP_UNAVAILABLE = 3, /* a required path, backend, device or file reader is not available */
};

/* For a failure (< 0). */
static inline int zcapp_status_of(zcs_status status)
{
    if (status == ZCS_ERR_ARG)
        return ZCAPP_USAGE;
    return status == ZCS_ERR_UNSUPPORTED ? ZCAPP_UNAVAILABLE : ZCAPP_FAILED;
}

#endif
