/* SPDX-License-Identifier: MIT */
/* A stage of the application's that needs any row for any other. */
#ifndef ZCS_TESTS_UPSIDE_DOWN_H
#define ZCS_TESTS_UPSIDE_DOWN_H

#include <string.h>

#include "zcstream/stream.h"

static inline zcs_status upside_down(void *user, const struct zcs_view *in,
                                     const struct zcs_view *out, uint32_t first, uint32_t last)
{
    (void)user;
    for (uint32_t y = first; y < last; y++)
        memcpy((uint8_t *)out->data + y * out->stride_bytes,
               (const uint8_t *)in->data + (in->height - 1 - y) * in->stride_bytes,
               in->stride_bytes);
    return ZCS_OK;
}

#endif
