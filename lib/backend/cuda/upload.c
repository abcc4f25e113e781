/* SPDX-License-Identifier: MIT */
/* Moving a frame to the device: the addresses of its memory, and the three routes. */
#include "backend/cuda/upload.h"

#include "backend/cuda/registration.h"
#include "backend/cuda/memory.h"

#define SENTINEL_ALIGNMENT 16u /* of the source, so that no word is split */

/* Memory of the caller: known to the backend, which needs no CUDA call, or pinned by another
 * owner. */
static void find_own(struct zci_cuda_frame_ctx *fctx, const void *source,
                     struct zci_cuda_addresses *at)
{
    const struct zci_cuda_api *api = fctx->cuda->api;
    at->device_source =
        zci_cuda_registration_find(fctx->cuda, fctx->device, source, fctx->plan->source.size_bytes);
    at->pinned = at->device_source != NULL;
    if (at->pinned)
        return;
    if (api->is_pinned(&at->pinned, source) != ZCI_CUDA_SUCCESS)
        api->last_error();
    void *seen = NULL;
    if (at->pinned && api->host_device_pointer(&seen, (void *)(uintptr_t)source) != 0)
        api->last_error();
    at->device_source = seen;
}

static void find_source(struct zci_cuda_frame_ctx *fctx, const struct zci_job *job,
                        struct zci_cuda_addresses *at)
{
    const struct zci_memory *memory = job->source_memory;
    at->source = job->source;
    if (memory == NULL) {
        find_own(fctx, job->source, at);
        return;
    }
    at->pinned = 1;
    at->device_source = zci_cuda_device_pointer(memory, fctx->device);
    if (at->device_source != NULL && memory->host != NULL)
        at->device_source += (const uint8_t *)job->source - (const uint8_t *)memory->host;
}

struct zci_cuda_addresses zci_cuda_find_addresses(struct zci_cuda_frame_ctx *fctx,
                                                  const struct zci_job *job)
{
    struct zci_cuda_addresses at = {.pinned = 0};
    find_source(fctx, job, &at);
    at.device_result = zci_cuda_device_pointer(job->result_memory, fctx->device);
    at.result_in_host = job->result_memory->host != NULL && at.device_result != NULL;
    at.result = job->result_memory->host != NULL ? job->result : at.device_result;
    if (at.device_result == NULL)
        at.device_result = fctx->images[0];
    return at;
}

/* Sets offsets from the line in which the source begins. */
static void set_phase(struct zci_cuda_frame_ctx *fctx, size_t phase)
{
    const struct zci_plan *plan = fctx->plan;
    struct zck_cuda_pass *pass = &fctx->steps[0].pass;
    struct zck_cuda_transfer *transfer = &pass->transfer;
    pass->in = fctx->staging + phase;
    for (uint32_t p = 0; p < transfer->plane_count; p++)
        transfer->planes[p].begin_bytes =
            phase + plan->load.offset_bytes[p] +
            transfer->first_row / transfer->planes[p].vsub * transfer->planes[p].stride_bytes;
    transfer->end_bytes =
        (phase + plan->source.size_bytes + ZCK_CUDA_LINE - 1) / ZCK_CUDA_LINE * ZCK_CUDA_LINE;
    transfer->staging = fctx->staging;
    transfer->wait = ZCK_CUDA_WAIT_NONE;
    transfer->next_staging = NULL;
    transfer->loaders = 0;
    transfer->alone = 0;
}

/* The buffer that the frame's kernel fills; NULL: it is filled, since a frame without sentinel
 * words did not use it. */
static uint8_t *staging_to_fill(const struct zci_cuda_frame_ctx *fctx)
{
    return fctx->sentinel_filled ? NULL : fctx->next_staging;
}

