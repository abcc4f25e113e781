/* SPDX-License-Identifier: MIT */
/* The image layout that an application requests of a source: checks it and logs why it is
 * refused. */
#ifndef ZCI_SOURCE_REQUEST_H
#define ZCI_SOURCE_REQUEST_H

#include "core/log.h"
#include "zcstream/source.h"

struct zci_request {
    enum zcs_pixfmt format;
    uint32_t width, height;
    size_t stride_bytes; /* 0: the minimum */
    uint32_t bits;       /* significant bits; 0: the format's, less `shift` where it has 16 */
    uint32_t shift;
    struct zcs_color color; /* members that are AUTO follow V4L2's rules */
    enum zcs_layout layout;
    size_t chroma_stride_bytes[ZCS_MAX_PLANES - 1]; /* of planes 1 and 2; 0: the layout's */
    size_t plane_offset_bytes[ZCS_MAX_PLANES];      /* 0: after the plane before */
};

struct zci_request zci_request_of_replay(const struct zcs_replay_params *params);

/* 1: the request has a layout of planes beyond the stride of plane 0. */
int zci_request_has_planes(const struct zci_request *request);

/* ZCS_ERR_ARG: a member of an enum is out of its range; logged with `what`. Format NONE is in
 * range. */
zcs_status zci_request_check_enums(enum zcs_pixfmt format, const struct zcs_color *color,
                                   const char *what, const struct zci_log *log);

/* Fills *out. A refusal is logged with `what`, the requested value and the limit. */
zcs_status zci_request_image(const struct zci_request *request, const char *what,
                             const struct zci_log *log, struct zcs_image *out);

#endif
