/* SPDX-License-Identifier: MIT */
/* Memory of frames that is not the backend's: the driver's buffers mapped, plain pages, or a memfd with a
 * dma-buf for each plane. One piece a frame, laid out as zci_v4l2_layout says. */
#ifndef ZCI_SOURCE_V4L2_MAP_H
#define ZCI_SOURCE_V4L2_MAP_H

#include "source/v4l2/layout.h"

struct zci_v4l2_map {
    struct zci_v4l2_calls calls;
    uint32_t count;
    size_t bytes; /* of a piece */
    void *base[ZCI_V4L2_MAX_BUFFERS];
    int dmabuf[ZCI_V4L2_MAX_BUFFERS][ZCS_MAX_PLANES]; /* -1: none */
};

/* Each returns 0 or an errno and then has nothing left. `what` tells the call that failed. */
int zci_v4l2_map_buffers(const struct zci_v4l2_port *port, const struct zci_v4l2_layout *layout,
                         uint32_t count, struct zci_v4l2_map **out, const char **what);
int zci_v4l2_map_plain(const struct zci_v4l2_port *port, const struct zci_v4l2_layout *layout,
                       uint32_t count, struct zci_v4l2_map **out, const char **what);
int zci_v4l2_map_dmabuf(const struct zci_v4l2_port *port, const struct zci_v4l2_layout *layout,
                        uint32_t count, struct zci_v4l2_map **out, const char **what);

/* Frees the map and its memory; takes the map as void * so that a pool can call it. Accepts NULL. Does not
 * need the device any more. */
void zci_v4l2_map_let_go(void *map);

#endif
