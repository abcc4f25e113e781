/* SPDX-License-Identifier: MIT */
/* How a thread waits for source data: for flags, and for sentinel words. */
#ifndef ZCK_CUDA_WAIT_CUH
#define ZCK_CUDA_WAIT_CUH

#include "kernels/cuda/pass.h"

static __device__ bool has_reached(const uint32_t *counter, uint32_t target)
{
    uint32_t count;
    asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(count) : "l"(counter) : "memory");
    return (int32_t)(count - target) >= 0;
}

static __device__ void wait_for_counter(const zck_cuda_transfer &transfer, const uint32_t *counter,
                                        uint32_t target)
{
    while (!has_reached(counter, target))
        if (!transfer.eager)
            __nanosleep(32);
}

/* In a persistent kernel: the copies have not come in time, and loaders load those rows. */
static __device__ bool is_late(const zck_cuda_transfer &transfer)
{
    return clock64() - transfer.start_clock > ZCK_CUDA_COPY_TIMEOUT + (int64_t)transfer.end_bytes;
}

/* The memory of a pass. */
struct zck_view {
    const uint8_t *in;
    uint8_t *out;
    /* the transfer, while `in` may be incomplete; NULL: `in` is complete, or flags are used */
    const zck_cuda_transfer *words;
    uint32_t sentinel; /* words->sentinel */
};

/* A word of device memory, read past the L1 cache. */
static __device__ __forceinline__ uint32_t load_word(const uint32_t *at)
{
    uint32_t word;
    asm volatile("ld.relaxed.gpu.global.u32 %0, [%1];" : "=r"(word) : "l"(at));
    return word;
}

/* The same if `wanted`, else 0. */
static __device__ __forceinline__ uint32_t load_word_if(const uint32_t *at, bool wanted)
{
    uint32_t word = 0;
    asm volatile("{ .reg .pred p;\n"
                 "setp.ne.u32 p, %2, 0;\n"
                 "@p ld.relaxed.gpu.global.u32 %0, [%1]; }"
                 : "+r"(word)
                 : "l"(at), "r"((uint32_t)wanted));
    return word;
}

/* Reads a word; sets `missing` if it may not have arrived. */
static __device__ __forceinline__ uint32_t poll_word(const zck_view &v, const uint32_t *at,
                                                     bool &missing)
{
    const uint32_t word = load_word(at);
    missing |= word == v.sentinel;
    return word;
}

static __device__ __forceinline__ uint32_t byte_at(const zck_view &v, const uint8_t *from,
                                                   bool &missing)
{
    const uint32_t off = (uint32_t)(uintptr_t)from & 3u;
    return poll_word(v, (const uint32_t *)(from - off), missing) >> 8 * off & 255u;
}

/* The flag of the last chunk. */
static __device__ const uint32_t *copy_counter(const zck_cuda_transfer &transfer)
{
    return transfer.chunk_flags + transfer.chunk_count - 1;
}

static __device__ bool is_copying(const zck_cuda_transfer &transfer)
{
    return transfer.wait != ZCK_CUDA_WAIT_NONE && transfer.wait != ZCK_CUDA_WAIT_BAND_FLAGS &&
           transfer.wait != ZCK_CUDA_WAIT_SENTINEL_LOADERS;
}

/* True: each word shows by itself whether it has arrived. */
static __device__ __forceinline__ bool uses_sentinel(const zck_cuda_transfer &transfer)
{
    return transfer.wait >= ZCK_CUDA_WAIT_SENTINEL;
}

/* A hint: later reads are not ordered after it. */
static __device__ bool is_copied(const zck_cuda_transfer &transfer)
{
    return (int32_t)(load_word(copy_counter(transfer)) - transfer.chunk_target) >= 0;
}

/* After a poll found the sentinel value. True: all data has arrived, so a word with that value
 * is data. */
static __device__ bool has_ended(const zck_cuda_transfer &transfer)
{
    return (!is_copying(transfer) || has_reached(copy_counter(transfer), transfer.chunk_target)) &&
           (transfer.wait == ZCK_CUDA_WAIT_SENTINEL ||
            has_reached(transfer.band_flags + transfer.band_count - 1, transfer.band_target));
}

#define ZCK_POLLS 4u /* polls of words between two polls of the flags */

/* By one thread, so that the others do not poll for long: waits until that byte's word, or all
 * data, has arrived. */
static __device__ void wait_for_byte(const zck_view &v, const uint8_t *at)
{
    const uint32_t *word = (const uint32_t *)(at - ((uintptr_t)at & 3u));
    for (uint32_t looks = 1; load_word(word) == v.sentinel; looks++) {
        if (looks % ZCK_POLLS == 0 && has_ended(*v.words))
            return;
        if (!v.words->eager)
            __nanosleep(32);
    }
}

/* By `threads` threads of a block: fills part `part` of `parts` of the next frame's staging
 * buffer with the sentinel value. */
static __device__ void fill_next_staging(const zck_cuda_transfer &transfer, uint32_t part,
                                         uint32_t parts, uint32_t thread, uint32_t threads)
{
    const uint4 sentinel =
        make_uint4(transfer.sentinel, transfer.sentinel, transfer.sentinel, transfer.sentinel);
    const uint64_t pieces = transfer.fill_bytes / 16, each = (pieces + parts - 1) / parts;
    const uint64_t end = (part + 1) * each;
    for (uint64_t i = part * each + thread; i < (end < pieces ? end : pieces); i += threads)
        ((uint4 *)(transfer.next_staging + transfer.fill_begin))[i] = sentinel;
}

/* Waits until the flags say that source row `row` has arrived. One thread waits; a barrier of
 * the block or thread group must follow. */
static __device__ void wait_for_row(const zck_cuda_transfer &transfer, uint32_t row)
{
    const uint32_t band = row / transfer.band_rows;
    if (transfer.wait == ZCK_CUDA_WAIT_BAND_FLAGS ||
        (transfer.wait == ZCK_CUDA_WAIT_HYBRID && band >= transfer.first_band))
        return wait_for_counter(transfer, transfer.band_flags + band, transfer.band_target);
    if (uses_sentinel(transfer))
        return;
    uint32_t i = 0;
    while (i + 1 < transfer.chunk_count && row >= transfer.chunk_end[i])
        i++;
    wait_for_counter(transfer, transfer.chunk_flags + i, transfer.chunk_target);
}

#endif
