/* SPDX-License-Identifier: MIT */
/* Source bytes to samples, a pixel at a time: the arithmetic that the host's loops and the GPU
 * kernels share. Integers only; valid as C11 and as CUDA C++. */
#ifndef ZCK_LOAD_PIXEL_H
#define ZCK_LOAD_PIXEL_H

#include "core/plan.h"
#include "kernels/inline.h"

/* A little-endian word. For a big-endian one, exchange the arguments. */
ZCK_INLINE uint16_t zck_word(uint8_t first, uint8_t second)
{
    return (uint16_t)(first | second << 8);
}

/* The greatest code of `bits`. */
ZCK_INLINE uint16_t zck_code_max(uint32_t bits)
{
    return (uint16_t)((1u << bits) - 1);
}

ZCK_INLINE uint16_t zck_clamp_code(uint16_t code, uint16_t max)
{
    return code < max ? code : max;
}

/* CSI-2 packing: a group holds one byte of high bits for each pixel, then the low bits of all its
 * pixels as one little-endian number, pixel 0 lowest. */
struct zck_group {
    uint32_t pixels, bytes; /* of a whole group */
    uint32_t low_bits;      /* of a pixel */
};

ZCK_INLINE struct zck_group zck_group_of(uint32_t unpack)
{
    struct zck_group g;
    g.pixels = unpack == ZCI_UNPACK_P12 ? 2 : 4;
    g.bytes = unpack == ZCI_UNPACK_P10 ? 5 : unpack == ZCI_UNPACK_P12 ? 3 : 7;
    g.low_bits = unpack == ZCI_UNPACK_P10 ? 2 : unpack == ZCI_UNPACK_P12 ? 4 : 6;
    return g;
}

/* Where the low bits of the row's last, partial group of `rest` pixels begin: after the high bytes
 * of a whole group if the stride has room for whole groups, else right after its own high bytes. */
ZCK_INLINE uint32_t zck_partial_low(struct zck_group g, uint32_t width, uint32_t rest,
                                    size_t stride_bytes)
{
    const size_t whole = (size_t)(width / g.pixels + 1) * g.bytes;
    return stride_bytes >= whole ? g.pixels : rest;
}

/* The bytes that hold the first and the last of pixel k's low bits. */
ZCK_INLINE uint32_t zck_low_first(struct zck_group g, uint32_t k)
{
    return k * g.low_bits / 8;
}

ZCK_INLINE uint32_t zck_low_last(struct zck_group g, uint32_t k)
{
    return (k * g.low_bits + g.low_bits - 1) / 8;
}

/* The code of pixel k from its high byte and those two. */
ZCK_INLINE uint16_t zck_packed_code(struct zck_group g, uint32_t k, uint32_t high, uint32_t first,
                                    uint32_t last)
{
    const uint32_t mask = (1u << g.low_bits) - 1;
    return (uint16_t)(high << g.low_bits | ((first | last << 8) >> k * g.low_bits % 8 & mask));
}

/* Pixel k of a group, its low bits beginning at byte `low_at`. Reads no byte that holds none of its
 * bits. */
ZCK_INLINE uint16_t zck_packed(struct zck_group g, const uint8_t *group, uint32_t k,
                               uint32_t low_at)
{
    const uint8_t *low = group + low_at;
    return zck_packed_code(g, k, group[k], low[zck_low_first(g, k)], low[zck_low_last(g, k)]);
}

/* A working pixel as one number, so that storing it is one store: in memory R, G, B, alpha. */
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
#define ZCK_RGBA(type, bits, r, g, b)                                                              \
    ((type)(r) << 3 * bits | (type)(g) << 2 * bits | (type)(b) << bits | (((type)1 << bits) - 1))
#else
#define ZCK_RGBA(type, bits, r, g, b)                                                              \
    ((type)(r) | (type)(g) << bits | (type)(b) << 2 * bits | (((type)1 << bits) - 1) << 3 * bits)
#endif

ZCK_INLINE uint32_t zck_rgba8(uint32_t r, uint32_t g, uint32_t b)
{
    return ZCK_RGBA(uint32_t, 8, r, g, b);
}

