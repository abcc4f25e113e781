/* SPDX-License-Identifier: MIT */
/* How the source arrives: loader blocks that stream it over the bus once, and tiles that wait for rows. */
#ifndef ZCK_CUDA_ARRIVE_CUH
#define ZCK_CUDA_ARRIVE_CUH

#include "kernels/cuda/wait.cuh"

/* Where band `band` of a plane begins. Lines that two bands share belong to the earlier one, so that a
 * row is complete once its own band and those before are. */
static __device__ uint64_t band_edge(const zck_cuda_transfer &transfer, uint32_t p, uint32_t band)
{
    const zck_cuda_plane &plane = transfer.planes[p];
    const uint64_t row = (uint64_t)band * (transfer.band_rows >> (plane.vsub - 1)); /* 1 or 2 */
    const uint64_t rows = row < plane.rows ? row : plane.rows;
    const uint64_t at = plane.begin_bytes + rows * plane.stride_bytes;
    const bool down = band == transfer.first_band && band < transfer.band_count;
    const uint64_t edge = (down ? at : at + ZCK_CUDA_LINE - 1) / ZCK_CUDA_LINE * ZCK_CUDA_LINE;
    return edge < transfer.end_bytes ? edge : transfer.end_bytes;
}

/* A loader's way through the bands, planes and pieces: pieces are dealt out in turn. */
struct zck_run {
    uint64_t at, end;
    uint32_t band, plane, turn;
};

/* The range that `run` is at: its first piece of this loader's. */
static __device__ void run_enter(const zck_cuda_transfer &transfer, uint32_t loader, zck_run &run)
{
    const uint64_t low = band_edge(transfer, run.plane, run.band);
    run.end = band_edge(transfer, run.plane, run.band + 1);
    const uint32_t pieces = (uint32_t)((run.end - low + ZCK_CUDA_PIECE - 1) / ZCK_CUDA_PIECE);
    const uint32_t first = loader + (loader < run.turn ? transfer.loaders : 0) - run.turn;
    run.at = low + (uint64_t)first * ZCK_CUDA_PIECE;
    run.turn = (run.turn + pieces) % transfer.loaders;
}

/* To the next piece; false behind the last one. */
static __device__ bool run_settle(const zck_cuda_transfer &transfer, uint32_t loader, zck_run &run)
{
    while (run.at >= run.end) {
        if (++run.plane == transfer.plane_count) {
            run.plane = 0;
            if (++run.band == transfer.band_count)
                return false;
        }
        run_enter(transfer, loader, run);
    }
    return true;
}

static __device__ bool run_begin(const zck_cuda_transfer &transfer, uint32_t loader, zck_run &run)
{
    run.band = transfer.first_band;
    run.plane = run.turn = 0;
    run_enter(transfer, loader, run);
    return run_settle(transfer, loader, run);
}

static __device__ bool run_next(const zck_cuda_transfer &transfer, uint32_t loader, zck_run &run)
{
    run.at += (uint64_t)transfer.loaders * ZCK_CUDA_PIECE;
    return run_settle(transfer, loader, run);
}

static __device__ uint32_t run_bytes(const zck_run &run)
{
    const uint64_t left = run.end - run.at;
    return left < ZCK_CUDA_PIECE ? (uint32_t)left : ZCK_CUDA_PIECE;
}

/* One more loader is done with bands [first, last). */
static __device__ void announce(const zck_cuda_transfer &transfer, uint32_t first, uint32_t last)
{
    if (first == last)
        return;
    __threadfence();
    for (uint32_t band = first; band < last; band++)
        asm volatile("red.relaxed.gpu.global.add.u32 [%0], 1;" ::"l"(transfer.bands + band)
                     : "memory");
}

/* By a loader of a persistent kernel, before a piece: bands from wait_band on come after the copy engine's first
 * chunks, unless these are late. */
static __device__ void await_turn(const zck_cuda_transfer &transfer, const zck_run &run)
{
    if (transfer.after_chunk == 0 || run.band < transfer.wait_band)
        return;
    const uint32_t *counter = transfer.chunks + transfer.after_chunk - 1;
    while (!has_count(counter, transfer.chunk_target) && !is_late(transfer))
        continue;
}

#if __CUDA_ARCH__ >= 900

#define ZCK_LAG 2u /* stores that a loader lets run before it uses their places again */
#define ZCK_STREAMERS                                                                              \
    64u /* threads of a loader that bring rows: two warps, of each the first one */
