/* SPDX-License-Identifier: MIT */
/* Bayer rows to RGBA, 8 and 16 bits from one text. */
#include "kernels/demosaic.h"

#include "kernels/demosaic_pixel.h"

/* Pixels that are worked at once; even, so that colours keep their lanes. */
#define PIECE 128u
#define BORDER 2u

#define SAMPLE uint8_t
#define BITS 8
#include "kernels/demosaic_rows.h"
#undef SAMPLE
#undef BITS

#define SAMPLE uint16_t
#define BITS 16
#include "kernels/demosaic_rows.h"
