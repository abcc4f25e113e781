/* SPDX-License-Identifier: MIT */
/* A context: opening and closing it, its devices, and the memory that it gives out. */
#include "context/context.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "zcstream/memory.h"
#include "zcstream/device.h"
#include "backend/backend.h"
#include "context/route_cache.h"

static struct zci_log log_of(const struct zcs_params *params)
{
    enum zcs_log_level level = params->log_level;
    if (level == ZCS_LOG_NONE)
        level = ZCS_LOG_WARNING;
    return (struct zci_log){.fn = params->log, .user = params->log_user, .level = level};
}

/* With AUTO it is information, not an error, that there is no GPU. */
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
    if ((unsigned)params->log_level > ZCS_LOG_DEBUG)
        return zci_fail(log, ZCS_ERR_ARG, "log level %d: the highest is %d", (int)params->log_level,
                        (int)ZCS_LOG_DEBUG);
    return ZCS_OK;
}

struct zci_allocation {
    struct zci_allocation *next;
    struct zci_memory memory;
};

/* The address that the application has of it. */
static void *address(const struct zci_memory *memory)
{
    return memory->host != NULL ? memory->host : memory->handle;
}

static zcs_status check_memory(const zcs_context *ctx, enum zcs_role role, size_t bytes)
{
    if ((unsigned)role > ZCS_ROLE_DEVICE)
        return zci_fail(&ctx->log, ZCS_ERR_ARG, "memory: role %d: there is no such one", (int)role);
    if (bytes == 0)
        return zci_fail(&ctx->log, ZCS_ERR_ARG, "memory: 0 bytes were asked for");
    return ZCS_OK;
}

zcs_status zcs_memory_alloc(zcs_context *ctx, enum zcs_role role, size_t bytes, void **out)
{
    if (ctx == NULL)
        return ZCS_ERR_ARG;
    if (out == NULL)
        return zci_fail(&ctx->log, ZCS_ERR_ARG, "memory: out is NULL");
    zcs_status status = check_memory(ctx, role, bytes);
    if (status != ZCS_OK)
        return status;
    struct zci_allocation *piece = calloc(1, sizeof *piece);
    status = piece == NULL
                 ? ZCS_ERR_NOMEM
                 : ctx->backend->ops->memory_alloc(ctx->backend, role, bytes, &piece->memory);
    if (status != ZCS_OK) {
        free(piece);
        return status != ZCS_ERR_NOMEM
                   ? status
                   : zci_fail(&ctx->log, status, "memory: %zu bytes: no memory", bytes);
    }
    pthread_mutex_lock(&ctx->lock);
    piece->next = ctx->allocations;
    ctx->allocations = piece;
    pthread_mutex_unlock(&ctx->lock);
    *out = address(&piece->memory);
    return ZCS_OK;
}

static struct zci_allocation *unlink_piece(zcs_context *ctx, const void *memory)
{
    pthread_mutex_lock(&ctx->lock);
    struct zci_allocation **link = &ctx->allocations;
    while (*link != NULL && address(&(*link)->memory) != memory)
        link = &(*link)->next;
    struct zci_allocation *piece = *link;
    if (piece != NULL)
        *link = piece->next;
    pthread_mutex_unlock(&ctx->lock);
    return piece;
}

static void free_piece(zcs_context *ctx, struct zci_allocation *piece)
{
    ctx->backend->ops->memory_free(ctx->backend, &piece->memory);
    free(piece);
}

void zcs_memory_free(zcs_context *ctx, void **memory)
{
    const void *held = *memory;
    *memory = NULL;
    if (held == NULL)
        return;
    struct zci_allocation *piece = unlink_piece(ctx, held);
    if (piece == NULL)
        zci_log(&ctx->log, ZCS_LOG_ERROR, "memory %p: not from zcs_memory_alloc; left alone", held);
    else
        free_piece(ctx, piece);
}

static void free_allocations(zcs_context *ctx)
{
    uint32_t count = 0;
    uint64_t bytes = 0;
    while (ctx->allocations != NULL) {
        struct zci_allocation *piece = ctx->allocations;
        ctx->allocations = piece->next;
        count++;
        bytes += piece->memory.bytes;
        free_piece(ctx, piece);
    }
    if (count > 0)
        zci_log(&ctx->log, ZCS_LOG_WARNING,
                "memory: %u pieces of %" PRIu64 " bytes in all were still there at zcs_close",
                count, bytes);
}

zcs_status zcs_memory_register(zcs_context *ctx, void *memory, size_t bytes)
{
    if (ctx == NULL)
        return ZCS_ERR_ARG;
    if (memory == NULL || bytes == 0 || bytes > UINTPTR_MAX - (uintptr_t)memory)
        return zci_fail(&ctx->log, ZCS_ERR_ARG, "memory %p: no range of %zu bytes begins there",
                        memory, bytes);
    return ctx->backend->ops->memory_register(ctx->backend, memory, bytes);
}

void zcs_memory_stats(const zcs_context *ctx, struct zcs_memory_stats *out)
{
    *out = (struct zcs_memory_stats){0};
    if (ctx->backend->ops->memory_stats != NULL)
        ctx->backend->ops->memory_stats(ctx->backend, out);
}

zcs_status zcs_memory_release(zcs_context *ctx, void *memory)
{
    if (ctx == NULL)
        return ZCS_ERR_ARG;
    return ctx->backend->ops->memory_release(ctx->backend, memory);
}

struct zci_backend *zci_context_take_backend(zcs_context *ctx)
{
    return zci_backend_ref(ctx->backend);
}

void zci_context_drop_backend(struct zci_backend **backend)
{
    zci_backend_unref(backend);
}

uint32_t zcs_device_count(const zcs_context *ctx)
{
    return ctx->backend->ops->device_count(ctx->backend);
}

zcs_status zcs_device_info(const zcs_context *ctx, uint32_t index, struct zcs_device_info *out)
{
    if (ctx == NULL || out == NULL)
        return ZCS_ERR_ARG;
    const uint32_t count = zcs_device_count(ctx);
    if (index >= count)
        return zci_fail(&ctx->log, ZCS_ERR_ARG, "device %u: there %s %u, counted from 0", index,
                        count == 1 ? "is" : "are", count);
    ctx->backend->ops->device_info(ctx->backend, index, out);
    return ZCS_OK;
}
zcs_status zcs_open(const struct zcs_params *params, zcs_context **out)
{
    const struct zcs_params defaults = {0};
    if (params == NULL)
        params = &defaults;
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
    if (zci_route_cache_init(&ctx->route_cache, params->route_cache) != ZCS_OK)
        status = zci_fail(&log, ZCS_ERR_NOMEM, "context: no memory");
    if (status == ZCS_OK)
        status = open_backend(&ctx->log, params, &ctx->backend);
    if (status != ZCS_OK)
        goto fail;
    if (ctx->backend->ops->memory_limits != NULL)
        ctx->backend->ops->memory_limits(ctx->backend, params->cached_ranges, params->cached_bytes);
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
    free_allocations(held);
    zci_backend_unref(&held->backend);
    pthread_mutex_destroy(&held->lock);
    zci_route_cache_finish(&held->route_cache);
    free(held);
}
