/* SPDX-License-Identifier: MIT */
/* Cameras without capture: device nodes, their formats, sizes, rates and controls. */
#ifndef ZCSTREAM_CAMERA_H
#define ZCSTREAM_CAMERA_H

#include "zcstream/source.h"

#ifdef __cplusplus
extern "C" {
#endif

/* An open device node. Threads: one at a time. A source's camera belongs to the source's thread. */
typedef struct zcs_camera zcs_camera;

/* Opens a node of any kind. A program that captures from it is not disturbed. The context logs, and
 * must outlive the camera. ZCS_ERR_UNSUPPORTED: not a V4L2 node, or this build has no camera
 * support. */
zcs_status zcs_camera_open(zcs_context *ctx, const char *device, zcs_camera **out) ZCS_MUST_CHECK;
/* Accepts NULL content, sets NULL. Not for a source's camera. */
void zcs_camera_close(zcs_camera **camera);
/* The camera of a source; the source owns it. NULL: the source is not a camera. */
zcs_camera *zcs_source_camera(zcs_source *source);

enum zcs_camera_kind {
    ZCS_CAMERA_CAPTURE,
    ZCS_CAMERA_METADATA,
    ZCS_CAMERA_OUTPUT,
    ZCS_CAMERA_CODEC, /* a codec or a converter: memory to memory */
    ZCS_CAMERA_OTHER, /* VBI, radio, touch ... */
};
struct zcs_camera_info {
    enum zcs_camera_kind kind;
    uint8_t multi_planar;
    uint8_t streaming;
    uint8_t cpu_writes; /* 1: the driver fills buffers with the CPU */
    char driver[17];    /* driver, card, bus: as the driver reports them */
    char card[33];
    char bus[33];
    char serial[64]; /* of a USB camera; "": unknown */
};
void zcs_camera_info(const zcs_camera *camera, struct zcs_camera_info *out);

/* List functions return ZCS_EOF after the last entry. */
struct zcs_camera_format {
    uint32_t fourcc;
    enum zcs_pixfmt pixfmt; /* NONE: the library does not know this format */
    uint8_t readable;       /* 1: a source can capture it */
    uint8_t emulated;       /* 1: converted by libv4l2 or the driver */
    char text[33];          /* the driver's name for it */
};
struct zcs_camera_size { /* pixels; step 0: one single size, min equals max */
    uint32_t min_width;
    uint32_t max_width;
    uint32_t step_width;
    uint32_t min_height;
    uint32_t max_height;
    uint32_t step_height;
};
struct zcs_camera_rate { /* frames per second; min equals max, or the driver reports a range */
    uint32_t min_num;
    uint32_t min_den;
    uint32_t max_num;
    uint32_t max_den;
};
zcs_status zcs_camera_format(zcs_camera *camera, uint32_t index, struct zcs_camera_format *out);
zcs_status zcs_camera_size(zcs_camera *camera, uint32_t fourcc, uint32_t index,
                           struct zcs_camera_size *out);
zcs_status zcs_camera_rate(zcs_camera *camera, uint32_t fourcc, uint32_t width, uint32_t height,
                           uint32_t index, struct zcs_camera_rate *out);
/* 1: the driver accepts exactly this format and size (VIDIOC_TRY_FMT), else 0. Some drivers list
 * modes that they do not have. */
int zcs_camera_would_give(zcs_camera *camera, uint32_t fourcc, uint32_t width, uint32_t height);

enum zcs_control_type {
    ZCS_CONTROL_INTEGER, /* 32 or 64 bits */
    ZCS_CONTROL_BOOLEAN,
    ZCS_CONTROL_MENU,
    ZCS_CONTROL_INTEGER_MENU,
    ZCS_CONTROL_BUTTON,
    ZCS_CONTROL_BITMASK,
    ZCS_CONTROL_STRING,
    ZCS_CONTROL_COMPOUND, /* structs and arrays: listed, never read or set */
};
enum zcs_control_flag {
    ZCS_CONTROL_DISABLED = 1u << 0,
    ZCS_CONTROL_READ_ONLY = 1u << 1,
    ZCS_CONTROL_WRITE_ONLY = 1u << 2,
    ZCS_CONTROL_INACTIVE = 1u << 3, /* another control, mostly an automatic mode, overrides it */
    ZCS_CONTROL_VOLATILE = 1u << 4, /* the camera changes the value by itself */
    ZCS_CONTROL_GRABBED = 1u << 5,  /* cannot be set now, mostly because the camera streams */
    ZCS_CONTROL_LAYOUT = 1u << 6,   /* may change the format: flips, rotation */
};
struct zcs_control {
    uint32_t id;
    enum zcs_control_type type;
    uint32_t flags; /* enum zcs_control_flag */
    char name[64];  /* as v4l2-ctl spells it: "exposure_time_absolute" */
    char title[33]; /* as the driver spells it: "Exposure Time, Absolute" */
    char kind[48];  /* for display: "int", "int64", "menu", "u8[16][16]", "area" ... */
    int64_t min;    /* min and max: of a string its length in bytes, of a menu item numbers */
    int64_t max;
    int64_t default_value;
    uint64_t step;
};
struct zcs_control_item {
    uint32_t index; /* the control's value */
    char text[33];  /* of an integer menu, the number */
};

/* The control with the next id after `after`; 0: the first control. ZCS_EOF: none. */
zcs_status zcs_control_next(zcs_camera *camera, uint32_t after, struct zcs_control *out);
/* By the driver's or v4l2-ctl's name in any case, or by id ("0x00980900"). ZCS_ERR_ARG: none,
 * logged. */
zcs_status zcs_control_find(zcs_camera *camera, const char *name, struct zcs_control *out);
/* The first item of a menu whose number is at least `from`. Menus may have gaps. ZCS_EOF: none. */
zcs_status zcs_control_item(zcs_camera *camera, const struct zcs_control *control, uint32_t from,
                            struct zcs_control_item *out);
/* The value as zcs_control_set accepts it. ZCS_ERR_UNSUPPORTED: it has no readable value. */
zcs_status zcs_control_get(zcs_camera *camera, const struct zcs_control *control, char *text,
                           size_t text_bytes);
/* `setting` is "NAME=VALUE": a number (also 0x...), on or off, a menu item by number or text. A
 * button needs no "=VALUE". The library reads the value back and warns, with both values, if the
 * driver changed it. `got` (may be NULL) receives the value as text. Failures are logged.
 * ZCS_ERR_ARG: no such control or value. ZCS_ERR_BUSY: not now. ZCS_ERR_UNSUPPORTED: never.
 * ZCS_ERR_IO: the driver refused. A capturing source allows this call unless it changes the format
 * of the frames. */
zcs_status zcs_control_set(zcs_camera *camera, const char *setting, char *got,
                           size_t got_bytes) ZCS_MUST_CHECK;

/* A capturing source numbers control changes from 1: those by zcs_control_set, and those by others
 * that the driver reports (volatile values are not reported). zcs_frame.controls is the number of
 * the latest change that was not later than the frame's time. A sensor may apply a change some
 * frames later; drivers do not report that. */
struct zcs_control_change {
    uint64_t number;
    uint32_t id;
    int64_t value;
    int64_t time_ns; /* CLOCK_MONOTONIC, when the change was made */
};
/* ZCS_ERR_ARG: not made yet, or no longer stored. The latest 64 changes are stored. */
zcs_status zcs_control_change(const zcs_camera *camera, uint64_t number,
                              struct zcs_control_change *out);

#ifdef __cplusplus
}
#endif
#endif
