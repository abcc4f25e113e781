/* SPDX-License-Identifier: MIT */
/* Loader blocks: they move the source over the bus once, into the staging buffer. */
#ifndef ZCK_CUDA_LOADER_CUH
#define ZCK_CUDA_LOADER_CUH

#include "kernels/cuda/wait.cuh"

/* Where band `band` of a plane begins. A line that two bands share belongs to the earlier band.
 * So a row is complete when its own band and those before it are. */
static __device__ uint64_t band_edge(const zck_cuda_transfer &transfer, uint32_t p, uint32_t band)
{
    const zck_cuda_plane &plane = transfer.planes[p];
    /* vsub is 1 or 2 */
    const uint64_t row = (uint64_t)band * (transfer.band_rows >> (plane.vsub - 1));
    const uint64_t rows = row < plane.rows ? row : plane.rows;
    const uint64_t at = plane.begin_bytes + rows * plane.stride_bytes;
    const bool down = band == transfer.first_band && band < transfer.band_count;
    const uint64_t edge = (down ? at : at + ZCK_CUDA_LINE - 1) / ZCK_CUDA_LINE * ZCK_CUDA_LINE;
    return edge < transfer.end_bytes ? edge : transfer.end_bytes;
}

/* A loader's position in the bands, planes and pieces. Pieces are dealt to the loaders in turn. */
struct zck_cursor {
    uint64_t at, end;
    uint32_t band, plane, turn;
};

/* Enters the cursor's range of a band and plane, at this loader's first piece in it. */
static __device__ void cursor_enter_range(const zck_cuda_transfer &transfer, uint32_t loader,
                                          zck_cursor &run)
{
    const uint64_t low = band_edge(transfer, run.plane, run.band);
    run.end = band_edge(transfer, run.plane, run.band + 1);
    const uint32_t pieces = (uint32_t)((run.end - low + ZCK_CUDA_PIECE - 1) / ZCK_CUDA_PIECE);
    const uint32_t first = loader + (loader < run.turn ? transfer.loaders : 0) - run.turn;
    run.at = low + (uint64_t)first * ZCK_CUDA_PIECE;
    run.turn = (run.turn + pieces) % transfer.loaders;
}

/* Moves to the next range with a piece of this loader; false: there is none. */
static __device__ bool cursor_settle(const zck_cuda_transfer &transfer, uint32_t loader,
                                     zck_cursor &run)
{
    while (run.at >= run.end) {
        if (++run.plane == transfer.plane_count) {
            run.plane = 0;
            if (++run.band == transfer.band_count)
                return false;
        }
        cursor_enter_range(transfer, loader, run);
    }
    return true;
}

static __device__ bool cursor_begin(const zck_cuda_transfer &transfer, uint32_t loader,
                                    zck_cursor &run)
{
    run.band = transfer.first_band;
    run.plane = run.turn = 0;
    cursor_enter_range(transfer, loader, run);
    return cursor_settle(transfer, loader, run);
}

static __device__ bool cursor_next(const zck_cuda_transfer &transfer, uint32_t loader,
                                   zck_cursor &run)
{
    run.at += (uint64_t)transfer.loaders * ZCK_CUDA_PIECE;
    return cursor_settle(transfer, loader, run);
}

static __device__ uint32_t cursor_bytes(const zck_cursor &run)
{
    const uint64_t left = run.end - run.at;
    return left < ZCK_CUDA_PIECE ? (uint32_t)left : ZCK_CUDA_PIECE;
}

/* This loader is done with bands [first, last). */
static __device__ void signal_bands(const zck_cuda_transfer &transfer, uint32_t first,
                                    uint32_t last)
{
    if (first == last)
        return;
    __threadfence();
    for (uint32_t band = first; band < last; band++)
        asm volatile("red.relaxed.gpu.global.add.u32 [%0], 1;" ::"l"(transfer.band_flags + band)
                     : "memory");
}

/* By a loader of a persistent kernel, before a piece: bands from wait_band on come after the
 * copy engine's first chunks, unless these are late. */
static __device__ void wait_for_copied_chunks(const zck_cuda_transfer &transfer,
                                              const zck_cursor &run)
{
    if (transfer.after_chunk == 0 || run.band < transfer.wait_band)
        return;
    const uint32_t *counter = transfer.chunk_flags + transfer.after_chunk - 1;
    while (!has_reached(counter, transfer.chunk_target) && !is_late(transfer))
        continue;
}

#if __CUDA_ARCH__ >= 900

#define ZCK_STORES_IN_FLIGHT                                                                       \
    2u /* stores that may still run when a loader reuses the ring's oldest slot */
#define ZCK_LOADER_THREADS                                                                         \
    64u                      /* of a loader block: the first threads of two warps load and signal */
#define ZCK_BAND_HISTORY 16u /* at least twice ZCK_CUDA_STAGES; a power of two */

