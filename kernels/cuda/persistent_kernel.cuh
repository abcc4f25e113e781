/* SPDX-License-Identifier: MIT */
/* The persistent kernel: waiting for commands, and the work of a block in each pass. */
#ifndef ZCK_CUDA_PERSISTENT_KERNEL_CUH
#define ZCK_CUDA_PERSISTENT_KERNEL_CUH

#include "kernels/cuda/pass_kernel.cuh"
#include "kernels/cuda/persistent.h"

struct zck_persistent_shared {
    union {
        zck_ring ring;
        zck_samples samples[ZCK_CUDA_THREAD_GROUPS];
    };
    zck_ring_barriers gates;
    zck_prefetch heads[2]; /* of mapped and of hybrid frames */
    zck_ops ops;
    zck_cuda_transfer transfer;
    const uint8_t *in; /* the source in the staging buffer */
    uint8_t *out;
    zci_sums sums;
    zck_cuda_command command;
    uint32_t late;
};

static __device__ __forceinline__ int64_t clock_ns(void)
{
    int64_t ns;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(ns));
    return ns;
}

static __device__ __forceinline__ uint64_t tag_of(uint64_t word)
{
    return word >> 48;
}

static __device__ __forceinline__ uint64_t address_of(uint64_t word, uint64_t flags)
{
    return word & ((uint64_t)1 << 48) - 1 & ~flags;
}

static __device__ __forceinline__ bool is_stop(const zck_cuda_command &command)
{
    return command.result & ZCK_COMMAND_STOP;
}

static __device__ __forceinline__ uint64_t launch_flags(const zck_cuda_persistent &r)
{
    return (uint64_t)(r.launch % 16u) * ZCK_COMMAND_LAUNCH;
}

static __device__ __forceinline__ uint32_t passed_key(const zck_cuda_persistent &r, uint32_t frame,
                                                      uint32_t passes)
{
    return (frame - 1) * r.pass_count + passes;
}

/* True: all blocks have completed the first `passes` passes of the frame, and all frames before
 * it. */
static __device__ bool has_passed(const zck_cuda_persistent &r, uint32_t frame, uint32_t passes)
{
    uint32_t passed;
    asm volatile("ld.acquire.gpu.global.u32 %0, [%1];"
                 : "=r"(passed)
                 : "l"(&r.barrier->passed)
                 : "memory");
    return (int32_t)(passed - passed_key(r, frame, passes)) >= 0;
}

/* By the leader: waits for the host's next command. Returns a stop command when the host sends
 * it or time is up, but only after all blocks have completed the frame before. Only the leader
 * polls over the bus: many pollers of one word there would delay each other. */
static __device__ zck_cuda_command wait_for_command(const zck_cuda_persistent &r, uint32_t frame,
                                                    int64_t begin_ns)
{
    const uint64_t tag = frame & 65535u;
    const int64_t since_ns = clock_ns();
    for (;;) {
        zck_cuda_command command;
        asm volatile("ld.acquire.sys.global.v2.u64 {%0, %1}, [%2];"
                     : "=l"(command.source), "=l"(command.result)
                     : "l"(&r.mailbox->command)
                     : "memory");
        if (tag_of(command.result) == tag &&
            (is_stop(command) ? has_passed(r, frame, 0) : tag_of(command.source) == tag))
            return command;
        const int64_t now_ns = clock_ns();
        if ((now_ns - since_ns > r.idle_ns || now_ns - begin_ns > r.life_ns) &&
            has_passed(r, frame, 0))
            return {0, zck_command_word(ZCK_COMMAND_STOP, frame)};
    }
}

static __device__ zck_cuda_command receive_command(const zck_cuda_persistent &r, uint32_t frame,
                                                   int64_t begin_ns)
{
    zck_cuda_command command = wait_for_command(r, frame, begin_ns);
    command.result |= launch_flags(r);
    if (!is_stop(command))
        asm volatile("st.relaxed.gpu.global.u64 [%0], %1;" ::"l"(&r.barrier->command.source),
                     "l"(command.source)
                     : "memory");
    asm volatile("st.release.gpu.global.u64 [%0], %1;" ::"l"(&r.barrier->command.result),
                 "l"(command.result)
                 : "memory");
    if (is_stop(command)) {
        __threadfence_system(); /* the last report is written before it */
        *(volatile uint32_t *)&r.completion->closed = r.launch;
    }
    return command;
}

