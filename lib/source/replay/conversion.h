/* SPDX-License-Identifier: MIT */
/* How the CPU converts the bytes of a frame in its slot. Pure: no I/O. */
#ifndef ZCI_SOURCE_REPLAY_CONVERSION_H
#define ZCI_SOURCE_REPLAY_CONVERSION_H

#include "zcstream/format.h"

/* Bytes before each plane but the first, of a file that ZCI_CONVERT_GAPS is for. */
#define ZCI_PLANE_HEADER_BYTES 4u

enum zci_conversion {
    ZCI_CONVERT_NONE,
    ZCI_CONVERT_SWAP,       /* big-endian words become little-endian */
    ZCI_CONVERT_SCALE8,     /* samples up to `max` become 0..255 */
    ZCI_CONVERT_SCALE16,    /* big-endian words up to `max` become 0..65535 */
    ZCI_CONVERT_EXPAND,     /* big-endian RGB words up to `max` become little-endian RGBA words */
    ZCI_CONVERT_GAPS,       /* the headers between the planes are removed */
    ZCI_CONVERT_411,        /* 4:1:1 becomes 4:2:2: each chroma sample stands twice */
    ZCI_CONVERT_DROP_ALPHA, /* the plane behind the three of 4:4:4 is not used */
    ZCI_CONVERT_9_BITS,     /* YUV codes of 9 bits become codes of 10 bits */
};

/* The size of a frame in the file, before its conversion to `image`. */
size_t zci_conversion_file_bytes(enum zci_conversion conversion, const struct zcs_image *image);

/* Converts a frame in place. `data` has room for the image and for the frame of the file. `max`: of
 * a PNM's samples. */
void zci_convert(enum zci_conversion conversion, const struct zcs_image *image, uint32_t max,
                 uint8_t *data);

#endif
