/* SPDX-License-Identifier: MIT */
/* Which pixel format a camera is asked for, and the check of what it answers. */
#ifndef ZCI_SOURCE_V4L2_FORMAT_H
#define ZCI_SOURCE_V4L2_FORMAT_H

#include "source/v4l2/device.h"
#include "zcstream/source.h"

/* Sets format and size; *out is the driver's answer, *pixfmt its format. */
zcs_status zci_v4l2_agree_format(const struct zci_v4l2_device *dev,
                                 const struct zcs_v4l2_params *params, struct zci_v4l2_format *out,
                                 enum zcs_pixfmt *pixfmt);

/* After what may have changed it: *format and *pixfmt are the driver's present ones, held against the
 * wishes. */
zcs_status zci_v4l2_follow_format(const struct zci_v4l2_device *dev,
                                  const struct zcs_v4l2_params *params,
                                  struct zci_v4l2_format *format, enum zcs_pixfmt *pixfmt);

#endif
