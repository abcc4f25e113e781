/* SPDX-License-Identifier: MIT */
/* The PNG encoder. */
#ifndef ZCAPP_OUTPUT_PNG_H
#define ZCAPP_OUTPUT_PNG_H

#include <stdio.h>

#include "app/output/picture.h"

/* See `frame` of struct encoder. */
int png_frame(FILE *file, const struct zcs_frame *frame, const struct encoder_options *options,
              char *why, size_t why_bytes);

#endif
