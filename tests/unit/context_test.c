/* SPDX-License-Identifier: MIT */
/* Contexts: which backend is opened, what is logged at which level, and the host as a device. */
#include "check.h"

#include "zcstream/zcstream.h"
#include "backend/backend.h"
#include "context/context.h"

struct heard {
    int lines;
    enum zcs_log_level gravest;
    char last[256];
};

static void hear(void *user, enum zcs_log_level level, const char *text)
{
    struct heard *heard = user;
    heard->gravest = heard->lines == 0 || level < heard->gravest ? level : heard->gravest;
    heard->lines++;
    snprintf(heard->last, sizeof heard->last, "%s", text);
}

static zcs_status open_with(enum zcs_backend backend, uint32_t threads, enum zcs_log_level level,
                            struct heard *heard, zcs_context **out)
{
    *heard = (struct heard){0};
    const struct zcs_params params = {.backend = backend,
                                      .host_threads = threads,
                                      .log = hear,
                                      .log_user = heard,
                                      .log_level = level};
    return zcs_open(&params, out);
}

static void test_device(zcs_context *ctx, struct heard *heard, uint32_t threads)
{
    struct zcs_device_info info;
    CHECK_EQ(zcs_device_count(ctx), 1);
    CHECK(zcs_device_info(ctx, 0, &info) == ZCS_OK);
    CHECK_EQ(info.backend, ZCS_BACKEND_HOST);
    CHECK_EQ(info.units, threads);
    CHECK_EQ(info.memory_bytes, 0);
    CHECK(info.integrated == 1 && info.can_map == 1);
    CHECK(info.name[0] != 0 && strchr(info.name, '\n') == NULL);
    info.units = 77;
    CHECK_EQ(zcs_device_info(ctx, 1, &info), ZCS_ERR_ARG);
    CHECK_EQ(info.units, 77);
    CHECK(strstr(heard->last, "device 1: there is 1") != NULL);
}

static void test_auto(void)
{
    struct heard heard;
    zcs_context *ctx = NULL;
    CHECK(open_with(ZCS_BACKEND_AUTO, 1, ZCS_LOG_INFO, &heard, &ctx) == ZCS_OK);
    if (ctx->backend->ops->id == ZCS_BACKEND_HOST) {
        CHECK_EQ(heard.gravest, ZCS_LOG_INFO);
        CHECK(heard.lines >= 2);
    }
    zcs_close(&ctx);
    CHECK(open_with(ZCS_BACKEND_AUTO, 1, ZCS_LOG_NONE, &heard, &ctx) == ZCS_OK);
    CHECK_EQ(heard.lines, 0); /* NONE with a function is WARNING */
    CHECK_EQ(ctx->log.level, ZCS_LOG_WARNING);
    zcs_close(&ctx);
    CHECK(ctx == NULL);
    zcs_close(&ctx);
    CHECK(zcs_open(NULL, &ctx) == ZCS_OK);
    zcs_close(&ctx);
}

static void test_host(void)
{
    struct heard heard;
    zcs_context *ctx = NULL;
    CHECK(open_with(ZCS_BACKEND_HOST, 3, ZCS_LOG_ERROR, &heard, &ctx) == ZCS_OK);
    test_device(ctx, &heard, 3);
    CHECK_EQ(heard.lines, 1);
    uint32_t automatic = 0;
    const char *reason = NULL;
    const uint32_t routes = ctx->backend->ops->routes(ctx->backend, 0, &automatic, &reason);
    CHECK_EQ(routes, 1u << ZCS_ROUTE_MAPPED | 1u << ZCS_ROUTE_STAGED | 1u << ZCS_ROUTE_WHOLE);
    CHECK_EQ(automatic, 1u << ZCS_ROUTE_MAPPED);
    CHECK(reason != NULL);
    zcs_close(&ctx);
}

static void test_refusals(void)
{
    struct heard heard;
    zcs_context *ctx = NULL;
    CHECK_EQ(open_with((enum zcs_backend)9, 1, ZCS_LOG_ERROR, &heard, &ctx), ZCS_ERR_ARG);
    CHECK(heard.lines == 1 && ctx == NULL);
    CHECK_EQ(open_with(ZCS_BACKEND_HOST, 5000, ZCS_LOG_ERROR, &heard, &ctx), ZCS_ERR_ARG);
    CHECK(strstr(heard.last, "5000") != NULL && strstr(heard.last, "1024") != NULL);
    CHECK_EQ(open_with(ZCS_BACKEND_HOST, 1, (enum zcs_log_level)9, &heard, &ctx), ZCS_ERR_ARG);
    const zcs_status status = open_with(ZCS_BACKEND_CUDA, 1, ZCS_LOG_ERROR, &heard, &ctx);
    if (status == ZCS_OK) {
        CHECK_EQ(ctx->backend->ops->id, ZCS_BACKEND_CUDA);
        zcs_close(&ctx);
    } else {
        CHECK_EQ(status, ZCS_ERR_UNSUPPORTED);
        CHECK(heard.lines == 1 && heard.gravest == ZCS_LOG_ERROR && ctx == NULL);
    }
}

/* A context whose backend calls itself another one's: a source's slots are of the backend it was opened with, pushed
 * memory is of none. */
static void test_other_backend(void)
{
    struct heard heard, ignored;
    zcs_context *host = NULL, *other = NULL;
    zcs_source *source = NULL, *pushed = NULL;
    zcs_stream *stream = NULL;
    const struct zcs_pattern_params pattern = {.frames = 1};
    struct zcs_push_params push = {.queue = 1};
    CHECK(open_with(ZCS_BACKEND_HOST, 1, ZCS_LOG_ERROR, &ignored, &host) == ZCS_OK);
    CHECK(open_with(ZCS_BACKEND_HOST, 1, ZCS_LOG_ERROR, &heard, &other) == ZCS_OK);
    const struct zci_backend_ops *ops = other->backend->ops;
    struct zci_backend_ops renamed = *ops;
    renamed.id = ZCS_BACKEND_CUDA;
    renamed.name = "cuda";
    CHECK_EQ(zcs_source_open_pattern(host, &pattern, &source), ZCS_OK);
    CHECK_EQ(zcs_image_init(&push.image, ZCS_PIXFMT_GREY, 8, 8, 0), ZCS_OK);
    CHECK_EQ(zcs_source_open_push(host, &push, &pushed), ZCS_OK);
    other->backend->ops = &renamed;
    CHECK_EQ(zcs_stream_create(other, source, NULL, &stream), ZCS_ERR_ARG);
    CHECK(strstr(heard.last, "pattern source") != NULL && strstr(heard.last, "host") != NULL &&
          strstr(heard.last, "cuda") != NULL && stream == NULL);
    CHECK_EQ(zcs_stream_create(other, pushed, NULL, &stream), ZCS_OK);
    zcs_stream_destroy(&stream);
    other->backend->ops = ops;
    CHECK_EQ(zcs_stream_create(other, source, NULL, &stream), ZCS_OK);
    zcs_stream_destroy(&stream);
    zcs_source_close(&source);
    zcs_source_close(&pushed);
    zcs_close(&other);
    zcs_close(&host);
}

int main(void)
{
    test_auto();
    test_host();
    test_refusals();
    test_other_backend();
    return 0;
}
