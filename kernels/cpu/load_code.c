/* SPDX-License-Identifier: MIT */
/* Rows of sensor codes in whole bytes or words. */
#include "kernels/cpu/load.h"
#include "kernels/load_pixel.h"

ZCK_LOAD(u8)
{
    const uint8_t *restrict row = plane[0] + y * load->stride_bytes[0];
    const uint8_t max = (uint8_t)zck_code_max(load->bits);
    const uint32_t width = load->width;
    uint8_t *restrict codes = out;
    for (size_t i = 0; i < width; i++)
        codes[i] = row[i] < max ? row[i] : max;
}

/* `big` is a constant of each caller's, so that the loops have no branch. */
static inline uint16_t code_at(const uint8_t *row, size_t i, int big, uint32_t shift, uint16_t max)
{
    const uint8_t a = row[2 * i], b = row[2 * i + 1];
    const uint16_t word = big ? zck_word(b, a) : zck_word(a, b);
    return zck_clamp_code((uint16_t)(word >> shift), max);
}

static inline void words(const struct zci_load *load, const uint8_t *restrict row, int big,
                         void *out)
{
    const uint16_t max = zck_code_max(load->bits);
    const uint32_t width = load->width, shift = load->shift;
    if (load->pixel.depth == 8) {
        uint8_t *restrict codes = out;
        for (size_t i = 0; i < width; i++)
            codes[i] = (uint8_t)code_at(row, i, big, shift, max);
    } else {
        uint16_t *restrict codes = out;
        for (size_t i = 0; i < width; i++)
            codes[i] = code_at(row, i, big, shift, max);
    }
}

ZCK_LOAD(u16)
{
    words(load, plane[0] + y * load->stride_bytes[0], 0, out);
}

ZCK_LOAD(u16be)
{
    words(load, plane[0] + y * load->stride_bytes[0], 1, out);
}
