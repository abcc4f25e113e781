/* SPDX-License-Identifier: MIT */
/* What a V4L2 node can be asked and told, in structs of our own: the kernel's stay behind this header.
 *
 * Every function makes one request (again after EINTR) and returns 0 or its errno. Nothing is logged. */
#ifndef ZCI_SOURCE_V4L2_PORT_H
#define ZCI_SOURCE_V4L2_PORT_H

#include "source/v4l2/calls.h"
#include "zcstream/frame.h"

#define ZCI_V4L2_MAX_PLANES 8 /* that the kernel knows */
#define ZCI_V4L2_MAX_BUFFERS 32

struct zci_v4l2_port {
    const struct zci_v4l2_calls *calls;
    int fd;
    int multi; /* the multi-planar API */
};

struct zci_v4l2_caps {
    char driver[17], card[33], bus[33];
    uint8_t capture, capture_multi; /* of this node, not of the whole device */
    uint8_t streaming, metadata, output, m2m;
};
int zci_v4l2_query(const struct zci_v4l2_port *port, struct zci_v4l2_caps *out);

/* EINVAL: no more formats. */
struct zci_v4l2_listed {
    uint32_t fourcc;
    uint8_t emulated, compressed;
};
int zci_v4l2_list_format(const struct zci_v4l2_port *port, uint32_t index,
                         struct zci_v4l2_listed *out);

enum zci_v4l2_field {
    ZCI_V4L2_FIELD_WHOLE,       /* progressive, or both fields woven by the driver */
    ZCI_V4L2_FIELD_SEQUENTIAL,  /* one field below the other */
    ZCI_V4L2_FIELD_ALTERNATING, /* one field a frame */
};

struct zci_v4l2_format {
    uint32_t fourcc, width, height;
    enum zci_v4l2_field field; /* of what the driver returned; whole frames are asked for */
    uint32_t planes;           /* buffers that make one frame */
    uint32_t stride_bytes[ZCI_V4L2_MAX_PLANES];
    uint32_t size_bytes[ZCI_V4L2_MAX_PLANES];
    uint32_t colorspace, ycbcr_enc, quantization, xfer_func; /* color.h names them */
};
int zci_v4l2_get_format(const struct zci_v4l2_port *port, struct zci_v4l2_format *out);
int zci_v4l2_set_format(const struct zci_v4l2_port *port, struct zci_v4l2_format *inout);

/* Frames a second as num/den; 0/0: the driver has no rate. */
int zci_v4l2_get_rate(const struct zci_v4l2_port *port, uint32_t *num, uint32_t *den);
int zci_v4l2_set_rate(const struct zci_v4l2_port *port, uint32_t *num, uint32_t *den);

struct zci_v4l2_input {
    char name[33];
    uint8_t has_timings;
    uint8_t no_signal; /* no power, no signal or no lock */
};
int zci_v4l2_list_input(const struct zci_v4l2_port *port, uint32_t index,
                        struct zci_v4l2_input *out);
int zci_v4l2_get_input(const struct zci_v4l2_port *port, uint32_t *index);
int zci_v4l2_set_input(const struct zci_v4l2_port *port, uint32_t index);

/* Sets the timings that the input detects, and tells their rate. */
int zci_v4l2_detect_timings(const struct zci_v4l2_port *port); /* 0: there are some */
int zci_v4l2_follow_timings(const struct zci_v4l2_port *port, uint32_t *fps_num, uint32_t *fps_den);

struct zci_v4l2_rectangle {
    uint32_t x, y, width, height;
};
int zci_v4l2_set_crop(const struct zci_v4l2_port *port, struct zci_v4l2_rectangle *inout);

/* How many buffers the driver wants for itself; 0 where it does not say. */
uint32_t zci_v4l2_own_buffers(const struct zci_v4l2_port *port);

enum zci_v4l2_memory { ZCI_V4L2_MMAP, ZCI_V4L2_USERPTR, ZCI_V4L2_DMABUF };

struct zci_v4l2_plane {
    uint32_t length;      /* bytes of memory */
    uint32_t bytes_used;  /* data_offset included */
    uint32_t data_offset; /* multi-planar only */
    uint32_t map_offset;  /* MMAP: for mmap */
    void *address;        /* USERPTR */
    int fd;               /* DMABUF */
};
struct zci_v4l2_buffer {
    uint32_t index;
    uint32_t planes;
    struct zci_v4l2_plane plane[ZCS_MAX_PLANES];
    /* Of a dequeued one: */
    uint32_t sequence;
    int64_t time_ns;
    enum zcs_clock clock;
    uint8_t error;
    uint8_t exposure_start; /* the time is that of the exposure's start, else of the frame's end */
};

#define ZCI_V4L2_CAN_MMAP 1u
#define ZCI_V4L2_CAN_USERPTR 2u
#define ZCI_V4L2_CAN_DMABUF 4u

/* *count: wanted, then given. *can: ZCI_V4L2_CAN_..., 0 where the driver does not say. Count 0 frees. */
int zci_v4l2_request(const struct zci_v4l2_port *port, enum zci_v4l2_memory memory, uint32_t *count,
                     uint32_t *can);
int zci_v4l2_query_buffer(const struct zci_v4l2_port *port, struct zci_v4l2_buffer *inout);
/* Fills in each plane's data_offset, as far as the driver knows it before capture. */
int zci_v4l2_prepare(const struct zci_v4l2_port *port, struct zci_v4l2_buffer *inout);
int zci_v4l2_queue(const struct zci_v4l2_port *port, enum zci_v4l2_memory memory,
                   const struct zci_v4l2_buffer *buffer);
/* Sets all of *out but memory: index, planes' bytes and offsets, and what is known of the frame. */
int zci_v4l2_dequeue(const struct zci_v4l2_port *port, enum zci_v4l2_memory memory,
                     struct zci_v4l2_buffer *out);
int zci_v4l2_stream(const struct zci_v4l2_port *port, int on);

/* An ioctl, again after EINTR: 0 or its errno. */
int zci_v4l2_ask(const struct zci_v4l2_port *port, unsigned long request, void *argument);

/* V4L2's buffer type of the port's queue. */
uint32_t zci_v4l2_buf_type(const struct zci_v4l2_port *port);

#endif
