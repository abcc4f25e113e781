/* SPDX-License-Identifier: MIT */
/* Raw frames: rows of results as they lie in memory, without padding; replay reads them again. */
#ifndef ZCAPP_OUTPUT_OUTPUT_RAW_H
#define ZCAPP_OUTPUT_OUTPUT_RAW_H

#include "app/output/output_kind.h"

int raw_frame(FILE *file, const struct zcs_frame *frame, const struct output_style *style,
              char *why, size_t why_bytes);

#endif
