/* SPDX-License-Identifier: MIT */
/* YUV4MPEG2: colour as 4:4:4 in BT.601, limited range; one channel as mono, full range; 8 and 16 bits. */
#ifndef ZCAPP_OUTPUT_OUTPUT_Y4M_H
#define ZCAPP_OUTPUT_OUTPUT_Y4M_H

#include "app/output/output_kind.h"

/* The rate is the input's, 25 where none is known. */
int y4m_head(FILE *file, const struct zcs_frame *first, const struct output_style *style, char *why,
             size_t why_bytes);
int y4m_frame(FILE *file, const struct zcs_frame *frame, const struct output_style *style,
              char *why, size_t why_bytes);

#endif
