/* SPDX-License-Identifier: MIT */
/* Netpbm pictures: P6 for colour, P5 for one channel, 16 bits with the high byte first. */
#ifndef ZCAPP_OUTPUT_OUTPUT_PNM_H
#define ZCAPP_OUTPUT_OUTPUT_PNM_H

#include "app/output/output_kind.h"

/* A whole picture with its own head, so that several stand back to back in a file. */
int pnm_frame(FILE *file, const struct zcs_frame *frame, const struct output_style *style,
              char *why, size_t why_bytes);

#endif
