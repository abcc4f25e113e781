/* SPDX-License-Identifier: MIT */
/* What a driver's four colour fields mean for our pictures. */
#ifndef ZCI_SOURCE_V4L2_COLOR_H
#define ZCI_SOURCE_V4L2_COLOR_H

#include "source/v4l2/port.h"

/* V4L2's numbers; port_format.c checks them against the kernel's header. */
enum {
    ZCI_V4L2_CS_SMPTE240M = 2,
    ZCI_V4L2_CS_REC709 = 3,
    ZCI_V4L2_CS_JPEG = 7,
    ZCI_V4L2_CS_OPRGB = 9,
    ZCI_V4L2_CS_BT2020 = 10,
    ZCI_V4L2_CS_RAW = 11,
    ZCI_V4L2_CS_DCI_P3 = 12,
};
enum {
    ZCI_V4L2_ENC_709 = 2,
    ZCI_V4L2_ENC_XV601 = 3,
    ZCI_V4L2_ENC_XV709 = 4,
    ZCI_V4L2_ENC_BT2020 = 6,
    ZCI_V4L2_ENC_BT2020_CONST = 7,
    ZCI_V4L2_ENC_SMPTE240M = 8,
};
enum { ZCI_V4L2_QUANT_FULL = 1, ZCI_V4L2_QUANT_LIMITED = 2 };
enum { ZCI_V4L2_XFER_OPRGB = 3, ZCI_V4L2_XFER_NONE = 5 };

/* By V4L2's rules, where `wanted` is AUTO. Members stay AUTO where the driver says nothing that would
 * change the format's default. */
struct zcs_color zci_v4l2_color(const struct zci_v4l2_format *format, enum zcs_pixfmt pixfmt,
                                struct zcs_color wanted);

#endif
