/* SPDX-License-Identifier: MIT */
/* A result frame as a PNG: the pixels as they lie in the frame, and chunks that tell the truth. */
#ifndef ZCAPP_OUTPUT_PNG_H
#define ZCAPP_OUTPUT_PNG_H

#include "app/output/output_kind.h"

int png_frame(FILE *file, const struct zcs_frame *frame, const struct output_style *style,
              char *why, size_t why_bytes);

#endif
