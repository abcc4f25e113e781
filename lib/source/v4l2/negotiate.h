/* SPDX-License-Identifier: MIT */
/* Negotiation with a camera: input, controls, crop, format, size and rate. The driver's answers
 * decide. */
#ifndef ZCI_SOURCE_V4L2_NEGOTIATE_H
#define ZCI_SOURCE_V4L2_NEGOTIATE_H

#include "source/v4l2/control_state.h"
#include "source/v4l2/layout.h"
#include "zcstream/source.h"

struct zci_v4l2_negotiated {
    struct zci_v4l2_layout layout;
    uint32_t fps_num, fps_den; /* 0/0: unknown */
    enum zcs_pixfmt pixfmt;    /* the driver's; params->treat_as does not change it */
    uint32_t stride_bytes;     /* of plane 0, as the driver returned it: may be 0 */
};

/* Also applies the settings. Logs where the driver does not do what was asked. */
zcs_status zci_v4l2_negotiate(const struct zci_v4l2_device *dev,
                              const struct zcs_v4l2_params *params,
                              const struct zci_v4l2_settings *settings,
                              struct zci_v4l2_negotiated *out);

#endif
