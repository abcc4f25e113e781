/* SPDX-License-Identifier: MIT */
/* The requests to a V4L2 node, in structs of our own: only port_*.c see the kernel's structs.
 *
 * Each function makes one ioctl, repeats it after EINTR (ZCI_V4L2_MAX_INTERRUPTED times), and
 * returns 0 or its errno. None of them logs. */
#ifndef ZCI_SOURCE_V4L2_PORT_H
#define ZCI_SOURCE_V4L2_PORT_H

#include "source/v4l2/calls.h"
#include "zcstream/camera.h"
#include "zcstream/frame.h"

#define ZCI_V4L2_MAX_PLANES 8 /* VIDEO_MAX_PLANES */
#define ZCI_V4L2_MAX_BUFFERS 32
#define ZCI_V4L2_MAX_INTERRUPTED 1000u /* signals in a row, before a call has failed */

struct zci_v4l2_port {
    const struct zci_v4l2_calls *calls;
    int fd;
    int mplane; /* 1: the multi-planar API */
};

/* Any other ioctl. */
int zci_v4l2_ioctl(const struct zci_v4l2_port *port, unsigned long request, void *argument);

/* The buffer type of the port's queue: V4L2_BUF_TYPE_VIDEO_CAPTURE or its multi-planar form. */
uint32_t zci_v4l2_buf_type(const struct zci_v4l2_port *port);

struct zci_v4l2_caps {
    char driver[17], card[33], bus[33];
    uint8_t capture, capture_mplane; /* of this node, not of the whole device */
    uint8_t streaming, metadata, output, m2m;
};
int zci_v4l2_querycap(const struct zci_v4l2_port *port, struct zci_v4l2_caps *out);

/* Formats, sizes and rates that the driver lists. EINVAL: the list has no such index. */
struct zci_v4l2_fmtdesc {
    uint32_t fourcc;
    uint8_t emulated;
    char description[33];
};
int zci_v4l2_enum_fmt(const struct zci_v4l2_port *port, uint32_t index,
                      struct zci_v4l2_fmtdesc *out);
int zci_v4l2_enum_framesizes(const struct zci_v4l2_port *port, uint32_t fourcc, uint32_t index,
                             struct zcs_camera_size *out);
int zci_v4l2_enum_frameintervals(const struct zci_v4l2_port *port, uint32_t fourcc, uint32_t width,
                                 uint32_t height, uint32_t index, struct zcs_camera_rate *out);

enum zci_v4l2_field {
    ZCI_V4L2_FIELD_FRAME,      /* progressive, or both fields interleaved by the driver */
    ZCI_V4L2_FIELD_SEQUENTIAL, /* one field below the other */
    ZCI_V4L2_FIELD_ALTERNATE,  /* one field per buffer */
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
    enum zci_v4l2_field field; /* as returned; requests always ask for V4L2_FIELD_NONE */
    uint32_t planes;           /* memory planes of one frame */
    uint32_t stride_bytes[ZCI_V4L2_MAX_PLANES];
    uint32_t size_bytes[ZCI_V4L2_MAX_PLANES];
    uint32_t colorspace, ycbcr_enc, quantization, xfer_func; /* ZCI_V4L2_CS_... and so on */
};
int zci_v4l2_get_format(const struct zci_v4l2_port *port, struct zci_v4l2_format *out);
int zci_v4l2_set_format(const struct zci_v4l2_port *port, struct zci_v4l2_format *inout);
int zci_v4l2_try_format(const struct zci_v4l2_port *port, struct zci_v4l2_format *inout);

/* Frames per second as num/den. 0/0: the driver reports no rate. */
int zci_v4l2_get_rate(const struct zci_v4l2_port *port, uint32_t *num, uint32_t *den);
int zci_v4l2_set_rate(const struct zci_v4l2_port *port, uint32_t *num, uint32_t *den);

struct zci_v4l2_input {
    char name[33];
    uint8_t has_timings; /* DV timings, such as HDMI's */
    uint8_t no_signal;   /* no power, no signal or no lock */
};
int zci_v4l2_enum_input(const struct zci_v4l2_port *port, uint32_t index,
                        struct zci_v4l2_input *out);
int zci_v4l2_get_input(const struct zci_v4l2_port *port, uint32_t *index);
int zci_v4l2_set_input(const struct zci_v4l2_port *port, uint32_t index);