ZCK_INLINE uint64_t zck_rgba16(uint64_t r, uint64_t g, uint64_t b)
{
    return ZCK_RGBA(uint64_t, 16, r, g, b);
}

/* Y'CbCr to R'G'B': fixed point sums, rounded half up and clamped. At depth 8 everything fits
 * int32_t. */
ZCK_INLINE uint32_t zck_round8(int32_t sum, uint32_t shift)
{
    const int32_t v = (sum > 0 ? sum : 0) >> shift;
    return (uint32_t)(v < 255 ? v : 255);
}

ZCK_INLINE uint64_t zck_round16(int64_t sum, uint32_t shift)
{
    const int64_t v = (sum > 0 ? sum : 0) >> shift;
    return (uint64_t)(v < 65535 ? v : 65535);
}

ZCK_INLINE uint32_t zck_round_wide8(int64_t sum, uint32_t shift)
{
    const int64_t v = (sum > 0 ? sum : 0) >> shift;
    return (uint32_t)(v < 255 ? v : 255);
}

ZCK_INLINE uint32_t zck_yuv_to8(struct zci_yuv k, int32_t y, int32_t u, int32_t v)
{
    const int32_t luma = (int32_t)k.ky * (y - k.y_sub) + (int32_t)k.half;
    const int32_t du = u - k.c_sub, dv = v - k.c_sub;
    const int32_t r = luma + (int32_t)k.krv * dv;
    const int32_t g = luma + (int32_t)k.kgu * du + (int32_t)k.kgv * dv;
    const int32_t b = luma + (int32_t)k.kbu * du;
    return zck_rgba8(zck_round8(r, k.shift), zck_round8(g, k.shift), zck_round8(b, k.shift));
}

ZCK_INLINE uint64_t zck_yuv_to16(struct zci_yuv k, int32_t y, int32_t u, int32_t v)
{
    const int64_t luma = (int64_t)(int32_t)k.ky * (y - k.y_sub) + k.half;
    const int32_t du = u - k.c_sub, dv = v - k.c_sub;
    const int64_t r = luma + (int64_t)(int32_t)k.krv * dv;
    const int64_t g = luma + (int64_t)(int32_t)k.kgu * du + (int64_t)(int32_t)k.kgv * dv;
    const int64_t b = luma + (int64_t)(int32_t)k.kbu * du;
    return zck_rgba16(zck_round16(r, k.shift), zck_round16(g, k.shift), zck_round16(b, k.shift));
}

/* The same to 8 bits from more than 10, whose coefficients have more fraction bits. */
ZCK_INLINE uint32_t zck_yuv_wide_to8(struct zci_yuv k, int32_t y, int32_t u, int32_t v)
{
    const int64_t luma = (int64_t)(int32_t)k.ky * (y - k.y_sub) + k.half;
    const int32_t du = u - k.c_sub, dv = v - k.c_sub;
    const int64_t r = luma + (int64_t)(int32_t)k.krv * dv;
    const int64_t g = luma + (int64_t)(int32_t)k.kgu * du + (int64_t)(int32_t)k.kgv * dv;
    const int64_t b = luma + (int64_t)(int32_t)k.kbu * du;
    return zck_rgba8(zck_round_wide8(r, k.shift), zck_round_wide8(g, k.shift),
                     zck_round_wide8(b, k.shift));
}

/* R, G or B of a 5-6-5 word, scaled to 0..max exactly. */
ZCK_INLINE uint32_t zck_565(uint16_t word, uint32_t c, uint32_t max)
{
    if (c == 1)
        return ((word >> 5 & 63) * max + 31) / 63;
    return ((word >> (c == 0 ? 11 : 0) & 31) * max + 15) / 31;
}

/* Full-range 8 to 16 bits, and back rounded half up. */
ZCK_INLINE uint16_t zck_widen(uint8_t v)
{
    return (uint16_t)(v * 257);
}

ZCK_INLINE uint8_t zck_narrow(uint16_t v)
{
    return (uint8_t)((v + 128u) / 257);
}

#endif
