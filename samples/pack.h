/* SPDX-License-Identifier: MIT */
/* Frames as drivers deliver them, SCENE_WIDTH x SCENE_HEIGHT, rows without padding. */
#ifndef SAMPLES_PACK_H
#define SAMPLES_PACK_H

#include <stdint.h>

/* CSI-2's RAW10: four codes' upper bytes, then their lower bits, the first code's lowest. */
void pack_raw10(const uint16_t *codes, uint8_t *out);

/* 16-bit words, the low byte first. */
void pack_words(const uint16_t *codes, uint8_t *out);

/* Of R, G, B as displayed, to BT.601 in limited range; a chroma sample is the mean of its pixels. */
void pack_yuyv(const uint8_t *rgb, uint8_t *out);
void pack_nv12(const uint8_t *rgb, uint8_t *out);

/* Luma of the same, full range. */
void pack_grey(const uint8_t *rgb, uint8_t *out);

/* BT.709's luminance of linear light, 16 bits. */
void pack_y16(const float *light, uint8_t *out);

#endif
