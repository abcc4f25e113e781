/* SPDX-License-Identifier: MIT */
/* Making and freeing frame contexts: their device memory, and the kernel arguments of each pass. */
#include "backend/cuda/frame_ctx.h"

#include <stdlib.h>
#include <string.h>

#include "backend/cuda/memory.h"
#include "core/partition.h"
#include "os/clock.h"
#include "kernels/reduce_pixel.h"

#define FLAG_BYTES 128u /* the offset of flag_value behind the report */

_Static_assert(ZCI_PARTITION_ROWS == ZCK_CUDA_TILE_HEIGHT, "shares are whole tiles");

#define ALIGNMENT 256u
#define BAND_BYTES ((size_t)32 << 10) /* small, because the last band delays its tiles */
#define LAST_CHUNK_BYTES ((size_t)384 << 10)

/* Hands out parts of the arena; with base NULL it only counts bytes. */
struct arena {
    uint8_t *base;
    size_t used;
    int spare; /* 1: with room for the next staging buffer */
};

static void *take(struct arena *arena, size_t bytes)
{
    void *at = arena->base != NULL ? arena->base + arena->used : NULL;
    arena->used += (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    return at;
}

static size_t table_bytes(const struct zci_table *table)
{
    return (size_t)table->entries * (table->out_depth / 8u);
}

/* Addresses that only the steps need. */
struct constants {
    struct zci_op *ops;
    void *tables[ZCI_MAX_TABLES];
};

/* Of a staging buffer. The source may begin anywhere in a line. */
static size_t staging_bytes(const struct zci_plan *plan)
{
    return (plan->source.size_bytes + 2 * ZCK_CUDA_LINE + ALIGNMENT) / ALIGNMENT * ALIGNMENT;
}

/* The first word, in plane `p`, of the rows that the frame context needs. */
static uint64_t first_word(const struct zci_plan *plan, const struct zck_cuda_transfer *transfer,
                           uint32_t p)
{
    const uint64_t row = transfer->first_row / transfer->planes[p].vsub;
    return (plan->load.offset_bytes[p] + row * transfer->planes[p].stride_bytes) / 4u;
}

/* The end of these words. */
static uint64_t end_word(const struct zci_plan *plan, const struct zck_cuda_transfer *transfer,
                         uint32_t p)
{
    const struct zck_cuda_plane *plane = &transfer->planes[p];
    const uint64_t rows = transfer->first_row / plane->vsub + plane->rows;
    return (plan->load.offset_bytes[p] + rows * plane->stride_bytes + 3u) / 4u;
}

/* Sets the range of a staging buffer that its tiles read, for any offset of the source in a
 * line. */
static void set_fill_range(const struct zci_plan *plan, struct zck_cuda_transfer *transfer)
{
    uint64_t begin = staging_bytes(plan), end = 0;
    for (uint32_t p = 0; p < transfer->plane_count; p++) {
        const uint64_t first = first_word(plan, transfer, p) * 4u,
                       last = end_word(plan, transfer, p) * 4u;
        begin = first < begin ? first : begin;
        end = last > end ? last : end;
    }
    begin = begin / 16u * 16u;
    end = (end + ZCK_CUDA_LINE + 15u) / 16u * 16u;
    transfer->fill_begin = begin;
    transfer->fill_bytes = (end < staging_bytes(plan) ? end : staging_bytes(plan)) - begin;
}

/* 1: sentinel words can be used. One copy, or one a plane, moves the rows that the frame context
 * needs, and no copy moves a part of a word. */
static int can_use_sentinel(const struct zci_plan *plan, const struct zck_cuda_transfer *transfer)
{
    if (!zck_cuda_reads_sentinel(plan->load.unpack))
        return 0;
    if (transfer->first_row == 0 &&
        transfer->chunk_end[transfer->chunk_count - 1] == plan->load.height)
        return 1;
    for (uint32_t p = 0; p < transfer->plane_count; p++) {
        const size_t row = transfer->first_row / transfer->planes[p].vsub;
        if ((plan->load.offset_bytes[p] + row * plan->load.stride_bytes[p]) % 16 != 0)
            return 0;
        for (uint32_t q = 0; q < p; q++)
            if (first_word(plan, transfer, p) < end_word(plan, transfer, q) &&
                first_word(plan, transfer, q) < end_word(plan, transfer, p))
                return 0;
    }
    return 1;
}

static void lay_out(struct zci_cuda_frame_ctx *fctx, struct arena *arena,
                    struct constants *constants)
{
    const struct zci_plan *plan = fctx->plan;
    const struct zck_cuda_transfer *transfer = &fctx->steps[0].pass.transfer;
    if (!zci_rows_none(fctx->partition.rows[0])) {
        fctx->staging = take(arena, staging_bytes(plan));
        if (arena->spare && can_use_sentinel(plan, transfer))
            fctx->next_staging = take(arena, staging_bytes(plan));
    }
    if (!fctx->cuda->devices[fctx->device].properties.can_map) {
        fctx->images[0] = take(arena, plan->image_bytes[0]);
        fctx->device_report = take(arena, sizeof *fctx->device_report);
    }
    for (int i = 1; i < 3; i++)
        fctx->images[i] = take(arena, plan->image_bytes[i]);
    fctx->state = take(arena, sizeof *fctx->state);
    fctx->partial_sums = take(arena, fctx->group_count * sizeof *fctx->partial_sums);
    fctx->band_flags = take(arena, transfer->band_count * sizeof *fctx->band_flags);
    fctx->chunk_flags = take(arena, ZCK_CUDA_CHUNKS * sizeof *fctx->chunk_flags);
    constants->ops = take(arena, sizeof plan->ops);
    for (uint32_t i = 0; i < plan->table_count; i++)
        constants->tables[i] = take(arena, table_bytes(&plan->tables[i]));
}

static void make_bands(const struct zci_plan *plan, uint32_t height,
                       struct zck_cuda_transfer *transfer)
{
    const uint32_t unit = ZCK_CUDA_TILE_HEIGHT;
    const size_t unit_bytes = plan->source.size_bytes / plan->load.height * unit + 1;
    size_t rows = (BAND_BYTES + unit_bytes - 1) / unit_bytes * unit;
    if (rows > height)
        rows = (height + unit - 1) / unit * unit;
    transfer->band_rows = (uint32_t)rows;
    transfer->band_count = (height + transfer->band_rows - 1) / transfer->band_rows;
}

/* Two sevenths of the remaining rows stay behind each chunk. Kernels need at most that part of
 * the copy's time, so they have finished a chunk when the next one arrives. The last chunk is
 * small, since nothing hides it. */
static void make_chunks(const struct zci_plan *plan, uint32_t height,
                        struct zck_cuda_transfer *transfer)
{
    const uint32_t unit = ZCK_CUDA_TILE_HEIGHT;
    const size_t row_bytes = plan->source.size_bytes / plan->load.height + 1;
    uint32_t left = height, n = 0;
    while (n + 1 < ZCK_CUDA_CHUNKS) {
        const uint32_t next = left / 7u * 2u / unit * unit;
        if (next == 0 || next * row_bytes < LAST_CHUNK_BYTES)
            break;
        transfer->chunk_end[n++] = height - next;
        left = next;
    }
    transfer->chunk_end[n++] = height;
    transfer->chunk_count = n;
}

/* Describes the source rows that the frame context needs, from a row that begins in every plane. */
static void make_transfer(const struct zci_plan *plan, const struct zci_partition *partition,
                          struct zck_cuda_transfer *transfer)
{
    const struct zci_load *load = &plan->load;
    const struct zci_rows rows = zci_partition_input(&plan->passes[0], partition->rows[0]);
    transfer->first_row = rows.first / ZCI_PARTITION_ROWS * ZCI_PARTITION_ROWS;
    make_bands(plan, rows.last - transfer->first_row, transfer);
    make_chunks(plan, rows.last - transfer->first_row, transfer);
    transfer->plane_count = plan->source.planes;
    for (uint32_t p = 0; p < transfer->plane_count; p++) {
        const uint32_t vsub = p > 0 ? load->vsub : 1;
        transfer->planes[p] = (struct zck_cuda_plane){
            .stride_bytes = load->stride_bytes[p],
            .rows = (rows.last + vsub - 1) / vsub - transfer->first_row / vsub,
            .vsub = vsub,
        };
    }
}

/* Sets everything except addresses. */
static void make_pass(const struct zci_plan *plan, const struct zci_partition *partition,
                      uint32_t index, struct zck_cuda_pass *to)
{
    const struct zci_rows rows = partition->rows[index];
    const struct zci_pass *from = &plan->passes[index];
    uint32_t width = from->width;
    to->pre_count = from->pre_count;
    to->op_count = from->pre_count + from->post_count;
    to->width = from->width;
    to->height = from->height;
    to->loaded = from->loaded;
    to->pixel = from->pixel;
    to->window = from->window;
    to->stencil = from->stencil;
    to->stencil_max = (1u << zci_stencil_depth(plan, from)) - 1u;
    to->reduce = from->reduce;
    to->finished = from->stencil != ZCI_STENCIL_NONE && to->stencil_max == 255 &&
                   from->post_count == 0 && from->reduce.kind == ZCI_REDUCE_NONE;
    if (from->out != ZCI_IMAGE_NONE) {
        to->out_stride = plan->image_stride[from->out];
        width = (uint32_t)(to->out_stride / zci_pixel_bytes(from->pixel));
    }
    if (from->in != ZCI_IMAGE_SOURCE)
        to->in_stride = plan->image_stride[from->in];
    else
        to->load = plan->load;
    to->tiles_x = (width + ZCK_CUDA_TILE_WIDTH - 1) / ZCK_CUDA_TILE_WIDTH;
    to->tiles =
        to->tiles_x * ((rows.last - rows.first + ZCI_PARTITION_ROWS - 1) / ZCI_PARTITION_ROWS);
    to->first_row = rows.first;
    to->sum_first = partition->sums[index].first;
    to->sum_last = partition->sums[index].last;
    to->finish.digest_state = plan->digest_state;
}

static uint8_t *image_of(const struct zci_cuda_frame_ctx *fctx, int8_t index)
{
    return index >= 0 ? fctx->images[index] : NULL;
}

/* The ops of a pass are contiguous in the plan; those after the stencil follow those before. */
static void set_addresses(struct zci_cuda_frame_ctx *fctx, const struct constants *constants)
{
    const struct zci_plan *plan = fctx->plan;
    for (uint32_t i = 0; i < plan->pass_count; i++) {
        struct zck_cuda_pass *pass = &fctx->steps[i].pass;
        pass->in = image_of(fctx, plan->passes[i].in);
        pass->out = image_of(fctx, plan->passes[i].out);
        pass->finish.state = fctx->state;
        pass->ops = constants->ops + plan->passes[i].pre_first;
        for (uint32_t t = 0; t < plan->table_count; t++)
            pass->tables[t] = constants->tables[t];
    }
}

/* Any value is correct. A frame that is full of the value would be slow, so it is random. */
static uint32_t choose_sentinel(const struct zci_cuda_frame_ctx *fctx)
{
    const uint64_t seed = (uint64_t)zci_now_ns() ^ (uintptr_t)fctx;
    return (uint32_t)(seed * UINT64_C(0x9e3779b97f4a7c15) >> 32) | 1u;
}

static zcs_status choose_kernel(struct zci_cuda_frame_ctx *fctx, uint32_t index)
{
    struct zci_cuda_step *step = &fctx->steps[index];
    int each = 0;
    step->kernel = zck_cuda_kernel(step->pass.load.unpack, step->pass.stencil != ZCI_STENCIL_NONE);
    const int error = fctx->cuda->api->blocks_per_sm(&each, step->kernel, ZCK_CUDA_THREADS);
    const zcs_status status =
        zci_cuda_check(fctx->cuda, fctx->device, error, "loading a pass's kernel");
    const uint32_t max = (uint32_t)each * fctx->cuda->devices[fctx->device].properties.sm_count;
    step->blocks = step->pass.tiles < max ? step->pass.tiles : max;
    return status;
}

static zcs_status make_steps(struct zci_cuda_frame_ctx *fctx)
{
    const struct zci_plan *plan = fctx->plan;
    fctx->steps = calloc(plan->pass_count, sizeof *fctx->steps);
    if (fctx->steps == NULL)
        return zci_fail(&fctx->cuda->base.log, ZCS_ERR_NOMEM, "cuda frame context: no memory");
    zcs_status status = ZCS_OK;
    for (uint32_t i = 0; i < plan->pass_count && status == ZCS_OK; i++) {
        make_pass(plan, &fctx->partition, i, &fctx->steps[i].pass);
        if (plan->passes[i].custom < 0 && fctx->steps[i].pass.tiles > 0)
            status = choose_kernel(fctx, i);
    }
    if (!zci_rows_none(fctx->partition.rows[0])) {
        struct zck_cuda_transfer *transfer = &fctx->steps[0].pass.transfer;
        make_transfer(plan, &fctx->partition, transfer);
        transfer->sentinel = choose_sentinel(fctx);
        set_fill_range(plan, transfer);
    }
    return status;
}

/* Fills the arena, and waits, because the host memory that is copied may then be freed. */
static zcs_status fill_arena(struct zci_cuda_frame_ctx *fctx, size_t bytes,
                             const struct constants *constants)
{
    const struct zci_cuda_api *api = fctx->cuda->api;
    const struct zci_plan *plan = fctx->plan;
    struct zck_cuda_device_state state;
    memset(&state, 0, sizeof state);
    zci_sums_init(&state.sums);
    void *stream = fctx->kernel_stream->handle;
    int error = api->fill(fctx->arena, 0, bytes, stream);
    if (error == ZCI_CUDA_SUCCESS)
        error = api->copy(fctx->state, &state, sizeof state, ZCI_CUDA_TO_DEVICE, stream);
    if (error == ZCI_CUDA_SUCCESS)
        error = api->copy(constants->ops, plan->ops, sizeof plan->ops, ZCI_CUDA_TO_DEVICE, stream);
    for (uint32_t i = 0; i < plan->table_count && error == ZCI_CUDA_SUCCESS; i++)
        error = api->copy(constants->tables[i], plan->tables[i].data, table_bytes(&plan->tables[i]),
                          ZCI_CUDA_TO_DEVICE, stream);
    if (error == ZCI_CUDA_SUCCESS)
        error = api->stream_wait(stream);
    return zci_cuda_check(fctx->cuda, fctx->device, error, "filling a frame context's memory");
}

static zcs_status take_arena(struct zci_cuda_frame_ctx *fctx, int spare, size_t *bytes)
{
    struct constants constants;
    struct arena arena = {.spare = spare};
    lay_out(fctx, &arena, &constants);
    *bytes = arena.used;
    const int error = fctx->cuda->api->device_alloc(&fctx->arena, arena.used);
    const zcs_status status = zci_cuda_classify(fctx->cuda, fctx->device, error);
    if (status == ZCS_OK || (status == ZCS_ERR_NOMEM && spare))
        return status;
    return zci_fail(&fctx->cuda->base.log, status,
                    "cuda device %u: %zu bytes for a frame in flight: %s", fctx->device, arena.used,
                    fctx->cuda->api->error_text(error));
}

static zcs_status lay_out_memory(struct zci_cuda_frame_ctx *fctx)
{
    struct constants constants = {.ops = NULL};
    size_t bytes = 0;
    int spare = 1;
    zcs_status status = make_steps(fctx);
    if (status != ZCS_OK)
        return status;
    status = take_arena(fctx, spare, &bytes);
    if (status == ZCS_ERR_NOMEM) {
        spare = 0; /* staged frames use per-chunk flags then */
        status = take_arena(fctx, spare, &bytes);
    }
    if (status != ZCS_OK)
        return status;
    struct arena arena = {.base = fctx->arena, .spare = spare};
    fctx->next_staging = NULL;
    lay_out(fctx, &arena, &constants);
    set_addresses(fctx, &constants);
    return fill_arena(fctx, bytes, &constants);
}

static zcs_status check_stages(const struct zci_log *log, const struct zci_plan *plan)
{
    for (uint32_t i = 0; i < plan->custom_count; i++)
        if (plan->custom[i].cuda_fn == NULL)
            return zci_fail(log, ZCS_ERR_UNSUPPORTED, "stage %s: has no CUDA function",
                            plan->custom_names[i]);
    return ZCS_OK;
}

_Static_assert(2 * FLAG_BYTES <= ZCI_CUDA_REPORT_BYTES, "a report and a flag");

static zcs_status make_report(struct zci_cuda_frame_ctx *fctx)
{
    const zcs_status status = zci_cuda_report_memory_take(fctx->cuda, fctx->device, &fctx->pinned);
    if (status != ZCS_OK)
        return zci_fail(&fctx->cuda->base.log, status,
                        "cuda frame context: no pinned memory for its report");
    if (zci_cuda_device_pointer(&fctx->pinned, fctx->device) == NULL &&
        fctx->cuda->devices[fctx->device].properties.can_map)
        return zci_fail(&fctx->cuda->base.log, ZCS_ERR_DEVICE,
                        "cuda device %u: cannot access its frame context's report", fctx->device);
    fctx->report = fctx->pinned.host;
    fctx->flag_value = (uint32_t *)((uint8_t *)fctx->pinned.host + FLAG_BYTES);
    *fctx->report = (struct zck_cuda_report){.frame = 0};
    fctx->awaited_report = fctx->report;
    *fctx->flag_value = 0;
    return ZCS_OK;
}

static uint32_t last_pass(const struct zci_plan *plan, const struct zci_partition *partition)
{
    uint32_t last = plan->pass_count - 1;
    while (last > 0 && zci_rows_none(partition->rows[last]))
        last--;
    return last;
}

zcs_status zci_cuda_frame_ctx_create(struct zci_backend *backend, const struct zci_group *group,
                                     uint32_t place, struct zci_frame_ctx **out)
{
    const uint32_t device = group->devices[place];
    const struct zci_plan *plan = group->plan;
    struct zci_cuda *cuda = zci_cuda_of(backend);
    int previous;
    zcs_status status = check_stages(&backend->log, plan);
    if (status == ZCS_OK)
        status = zci_cuda_enter(cuda, device, &previous);
    if (status != ZCS_OK)
        return status;
    struct zci_cuda_frame_ctx *fctx = calloc(1, sizeof *fctx);
    if (fctx == NULL) {
        zci_cuda_leave(cuda, previous);
        return zci_fail(&backend->log, ZCS_ERR_NOMEM, "cuda frame context: no memory");
    }
    struct zci_frame_ctx *base = &fctx->base;
    base->backend = zci_backend_ref(backend);
    base->members = 1;
    fctx->cuda = cuda;
    fctx->device = device;
    fctx->plan = plan;
    fctx->partition = group->partitions[place];
    fctx->group_count = group->count;
    fctx->last_pass = last_pass(plan, &fctx->partition);
    status = make_report(fctx);
    if (status == ZCS_OK)
        status = zci_cuda_kernel_stream_take(cuda, device, &fctx->kernel_stream);
    if (status == ZCS_OK)
        status = zci_cuda_copy_stream_take(cuda, device, plan, &fctx->copy_stream);
    if (status == ZCS_OK)
        status = lay_out_memory(fctx);
    zci_cuda_leave(cuda, previous);
    if (status != ZCS_OK)
        goto fail;
    *out = base;
    return ZCS_OK;
fail:
    zci_cuda_frame_ctx_free(fctx);
    return status;
}

void zci_cuda_frame_ctx_drain(struct zci_cuda_frame_ctx *fctx)
{
    const struct zci_cuda_api *api = fctx->cuda->api;
    fctx->sentinel_filled = 0; /* the kernel that should have filled it may not have run */
    zci_cuda_classify(fctx->cuda, fctx->device, api->stream_wait(fctx->copy_stream->handle));
    zci_cuda_classify(fctx->cuda, fctx->device, api->stream_wait(fctx->kernel_stream->handle));
}

void zci_cuda_frame_ctx_free(struct zci_cuda_frame_ctx *fctx)
{
    struct zci_backend *backend = fctx->base.backend;
    struct zci_cuda *cuda = fctx->cuda;
    int previous;
    const int usable = zci_cuda_enter_quietly(cuda, fctx->device, &previous);
    if (usable && fctx->copy_stream != NULL)
        zci_cuda_frame_ctx_drain(fctx);
    if (usable && fctx->arena != NULL)
        zci_cuda_classify(cuda, fctx->device, cuda->api->device_free(fctx->arena));
    if (usable)
        zci_cuda_leave(cuda, previous);
    zci_cuda_report_memory_give(cuda, &fctx->pinned);
    zci_cuda_copy_stream_give(cuda, fctx->copy_stream);
    zci_cuda_kernel_stream_give(cuda, fctx->device, fctx->kernel_stream);
    free(fctx->steps);
    free(fctx);
    zci_backend_unref(&backend);
}
