/* SPDX-License-Identifier: MIT */
/* Rows of sensor codes in CSI-2's packed groups. */
#include "kernels/cpu/load.h"
#include "kernels/load_pixel.h"

static inline void put(void *out, uint32_t depth, size_t i, uint16_t code)
{
    if (depth == 8)
        ((uint8_t *)out)[i] = (uint8_t)code;
    else
        ((uint16_t *)out)[i] = code;
}

/* `kind` and `depth` are constants of each caller's. */
static inline void groups(const struct zci_load *load, const uint8_t *restrict row, uint32_t kind,
                          uint32_t depth, void *restrict out)
{
    const struct zck_group g = zck_group_of(kind);
    const uint32_t whole = load->width / g.pixels, rest = load->width % g.pixels;
    const uint16_t max = zck_code_max(load->bits);
    size_t i = 0;
    for (uint32_t n = 0; n < whole; n++, row += g.bytes)
        for (uint32_t k = 0; k < g.pixels; k++)
            put(out, depth, i++, zck_clamp_code(zck_packed(g, row, k, g.pixels), max));
    const uint32_t low_at = zck_partial_low(g, load->width, rest, load->stride_bytes[0]);
    for (uint32_t k = 0; k < rest; k++)
        put(out, depth, i++, zck_clamp_code(zck_packed(g, row, k, low_at), max));
}

static inline void unpack(const struct zci_load *load, const uint8_t *row, uint32_t kind, void *out)
{
    if (load->pixel.depth == 8)
        groups(load, row, kind, 8, out);
    else
        groups(load, row, kind, 16, out);
}

ZCK_LOAD(p10)
{
    unpack(load, plane[0] + y * load->stride_bytes[0], ZCI_UNPACK_P10, out);
}

ZCK_LOAD(p12)
{
    unpack(load, plane[0] + y * load->stride_bytes[0], ZCI_UNPACK_P12, out);
}

ZCK_LOAD(p14)
{
    unpack(load, plane[0] + y * load->stride_bytes[0], ZCI_UNPACK_P14, out);
}