struct zck_ring {
    alignas(128) uint8_t piece[ZCK_CUDA_STAGES][ZCK_CUDA_PIECE];
    uint64_t at[ZCK_CUDA_STAGES];
    uint32_t bytes[ZCK_CUDA_STAGES];
    uint32_t band[ZCK_BAND_HISTORY]; /* of the latest pieces */
    uint32_t stored;                 /* bands that this loader has stored completely */
};

/* The ring's barriers. In a persistent kernel they count on from frame to frame. */
struct zck_ring_barriers {
    alignas(8) uint64_t full[ZCK_CUDA_STAGES];
    uint32_t used; /* pieces so far */
    uint32_t ready;
};

/* A loader's first pieces, as many as the ring holds, and the cursor behind them. They are the
 * same for each frame with the same offset in its line, so a persistent block computes them
 * once. */
struct zck_prefetch {
    uint64_t at[ZCK_CUDA_STAGES];
    uint32_t bytes[ZCK_CUDA_STAGES], band[ZCK_CUDA_STAGES];
    uint32_t count; /* 0: not computed */
    zck_cursor rest;
    bool more;  /* `rest` is at a piece */
    bool begun; /* this frame's first pieces are already requested */
    uint32_t first_band;
    uint64_t begin_bytes; /* of the transfer's first plane */
};

static __device__ uint32_t shared_address(const void *p)
{
    return (uint32_t)__cvta_generic_to_shared(p);
}

static __device__ void ring_fill(zck_ring &ring, zck_ring_barriers &gates, const uint8_t *lines,
                                 uint64_t at, uint32_t bytes, uint32_t band, uint32_t index)
{
    const uint32_t s = index % ZCK_CUDA_STAGES;
    const uint32_t barrier = shared_address(&gates.full[s]);
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(barrier), "r"(bytes)
                 : "memory");
    asm volatile(
        "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, "
        "[%3];" ::"r"(shared_address(ring.piece[s])),
        "l"(lines + at), "r"(bytes), "r"(barrier)
        : "memory");
    ring.at[s] = at;
    ring.bytes[s] = bytes;
    ring.band[index % ZCK_BAND_HISTORY] = band;
}

static __device__ void ring_fill_at(zck_ring &ring, zck_ring_barriers &gates,
                                    const zck_cuda_transfer &transfer, const zck_cursor &run,
                                    uint32_t index)
{
    wait_for_copied_chunks(transfer, run);
    ring_fill(ring, gates, transfer.lines, run.at, cursor_bytes(run), run.band, index);
}

static __device__ void ring_wait(zck_ring_barriers &gates, uint32_t index)
{
    const uint32_t barrier = shared_address(&gates.full[index % ZCK_CUDA_STAGES]);
    const uint32_t parity = index / ZCK_CUDA_STAGES & 1u;
    uint32_t done = 0;
    while (!done)
        asm volatile("{ .reg .pred p;\n"
                     "mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2;\n"
                     "selp.u32 %0, 1, 0, p; }"
                     : "=r"(done)
                     : "r"(barrier), "r"(parity)
                     : "memory");
}

static __device__ void ring_store(zck_ring &ring, const zck_cuda_transfer &transfer, uint32_t index)
{
    const uint32_t s = index % ZCK_CUDA_STAGES;
    asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;\n"
                 "cp.async.bulk.commit_group;" ::"l"(transfer.staging + ring.at[s]),
                 "r"(shared_address(ring.piece[s])), "r"(ring.bytes[s])
                 : "memory");
}

/* From the copying to the signalling thread, ordered after the copies. */
static __device__ void ring_publish(zck_ring &ring, uint32_t bands)
{
    __threadfence_block();
    atomicExch(&ring.stored, bands);
}

/* By the copying thread, once in a block's life. */
static __device__ void barriers_init(zck_ring_barriers &gates)
{
    if (gates.ready)
        return;
    gates.ready = 1;
    for (uint32_t s = 0; s < ZCK_CUDA_STAGES; s++)
        asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(shared_address(&gates.full[s]))
                     : "memory");
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
}

/* By the copying thread, as soon as it knows the source's address: requests the first pieces, if
 * they are computed. */
static __device__ void start_prefetch(zck_ring &ring, zck_ring_barriers &gates, zck_prefetch &head,
                                      const uint8_t *lines, uint64_t begin_bytes,
                                      uint32_t first_band)
{
    if (head.count == 0 || head.begin_bytes != begin_bytes || head.first_band != first_band)
        return;
    asm volatile("fence.proxy.async;" ::: "memory");
    for (uint32_t i = 0; i < head.count; i++)
        ring_fill(ring, gates, lines, head.at[i], head.bytes[i], head.band[i], gates.used + i);
    head.begun = true;
}

