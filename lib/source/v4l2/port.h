/* SPDX-License-Identifier: MIT */
/* What a V4L2 node can be asked and told. */
#ifndef ZCI_SOURCE_V4L2_PORT_H
#define ZCI_SOURCE_V4L2_PORT_H

#include "source/v4l2/calls.h"
#include "zcstream/camera.h"
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

/* EINVAL: no more. */
int zci_v4l2_list_size(const struct zci_v4l2_port *port, uint32_t fourcc, uint32_t index,
                       struct zcs_camera_size *out);
int zci_v4l2_list_rate(const struct zci_v4l2_port *port, uint32_t fourcc, uint32_t width,
                       uint32_t height, uint32_t index, struct zcs_camera_rate *out);

/* As zci_v4l2_set_format, but nothing is set. */
int zci_v4l2_try_format(const struct zci_v4l2_port *port, struct zci_v4l2_format *inout);

/* The driver's name of a listed format: 33 bytes. */
int zci_v4l2_format_text(const struct zci_v4l2_port *port, uint32_t index, char *text);

/* What the kernel needs beside the public struct. */
struct zci_v4l2_control {
    struct zcs_control seen; /* without name, which zci_v4l2_control_name makes of the title */
    uint8_t wide;            /* 64 bits */
};

/* The control with the next id; EINVAL: none. Drivers that know VIDIOC_QUERYCTRL only have no compound ones. */
int zci_v4l2_next_control(const struct zci_v4l2_port *port, uint32_t after,
                          struct zci_v4l2_control *out);
int zci_v4l2_menu_item(const struct zci_v4l2_port *port, const struct zci_v4l2_control *control,
                       uint32_t index, struct zcs_control_item *out);

int zci_v4l2_get_control(const struct zci_v4l2_port *port, const struct zci_v4l2_control *control,
                         int64_t *value);
int zci_v4l2_set_control(const struct zci_v4l2_port *port, const struct zci_v4l2_control *control,
                         int64_t value);
/* Strings; `bytes` with the end mark, at least the control's greatest length + 1. */
int zci_v4l2_get_text(const struct zci_v4l2_port *port, const struct zci_v4l2_control *control,
                      char *text, size_t bytes);
int zci_v4l2_set_text(const struct zci_v4l2_port *port, const struct zci_v4l2_control *control,
                      const char *text, size_t bytes);

/* Asks to be told when something other than this descriptor changes the control. */
int zci_v4l2_watch_control(const struct zci_v4l2_port *port, uint32_t id);

/* Asks to be told when the present input's signal changes. */
int zci_v4l2_watch_signal(const struct zci_v4l2_port *port);

struct zci_v4l2_event {
    uint8_t control; /* 1: the value of `id` changed */
    uint8_t signal;  /* 1: the input's signal has another size or rate, came or went */
    uint32_t id;
    int64_t value;
    int64_t time_ns; /* CLOCK_MONOTONIC */
};
/* ENOENT: none waits. */
int zci_v4l2_next_event(const struct zci_v4l2_port *port, struct zci_v4l2_event *out);

#endif
