/* SPDX-License-Identifier: MIT */
/* The CUDA backend where it is not built in: says so. */
#include "backend/backend.h"

zcs_status zci_backend_open_cuda(const struct zci_log *log, struct zci_backend **out)
{
    (void)out;
    return zci_fail(log, ZCS_ERR_UNSUPPORTED, "backend cuda: not in this build");
}