/* Fills the ring; `run` is at the next piece then. Returns the number of pieces requested. */
static __device__ uint32_t fill_ring(const zck_cuda_transfer &transfer, uint32_t loader,
                                     zck_ring &ring, zck_ring_barriers &gates, zck_prefetch &head,
                                     zck_cursor &run, bool &more)
{
    if (!head.begun) {
        barriers_init(gates);
        asm volatile("fence.proxy.async;" ::: "memory");
        head.count = 0;
        head.begin_bytes = transfer.planes[0].begin_bytes;
        head.first_band = transfer.first_band;
        more = cursor_begin(transfer, loader, run);
        for (; more && head.count < ZCK_CUDA_STAGES; more = cursor_next(transfer, loader, run)) {
            head.at[head.count] = run.at;
            head.bytes[head.count] = cursor_bytes(run);
            head.band[head.count] = run.band;
            ring_fill_at(ring, gates, transfer, run, gates.used + head.count++);
        }
        head.rest = run;
        head.more = more;
    }
    head.begun = false;
    run = head.rest;
    more = head.more;
    return head.count;
}

/* By one thread: bulk copies from host memory to shared memory, and from there to the staging
 * buffer. It never waits for the copy that it has just started. */
static __device__ void load_bulk(const zck_cuda_transfer &transfer, uint32_t loader, zck_ring &ring,
                                 zck_ring_barriers &gates, zck_prefetch &head)
{
    zck_cursor run;
    bool more;
    const uint32_t begin = gates.used;
    uint32_t end = begin + fill_ring(transfer, loader, ring, gates, head, run, more), stored = 0;
    for (uint32_t i = begin; i < end; i++) {
        ring_wait(gates, i);
        ring_store(ring, transfer, i);
        if (i - begin >= ZCK_STORES_IN_FLIGHT && more) {
            asm volatile("cp.async.bulk.wait_group.read %0;" ::"n"(ZCK_STORES_IN_FLIGHT)
                         : "memory");
            ring_fill_at(ring, gates, transfer, run, end++);
            more = cursor_next(transfer, loader, run);
        }
        if (ring.band[i % ZCK_BAND_HISTORY] > stored) {
            asm volatile("cp.async.bulk.wait_group 1;" ::: "memory");
            stored = ring.band[i % ZCK_BAND_HISTORY];
            ring_publish(ring, stored);
        }
    }
    asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
    gates.used = end;
    ring_publish(ring, transfer.band_count);
}

/* By a thread of another warp, so that its fence does not delay the copies. */
static __device__ void signal_stored(const zck_cuda_transfer &transfer, zck_ring &ring)
{
    for (uint32_t announced = 0, stored; announced < transfer.band_count; announced = stored) {
        stored = atomicAdd(&ring.stored, 0u);
        __threadfence_block();
        signal_bands(transfer, announced, stored);
    }
}

static __device__ void stream(const zck_cuda_transfer &transfer, uint32_t loader, zck_ring &ring,
                              zck_ring_barriers &gates, zck_prefetch &head)
{
    if (threadIdx.x == 0)
        atomicExch(&ring.stored, 0u);
    __syncthreads();
    if (threadIdx.x == 0)
        load_bulk(transfer, loader, ring, gates, head);
    else if (threadIdx.x == 32)
        signal_stored(transfer, ring);
}

#else

#define ZCK_LOADER_THREADS 0u /* all threads of the block load, before they do other work */

struct zck_ring {};

struct zck_ring_barriers {
    uint32_t used, ready;
};

struct zck_prefetch {
    uint32_t count;
    bool begun;
};

static __device__ void start_prefetch(zck_ring &, zck_ring_barriers &, zck_prefetch &,
                                      const uint8_t *, uint64_t, uint32_t)
{
}

/* By the whole block: plain loads, on devices without bulk copies. */
static __device__ void stream(const zck_cuda_transfer &transfer, uint32_t loader, zck_ring &,
                              zck_ring_barriers &, zck_prefetch &)
{
    zck_cursor run;
    uint32_t announced = 0;
    for (bool more = cursor_begin(transfer, loader, run); more;
         more = cursor_next(transfer, loader, run)) {
        if (run.band > announced) {
            __syncthreads();
            if (threadIdx.x == 0)
                signal_bands(transfer, announced, run.band);
            announced = run.band;
        }
        const uint32_t bytes = cursor_bytes(run);
        wait_for_copied_chunks(transfer, run);
#pragma unroll 2
        for (uint32_t at = threadIdx.x * 16u; at < bytes; at += blockDim.x * 16u)
            *(uint4 *)(transfer.staging + run.at + at) =
                __ldcs((const uint4 *)(transfer.lines + run.at + at));
    }
    __syncthreads();
    if (threadIdx.x == 0)
        signal_bands(transfer, announced, transfer.band_count);
}

#endif

#endif
