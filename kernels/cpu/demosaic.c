/* SPDX-License-Identifier: MIT */
/* Bayer rows to RGBA, One template serves 8 and 16 bits. */
#include "kernels/cpu/variant.h"

#include <string.h>

#include "kernels/demosaic_pixel.h"
#include "kernels/load_pixel.h"

/* Pixels that are computed at once. Even, so that an index has the same colour in every piece. */
#define PIECE 128u
#define BORDER 2u

#define SAMPLE uint8_t
#define BITS 8
#define WHOLE uint32_t
#define WHOLE_OF zck_rgba8
#include "kernels/cpu/demosaic_rows.h"
#undef SAMPLE
#undef BITS
#undef WHOLE
#undef WHOLE_OF

#define SAMPLE uint16_t
#define BITS 16
#define WHOLE uint64_t
#define WHOLE_OF zck_rgba16
#include "kernels/cpu/demosaic_rows.h"