/* By every other block: waits for the command from the leader. */
static __device__ zck_cuda_command wait_for_leader(const zck_cuda_persistent &r, uint32_t frame)
{
    const uint64_t tag = frame & 65535u, flags = launch_flags(r);
    const uint64_t mask = (uint64_t)15u * ZCK_COMMAND_LAUNCH;
    zck_cuda_command command;
    do
        asm volatile("ld.acquire.gpu.global.v2.u64 {%0, %1}, [%2];"
                     : "=l"(command.source), "=l"(command.result)
                     : "l"(&r.barrier->command)
                     : "memory");
    while (tag_of(command.result) != tag || (command.result & mask) != flags ||
           (tag_of(command.source) != tag && !is_stop(command)));
    return command;
}

/* By the whole block: loads what changes only from pass to pass. */
static __device__ void load_pass(const zck_cuda_persistent &r, uint32_t index,
                                 zck_persistent_shared &s)
{
    const uint32_t *from = (const uint32_t *)&r.passes[index].transfer;
    for (uint32_t i = threadIdx.x; i < sizeof(zck_cuda_transfer) / 4; i += blockDim.x)
        ((uint32_t *)&s.transfer)[i] = from[i];
    fetch_ops(r.passes[index], s.ops);
}

/* The first band that loaders load. */
static __device__ uint32_t first_band_of(const zck_cuda_persistent &r,
                                         const zck_cuda_command &command)
{
    if (!(command.result & ZCK_COMMAND_HYBRID))
        return 0;
    return command.source & ZCK_COMMAND_SENTINEL ? r.hybrid.sentinel_first_band
                                                 : r.hybrid.first_band;
}

/* By a loader's first thread, as the first action on a command: requests the pieces whose
 * offsets are known. */
static __device__ void start_share(const zck_cuda_persistent &r, const zck_cuda_command &command,
                                   zck_persistent_shared &s)
{
    const bool hybrid = command.result & ZCK_COMMAND_HYBRID;
    if (blockIdx.x >= r.loaders || (hybrid && !(command.source & ZCK_COMMAND_SENTINEL)))
        return; /* later pieces may have to wait for copies */
    const uint64_t source = address_of(command.source, ZCK_COMMAND_SOURCE_FLAGS);
    const uint64_t phase = source % ZCK_CUDA_LINE;
    start_prefetch(s.ring, s.gates, s.heads[hybrid], (const uint8_t *)(source - phase),
                   r.passes[0].transfer.planes[0].begin_bytes + phase, first_band_of(r, command));
}

/* The staging buffer has a fixed address. The source is moved to the offset in its line that it
 * has in host memory. */
static __device__ void set_source(const zck_cuda_persistent &r, const zck_cuda_command &command,
                                  uint32_t frame, zck_cuda_transfer &transfer)
{
    const uint64_t source = address_of(command.source, ZCK_COMMAND_SOURCE_FLAGS);
    const uint64_t phase = source % ZCK_CUDA_LINE;
    const bool hybrid = command.result & ZCK_COMMAND_HYBRID,
               words = command.source & ZCK_COMMAND_SENTINEL;
    const bool other = command.source & ZCK_COMMAND_SECOND_BUFFER;
    const zck_cuda_transfer &fixed = r.passes[0].transfer;
    transfer.staging = fixed.staging + (other ? r.second_buffer_offset : 0) - phase;
    transfer.next_staging = nullptr;
    if (r.second_buffer_offset != 0)
        transfer.next_staging = fixed.next_staging + (other ? 0 : r.second_buffer_offset);
    transfer.lines = (const uint8_t *)(source - phase);
    for (uint32_t p = 0; p < fixed.plane_count; p++)
        transfer.planes[p].begin_bytes = fixed.planes[p].begin_bytes + phase;
    transfer.end_bytes =
        (phase + r.source_bytes + ZCK_CUDA_LINE - 1) / ZCK_CUDA_LINE * ZCK_CUDA_LINE;
    if (words)
        transfer.wait = hybrid ? ZCK_CUDA_WAIT_SENTINEL_HYBRID : ZCK_CUDA_WAIT_SENTINEL_LOADERS;
    else
        transfer.wait = hybrid ? r.hybrid.wait : (uint32_t)ZCK_CUDA_WAIT_BAND_FLAGS;
    transfer.first_band = first_band_of(r, command);
    transfer.after_chunk = hybrid && !words ? r.hybrid.after_chunk : 0;
    transfer.wait_band = r.hybrid.wait_band;
    transfer.band_target = r.loaders * frame;
    transfer.chunk_target = frame;
    transfer.start_clock = clock64();
}

/* By one thread: sets what changes with the frame. */
static __device__ void set_frame(const zck_cuda_persistent &r, uint32_t index, uint32_t frame,
                                 zck_persistent_shared &s)
{
    if (index == 0)
        set_source(r, s.command, frame, s.transfer);
    s.in = r.passes[0].in +
           (s.command.source & ZCK_COMMAND_SECOND_BUFFER ? r.second_buffer_offset : 0);
    s.out = r.passes[index].out;
    if (index + 1 == r.pass_count)
        s.out = (uint8_t *)address_of(s.command.result, ZCK_COMMAND_FLAGS);
    zci_sums_init(&s.sums);
}