#define ZCK_BANDS_KNOWN 16u /* at least twice the stages; a power of two */

struct zck_ring {
    alignas(128) uint8_t piece[ZCK_CUDA_STAGES][ZCK_CUDA_PIECE];
    uint64_t at[ZCK_CUDA_STAGES];
    uint32_t bytes[ZCK_CUDA_STAGES];
    uint32_t band[ZCK_BANDS_KNOWN]; /* of the latest pieces */
    uint32_t reached;               /* bands that this loader has stored */
};

/* The ring's barriers, which count on from frame to frame where a block stays. */
struct zck_gates {
    alignas(8) uint64_t full[ZCK_CUDA_STAGES];
    uint32_t used; /* pieces; 0 before the first */
    uint32_t ready;
};

/* A loader's first pieces, as many as the ring holds, and where its way goes on behind them: the same for each
 * frame that lies alike in its lines, so that a block that stays need not find them anew. */
struct zck_head {
    uint64_t at[ZCK_CUDA_STAGES];
    uint32_t bytes[ZCK_CUDA_STAGES], band[ZCK_CUDA_STAGES];
    uint32_t count; /* 0: not known */
    zck_run rest;
    bool more;  /* `rest` is at a piece */
    bool begun; /* this frame's are under way */
    uint32_t first_band;
    uint64_t begin_bytes; /* of the flow's first plane */
};

static __device__ uint32_t shared_address(const void *p)
{
    return (uint32_t)__cvta_generic_to_shared(p);
}

static __device__ void ring_fill(zck_ring &ring, zck_gates &gates, const uint8_t *lines,
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
    ring.band[index % ZCK_BANDS_KNOWN] = band;
}

static __device__ void ring_fill_run(zck_ring &ring, zck_gates &gates,
                                     const zck_cuda_transfer &transfer, const zck_run &run,
                                     uint32_t index)
{
    await_turn(transfer, run);
    ring_fill(ring, gates, transfer.lines, run.at, run_bytes(run), run.band, index);
}

static __device__ void ring_wait(zck_gates &gates, uint32_t index)
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

/* What the two threads of a loader tell each other, in order with what was done before. */
static __device__ void ring_reach(zck_ring &ring, uint32_t bands)
{
    __threadfence_block();
    atomicExch(&ring.reached, bands);
}

/* By the thread that copies, once in a block's life. */
static __device__ void gates_init(zck_gates &gates)
{
    if (gates.ready)
        return;
    gates.ready = 1;
    for (uint32_t s = 0; s < ZCK_CUDA_STAGES; s++)
        asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(shared_address(&gates.full[s]))
                     : "memory");
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
}

/* By the thread that copies, as soon as it knows where the lines are: a frame's head, if it is known. */
static __device__ void begin_head(zck_ring &ring, zck_gates &gates, zck_head &head,
                                  const uint8_t *lines, uint64_t begin_bytes, uint32_t first_band)
{
    if (head.count == 0 || head.begin_bytes != begin_bytes || head.first_band != first_band)
        return;
    asm volatile("fence.proxy.async;" ::: "memory");
    for (uint32_t i = 0; i < head.count; i++)
        ring_fill(ring, gates, lines, head.at[i], head.bytes[i], head.band[i], gates.used + i);
    head.begun = true;
}

/* All that the ring holds; `run` goes on behind it. The number of pieces. */
static __device__ uint32_t fill_ring(const zck_cuda_transfer &transfer, uint32_t loader,
                                     zck_ring &ring, zck_gates &gates, zck_head &head, zck_run &run,
                                     bool &more)
{
    if (!head.begun) {
        gates_init(gates);
        asm volatile("fence.proxy.async;" ::: "memory");
        head.count = 0;
        head.begin_bytes = transfer.planes[0].begin_bytes;
        head.first_band = transfer.first_band;
        more = run_begin(transfer, loader, run);
        for (; more && head.count < ZCK_CUDA_STAGES; more = run_next(transfer, loader, run)) {
            head.at[head.count] = run.at;
            head.bytes[head.count] = run_bytes(run);
            head.band[head.count] = run.band;
            ring_fill_run(ring, gates, transfer, run, gates.used + head.count++);
        }
        head.rest = run;
        head.more = more;
    }
    head.begun = false;
    run = head.rest;
    more = head.more;
    return head.count;
}

