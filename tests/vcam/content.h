/* SPDX-License-Identifier: MIT */
/* What is in a virtual camera's frames.
 *
 * Content `number` lets a reader see of every 64 bytes of a frame which frame they belong to:
 *   packed Y'CbCr   luma n0 n1 n2 n3 n0 ..., the bytes of the number, chroma 128
 *   10 bits packed  four pixels whose upper bits are n0 n1 n2 n3 and whose lower bits are the lowest two of
 *                   n0, of n1, of n2 and of n3
 *   others          n0 n1 n2 n3 n0 ... */
#ifndef VCAM_CONTENT_H
#define VCAM_CONTENT_H

#include "vcam/camera.h"

/* Writes the frame with this number, its planes back to back. */
void vcam_content(const struct vcam_script *script, const struct vcam_format *format,
                  uint32_t number, uint8_t *picture);

#endif
