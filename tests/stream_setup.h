/* SPDX-License-Identifier: MIT */
/* What the stream tests share: a context that logs to stderr and a small pattern source. */
#ifndef ZCS_TESTS_STREAM_SETUP_H
#define ZCS_TESTS_STREAM_SETUP_H

#include "check.h"
#include "zcstream/zcstream.h"

static inline void setup_log(void *user, enum zcs_log_level level, const char *line)
{
    (void)level;
    ++*(int *)user;
    fprintf(stderr, "  log: %s\n", line);
}

static inline zcs_context *setup_context(uint32_t threads, int *lines)
{
    zcs_context *ctx = NULL;
    const struct zcs_params params = {.backend = ZCS_BACKEND_HOST,
                                      .host_threads = threads,
                                      .log = lines ? setup_log : NULL,
                                      .log_user = lines};
    CHECK_EQ(zcs_open(&params, &ctx), ZCS_OK);
    return ctx;
}

static inline zcs_source *setup_pattern(zcs_context *ctx, enum zcs_pixfmt format, uint64_t frames,
                                        uint32_t fps)
{
    zcs_source *source = NULL;
    const struct zcs_pattern_params params = {.name = "square",
                                              .format = format,
                                              .width = 96,
                                              .height = 50,
                                              .frames = frames,
                                              .fps_num = fps,
                                              .fps_den = fps ? 1 : 0,
                                              .pace = fps != 0};
    CHECK_EQ(zcs_source_open_pattern(ctx, &params, &source), ZCS_OK);
    return source;
}

static inline void setup_close(zcs_stream **stream, zcs_source **source, zcs_context **ctx)
{
    zcs_stream_destroy(stream);
    zcs_source_close(source);
    zcs_close(ctx);
    CHECK(*stream == NULL && *source == NULL && *ctx == NULL);
}

#endif
