/* SPDX-License-Identifier: MIT */
/* The layout that an application asks of a source, checked, with the reason where it is refused. */
#ifndef ZCI_SOURCE_REQUEST_H
#define ZCI_SOURCE_REQUEST_H

#include "zcstream/format.h"
#include "core/log.h"

struct zci_request {
    enum zcs_pixfmt format;
    uint32_t width, height;
    size_t stride_bytes; /* 0: the least */
    uint32_t bits;       /* 0: the format's, or what `shift` leaves of it */
    uint32_t shift;
    struct zcs_color color; /* AUTO members follow V4L2's rules */
};

/* Fills *out; what is refused is logged with `what` and both numbers. */
zcs_status zci_request_image(const struct zci_request *request, const char *what,
                             const struct zci_log *log, struct zcs_image *out);

#endif
