/* SPDX-License-Identifier: MIT */
/* Several quads of neighbouring pixels at once, by the words of the source that hold them. */
#ifndef ZCK_CUDA_QUADS_CUH
#define ZCK_CUDA_QUADS_CUH

#include "kernels/cuda/yuv.cuh"

/* A quad of a thread's: where it is in the window. */
struct zck_spot {
    int32_t x;
    uint32_t y;
    bool used;
};

/* Planes, from the first on, in which it is kept where a thread reads words: as many as registers allow. */
template <int unpack> static constexpr __device__ int planes_kept()
{
    return unpack == ZCI_UNPACK_SEMI8 ? 2 : unpack == ZCI_UNPACK_PLANAR16 ? 0 : 1;
}

/* Where a thread reads the words of its quads. */
template <int unpack, int count> struct zck_sources {
    const uint8_t *from[count][planes_of<unpack>()];
    uint32_t whole[count]; /* 1: words are read from there */
};

/* In one plane, or for 0, 1, 2 of luma, U and V. */
template <int unpack>
static __device__ __forceinline__ const uint8_t *words_of(const zck_cuda_pass &p, const zck_view &v,
                                                          const zck_spot &spot, int which)
{
    const zci_window &w = p.window;
    const uint32_t row = source_row(w, spot.y);
    const uint32_t plane = which == 0 ? 0 : chroma_plane<unpack>(p.load, which);
    return plane_row(p, v, plane, which == 0 ? row : subsampled(row, p.load.vsub)) +
           byte_of<unpack>(p.load, which, w.x + (uint32_t)spot.x);
}

/* Done before the rows are there: hence the barrier against doing it when they are. */
template <int unpack>
static __device__ __forceinline__ void
find_words(const zck_cuda_pass &p, const zck_view &v, const zck_spot &spot,
           const uint8_t *(&from)[planes_of<unpack>()], uint32_t &whole)
{
    whole = spot.used && is_whole<unpack>(p.load, p.window, spot.x);
#pragma unroll
    for (int i = 0; i < planes_kept<unpack>(); i++) {
        from[i] = words_of<unpack>(p, v, spot, i);
        asm volatile("" : "+l"(from[i]));
    }
    asm volatile("" : "+r"(whole));
}

/* Of what a pixel of the source is made of: a byte that comes last. */
template <int unpack>
static __device__ __forceinline__ const uint8_t *
late_byte(const zck_cuda_pass &p, const zck_view &v, uint32_t row, uint32_t column)
{
    const int plane = planes_of<unpack>() - 1;
    return plane_row(p, v, plane, plane == 0 ? row : subsampled(row, p.load.vsub)) +
           byte_of<unpack>(p.load, plane, column);
}

/* All at once, so that none is waited for before the next is asked for. True: what some are made of may not
 * have been brought. `spot_of(n)`: the nth quad's. */
template <int unpack, int count, class Samples, class Spots>
static __device__ __forceinline__ bool look_at_quads(const zck_cuda_pass &p, const zck_view &v,
                                                     const zck_sources<unpack, count> &sources,
                                                     const Spots &spot_of, Samples (&q)[count])
{
    const int planes = planes_of<unpack>();
    zck_words words[count][planes];
    bool missing = false;
#pragma unroll
    for (int n = 0; n < count; n++)
#pragma unroll
        for (int i = 0; i < planes; i++)
            words[n][i] =
                fetch(i < planes_kept<unpack>() ? sources.from[n][i]
                                                : words_of<unpack>(p, v, spot_of(n), i),
                      quad_bytes<unpack>(i), quad_bytes_of<unpack>(p.load, i), sources.whole[n]);
#pragma unroll
    for (int n = 0; n < count; n++) {
        if (sources.whole[n]) {
#pragma unroll
            for (int i = 0; i < planes; i++)
                missing |= is_missing(words[n][i], quad_bytes<unpack>(i),
                                      quad_bytes_of<unpack>(p.load, i), v.sentinel);
            unpack_words<unpack>(p.load, words[n], q[n]);
        } else {
            const zck_spot spot = spot_of(n);
            if (spot.used)
                load_each<unpack>(p, v, spot.x, spot.y, q[n], missing);
        }
    }
    return missing;
}

/* Again until all that they are made of has been brought. */
template <int unpack, int count, class Samples, class Spots>
static __device__ __forceinline__ void await_quads(const zck_cuda_pass &p, const zck_view &v,
                                                   const zck_sources<unpack, count> &sources,
                                                   const Spots &spot_of, Samples (&q)[count])
{
    bool over = false;
#pragma unroll 1
    for (uint32_t looks = 1;; looks++) {
        const bool missing = look_at_quads<unpack, count>(p, v, sources, spot_of, q);
        if (v.words == nullptr || !missing || over)
            return;
        over = looks % ZCK_LOOKS == 0 && is_over(*v.words);
        if (!v.words->eager)
            __nanosleep(64);
    }
}

/* Columns x .. x + 3 of row y of the window for each used spot. */
template <int unpack, int count, class Spots>
static __device__ __forceinline__ void load_quads(const zck_cuda_pass &p, const zck_view &v,
                                                  const zck_sources<unpack, count> &sources,
                                                  const Spots &spot_of, zck_quad (&q)[count])
{
    if constexpr (is_yuv<unpack>()) {
        zck_yuv s[count] = {};
        await_quads<unpack, count>(p, v, sources, spot_of, s);
#pragma unroll
        for (int n = 0; n < count; n++)
            put_yuv<unpack>(p.load, s[n], q[n]);
    } else if (zck_cuda_reads_sentinel(unpack)) {
        await_quads<unpack, count>(p, v, sources, spot_of, q);
    } else {
#pragma unroll
        for (int n = 0; n < count; n++) {
            const zck_spot spot = spot_of(n);
            if (spot.used)
                load_quad<unpack>(p, v, spot.x, spot.y, q[n]);
        }
    }
}

#endif