/* --- late copies --- If the copies of a frame do not come in time, the loaders load those rows,
 * too. So a frame never waits for a call of the host, which the cudaFree of another thread may
 * block until this kernel ends. */

/* By the leader. The host must see it before the frame's end: the copies may still be running. */
static __device__ void abandon_copies(const zck_cuda_persistent &r, uint32_t frame)
{
    *(volatile uint32_t *)&r.completion->late = frame;
    *(volatile uint32_t *)&r.barrier->helpers = 0;
    __threadfence_system();
    asm volatile("st.release.gpu.global.u32 [%0], %1;" ::"l"(&r.barrier->late), "r"(frame)
                 : "memory");
}

/* By one thread of each loader: waits for the copies. True: the leader has abandoned them. */
static __device__ bool wait_for_copies(const zck_cuda_persistent &r,
                                       const zck_cuda_transfer &transfer, uint32_t frame)
{
    while (!is_copied(transfer)) {
        if (!is_late(transfer))
            continue;
        if (blockIdx.x == 0)
            abandon_copies(r, frame);
        if (blockIdx.x == 0 || load_word(&r.barrier->late) == frame)
            return true;
    }
    return false;
}

/* By one thread of each loader: the last one sets the flags in place of the copy engine. */
static __device__ void signal_substitution(const zck_cuda_persistent &r,
                                           const zck_cuda_transfer &transfer)
{
    __threadfence();
    if (atomicAdd(&r.barrier->helpers, 1u) + 1 != transfer.loaders)
        return;
    __threadfence();
    for (uint32_t i = 0; i < transfer.chunk_count; i++)
        *(volatile uint32_t *)(transfer.chunk_flags + i) = transfer.chunk_target;
}

/* By each whole loader block, after its own rows: waits until the copies are complete. If they
 * are late, all loaders load those rows; none of them writes any more when the last one returns. */
static __device__ void complete_copies(const zck_cuda_persistent &r,
                                       const zck_cuda_transfer &transfer, uint32_t frame,
                                       uint32_t &late)
{
    if (threadIdx.x == 0)
        late = wait_for_copies(r, transfer, frame);
    __syncthreads();
    if (!late)
        return;
    const uint32_t step = transfer.loaders * blockDim.x * 16u;
    for (uint32_t p = 0; p < transfer.plane_count; p++) {
        const uint64_t begin = transfer.planes[p].begin_bytes / ZCK_CUDA_LINE * ZCK_CUDA_LINE;
        const uint64_t end = band_edge(transfer, p, transfer.first_band);
        uint64_t at = begin + (blockIdx.x * blockDim.x + threadIdx.x) * 16u;
        for (; at < end; at += step)
            *(uint4 *)(transfer.staging + at) = __ldcs((const uint4 *)(transfer.lines + at));
    }
    __syncthreads();
    if (threadIdx.x == 0)
        signal_substitution(r, transfer);
}

/* --- work --- */

static __device__ void run_loader(const zck_cuda_persistent &r, uint32_t frame,
                                  zck_persistent_shared &s)
{
    if (s.transfer.first_band < s.transfer.band_count)
        stream(s.transfer, blockIdx.x, s.ring, s.gates,
               s.heads[s.command.result & ZCK_COMMAND_HYBRID ? 1 : 0]);
    else if (threadIdx.x == 0)
        signal_bands(s.transfer, 0, s.transfer.band_count);
    if (is_copying(s.transfer))
        complete_copies(r, s.transfer, frame, s.late);
}

/* Neighbouring tiles go to different SMs. */
template <int unpack, bool stencil>
static __device__ __forceinline__ void run_tiles(const zck_cuda_pass &p, zck_persistent_shared &s)
{
    const zck_cuda_transfer &transfer = s.transfer;
    const uint32_t first = transfer.loaders, workers = gridDim.x - first;
    const uint32_t halo = stencil ? ZCK_HALO : 0;
    const uint8_t *in = unpack == ZCI_UNPACK_NONE ? p.in : s.in;
    const zck_view view = {in, s.out, uses_sentinel(transfer) ? &transfer : nullptr,
                           p.transfer.sentinel};
    uint32_t tile = blockIdx.x - first + group() * workers;
    for (; tile < p.tiles; tile += workers * ZCK_CUDA_THREAD_GROUPS) {
        const zck_tile_origin at = tile_origin(p, tile);
        const auto sources = find_word_pointers<unpack, stencil>(p, view, at);
        if (group_thread() == 0 && transfer.wait != ZCK_CUDA_WAIT_NONE)
            wait_for_tile<unpack>(p, transfer, view, at, halo);
        group_sync();
        run_tile<unpack, stencil>(p, view, s.ops, at, sources, s.samples[group()], s.sums);
    }
}

