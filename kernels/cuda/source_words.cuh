/* SPDX-License-Identifier: MIT */
/* Quads of a source, read as the 32-bit words that hold them: sensor codes and Y'CbCr. */
#ifndef ZCK_CUDA_SOURCE_WORDS_CUH
#define ZCK_CUDA_SOURCE_WORDS_CUH

#include "kernels/cuda/quad.cuh"

/* The chroma row or column of a row or column of pixels. `by` is 1 or 2. */
static __device__ __forceinline__ uint32_t subsampled(uint32_t at, uint32_t by)
{
    return at >> (by - 1);
}

/* The planes that contain a part of each pixel. */
template <int unpack> static constexpr __device__ int planes_of()
{
    return unpack == ZCI_UNPACK_PLANAR8 || unpack == ZCI_UNPACK_PLANAR16 ? 3
           : unpack == ZCI_UNPACK_SEMI8 || unpack == ZCI_UNPACK_SEMI10   ? 2
                                                                         : 1;
}

/* The bytes of four pixels in a plane; for chroma the maximum over all subsamplings. SEMI10
 * always has one pair for two pixels. */
template <int unpack> static constexpr __device__ int quad_bytes(int plane)
{
    const bool narrow = unpack == ZCI_UNPACK_U8 || unpack == ZCI_UNPACK_PLANAR8 ||
                        (unpack == ZCI_UNPACK_SEMI8 && plane == 0);
    return narrow                     ? 4
           : unpack == ZCI_UNPACK_P10 ? 5
           : unpack == ZCI_UNPACK_P12 ? 6
           : unpack == ZCI_UNPACK_P14 ? 7
                                      : 8;
}

/* The same for this source's subsampling. */
template <int unpack>
static __device__ __forceinline__ uint32_t quad_bytes_of(const zci_load &load, int plane)
{
    const int max = quad_bytes<unpack>(plane);
    return plane == 0 || unpack == ZCI_UNPACK_SEMI10 ? max : subsampled(max, load.hsub);
}

/* The first byte, in a plane's row, of pixel `column`. */
template <int unpack>
static __device__ __forceinline__ uint32_t byte_of(const zci_load &load, int plane, uint32_t column)
{
    if (unpack >= ZCI_UNPACK_P10 && unpack <= ZCI_UNPACK_P14) {
        const zck_group g = zck_group_of(unpack);
        return column / g.pixels * g.bytes + column % g.pixels;
    }
    const bool pairs = plane > 0 && planes_of<unpack>() == 2;
    const uint32_t bytes =
        (unpack == ZCI_UNPACK_U8 || unpack == ZCI_UNPACK_SEMI8 || unpack == ZCI_UNPACK_PLANAR8
             ? 1
             : 2) *
        (pairs ? 2 : 1);
    return bytes * (plane > 0 ? subsampled(column, load.hsub) : column);
}

/* Up to 8 bytes at any address, as the words that contain them. */
struct zck_words {
    uint32_t word[3], off;
};

/* `bytes` is at most `max`, which is a constant. There are no branches, so several fetches
 * overlap. */
static __device__ __forceinline__ zck_words fetch(const uint8_t *from, int max, uint32_t bytes,
                                                  bool wanted)
{
    zck_words w;
    w.off = (uint32_t)(uintptr_t)from & 3u;
    const uint32_t *at = (const uint32_t *)(from - w.off);
#pragma unroll
    for (int i = 0; i < 3; i++)
        w.word[i] = i * 4 < max + 3 ? load_word_if(at + i, wanted && w.off + bytes > i * 4u) : 0;
    return w;
}

static __device__ __forceinline__ bool is_missing(const zck_words &w, int max, uint32_t bytes,
                                                  uint32_t sentinel)
{
    bool missing = false;
#pragma unroll
    for (int i = 0; i < 3; i++)
        missing |= i * 4 < max + 3 && w.off + bytes > i * 4u && w.word[i] == sentinel;
    return missing;
}