static void upload_mapped(struct zci_cuda_frame_ctx *fctx, const uint8_t *seen)
{
    const struct zci_cuda_properties *properties = &fctx->cuda->devices[fctx->device].properties;
    struct zck_cuda_transfer *transfer = &fctx->steps[0].pass.transfer;
    const size_t phase = (uintptr_t)seen % ZCK_CUDA_LINE;
    const int words = zci_cuda_use_sentinel(fctx, seen);
    set_phase(fctx, phase);
    transfer->lines = seen - phase;
    transfer->wait = words ? ZCK_CUDA_WAIT_SENTINEL_LOADERS : ZCK_CUDA_WAIT_BAND_FLAGS;
    transfer->next_staging = staging_to_fill(fctx);
    fctx->sentinel_filled = fctx->next_staging != NULL;
    transfer->loaders = properties->has_bulk_copy ? ZCK_CUDA_LOADERS : ZCK_CUDA_PLAIN_LOADERS;
    transfer->alone = properties->sm_count >= 4 * transfer->loaders;
    transfer->band_flags = fctx->band_flags;
    transfer->band_target = fctx->band_target + transfer->loaders;
}

/* Copies rows [first, last) of one plane, counted from the transfer's first row; the source is
 * at `offset`. */
static int copy_rows(struct zci_cuda_frame_ctx *fctx, const uint8_t *source, size_t offset,
                     uint32_t plane, uint32_t first, uint32_t last, void *stream)
{
    const struct zck_cuda_plane *p = &fctx->steps[0].pass.transfer.planes[plane];
    const size_t size = offset + fctx->plan->source.size_bytes;
    const uint32_t end_row = (last + p->vsub - 1) / p->vsub;
    const size_t begin = p->begin_bytes + first / p->vsub * p->stride_bytes;
    const size_t end = p->begin_bytes + (end_row < p->rows ? end_row : p->rows) * p->stride_bytes;
    return fctx->cuda->api->copy(fctx->staging + begin, source + begin - offset,
                                 (end < size ? end : size) - begin, ZCI_CUDA_TO_DEVICE, stream);
}

/* Copies rows [first, last) of all planes. All rows of the source are one copy, so words that
 * two planes share are not split. */
static int copy_planes(struct zci_cuda_frame_ctx *fctx, const uint8_t *source, size_t offset,
                       uint32_t first, uint32_t last, void *stream)
{
    const struct zck_cuda_transfer *transfer = &fctx->steps[0].pass.transfer;
    const int all = first == 0 && transfer->first_row == 0 && last >= fctx->plan->load.height;
    int error = ZCI_CUDA_SUCCESS;
    if (all)
        return fctx->cuda->api->copy(fctx->staging + offset, source, fctx->plan->source.size_bytes,
                                     ZCI_CUDA_TO_DEVICE, stream);
    for (uint32_t p = 0; p < transfer->plane_count && error == ZCI_CUDA_SUCCESS; p++)
        error = copy_rows(fctx, source, offset, p, first, last, stream);
    return error;
}

static int announce_chunk(struct zci_cuda_frame_ctx *fctx, uint32_t index, uint32_t number)
{
    const struct zci_cuda_api *api = fctx->cuda->api;
    const struct zci_cuda_properties *properties = &fctx->cuda->devices[fctx->device].properties;
    uint32_t *counter = fctx->chunk_flags + index;
    if (properties->write_word != NULL)
        return api->write_word(properties, counter, number, fctx->copy_stream->handle);
    *fctx->flag_value = number;
    return api->copy(counter, fctx->flag_value, sizeof *fctx->flag_value, ZCI_CUDA_TO_DEVICE,
                     fctx->copy_stream->handle);
}

/* The waiting kernel polls the flags: no events, no further kernels. */
int zci_cuda_copy_chunks(struct zci_cuda_frame_ctx *fctx, const uint8_t *source, size_t offset,
                         const uint32_t *rows, uint32_t count, uint32_t counters, uint32_t number)
{
    int error = ZCI_CUDA_SUCCESS;
    set_phase(fctx, offset);
    for (uint32_t i = 0, first = 0; i < count && error == ZCI_CUDA_SUCCESS; first = rows[i++]) {
        error = copy_planes(fctx, source, offset, first, rows[i], fctx->copy_stream->handle);
        if (error == ZCI_CUDA_SUCCESS)
            error = announce_chunk(fctx, counters - count + i, number);
    }
    return error;
}

