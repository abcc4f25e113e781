/* SPDX-License-Identifier: MIT */
/* Benchmarks: the memory that they use, and those that run on the CPU. The rest are the
 * backend's. */
#include "backend/measure.h"

#include <stdlib.h>
#include <string.h>

#include "os/clock.h"
#include "context/context.h"
#include "frame/pool.h"
#include "kernels/cpu/table.h"

#define REPEATS 256 /* runs of what is too short for the clock */
#define ROW_PIXELS 1024u
#define MIN_BYTES 4096u

struct zcs_measure {
    struct zci_backend *backend; /* a reference */
    struct zci_measure_memory memory;
    uint8_t *other; /* target of memcpy, and output of the kernels */
    struct zci_pool *pool;
    const struct zci_measure_ops *ops; /* NULL: the backend has none */
    void *state;
    volatile uint64_t sum; /* keeps the compiler from dropping the reads */
};

static void copy(struct zcs_measure *m, size_t bytes, uint8_t *to, int64_t *ns)
{
    const int64_t begin_ns = zci_now_ns();
    memcpy(to, m->memory.pageable, bytes);
    *ns = zci_now_ns() - begin_ns;
}

static void add_up(struct zcs_measure *m, size_t bytes, const uint8_t *from, int64_t *ns)
{
    const uint64_t *words = (const uint64_t *)(const void *)from;
    uint64_t sums[4] = {0};
    const int64_t begin_ns = zci_now_ns();
    for (size_t i = 0; i + 4 <= bytes / sizeof *words; i += 4)
        for (int k = 0; k < 4; k++)
            sums[k] += words[i + (size_t)k];
    m->sum += sums[0] + sums[1] + sums[2] + sums[3];
    *ns = zci_now_ns() - begin_ns;
}

/* The rows follow each other. Rows beyond the first and last two are replaced by these. */
static zcs_status demosaic(struct zcs_measure *m, size_t bytes, const struct zck_table *table,
                           int64_t *ns)
{
    const uint32_t rows = (uint32_t)(bytes / ROW_PIXELS);
    if (table == NULL)
        return ZCS_ERR_UNSUPPORTED;
    const int64_t begin_ns = zci_now_ns();
    for (uint32_t y = 0; y < rows; y++) {
        const void *window[5];
        for (uint32_t k = 0; k < 5; k++) {
            const uint32_t at = y + k < 2 ? 2 - y - k : y + k - 2;
            window[k] = m->memory.pageable + (size_t)(at < rows ? at : rows - 1) * ROW_PIXELS;
        }
        table->stencil[ZCI_STENCIL_MHC][0](window, m->other, ROW_PIXELS, y, 0);
    }
    *ns = zci_now_ns() - begin_ns;
    return ZCS_OK;
}

static void take_slots(struct zcs_measure *m, int64_t *ns)
{
    const int64_t begin_ns = zci_now_ns();
    for (int i = 0; i < REPEATS; i++)
        zci_slot_unref(zci_pool_take(m->pool));
    *ns = (zci_now_ns() - begin_ns) / REPEATS;
}

static const struct zck_table *table_v3(void)
{
    const struct zck_table *v3 = zck_table_v3();
    return v3 != NULL && v3 == zck_table_best() ? v3 : NULL;
}

static zcs_status run(struct zcs_measure *m, enum zcs_benchmark benchmark, size_t bytes,
                      int64_t *ns)
{
    const int has_wc = m->memory.wc.kind == ZCS_MEMORY_WC;
    switch (benchmark) {
    case ZCS_BENCHMARK_CPU_COPY:
        copy(m, bytes, m->other, ns);
        return ZCS_OK;
    case ZCS_BENCHMARK_CPU_WRITE:
    case ZCS_BENCHMARK_CPU_WRITE_WC:
        copy(m, bytes,
             benchmark == ZCS_BENCHMARK_CPU_WRITE ? m->memory.pinned.host : m->memory.wc.host, ns);
        return has_wc ? ZCS_OK : ZCS_ERR_UNSUPPORTED;
    case ZCS_BENCHMARK_CPU_READ:
    case ZCS_BENCHMARK_CPU_READ_WC:
        add_up(m, bytes,
               benchmark == ZCS_BENCHMARK_CPU_READ ? m->memory.pinned.host : m->memory.wc.host, ns);
        return has_wc ? ZCS_OK : ZCS_ERR_UNSUPPORTED;
    case ZCS_BENCHMARK_KERNEL_SCALAR:
        return demosaic(m, bytes, zck_table_scalar(), ns);
    case ZCS_BENCHMARK_KERNEL_BASE:
        return demosaic(m, bytes, zck_table_base(), ns);
    case ZCS_BENCHMARK_KERNEL_V3:
        return demosaic(m, bytes, table_v3(), ns);
    case ZCS_BENCHMARK_SLOT:
        take_slots(m, ns);
        return ZCS_OK;
    default:
        return m->ops != NULL ? m->ops->run(m->state, benchmark, bytes, ns) : ZCS_ERR_UNSUPPORTED;
    }
}

