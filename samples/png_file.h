/* SPDX-License-Identifier: MIT */
/* PNG files of 8-bit R, G, B for the programs here. */
#ifndef SAMPLES_PNG_FILE_H
#define SAMPLES_PNG_FILE_H

#include <stdint.h>

/* Any PNG, made 8-bit colour; for free(). NULL: `path` cannot be read, which perror or libpng has said. */
uint8_t *png_file_read(const char *path, uint32_t *width, uint32_t *height);

/* As small as libpng can. 0, or -1 after a line to standard error. */
int png_file_write(const char *path, const uint8_t *rgb, uint32_t width, uint32_t height);

#endif
