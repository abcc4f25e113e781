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

/* By a persistent kernel: copies that are not there by now are done without. */
static __device__ bool is_late(const zck_cuda_transfer &transfer)
{
    return clock64() - transfer.start_clock > ZCK_CUDA_COPY_TIMEOUT + (int64_t)transfer.end_bytes;
}

/* Where a pass reads and writes. */
struct zck_view {
    const uint8_t *in;
    uint8_t *out;
    const zck_cuda_transfer *words; /* NULL: all of `in` that is read has been brought */
    uint32_t sentinel;              /* words->blank */
};

/* A word as it is now in device memory, past what the multiprocessor has read of it before. */
static __device__ __forceinline__ uint32_t load_word(const uint32_t *at)
{
    uint32_t word;
    asm volatile("ld.relaxed.gpu.global.u32 %0, [%1];" : "=r"(word) : "l"(at));
    return word;
}

/* The same if it is `wanted`, else 0. */
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

/* As it is now; `missing` becomes true if it may not have been brought yet. */
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

/* The counter behind the copy engine's last chunk. */
static __device__ const uint32_t *copy_counter(const zck_cuda_transfer &transfer)
{
    return transfer.chunk_flags + transfer.chunk_count - 1;
}

static __device__ bool is_copying(const zck_cuda_transfer &transfer)
{
    return transfer.wait != ZCK_CUDA_WAIT_NONE && transfer.wait != ZCK_CUDA_WAIT_BAND_FLAGS &&
           transfer.wait != ZCK_CUDA_WAIT_SENTINEL_LOADERS;
}

/* Whether each word shows that it is there. */
static __device__ __forceinline__ bool uses_sentinel(const zck_cuda_transfer &transfer)
{
    return transfer.wait >= ZCK_CUDA_WAIT_SENTINEL;
}

/* For a look in passing: what it finds is not ordered with undefined_value. */
static __device__ bool is_copied(const zck_cuda_transfer &transfer)
{
    return (int32_t)(load_word(copy_counter(transfer)) - transfer.chunk_target) >= 0;
}

/* After a look in vain at a word: true when nothing more will come, so that what is there then is right. */
static __device__ bool has_ended(const zck_cuda_transfer &transfer)
{
    return (!is_copying(transfer) || has_reached(copy_counter(transfer), transfer.chunk_target)) &&
           (transfer.wait == ZCK_CUDA_WAIT_SENTINEL ||
            has_reached(transfer.band_flags + transfer.band_count - 1, transfer.band_target));
}

#define ZCK_POLLS 4u /* at words, between two at the counters */

/* By one thread, so that the others need not ask in vain for long: until that byte's word, or all, is there. */
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

/* By `threads` threads of a block, which fills part `part` of `parts` of the memory for a later frame. */
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

/* Until source row `row`, and those before it that come the same way, are announced. One thread waits; a
 * barrier of the block or thread group must wait_for_leader. */
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
