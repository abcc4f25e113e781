/* SPDX-License-Identifier: MIT */
/* Opening and closing a context: which backend it gets, and what the log lets through. */
#include "context/context.h"

#include <stdlib.h>
#include <string.h>

#include "context/memory.h"
#include "context/route_cache_file.h"

static struct zci_log log_of(const struct zcs_params *params)
{
    enum zcs_log_level level = params->log_level;
    if (level == ZCS_LOG_NONE)
        level = ZCS_LOG_WARNING;
    return (struct zci_log){.fn = params->log, .user = params->log_user, .level = level};
}

/* With AUTO, that there is no GPU is a piece of information, not an error. */
static void demote(void *user, enum zcs_log_level level, const char *line)
{
    zci_log(user, level < ZCS_LOG_INFO ? ZCS_LOG_INFO : level, "passed over: %s", line);
}

static zcs_status open_auto(struct zci_log *log, uint32_t threads, struct zci_backend **out)
{
    const struct zci_log demoted = {.fn = demote, .user = log, .level = log->level};
    if (zci_backend_open_cuda(log->fn ? &demoted : log, out) == ZCS_OK) {
        (*out)->log = *log;
        return ZCS_OK;
    }
    zci_log(log, ZCS_LOG_INFO, "backend auto: host, as cuda is not to be had");
    return zci_backend_open_host(log, threads, out);
}

static zcs_status open_backend(struct zci_log *log, const struct zcs_params *params,
                               struct zci_backend **out)
{
    switch (params->backend) {
    case ZCS_BACKEND_AUTO:
        return open_auto(log, params->host_threads, out);
    case ZCS_BACKEND_HOST:
        return zci_backend_open_host(log, params->host_threads, out);
    case ZCS_BACKEND_CUDA:
        return zci_backend_open_cuda(log, out);
    }
    return zci_fail(log, ZCS_ERR_ARG, "backend %d: there is no such one", (int)params->backend);
}

static zcs_status check(const struct zci_log *log, const struct zcs_params *params)
{
    if (params->log_level > ZCS_LOG_DEBUG)
        return zci_fail(log, ZCS_ERR_ARG, "log level %d: the highest is %d", (int)params->log_level,
                        (int)ZCS_LOG_DEBUG);
    return ZCS_OK;
}

zcs_status zcs_open(const struct zcs_params *params, zcs_context **out)
{
    const struct zcs_params presets = {0};
    if (params == NULL)
        params = &presets;
    struct zci_log log = log_of(params);
    if (out == NULL)
        return zci_fail(&log, ZCS_ERR_ARG, "a context: out is NULL");
    zcs_status status = check(&log, params);
    if (status != ZCS_OK)
        return status;
    zcs_context *ctx = calloc(1, sizeof *ctx);
    if (ctx == NULL)
        return zci_fail(&log, ZCS_ERR_NOMEM, "context: no memory");
    ctx->log = log;
    pthread_mutex_init(&ctx->lock, NULL);
    if (params->route_cache != NULL && (ctx->route_cache = strdup(params->route_cache)) == NULL)
        status = zci_fail(&log, ZCS_ERR_NOMEM, "context: no memory");
    if (status == ZCS_OK)
        status = open_backend(&ctx->log, params, &ctx->backend);
    if (status != ZCS_OK)
        goto fail;
    if (ctx->backend->ops->memory_limits != NULL)
        ctx->backend->ops->memory_limits(ctx->backend, params->cached_ranges, params->cached_bytes);
    zci_route_cache_read(ctx);
    *out = ctx;
    return ZCS_OK;
fail:
    zcs_close(&ctx);
    return status;
}

void zcs_close(zcs_context **ctx)
{
    if (ctx == NULL || *ctx == NULL)
        return;
    zcs_context *held = *ctx;
    *ctx = NULL;
    zci_allocations_finish(held);
    zci_backend_unref(&held->backend);
    pthread_mutex_destroy(&held->lock);
    free(held->route_cache);
    free(held);
}
