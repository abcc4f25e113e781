/* SPDX-License-Identifier: MIT */
/* Contexts of the CUDA backend over a table of CUDA calls of the test's. */
#ifndef ZCS_TESTS_GPU_OPEN_OVER_H
#define ZCS_TESTS_GPU_OPEN_OVER_H

#include "check.h"

#include "backend/cuda/cuda.h"
#include "backend/backend.h"
#include "context/context.h"
#include "zcstream/zcstream.h"

/* A context over any table; the library itself has only the real one. */
static inline zcs_status open_over(const struct zci_cuda_api *api, zcs_log_fn log,
                                   zcs_context **out)
{
    const struct zcs_params params = {.backend = ZCS_BACKEND_HOST, .host_threads = 1, .log = log};
    zcs_context *ctx = NULL;
    struct zci_backend *backend = NULL;
    CHECK_EQ(zcs_open(&params, &ctx), ZCS_OK);
    const zcs_status status = zci_cuda_open(api, &ctx->log, &backend);
    if (status != ZCS_OK) {
        zcs_close(&ctx);
        return status;
    }
    zci_backend_unref(&ctx->backend);
    ctx->backend = backend;
    *out = ctx;
    return ZCS_OK;
}

#endif
