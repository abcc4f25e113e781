/* SPDX-License-Identifier: MIT */
/* Status codes in words, and the library's version. */
#include "zcstream/base.h"

const char *zcs_strerror(zcs_status status)
{
    switch (status) {
    case ZCS_OK:
        return "success";
    case ZCS_AGAIN:
        return "nothing yet, try again";
    case ZCS_EOF:
        return "end of the source";
    case ZCS_ERR_ARG:
        return "invalid argument";
    case ZCS_ERR_NOMEM:
        return "out of memory";
    case ZCS_ERR_UNSUPPORTED:
        return "not supported here";
    case ZCS_ERR_FORMAT:
        return "malformed or mismatched data";
    case ZCS_ERR_IO:
        return "input/output error";
    case ZCS_ERR_BUSY:
        return "in use elsewhere";
    case ZCS_ERR_GONE:
        return "the camera or file is gone";
    case ZCS_ERR_DEVICE:
        return "processing device failed";
    }
    return "unknown status";
}

const char *zcs_version(void)
{
    return ZCS_VERSION; /* the build defines it from the project's */
}