/* The bytes, the first one lowest. */
static __device__ __forceinline__ uint64_t bytes_in(const zck_words &w)
{
    const uint32_t low = __funnelshift_r(w.word[0], w.word[1], w.off * 8);
    const uint32_t high = __funnelshift_r(w.word[1], w.word[2], w.off * 8);
    return (uint64_t)high << 32 | low;
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

/* Four codes from their words. */
template <int unpack>
static __device__ __forceinline__ void unpack_words(const zci_load &load, const zck_words (&w)[1],
                                                    zck_quad &q)
{
    if (unpack >= ZCI_UNPACK_P10)
        unpack_groups<unpack>(load, bytes_in(w[0]), q);
    else
        unpack_codes<unpack>(load, bytes_in(w[0]), q);
}

/* --- Y'CbCr --- */

/* The samples of four pixels, the first pixel's lowest. */
struct zck_yuv {
    uint64_t y, u, v;
};

template <int unpack> static constexpr __device__ int sample_bits()
{
    return unpack == ZCI_UNPACK_SEMI10 || unpack == ZCI_UNPACK_PLANAR16 ? 16 : 8;
}

/* With several planes: the plane of the chroma pairs; with three, of U (`which` 1) or V (2). */
template <int unpack>
static __device__ __forceinline__ uint32_t chroma_plane(const zci_load &load, uint32_t which)
{
    return planes_of<unpack>() == 3 && load.arg ? 3 - which : which;
}

/* The index of U in the bytes of two pixels, or in a chroma pair. With other_order(arg): that of
 * V. */
template <int unpack> static __device__ __forceinline__ uint32_t chroma_place(uint32_t arg)
{
    return unpack == ZCI_UNPACK_YUV422 ? (~arg & 1u) + (arg & 2u) : arg;
}

template <int unpack> static __device__ __forceinline__ uint32_t other_order(uint32_t arg)
{
    return arg ^ (unpack == ZCI_UNPACK_YUV422 ? 2u : 1u);
}

/* Four of eight bytes; each digit of `places` selects one. */
static __device__ __forceinline__ uint32_t pick(uint64_t all, uint32_t places)
{
    return __byte_perm((uint32_t)all, (uint32_t)(all >> 32), places);
}

/* The 16-bit values at indexes 0 and 2, each twice. */
static __device__ __forceinline__ uint64_t twice(uint64_t all)
{
    return (uint64_t)pick(all, 0x3232) << 32 | pick(all, 0x1010);
}

template <int unpack>
static __device__ __forceinline__ void
unpack_words(const zci_load &load, const zck_words (&w)[planes_of<unpack>()], zck_yuv &s)
{
    const bool each = load.hsub == 1;
    const uint32_t u = chroma_place<unpack>(load.arg);
    const uint32_t v = chroma_place<unpack>(other_order<unpack>(load.arg));
    s.y = bytes_in(w[0]);
    if constexpr (unpack == ZCI_UNPACK_YUV422) {
        s.u = pick(s.y, 0x4400 + 0x1111 * u);
        s.v = pick(s.y, 0x4400 + 0x1111 * v);
        s.y = pick(s.y, 0x6420 + 0x1111 * (load.arg & 1u));
    } else if constexpr (unpack == ZCI_UNPACK_SEMI8) {
        s.u = pick(bytes_in(w[1]), (each ? 0x6420 : 0x2200) + 0x1111 * u);
        s.v = pick(bytes_in(w[1]), (each ? 0x6420 : 0x2200) + 0x1111 * v);
    } else if constexpr (unpack == ZCI_UNPACK_SEMI10) {
        const uint64_t pairs = bytes_in(w[1]);
        const uint64_t low = pick(pairs, 0x5410), high = pick(pairs, 0x7632);
        s.u = twice(u ? high : low);
        s.v = twice(u ? low : high);
    } else if constexpr (unpack == ZCI_UNPACK_PLANAR8) {
        s.u = pick(bytes_in(w[1]), each ? 0x3210 : 0x1100);
        s.v = pick(bytes_in(w[2]), each ? 0x3210 : 0x1100);
    } else {
        s.u = each ? bytes_in(w[1]) : twice(bytes_in(w[1]));
        s.v = each ? bytes_in(w[2]) : twice(bytes_in(w[2]));
    }
}

/* Sample i of a row. */
template <int unpack>
static __device__ __forceinline__ uint64_t sample_at(const zck_view &v, const uint8_t *row,
                                                     uint32_t i, bool &missing)
{
    if (sample_bits<unpack>() == 8)
        return byte_at(v, row + i, missing);
    row += 2 * (size_t)i;
    const uint32_t low = byte_at(v, row, missing);
    return low | byte_at(v, row + 1, missing) << 8;
}

/* Columns x .. x + 3 of row y of the window, mirrored about its edges, one pixel at a time. */
template <int unpack>
static __device__ __forceinline__ void load_each(const zck_cuda_pass &p, const zck_view &view,
                                                 int32_t x, uint32_t y, zck_yuv &s, bool &missing)
{
    const zci_load &load = p.load;
    const int planes = planes_of<unpack>();
    const uint32_t u = chroma_place<unpack>(load.arg);
    const uint32_t v = chroma_place<unpack>(other_order<unpack>(load.arg));
    const uint32_t row = source_row(p.window, y), chroma_row = subsampled(row, load.vsub);
    const uint8_t *luma = plane_row(p, view, 0, row), *first = luma, *second = luma;
    if (planes > 1)
        first = second = plane_row(p, view, chroma_plane<unpack>(load, 1), chroma_row);
    if (planes > 2)
        second = plane_row(p, view, chroma_plane<unpack>(load, 2), chroma_row);
    s = {};
#pragma unroll 1
    for (int k = 0; k < 4; k++) {
        const uint32_t at = source_column(p.window, x + k), pair = subsampled(at, load.hsub);
        const int shift = k * sample_bits<unpack>();
        const uint32_t step = planes == 1 ? 4 : planes == 2 ? 2 : 1;
        const uint32_t y_at = planes == 1 ? 2 * at + (load.arg & 1u) : at;
        s.y |= sample_at<unpack>(view, luma, y_at, missing) << shift;
        s.u |= sample_at<unpack>(view, first, step * pair + (planes < 3 ? u : 0), missing) << shift;
        s.v |= sample_at<unpack>(view, second, step * pair + (planes < 3 ? v : 0), missing)
               << shift;
    }
}

/* For 16-bit samples with the code in the low bits. */
static __device__ __forceinline__ void put_wide(zck_quad &q, int k, const zci_load &load,
                                                uint16_t y, uint16_t u, uint16_t v)
{
    const uint16_t max = zck_code_max(load.bits);
    const int32_t cy = zck_clamp_code(y, max), cu = zck_clamp_code(u, max);
    const int32_t cv = zck_clamp_code(v, max);
    if (load.pixel.depth == 8)
        put_rgba8(q, k, zck_yuv_wide_to8(load.yuv, cy, cu, cv));
    else
        put_rgba16(q, k, zck_yuv_to16(load.yuv, cy, cu, cv));
}

static __device__ __forceinline__ void put_narrow(zck_quad &q, int k, const zci_load &load,
                                                  int32_t y, int32_t u, int32_t v)
{
    if (load.pixel.depth == 8)
        put_rgba8(q, k, zck_yuv_to8(load.yuv, y, u, v));
    else
        put_rgba16(q, k, zck_yuv_to16(load.yuv, y, u, v));
}

template <int unpack>
static __device__ __forceinline__ void put_yuv(const zci_load &load, const zck_yuv &s, zck_quad &q)
{
    const int bits = sample_bits<unpack>(), down = unpack == ZCI_UNPACK_SEMI10 ? 6 : 0;
    const uint32_t mask = (1u << bits) - 1;
#pragma unroll
    for (int k = 0; k < 4; k++) {
        const uint32_t y = ((uint32_t)(s.y >> k * bits) & mask) >> down;
        const uint32_t u = ((uint32_t)(s.u >> k * bits) & mask) >> down;
        const uint32_t v = ((uint32_t)(s.v >> k * bits) & mask) >> down;
        if (unpack == ZCI_UNPACK_PLANAR16)
            put_wide(q, k, load, (uint16_t)y, (uint16_t)u, (uint16_t)v);
        else
            put_narrow(q, k, load, (int32_t)y, (int32_t)u, (int32_t)v);
    }
}

/* --- several quads at once --- */

/* The position of a thread's quad in the window. */
struct zck_quad_position {
    int32_t x;
    uint32_t y;
    bool used;
};

/* Planes, from the first on, whose word address a thread keeps: as many as registers allow. */
template <int unpack> static constexpr __device__ int planes_kept()
{
    return unpack == ZCI_UNPACK_SEMI8 ? 2 : unpack == ZCI_UNPACK_PLANAR16 ? 0 : 1;
}

/* Where a thread reads the words of its quads. */
template <int unpack, int count> struct zck_word_pointers {
    const uint8_t *from[count][planes_of<unpack>()];
    uint32_t whole[count]; /* 1: all pixels are inside, and are read as words from there */
};

/* The address of the quad in plane 0, or of its chroma for `which` 1 (U) and 2 (V). */
template <int unpack>
static __device__ __forceinline__ const uint8_t *words_of(const zck_cuda_pass &p, const zck_view &v,
                                                          const zck_quad_position &spot, int which)
{
    const zci_window &w = p.window;
    const uint32_t row = source_row(w, spot.y);
    const uint32_t plane = which == 0 ? 0 : chroma_plane<unpack>(p.load, which);
    return plane_row(p, v, plane, which == 0 ? row : subsampled(row, p.load.vsub)) +
           byte_of<unpack>(p.load, which, w.x + (uint32_t)spot.x);
}

/* Runs before the rows arrive. The asm statements stop the compiler from moving it behind the
 * wait. */
template <int unpack>
static __device__ __forceinline__ void
find_quad_words(const zck_cuda_pass &p, const zck_view &v, const zck_quad_position &spot,
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

/* A byte of the pixel's last plane. */
template <int unpack>
static __device__ __forceinline__ const uint8_t *
last_byte(const zck_cuda_pass &p, const zck_view &v, uint32_t row, uint32_t column)
{
    const int plane = planes_of<unpack>() - 1;
    return plane_row(p, v, plane, plane == 0 ? row : subsampled(row, p.load.vsub)) +
           byte_of<unpack>(p.load, plane, column);
}

/* Requests all words before it uses one. True: some of them may not have arrived.
 * `position_of(n)` is the position of quad n. */
template <int unpack, int count, class Samples, class Positions>
static __device__ __forceinline__ bool poll_quads(const zck_cuda_pass &p, const zck_view &v,
                                                  const zck_word_pointers<unpack, count> &sources,
                                                  const Positions &position_of, Samples (&q)[count])
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
                                                : words_of<unpack>(p, v, position_of(n), i),
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
            const zck_quad_position spot = position_of(n);
            if (spot.used)
                load_each<unpack>(p, v, spot.x, spot.y, q[n], missing);
        }
    }
    return missing;
}

