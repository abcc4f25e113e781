/* SPDX-License-Identifier: MIT */
/* The freshness check: the GPU computes a digest of a frame, the CPU flushes its caches, the GPU
 * computes the digest again. */
#include "stream/freshness.h"

#include <inttypes.h>

#include "os/clock.h"
#include "os/cache_flush.h"
#include "stream/stream.h"

#define WORD_BYTES 16u

static zcs_status digest(const struct zcs_stream *stream, const struct zci_slot *slot,
                         uint64_t *out)
{
    const struct zci_inflight *inflight = &stream->branches[0].inflight;
    const uint32_t device = inflight->entries[inflight->flights[0].entries[0]].device;
    const size_t bytes =
        (stream->branches[0].plan.source.size_bytes + WORD_BYTES - 1) / WORD_BYTES * WORD_BYTES;
    return stream->backend->ops->memory_digest(stream->backend, device, &slot->memory, bytes, out);
}

zcs_status zci_freshness_init(struct zcs_stream *stream)
{
    const zcs_source *source = stream->source;
    const struct zci_source_ops *ops = source->ops;
    struct zci_freshness *freshness = &stream->freshness;
    if (stream->memory != ZCS_MEMORY_WC || ops->aliased == NULL || !ops->aliased(source))
        return ZCS_OK;
    freshness->state = ZCS_FRESHNESS_UNKNOWN;
    if (stream->backend->ops->memory_digest == NULL)
        return ZCS_OK;
    /* The first call allocates what it needs. It is made here, so that the first frame does not
     * wait for it. */
    uint64_t ignored;
    const zcs_status status = digest(stream, zci_pool_slot(source->pool, 0), &ignored);
    if (status == ZCS_OK)
        freshness->state = ZCS_FRESHNESS_CHECKING;
    return status == ZCS_ERR_UNSUPPORTED ? ZCS_OK : status;
}

/* ZCS_AGAIN: the frame is stale. */
static zcs_status compare(struct zcs_stream *stream, const struct zci_slot *slot)
{
    struct zci_freshness *freshness = &stream->freshness;
    const int64_t begin_ns = zci_now_ns();
    uint64_t before = 0, after = 0;
    zcs_status status = digest(stream, slot, &before);
    if (status == ZCS_OK &&
        !zci_flush(slot->memory.host, stream->branches[0].plan.source.size_bytes)) {
        freshness->state = ZCS_FRESHNESS_UNKNOWN;
        return ZCS_OK;
    }
    if (status == ZCS_OK)
        status = digest(stream, slot, &after);
    if (status != ZCS_OK)
        return status;
    freshness->frames++;
    freshness->ns += zci_now_ns() - begin_ns;
    if (before != after)
        freshness->state = ZCS_FRESHNESS_STALE;
    else if (freshness->frames == ZCI_FRESHNESS_FRAMES)
        freshness->state = ZCS_FRESHNESS_FRESH;
    return before != after ? ZCS_AGAIN : ZCS_OK;
}

/* Makes new slots in cached memory. Frames of the old slots may still be held, also by frame
 * contexts. */
static zcs_status go_over(struct zcs_stream *stream)
{
    zcs_source *source = stream->source;
    const zcs_status status = zci_source_start(source, ZCS_ROLE_INGEST_CACHED, stream->slots, 1);
    if (status != ZCS_OK)
        return status;
    zci_pool_set_notifier(source->pool, &stream->waiter.notifier);
    stream->memory = zci_pool_slot(source->pool, 0)->memory.kind;
    return ZCS_OK;
}

zcs_status zci_freshness_check(struct zcs_stream *stream, struct zci_slot **slot)
{
    if (stream->freshness.state != ZCS_FRESHNESS_CHECKING)
        return ZCS_OK;
    const zcs_status status = compare(stream, *slot);
    if (status == ZCS_OK)
        return ZCS_OK;
    if (status < 0) {
        stream->failed++;
        zci_slot_unref(*slot);
        return status;
    }
    zci_log(&stream->backend->log, ZCS_LOG_WARNING,
            "%s: the GPU read old data of frame %" PRIu64 " from write-combined memory, which is "
            "lost; cached memory from now on",
            stream->source->ops->kind, (*slot)->frame.sequence);
    zci_intake_undo(&stream->intake, *slot);
    *slot = NULL;
    return go_over(stream);
}
