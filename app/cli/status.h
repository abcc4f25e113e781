/* SPDX-License-Identifier: MIT */
/* The exit statuses, and which one a failure of the library's means. */
#ifndef ZCAPP_CLI_STATUS_H
#define ZCAPP_CLI_STATUS_H

#include "zcstream/base.h"

enum zcapp_status {
    ZCAPP_DONE = 0,
    ZCAPP_FAILED = 1,      /* while running */
    ZCAPP_USAGE = 2,       /* the command line contradicts itself or the input */
    ZCAPP_UNAVAILABLE = 3, /* a required path, backend, device or reader was not to be had */
};

/* Of a failure (< 0). */
static inline int zcapp_status_of(zcs_status status)
{
    if (status == ZCS_ERR_ARG)
        return ZCAPP_USAGE;
    return status == ZCS_ERR_UNSUPPORTED ? ZCAPP_UNAVAILABLE : ZCAPP_FAILED;
}

#endif