zcs_status zcs_measure_run(zcs_measure *measure, enum zcs_benchmark benchmark, size_t bytes,
                           int64_t *ns)
{
    if (measure == NULL || ns == NULL)
        return ZCS_ERR_ARG;
    const struct zci_log *log = &measure->backend->log;
    if (benchmark < ZCS_BENCHMARK_CPU_COPY || benchmark >= ZCS_BENCHMARK_COUNT)
        return zci_fail(log, ZCS_ERR_ARG, "measure: benchmark %d does not exist", (int)benchmark);
    if (bytes < MIN_BYTES || bytes > measure->memory.bytes)
        return zci_fail(log, ZCS_ERR_ARG, "measure: %zu bytes: from %u to %zu", bytes, MIN_BYTES,
                        measure->memory.bytes);
    int64_t took_ns = 0;
    const zcs_status status = run(measure, benchmark, bytes, &took_ns);
    if (status == ZCS_OK)
        *ns = took_ns;
    return status;
}

static zcs_status take_memory(struct zcs_measure *m, size_t bytes)
{
    const struct zci_backend_ops *ops = m->backend->ops;
    const struct zci_pool_params pool = {
        .backend = m->backend, .bytes = MIN_BYTES, .count = 4, .what = "slots"};
    m->memory.bytes = bytes;
    m->memory.pageable = aligned_alloc(MIN_BYTES, bytes);
    m->memory.known = aligned_alloc(MIN_BYTES, bytes);
    m->other = aligned_alloc(MIN_BYTES, bytes);
    if (m->memory.pageable == NULL || m->memory.known == NULL || m->other == NULL)
        return ZCS_ERR_NOMEM;
    memset(m->memory.pageable, 0x35, bytes);
    memset(m->memory.known, 0x36, bytes);
    memset(m->other, 0x37, bytes);
    zcs_status status =
        ops->memory_alloc(m->backend, ZCS_ROLE_INGEST_CACHED, bytes, &m->memory.pinned);
    if (status == ZCS_OK)
        status = ops->memory_alloc(m->backend, ZCS_ROLE_INGEST, bytes, &m->memory.wc);
    if (status == ZCS_OK)
        status = zci_pool_create(&pool, &m->pool);
    if (status != ZCS_OK)
        return status;
    memset(m->memory.pinned.host, 0x35, bytes);
    memset(m->memory.wc.host, 0x35, bytes);
    return ZCS_OK;
}

zcs_status zcs_measure_open(zcs_context *ctx, uint32_t device, size_t max_bytes, zcs_measure **out)
{
    if (ctx == NULL)
        return ZCS_ERR_ARG;
    const struct zci_backend_ops *ops = ctx->backend->ops;
    if (out == NULL)
        return zci_fail(&ctx->log, ZCS_ERR_ARG, "measure: out is NULL");
    if (max_bytes == 0 || max_bytes > SIZE_MAX - MIN_BYTES)
        return zci_fail(&ctx->log, ZCS_ERR_ARG, "measure: %zu bytes: no such memory", max_bytes);
    if (device >= ops->device_count(ctx->backend))
        return zci_fail(&ctx->log, ZCS_ERR_ARG, "measure: device %u: there are %u", device,
                        ops->device_count(ctx->backend));
    zcs_measure *measure = calloc(1, sizeof *measure);
    if (measure == NULL)
        return zci_fail(&ctx->log, ZCS_ERR_NOMEM, "measure: no memory");
    const size_t bytes = (max_bytes + MIN_BYTES - 1) / MIN_BYTES * MIN_BYTES;
    measure->backend = zci_backend_ref(ctx->backend);
    zcs_status status = take_memory(measure, bytes);
    if (status == ZCS_ERR_NOMEM)
        zci_log(&ctx->log, ZCS_LOG_ERROR, "measure: 5 pieces of %zu bytes: no memory", bytes);
    if (status == ZCS_OK && ops->measure != NULL)
        status = ops->measure->open(measure->backend, device, &measure->memory, &measure->state);
    if (status != ZCS_OK)
        goto fail;
    measure->ops = ops->measure;
    *out = measure;
    return ZCS_OK;
fail:
    zcs_measure_close(&measure);
    return status;
}

void zcs_measure_close(zcs_measure **measure)
{
    zcs_measure *m = *measure;
    *measure = NULL;
    if (m == NULL)
        return;
    if (m->ops != NULL)
        m->ops->close(m->state);
    zci_pool_drop(&m->pool);
    if (m->memory.pinned.bytes > 0)
        m->backend->ops->memory_free(m->backend, &m->memory.pinned);
    if (m->memory.wc.bytes > 0)
        m->backend->ops->memory_free(m->backend, &m->memory.wc);
    free(m->memory.pageable);
    free(m->memory.known);
    free(m->other);
    zci_backend_unref(&m->backend);
    free(m);
}