int zci_cuda_use_sentinel(struct zci_cuda_frame_ctx *fctx, const uint8_t *source)
{
    uint8_t *place = fctx->next_staging;
    if (!fctx->sentinel_filled || (uintptr_t)source % SENTINEL_ALIGNMENT != 0)
        return 0;
    fctx->next_staging = fctx->staging;
    fctx->staging = place;
    fctx->sentinel_filled = 0;
    return 1;
}

/* One copy if sentinel words are used. Nothing that the kernel waits for is enqueued after it: a
 * call of another thread may block all others until the kernel ends. */
static int upload_staged(struct zci_cuda_frame_ctx *fctx, const uint8_t *source)
{
    struct zck_cuda_transfer *transfer = &fctx->steps[0].pass.transfer;
    const uint32_t number = ++fctx->chunk_target;
    const int words = zci_cuda_use_sentinel(fctx, source);
    const uint32_t skipped = words ? transfer->chunk_count - 1 : 0;
    const int error =
        zci_cuda_copy_chunks(fctx, source, 0, transfer->chunk_end + skipped,
                             transfer->chunk_count - skipped, transfer->chunk_count, number);
    transfer->wait = words ? ZCK_CUDA_WAIT_SENTINEL : ZCK_CUDA_WAIT_CHUNK_FLAGS;
    transfer->chunk_flags = fctx->chunk_flags;
    transfer->chunk_target = number;
    transfer->next_staging = staging_to_fill(fctx);
    fctx->sentinel_filled = fctx->next_staging != NULL;
    return error;
}

static int upload_whole(struct zci_cuda_frame_ctx *fctx, const uint8_t *source)
{
    const struct zck_cuda_transfer *transfer = &fctx->steps[0].pass.transfer;
    set_phase(fctx, 0);
    return copy_planes(fctx, source, 0, 0, transfer->chunk_end[transfer->chunk_count - 1],
                       fctx->kernel_stream->handle);
}

/* Memory that kernels cannot read is copied. Route `whole` is used if the driver copies with the
 * CPU, or if the persistent kernel owns the flags. */
static enum zcs_route route_of(const struct zci_cuda_frame_ctx *fctx, enum zcs_route wanted,
                               const struct zci_cuda_addresses *at)
{
    if (!at->pinned || (at->device_source == NULL && wanted == ZCS_ROUTE_MAPPED) ||
        fctx->persistent != NULL)
        return ZCS_ROUTE_WHOLE;
    return wanted;
}

/* The bytes of the source that the frame context copies. */
static uint64_t share_bytes(const struct zci_cuda_frame_ctx *fctx)
{
    const struct zck_cuda_transfer *transfer = &fctx->steps[0].pass.transfer;
    uint64_t bytes = 0;
    if (transfer->chunk_end[transfer->chunk_count - 1] == fctx->plan->load.height)
        return fctx->plan->source.size_bytes;
    for (uint32_t p = 0; p < transfer->plane_count; p++)
        bytes += transfer->planes[p].rows * transfer->planes[p].stride_bytes;
    return bytes;
}

zcs_status zci_cuda_upload(struct zci_cuda_frame_ctx *fctx, const struct zci_job *job,
                           const struct zci_cuda_addresses *at)
{
    int error = ZCI_CUDA_SUCCESS;
    fctx->done = (struct zci_job_result){
        .route = route_of(fctx, job->route, at),
        .cpu_bytes_copied = at->pinned ? 0 : share_bytes(fctx),
    };
    if (fctx->done.route == ZCS_ROUTE_MAPPED)
        upload_mapped(fctx, at->device_source);
    else if (fctx->done.route == ZCS_ROUTE_STAGED)
        error = upload_staged(fctx, at->source);
    else
        error = upload_whole(fctx, at->source);
    return zci_cuda_check(fctx->cuda, fctx->device, error, "copying a frame to the device");
}
