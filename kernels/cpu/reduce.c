/* SPDX-License-Identifier: MIT */
/* The reductions over a row. One template serves 8 and 16 bits. */
#include "kernels/cpu/variant.h"

#include "kernels/point_pixel.h"
#include "kernels/reduce_pixel.h"

/* The most cells or pixels whose sums fit 32 bits: 2^14 times two samples below 2^16. */
#define PIECE 16384u

static uint32_t piece_end(uint32_t x, uint32_t end)
{
    return end - x > PIECE ? x + PIECE : end;
}

#define SAMPLE uint8_t
#define BITS 8
#include "kernels/cpu/reduce_rows.h"
#undef SAMPLE
#undef BITS

#define SAMPLE uint16_t
#define BITS 16
#include "kernels/cpu/reduce_rows.h"