/* Bulk copies by one thread: host memory to shared memory, from there to the staging image. Nothing is
 * waited for that was begun just before. */
static __device__ void stream_bulk(const zck_cuda_transfer &transfer, uint32_t loader,
                                   zck_ring &ring, zck_gates &gates, zck_head &head)
{
    zck_run run;
    bool more;
    const uint32_t begin = gates.used;
    uint32_t end = begin + fill_ring(transfer, loader, ring, gates, head, run, more), reached = 0;
    for (uint32_t i = begin; i < end; i++) {
        ring_wait(gates, i);
        ring_store(ring, transfer, i);
        if (i - begin >= ZCK_LAG && more) {
            asm volatile("cp.async.bulk.wait_group.read %0;" ::"n"(ZCK_LAG) : "memory");
            ring_fill_run(ring, gates, transfer, run, end++);
            more = run_next(transfer, loader, run);
        }
        if (ring.band[i % ZCK_BANDS_KNOWN] > reached) {
            asm volatile("cp.async.bulk.wait_group 1;" ::: "memory");
            reached = ring.band[i % ZCK_BANDS_KNOWN];
            ring_reach(ring, reached);
        }
    }
    asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
    gates.used = end;
    ring_reach(ring, transfer.band_count);
}

/* By a thread of another warp, so that the fence does not hold the copies up. */
static __device__ void announce_reached(const zck_cuda_transfer &transfer, zck_ring &ring)
{
    for (uint32_t announced = 0, reached; announced < transfer.band_count; announced = reached) {
        reached = atomicAdd(&ring.reached, 0u);
        __threadfence_block();
        announce(transfer, announced, reached);
    }
}

static __device__ void stream(const zck_cuda_transfer &transfer, uint32_t loader, zck_ring &ring,
                              zck_gates &gates, zck_head &head)
{
    if (threadIdx.x == 0)
        atomicExch(&ring.reached, 0u);
    __syncthreads();
    if (threadIdx.x == 0)
        stream_bulk(transfer, loader, ring, gates, head);
    else if (threadIdx.x == 32)
        announce_reached(transfer, ring);
}

#else

#define ZCK_STREAMERS 0u /* all do, before they do anything else */

struct zck_ring {};

struct zck_gates {
    uint32_t used, ready;
};

struct zck_head {
    uint32_t count;
    bool begun;
};

static __device__ void begin_head(zck_ring &, zck_gates &, zck_head &, const uint8_t *, uint64_t,
                                  uint32_t)
{
}

/* Plain loads by the whole block: for devices without bulk copies. */
static __device__ void stream(const zck_cuda_transfer &transfer, uint32_t loader, zck_ring &,
                              zck_gates &, zck_head &)
{
    zck_run run;
    uint32_t announced = 0;
    for (bool more = run_begin(transfer, loader, run); more;
         more = run_next(transfer, loader, run)) {
        if (run.band > announced) {
            __syncthreads();
            if (threadIdx.x == 0)
                announce(transfer, announced, run.band);
            announced = run.band;
        }
        const uint32_t bytes = run_bytes(run);
        await_turn(transfer, run);
#pragma unroll 2
        for (uint32_t at = threadIdx.x * 16u; at < bytes; at += blockDim.x * 16u)
            *(uint4 *)(transfer.staging + run.at + at) =
                __ldcs((const uint4 *)(transfer.lines + run.at + at));
    }
    __syncthreads();
    if (threadIdx.x == 0)
        announce(transfer, announced, transfer.band_count);
}

#endif

/* Until source row `row`, and those before it that come the same way, are announced. One thread waits; a
 * barrier of the block or thread group must follow. */
static __device__ void await_row(const zck_cuda_transfer &transfer, uint32_t row)
{
    const uint32_t band = row / transfer.band_rows;
    if (transfer.wait == ZCK_CUDA_WAIT_BAND_FLAGS ||
        (transfer.wait == ZCK_CUDA_WAIT_BOTH && band >= transfer.first_band))
        return await_counter(transfer, transfer.bands + band, transfer.band_target);
    if (is_in_words(transfer))
        return;
    uint32_t i = 0;
    while (i + 1 < transfer.chunk_count && row >= transfer.chunk_end[i])
        i++;
    await_counter(transfer, transfer.chunks + i, transfer.chunk_target);
}

#endif
