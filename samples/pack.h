/* SPDX-License-Identifier: MIT */
/* Packs frames into camera formats: SCENE_WIDTH x SCENE_HEIGHT, rows without padding. */
#ifndef SAMPLES_PACK_H
#define SAMPLES_PACK_H

#include <stdint.h>

/* CSI-2 RAW10: the upper bytes of four codes, then their lower bits, first code lowest. */
void pack_raw10(const uint16_t *codes, uint8_t *out);

/* 16-bit words, low byte first. */
void pack_words(const uint16_t *codes, uint8_t *out);

/* From display R, G, B to BT.601, limited range. A chroma sample is the mean of its pixels. */
void pack_yuyv(const uint8_t *rgb, uint8_t *out);
void pack_nv12(const uint8_t *rgb, uint8_t *out);

/* Luma of the same in full range. */
void pack_grey(const uint8_t *rgb, uint8_t *out);

/* BT.709 luminance of linear light, 16 bits. */
void pack_y16(const float *light, uint8_t *out);

#endif
