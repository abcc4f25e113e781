/* SPDX-License-Identifier: MIT */
/* Reads and writes PNG files of 8-bit R, G, B for the programs in samples/. */
#ifndef SAMPLES_PNG_FILE_H
#define SAMPLES_PNG_FILE_H

#include <stdint.h>

/* Any PNG, converted to 8-bit colour; free() it. NULL: unreadable; a message was printed. */
uint8_t *png_file_read(const char *path, uint32_t *width, uint32_t *height);

/* Highest compression. 0, or -1 after a message on standard error. */
int png_file_write(const char *path, const uint8_t *rgb, uint32_t width, uint32_t height);

#endif
