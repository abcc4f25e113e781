/* SPDX-License-Identifier: MIT */
/* The context of the targets that open sources: the host backend with one worker, made once. */
#ifndef ZCS_TESTS_FUZZ_CONTEXT_H
#define ZCS_TESTS_FUZZ_CONTEXT_H

#include "fuzz.h"

static unsigned fuzz_errors; /* lines of errors since a target set it to 0 */

static inline zcs_context *fuzz_context(void)
{
    static zcs_context *ctx;
    const struct zcs_params params = {.backend = ZCS_BACKEND_HOST,
                                      .host_threads = 1,
                                      .log = fuzz_count,
                                      .log_user = &fuzz_errors,
                                      .log_level = ZCS_LOG_WARNING};
    if (ctx == NULL)
        CHECK_EQ(zcs_open(&params, &ctx), ZCS_OK);
    return ctx;
}

/* zcs_stream_next without an end; libFuzzer's timer is a signal, which ends waits. */
static inline zcs_status fuzz_next(zcs_stream *stream, const struct zcs_frame **out)
{
    zcs_status status;
    do
        status = zcs_stream_next(stream, -1, out);
    while (status == ZCS_AGAIN);
    return status;
}

#endif
