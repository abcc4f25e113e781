/* SPDX-License-Identifier: MIT */
/* Several quads of neighbouring pixels at once, by the words of the source that hold them. */
#ifndef ZCK_CUDA_QUADS_CUH
#define ZCK_CUDA_QUADS_CUH

#include "kernels/cuda_load.cuh"

/* The bytes of four pixels whose first is one that words are read for; 0: there is none. */
template <int unpack> static constexpr __device__ int quad_bytes()
{
    return unpack == ZCI_UNPACK_U8    ? 4
           : unpack == ZCI_UNPACK_P10 ? 5
           : unpack == ZCI_UNPACK_P12 ? 6
           : unpack == ZCI_UNPACK_P14 ? 7
                                      : 8;
}

/* A byte of a source row that pixel `column` is made of. */
template <int unpack> static __device__ __forceinline__ uint32_t byte_of(uint32_t column)
{
    if (unpack >= ZCI_UNPACK_P10 && unpack <= ZCI_UNPACK_P14) {
        const zck_group g = zck_group_of(unpack);
        return column / g.pixels * g.bytes + column % g.pixels;
    }
    return unpack == ZCI_UNPACK_U8 ? column : 2 * column;
}

/* Up to 8 bytes from any address on, as the words that hold them. */
struct zck_words {
    uint32_t word[3], off;
};

/* No branches, so that several of these are under way at once. */
template <int bytes>
static __device__ __forceinline__ zck_words fetch(const uint8_t *from, bool wanted)
{
    zck_words w;
    w.off = (uint32_t)(uintptr_t)from & 3u;
    const uint32_t *at = (const uint32_t *)(from - w.off);
#pragma unroll
    for (uint32_t i = 0; i < 3; i++)
        w.word[i] = i * 4 < bytes + 3 ? word_if(at + i, wanted && w.off + bytes > i * 4) : 0;
    return w;
}

template <int bytes>
static __device__ __forceinline__ bool is_missing(const zck_words &w, uint32_t blank)
{
    bool missing = false;
#pragma unroll
    for (uint32_t i = 0; i < 3; i++)
        missing |= w.off + bytes > i * 4 && w.word[i] == blank;
    return missing;
}

static __device__ __forceinline__ void unpack_yuv(const zci_load &load, uint64_t all, zck_quad &q)
{
    const uint32_t luma = load.arg & 1u ? 8 : 0, chroma = 8 - luma;
    const uint32_t u = chroma + 8 * (load.arg & 2u), v = chroma + 8 * (~load.arg & 2u);
#pragma unroll
    for (int k = 0; k < 4; k++) {
        const uint32_t pair = (uint32_t)(all >> 32 * (k / 2));
        put_yuv(q, k, load, pair >> (16 * (k % 2) + luma) & 255u, pair >> u & 255u,
                pair >> v & 255u);
    }
}

template <int unpack>
static __device__ __forceinline__ void unpack_groups(const zci_load &load, uint64_t all,
                                                     zck_quad &q)
{
    const zck_group g = zck_group_of(unpack);
    uint8_t byte[8];
#pragma unroll
    for (int i = 0; i < 8; i++)
        byte[i] = (uint8_t)(all >> 8 * i);
#pragma unroll
    for (int k = 0; k < 4; k++) {
        const uint8_t *group = byte + k / (int)g.pixels * g.bytes;
        q.c[0][k] =
            zck_clamp_code(zck_packed(g, group, k % g.pixels, g.pixels), zck_code_max(load.bits));
    }
}

template <int unpack>
static __device__ __forceinline__ void unpack_codes(const zci_load &load, uint64_t all, zck_quad &q)
{
#pragma unroll
    for (int k = 0; k < 4; k++) {
        const uint32_t word = (uint32_t)(all >> 16 * k) & 65535u;
        if (unpack == ZCI_UNPACK_U8)
            q.c[0][k] = zck_clamp_code((uint32_t)all >> 8 * k & 255u, zck_code_max(load.bits));
        else
            q.c[0][k] = code(load, unpack == ZCI_UNPACK_U16 ? word : __byte_perm(word, 0, 0x4401));
    }
}

