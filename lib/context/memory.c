/* SPDX-License-Identifier: MIT */
/* Memory by role for the application: the context remembers how each piece was made. */
#include "context/memory.h"

#include <inttypes.h>
#include <stdlib.h>

#include "zcstream/memory.h"

struct zci_allocation {
    struct zci_allocation *next;
    struct zci_memory memory;
};

/* What the application calls the piece. */
static void *address(const struct zci_memory *memory)
{
    return memory->host != NULL ? memory->host : memory->handle;
}

static zcs_status check(const zcs_context *ctx, enum zcs_role role, size_t bytes)
{
    if (role < ZCS_ROLE_INGEST || role > ZCS_ROLE_DEVICE)
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
    zcs_status status = check(ctx, role, bytes);
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

void zci_allocations_finish(zcs_context *ctx)
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

zcs_status zci_memory_use(struct zci_backend *backend, void *memory, size_t bytes, void **out)
{
    *out = NULL;
    if (backend->ops->memory_use == NULL)
        return ZCS_OK;
    return backend->ops->memory_use(backend, memory, bytes, out);
}

void zci_memory_unuse(struct zci_backend *backend, void *use)
{
    if (use != NULL)
        backend->ops->memory_unuse(backend, use);
}