/* 0: the input detects DV timings. */
int zci_v4l2_query_dv_timings(const struct zci_v4l2_port *port);
/* Sets the DV timings that the input detects, and returns their rate. */
int zci_v4l2_apply_dv_timings(const struct zci_v4l2_port *port, uint32_t *fps_num,
                              uint32_t *fps_den);

struct zci_v4l2_rect {
    uint32_t x, y, width, height;
};
int zci_v4l2_set_crop(const struct zci_v4l2_port *port, struct zci_v4l2_rect *inout);

/* V4L2_CID_MIN_BUFFERS_FOR_CAPTURE; 0: the driver has no such control. */
uint32_t zci_v4l2_min_buffers(const struct zci_v4l2_port *port);

/* The name of the control that holds the exposure time, and its value. NULL: there is none. */
const char *zci_v4l2_get_exposure(const struct zci_v4l2_port *port, int64_t *value);

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
    /* Set by zci_v4l2_dqbuf: */
    uint32_t sequence;
    int64_t time_ns;
    enum zcs_clock clock;
    uint8_t error;
    uint8_t exposure_start; /* 1: time_ns is the start of exposure; 0: the end of the frame */
};

#define ZCI_V4L2_CAN_MMAP 1u
#define ZCI_V4L2_CAN_USERPTR 2u
#define ZCI_V4L2_CAN_DMABUF 4u

/* *count: wanted, then allocated; 0 frees the buffers. *can: ZCI_V4L2_CAN_..., 0 where the driver
 * reports no capabilities. */
int zci_v4l2_reqbufs(const struct zci_v4l2_port *port, enum zci_v4l2_memory memory, uint32_t *count,
                     uint32_t *can);
int zci_v4l2_querybuf(const struct zci_v4l2_port *port, struct zci_v4l2_buffer *inout);
/* Sets each plane's data_offset, as far as the driver knows it before capture. */
int zci_v4l2_prepare_buf(const struct zci_v4l2_port *port, struct zci_v4l2_buffer *inout);
int zci_v4l2_qbuf(const struct zci_v4l2_port *port, enum zci_v4l2_memory memory,
                  const struct zci_v4l2_buffer *buffer);
/* Sets all of *out but the planes' `address` and `fd`. */
int zci_v4l2_dqbuf(const struct zci_v4l2_port *port, enum zci_v4l2_memory memory,
                   struct zci_v4l2_buffer *out);
/* VIDIOC_STREAMON or VIDIOC_STREAMOFF. */
int zci_v4l2_stream(const struct zci_v4l2_port *port, int on);

struct zci_v4l2_control {
    struct zcs_control info; /* its `name` is empty: zci_v4l2_control_next sets it */
    uint8_t is_64bit;
};

/* The control with the lowest id above `after`. EINVAL: there is none. Drivers that only have
 * VIDIOC_QUERYCTRL list no compound controls. */
int zci_v4l2_next_control(const struct zci_v4l2_port *port, uint32_t after,
                          struct zci_v4l2_control *out);
int zci_v4l2_querymenu(const struct zci_v4l2_port *port, const struct zci_v4l2_control *control,
                       uint32_t index, struct zcs_control_item *out);

int zci_v4l2_get_control(const struct zci_v4l2_port *port, const struct zci_v4l2_control *control,
                         int64_t *value);
int zci_v4l2_set_control(const struct zci_v4l2_port *port, const struct zci_v4l2_control *control,
                         int64_t value);
/* String controls. `bytes` includes the terminator and is at least the control's max + 1. */
int zci_v4l2_get_string(const struct zci_v4l2_port *port, const struct zci_v4l2_control *control,
                        char *text, size_t bytes);
int zci_v4l2_set_string(const struct zci_v4l2_port *port, const struct zci_v4l2_control *control,
                        const char *text, size_t bytes);

/* V4L2_EVENT_CTRL: something other than this descriptor changed the control. */
int zci_v4l2_subscribe_control(const struct zci_v4l2_port *port, uint32_t id);

/* V4L2_EVENT_SOURCE_CHANGE of the selected input. */
int zci_v4l2_subscribe_source_change(const struct zci_v4l2_port *port);

struct zci_v4l2_event {
    uint8_t control;       /* 1: the value of control `id` changed */
    uint8_t source_change; /* 1: the input's signal has another resolution, appeared or was lost */
    uint32_t id;
    int64_t value;
    int64_t time_ns; /* CLOCK_MONOTONIC */
};
/* ENOENT: no event is pending. */
int zci_v4l2_dqevent(const struct zci_v4l2_port *port, struct zci_v4l2_event *out);

#endif