/* Polls until all words have arrived. */
template <int unpack, int count, class Samples, class Positions>
static __device__ __forceinline__ void
wait_for_quads(const zck_cuda_pass &p, const zck_view &v,
               const zck_word_pointers<unpack, count> &sources, const Positions &position_of,
               Samples (&q)[count])
{
    bool over = false;
#pragma unroll 1
    for (uint32_t looks = 1;; looks++) {
        const bool missing = poll_quads<unpack, count>(p, v, sources, position_of, q);
        if (v.words == nullptr || !missing || over)
            return;
        over = looks % ZCK_POLLS == 0 && has_ended(*v.words);
        if (!v.words->eager)
            __nanosleep(64);
    }
}

/* Columns x .. x + 3 of row y of the window for each used quad. */
template <int unpack, int count, class Positions>
static __device__ __forceinline__ void load_quads(const zck_cuda_pass &p, const zck_view &v,
                                                  const zck_word_pointers<unpack, count> &sources,
                                                  const Positions &position_of,
                                                  zck_quad (&q)[count])
{
    if constexpr (is_yuv<unpack>()) {
        zck_yuv s[count] = {};
        wait_for_quads<unpack, count>(p, v, sources, position_of, s);
#pragma unroll
        for (int n = 0; n < count; n++)
            put_yuv<unpack>(p.load, s[n], q[n]);
    } else if (zck_cuda_reads_sentinel(unpack)) {
        wait_for_quads<unpack, count>(p, v, sources, position_of, q);
    } else {
#pragma unroll
        for (int n = 0; n < count; n++) {
            const zck_quad_position spot = position_of(n);
            if (spot.used)
                load_quad<unpack>(p, v, spot.x, spot.y, q[n]);
        }
    }
}

#endif