/* Four pixels of their words. */
template <int unpack>
static __device__ __forceinline__ void unpack_words(const zci_load &load, const zck_words &w,
                                                    zck_quad &q)
{
    const uint32_t low = __funnelshift_r(w.word[0], w.word[1], w.off * 8);
    const uint32_t high = __funnelshift_r(w.word[1], w.word[2], w.off * 8);
    const uint64_t all = (uint64_t)high << 32 | low;
    if (unpack == ZCI_UNPACK_YUV422)
        unpack_yuv(load, all, q);
    else if (unpack >= ZCI_UNPACK_P10)
        unpack_groups<unpack>(load, all, q);
    else
        unpack_codes<unpack>(load, all, q);
}

/* A quad of a thread's: where it is in the window. */
struct zck_spot {
    int32_t x;
    uint32_t y;
    bool used;
};

/* Where a thread reads the words of its quads. */
template <int count> struct zck_sources {
    const uint8_t *from[count];
    uint32_t whole[count]; /* 1: words are read from there */
};

/* Done before the rows are there: hence the barrier against doing it when they are. */
template <int unpack>
static __device__ __forceinline__ void find_words(const zck_cuda_pass &p, const zck_view &v,
                                                  const zck_spot &spot, const uint8_t *&from,
                                                  uint32_t &whole)
{
    const zci_window &w = p.window;
    const uint32_t column = byte_of<unpack>(w.x + (uint32_t)spot.x);
    whole = spot.used && is_whole<unpack>(w, spot.x);
    from = plane_row(p, v, 0, source_row(w, spot.y)) + column;
    asm volatile("" : "+l"(from), "+r"(whole));
}

/* All at once, so that none is waited for before the next is asked for. True: what some are made of may not
 * have been brought. `spot_of(n)`: the nth quad's. */
template <int unpack, int count, class Spots>
static __device__ __forceinline__ bool look_at_quads(const zck_cuda_pass &p, const zck_view &v,
                                                     const zck_sources<count> &sources,
                                                     const Spots &spot_of, zck_quad (&q)[count])
{
    const int bytes = quad_bytes<unpack>();
    zck_words words[count];
    bool missing = false;
#pragma unroll
    for (int n = 0; n < count; n++)
        words[n] = fetch<bytes>(sources.from[n], sources.whole[n]);
#pragma unroll
    for (int n = 0; n < count; n++) {
        if (sources.whole[n]) {
            missing |= is_missing<bytes>(words[n], v.blank);
            unpack_words<unpack>(p.load, words[n], q[n]);
        } else {
            const zck_spot spot = spot_of(n);
            if (spot.used)
                load_each<unpack>(p, v, spot.x, spot.y, q[n], missing);
        }
    }
    return missing;
}

/* Columns x .. x + 3 of row y of the window for each used spot; of words again until all that they are made
 * of has been brought. */
template <int unpack, int count, class Spots>
static __device__ __forceinline__ void load_quads(const zck_cuda_pass &p, const zck_view &v,
                                                  const zck_sources<count> &sources,
                                                  const Spots &spot_of, zck_quad (&q)[count])
{
    if (!zck_cuda_in_words(unpack)) {
#pragma unroll
        for (int n = 0; n < count; n++) {
            const zck_spot spot = spot_of(n);
            if (spot.used)
                load_quad<unpack>(p, v, spot.x, spot.y, q[n]);
        }
        return;
    }
    bool over = false;
#pragma unroll 1
    for (uint32_t looks = 0;; looks++) {
        const bool missing = look_at_quads<unpack, count>(p, v, sources, spot_of, q);
        if (v.words == nullptr || !missing || over)
            return;
        over = is_over(*v.words, looks);
        if (!v.words->eager)
            __nanosleep(64);
    }
}

#endif