/* By one thread, when the block has completed its part of a pass. */
static __device__ void end_pass(const zck_cuda_persistent &r, uint32_t index, uint32_t frame,
                                zck_persistent_shared &s)
{
    const zck_cuda_pass &p = r.passes[index];
    zck_cuda_device_state *state = p.finish.state;
    zck_cuda_finish finish = p.finish;
    finish.frame = frame;
    finish.to_host = index + 1 == r.pass_count && (s.command.result & ZCK_COMMAND_TO_HOST);
    if (p.reduce.kind != ZCI_REDUCE_NONE)
        sums_add(&state->sums, s.sums);
    if (finish.to_host)
        __threadfence_system();
    else
        __threadfence();
    const uint32_t passed = passed_key(r, frame, index + 1);
    if (atomicAdd(&state->done, 1u) + 1 != gridDim.x * passed)
        return;
    if (p.reduce.kind != ZCI_REDUCE_NONE) {
        __threadfence();
        const zci_sums total = take_sums(&state->sums);
        zci_sums_finish(&p.reduce, &total, &state->states[p.reduce.state]);
    }
    if (index + 1 == r.pass_count)
        signal_host(finish);
    asm volatile("st.release.gpu.global.u32 [%0], %1;" ::"l"(&r.barrier->passed), "r"(passed)
                 : "memory");
}

template <int unpack, bool sensor>
static __device__ __forceinline__ void run_pass_tiles(const zck_cuda_pass &p,
                                                      zck_persistent_shared &s)
{
    const bool stencil = sensor && p.stencil != ZCI_STENCIL_NONE;
    const bool from_source = p.load.unpack != ZCI_UNPACK_NONE;
    if (from_source && stencil)
        run_tiles<unpack, sensor>(p, s);
    else if (from_source)
        run_tiles<unpack, false>(p, s);
    else if (stencil)
        run_tiles<ZCI_UNPACK_NONE, sensor>(p, s);
    else
        run_tiles<ZCI_UNPACK_NONE, false>(p, s);
}

/* By the whole block: starts a later pass when all blocks have completed the one before. */
static __device__ void begin_pass(const zck_cuda_persistent &r, uint32_t index, uint32_t frame,
                                  zck_persistent_shared &s)
{
    load_pass(r, index, s);
    __syncthreads();
    if (threadIdx.x == 0) {
        set_frame(r, index, frame, s);
        while (!has_passed(r, frame, index))
            continue;
    }
    __syncthreads();
}

/* The first pass is loaded and set. */
template <int unpack, bool sensor>
static __device__ void run_frame(const zck_cuda_persistent &r, uint32_t frame,
                                 zck_persistent_shared &s)
{
    for (uint32_t i = 0; i < r.pass_count; i++) {
        if (i > 0)
            begin_pass(r, i, frame, s);
        if (blockIdx.x >= s.transfer.loaders && i == 0 && s.transfer.next_staging != nullptr)
            fill_next_staging(s.transfer, blockIdx.x - s.transfer.loaders,
                              gridDim.x - s.transfer.loaders, threadIdx.x, blockDim.x);
        if (blockIdx.x < s.transfer.loaders)
            run_loader(r, frame, s);
        else
            run_pass_tiles<unpack, sensor>(r.passes[i], s);
        __syncthreads();
        if (threadIdx.x == 0)
            end_pass(r, i, frame, s);
        __syncthreads();
    }
}

/* The bound leaves 64 registers a thread. So an SM has room for blocks of other kernels. */
template <int unpack, bool sensor>
static __global__ void __launch_bounds__(1024)
    run_persistent(const __grid_constant__ zck_cuda_persistent r)
{
    __shared__ zck_persistent_shared s;
    const int64_t begin_ns = clock_ns();
    if (threadIdx.x == 0) {
        s.gates.used = s.gates.ready = 0;
        for (zck_prefetch &head : s.heads) {
            head.count = 0;
            head.begun = false;
        }
    }
    load_pass(r, 0, s);
    __syncthreads();
    for (uint32_t frame = r.served + 1;; frame++) {
        if (threadIdx.x == 0) {
            s.command =
                blockIdx.x == 0 ? receive_command(r, frame, begin_ns) : wait_for_leader(r, frame);
            if (!is_stop(s.command)) {
                start_share(r, s.command, s);
                set_frame(r, 0, frame, s);
            }
        }
        __syncthreads();
        if (is_stop(s.command))
            return;
        run_frame<unpack, sensor>(r, frame, s);
        if (r.pass_count > 1) {
            load_pass(r, 0, s);
            __syncthreads();
        }
    }
}

#endif
