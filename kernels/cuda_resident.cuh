/* SPDX-License-Identifier: MIT */
/* The resident kernel: waiting for orders, and a block's share of each pass. */
#ifndef ZCK_CUDA_RESIDENT_CUH
#define ZCK_CUDA_RESIDENT_CUH

#include "kernels/cuda_late.cuh"
#include "kernels/cuda_pass.cuh"

struct zck_resident_shared {
    union {
        zck_ring ring;
        zck_samples samples[ZCK_CUDA_TEAMS];
    };
    zck_gates gates;
    zck_head heads[2]; /* without a part that is copied, and with one */
    zck_ops ops;
    zck_cuda_flow flow;
    const uint8_t *in; /* the source's image */
    uint8_t *out;
    zci_sums sums;
    zck_cuda_order order;
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

static __device__ __forceinline__ bool is_stop(const zck_cuda_order &order)
{
    return order.result & ZCK_ORDER_STOP;
}

static __device__ __forceinline__ uint64_t launch_flags(const zck_cuda_resident &r)
{
    return (uint64_t)(r.launch % 16u) * ZCK_ORDER_LAUNCH;
}

static __device__ __forceinline__ uint32_t passed_key(const zck_cuda_resident &r, uint32_t frame,
                                                      uint32_t passes)
{
    return (frame - 1) * r.pass_count + passes;
}

/* Whether all blocks are done with the first `passes` of the frame, and with all frames before it. */
static __device__ bool has_passed(const zck_cuda_resident &r, uint32_t frame, uint32_t passes)
{
    uint32_t passed;
    asm volatile("ld.acquire.gpu.global.u32 %0, [%1];"
                 : "=r"(passed)
                 : "l"(&r.meeting->passed)
                 : "memory");
    return (int32_t)(passed - passed_key(r, frame, passes)) >= 0;
}

/* By the leader: the host's next order, or the one to stop that it or time gives, which does not overtake the
 * frame that others may still be at. Only the leader asks over the bus: many who ask for the same word there wait
 * for each other. */
static __device__ zck_cuda_order await_host(const zck_cuda_resident &r, uint32_t frame,
                                            int64_t begin_ns)
{
    const uint64_t tag = frame & 65535u;
    const int64_t since_ns = clock_ns();
    for (;;) {
        zck_cuda_order order;
        asm volatile("ld.acquire.sys.global.v2.u64 {%0, %1}, [%2];"
                     : "=l"(order.source), "=l"(order.result)
                     : "l"(&r.desk->order)
                     : "memory");
        if (tag_of(order.result) == tag &&
            (is_stop(order) ? has_passed(r, frame, 0) : tag_of(order.source) == tag))
            return order;
        const int64_t now_ns = clock_ns();
        if ((now_ns - since_ns > r.idle_ns || now_ns - begin_ns > r.life_ns) &&
            has_passed(r, frame, 0))
            return {0, zck_order_word(ZCK_ORDER_STOP, frame)};
    }
}

static __device__ zck_cuda_order lead(const zck_cuda_resident &r, uint32_t frame, int64_t begin_ns)
{
    zck_cuda_order order = await_host(r, frame, begin_ns);
    order.result |= launch_flags(r);
    if (!is_stop(order))
        asm volatile("st.relaxed.gpu.global.u64 [%0], %1;" ::"l"(&r.meeting->order.source),
                     "l"(order.source)
                     : "memory");
    asm volatile("st.release.gpu.global.u64 [%0], %1;" ::"l"(&r.meeting->order.result),
                 "l"(order.result)
                 : "memory");
    if (is_stop(order)) {
        __threadfence_system(); /* the last report is ahead of it */
        *(volatile uint32_t *)&r.answer->closed = r.launch;
    }
    return order;
}

/* By every other block: what the leader passes on. */
static __device__ zck_cuda_order follow(const zck_cuda_resident &r, uint32_t frame)
{
    const uint64_t tag = frame & 65535u, flags = launch_flags(r);
    const uint64_t mask = (uint64_t)15u * ZCK_ORDER_LAUNCH;
    zck_cuda_order order;
    do
        asm volatile("ld.acquire.gpu.global.v2.u64 {%0, %1}, [%2];"
                     : "=l"(order.source), "=l"(order.result)
                     : "l"(&r.meeting->order)
                     : "memory");
    while (tag_of(order.result) != tag || (order.result & mask) != flags ||
           (tag_of(order.source) != tag && !is_stop(order)));
    return order;
}

/* By the whole block: what changes from pass to pass alone. */
static __device__ void load_pass(const zck_cuda_resident &r, uint32_t index, zck_resident_shared &s)
{
    const uint32_t *from = (const uint32_t *)&r.passes[index].flow;
    for (uint32_t i = threadIdx.x; i < sizeof(zck_cuda_flow) / 4; i += blockDim.x)
        ((uint32_t *)&s.flow)[i] = from[i];
    fetch_ops(r.passes[index], s.ops);
}

/* The first band that loaders bring. */
static __device__ uint32_t first_band_of(const zck_cuda_resident &r, const zck_cuda_order &order)
{
    if (!(order.result & ZCK_ORDER_HYBRID))
        return 0;
    return order.source & ZCK_ORDER_WORDS ? r.hybrid.words_first_band : r.hybrid.first_band;
}

/* By a loader's first thread, before it does anything else with the order: whatever it knows where to find. */
static __device__ void begin_share(const zck_cuda_resident &r, const zck_cuda_order &order,
                                   zck_resident_shared &s)
{
    const bool hybrid = order.result & ZCK_ORDER_HYBRID;
    if (blockIdx.x >= r.loaders || (hybrid && !(order.source & ZCK_ORDER_WORDS)))
        return; /* others may have to wait for copies */
    const uint64_t source = address_of(order.source, ZCK_ORDER_SOURCE_FLAGS);
    const uint64_t phase = source % ZCK_CUDA_LINE;
    begin_head(s.ring, s.gates, s.heads[hybrid], (const uint8_t *)(source - phase),
               r.passes[0].flow.planes[0].begin_bytes + phase, first_band_of(r, order));
}

/* The image lies at the same address always, the lines where they begin in it. */
static __device__ void set_source(const zck_cuda_resident &r, const zck_cuda_order &order,
                                  uint32_t frame, zck_cuda_flow &flow)
{
    const uint64_t source = address_of(order.source, ZCK_ORDER_SOURCE_FLAGS);
    const uint64_t phase = source % ZCK_CUDA_LINE;
    const bool hybrid = order.result & ZCK_ORDER_HYBRID, words = order.source & ZCK_ORDER_WORDS;
    const bool other = order.source & ZCK_ORDER_OTHER;
    const zck_cuda_flow &fixed = r.passes[0].flow;
    flow.staging = fixed.staging + (other ? r.other_shift : 0) - phase;
    flow.other = nullptr;
    if (r.other_shift != 0)
        flow.other = fixed.other + (other ? 0 : r.other_shift);
    flow.lines = (const uint8_t *)(source - phase);
    for (uint32_t p = 0; p < fixed.plane_count; p++)
        flow.planes[p].begin_bytes = fixed.planes[p].begin_bytes + phase;
    flow.end_bytes = (phase + r.source_bytes + ZCK_CUDA_LINE - 1) / ZCK_CUDA_LINE * ZCK_CUDA_LINE;
    if (words)
        flow.wait = hybrid ? ZCK_CUDA_WAIT_WORDS_BOTH : ZCK_CUDA_WAIT_WORDS_LOADED;
    else
        flow.wait = hybrid ? r.hybrid.wait : (uint32_t)ZCK_CUDA_WAIT_BANDS;
    flow.first_band = first_band_of(r, order);
    flow.after_chunk = hybrid && !words ? r.hybrid.after_chunk : 0;
    flow.wait_band = r.hybrid.wait_band;
    flow.band_target = r.loaders * frame;
    flow.chunk_target = frame;
    flow.begin_clock = clock64();
}

/* By one thread: what does. */
static __device__ void set_frame(const zck_cuda_resident &r, uint32_t index, uint32_t frame,
                                 zck_resident_shared &s)
{
    if (index == 0)
        set_source(r, s.order, frame, s.flow);
    s.in = r.passes[0].in + (s.order.source & ZCK_ORDER_OTHER ? r.other_shift : 0);
    s.out = r.passes[index].out;
    if (index + 1 == r.pass_count)
        s.out = (uint8_t *)address_of(s.order.result, ZCK_ORDER_FLAGS);
    zci_sums_init(&s.sums);
}

static __device__ void load_share(const zck_cuda_resident &r, uint32_t frame,
                                  zck_resident_shared &s)
{
    if (s.flow.first_band < s.flow.band_count)
        stream(s.flow, blockIdx.x, s.ring, s.gates,
               s.heads[s.order.result & ZCK_ORDER_HYBRID ? 1 : 0]);
    else if (threadIdx.x == 0)
        announce(s.flow, 0, s.flow.band_count);
    if (is_copying(s.flow))
        see_to_copies(r, s.flow, frame, s.late);
}

/* Tiles next to each other go to different multiprocessors. */
template <int unpack, bool stencil>
static __device__ __forceinline__ void run_share(const zck_cuda_pass &p, zck_resident_shared &s)
{
    const zck_cuda_flow &flow = s.flow;
    const uint32_t first = flow.loaders, workers = gridDim.x - first;
    const uint32_t halo = stencil ? ZCK_HALO : 0;
    const uint8_t *in = unpack == ZCI_UNPACK_NONE ? p.in : s.in;
    const zck_view view = {in, s.out, is_in_words(flow) ? &flow : nullptr, p.flow.blank};
    uint32_t tile = blockIdx.x - first + team() * workers;
    for (; tile < p.tiles; tile += workers * ZCK_CUDA_TEAMS) {
        const zck_place at = place_of(p, tile);
        const auto sources = find_sources<unpack, stencil>(p, view, at);
        if (team_thread() == 0 && flow.wait != ZCK_CUDA_WAIT_NONE)
            await_tile<unpack>(p, flow, view, at, halo);
        team_sync();
        run_tile<unpack, stencil>(p, view, s.ops, at, sources, s.samples[team()], s.sums);
    }
}

/* By one thread, when the block is done with its share. */
static __device__ void end_share(const zck_cuda_resident &r, uint32_t index, uint32_t frame,
                                 zck_resident_shared &s)
{
    const zck_cuda_pass &p = r.passes[index];
    zck_cuda_board *board = p.finish.board;
    zck_cuda_finish finish = p.finish;
    finish.frame = frame;
    finish.to_host = index + 1 == r.pass_count && (s.order.result & ZCK_ORDER_TO_HOST);
    if (p.reduce.kind != ZCI_REDUCE_NONE)
        sums_add(&board->sums, s.sums);
    if (finish.to_host)
        __threadfence_system();
    else
        __threadfence();
    const uint32_t passed = passed_key(r, frame, index + 1);
    if (atomicAdd(&board->done, 1u) + 1 != gridDim.x * passed)
        return;
    if (p.reduce.kind != ZCI_REDUCE_NONE) {
        __threadfence();
        const zci_sums total = take_sums(&board->sums);
        zci_sums_finish(&p.reduce, &total, &board->states[p.reduce.state]);
    }
    if (index + 1 == r.pass_count)
        signal_host(finish);
    asm volatile("st.release.gpu.global.u32 [%0], %1;" ::"l"(&r.meeting->passed), "r"(passed)
                 : "memory");
}

template <int unpack, bool sensor>
static __device__ __forceinline__ void run_any(const zck_cuda_pass &p, zck_resident_shared &s)
{
    const bool stencil = sensor && p.stencil != ZCI_STENCIL_NONE;
    const bool from_source = p.load.unpack != ZCI_UNPACK_NONE;
    if (from_source && stencil)
        run_share<unpack, sensor>(p, s);
    else if (from_source)
        run_share<unpack, false>(p, s);
    else if (stencil)
        run_share<ZCI_UNPACK_NONE, sensor>(p, s);
    else
        run_share<ZCI_UNPACK_NONE, false>(p, s);
}

/* By the whole block: a later pass, when all blocks are done with the one before. */
static __device__ void begin_pass(const zck_cuda_resident &r, uint32_t index, uint32_t frame,
                                  zck_resident_shared &s)
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

/* Its first pass is loaded and set. */
template <int unpack, bool sensor>
static __device__ void run_frame(const zck_cuda_resident &r, uint32_t frame, zck_resident_shared &s)
{
    for (uint32_t i = 0; i < r.pass_count; i++) {
        if (i > 0)
            begin_pass(r, i, frame, s);
        if (blockIdx.x >= s.flow.loaders && i == 0 && s.flow.other != nullptr)
            fill_other(s.flow, blockIdx.x - s.flow.loaders, gridDim.x - s.flow.loaders, threadIdx.x,
                       blockDim.x);
        if (blockIdx.x < s.flow.loaders)
            load_share(r, frame, s);
        else
            run_any<unpack, sensor>(r.passes[i], s);
        __syncthreads();
        if (threadIdx.x == 0)
            end_share(r, i, frame, s);
        __syncthreads();
    }
}

/* 64 registers a thread, so that a multiprocessor has room for other kernels' blocks. */
template <int unpack, bool sensor>
static __global__ void __launch_bounds__(1024)
    run_resident(const __grid_constant__ zck_cuda_resident r)
{
    __shared__ zck_resident_shared s;
    const int64_t begin_ns = clock_ns();
    if (threadIdx.x == 0) {
        s.gates.used = s.gates.ready = 0;
        for (zck_head &head : s.heads) {
            head.count = 0;
            head.begun = false;
        }
    }
    load_pass(r, 0, s);
    __syncthreads();
    for (uint32_t frame = r.served + 1;; frame++) {
        if (threadIdx.x == 0) {
            s.order = blockIdx.x == 0 ? lead(r, frame, begin_ns) : follow(r, frame);
            if (!is_stop(s.order)) {
                begin_share(r, s.order, s);
                set_frame(r, 0, frame, s);
            }
        }
        __syncthreads();
        if (is_stop(s.order))
            return;
        run_frame<unpack, sensor>(r, frame, s);
        if (r.pass_count > 1) {
            load_pass(r, 0, s);
            __syncthreads();
        }
    }
}

#endif
