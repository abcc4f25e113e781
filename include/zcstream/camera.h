/* SPDX-License-Identifier: MIT */
/* Cameras beside capturing: which nodes there are, their formats, sizes and rates, and their controls. */
#ifndef ZCSTREAM_CAMERA_H
#define ZCSTREAM_CAMERA_H

#include "zcstream/source.h"

#ifdef __cplusplus
extern "C" {
#endif

/* An open node. Threads: one at a time; a source's camera belongs to the source's thread. */
typedef struct zcs_camera zcs_camera;

/* Opens a node of any kind without disturbing who captures from it; logs with the context, which must outlive
 * it. ZCS_ERR_UNSUPPORTED: no V4L2 node, or no cameras in this build. */
zcs_status zcs_camera_open(zcs_context *ctx, const char *device, zcs_camera **out) ZCS_MUST_CHECK;

/* Accepts NULL content, sets NULL. Not for a source's camera. */
void zcs_camera_close(zcs_camera **camera);

/* The camera that a source captures from, the source's; NULL where it is no camera. */
zcs_camera *zcs_source_camera(zcs_source *source);

enum zcs_camera_kind {
    ZCS_CAMERA_CAPTURE,
    ZCS_CAMERA_METADATA,
    ZCS_CAMERA_OUTPUT,
    ZCS_CAMERA_CODEC, /* or a converter: memory to memory */
    ZCS_CAMERA_OTHER, /* VBI, radio, touch ... */
};
struct zcs_camera_info {
    enum zcs_camera_kind kind;
    uint8_t multi_planar, streaming, cpu_writes; /* the driver fills buffers with the CPU */
    char driver[17], card[33], bus[33];          /* as the driver says */
    char serial[64];                             /* of a USB camera; "" where none is known */
};
void zcs_camera_info(const zcs_camera *camera, struct zcs_camera_info *out);

/* Lists: ZCS_EOF behind the last. Frame sizes are pixels; step 0: this one alone (least equals most). Rates are
 * frames a second; least and most are equal, or all between can be had as far as the driver knows. */
struct zcs_camera_format {
    uint32_t fourcc;
    enum zcs_pixfmt pixfmt; /* NONE: unknown to the library */
    uint8_t readable;       /* 1: a source can capture it */
    uint8_t emulated;       /* by libv4l2 or the driver */
    char text[33];          /* the driver's name for it */
};
struct zcs_camera_size {
    uint32_t min_width, max_width, step_width;
    uint32_t min_height, max_height, step_height;
};
struct zcs_camera_rate {
    uint32_t min_num, min_den, max_num, max_den;
};
zcs_status zcs_camera_format(zcs_camera *camera, uint32_t index, struct zcs_camera_format *out);
zcs_status zcs_camera_size(zcs_camera *camera, uint32_t fourcc, uint32_t index,
                           struct zcs_camera_size *out);
zcs_status zcs_camera_rate(zcs_camera *camera, uint32_t fourcc, uint32_t width, uint32_t height,
                           uint32_t index, struct zcs_camera_rate *out);
/* Whether the driver, asked for this without setting it, would give just this: 1, or 0. Lists of drivers are
 * known to promise more. */
int zcs_camera_would_give(zcs_camera *camera, uint32_t fourcc, uint32_t width, uint32_t height);

enum zcs_control_type {
    ZCS_CONTROL_INTEGER, /* 32 or 64 bits */
    ZCS_CONTROL_BOOLEAN,
    ZCS_CONTROL_MENU,
    ZCS_CONTROL_INTEGER_MENU,
    ZCS_CONTROL_BUTTON,
    ZCS_CONTROL_BITMASK,
    ZCS_CONTROL_STRING,
    ZCS_CONTROL_COMPOUND, /* structs and arrays: listed, not set or read */
};
enum zcs_control_flag {
    ZCS_CONTROL_DISABLED = 1u << 0,
    ZCS_CONTROL_READ_ONLY = 1u << 1,
    ZCS_CONTROL_WRITE_ONLY = 1u << 2,
    ZCS_CONTROL_INACTIVE =
        1u << 3, /* without effect while another control, mostly an automatic one, rules */
    ZCS_CONTROL_VOLATILE = 1u << 4, /* the camera changes it by itself */
    ZCS_CONTROL_GRABBED = 1u << 5, /* not to be set at present, mostly because the camera streams */
    ZCS_CONTROL_LAYOUT = 1u << 6,  /* may change the format: flips, rotation */
};
struct zcs_control {
    uint32_t id;
    enum zcs_control_type type;
    uint32_t flags; /* enum zcs_control_flag */
    char name[64];  /* v4l2-ctl's spelling: "exposure_time_absolute" */
    char title[33]; /* the driver's: "Exposure Time, Absolute" */
    char kind[48];  /* for people: "int", "int64", "menu", "u8[16][16]", "area" ... */
    int64_t min, max, default_value; /* of a string: its length in bytes; of a menu: items */
    uint64_t step;
};
struct zcs_control_item {
    uint32_t index; /* the control's value */
    char text[33];  /* of an integer menu the number */
};

/* The one with the next id; `after` 0: the first. ZCS_EOF behind the last. */
zcs_status zcs_control_next(zcs_camera *camera, uint32_t after, struct zcs_control *out);
/* By name in any case, the driver's or v4l2-ctl's, or by id: "0x00980900". ZCS_ERR_ARG, logged: none. */
zcs_status zcs_control_find(zcs_camera *camera, const char *name, struct zcs_control *out);
/* A menu's first item from `from` on; menus may have holes. ZCS_EOF: none. */
zcs_status zcs_control_item(zcs_camera *camera, const struct zcs_control *control, uint32_t from,
                            struct zcs_control_item *out);
/* Its value as text, as zcs_control_set takes it. ZCS_ERR_UNSUPPORTED: it has none to read. */
zcs_status zcs_control_get(zcs_camera *camera, const struct zcs_control *control, char *text,
                           size_t text_bytes);
/* "NAME=VALUE": a number (0x... too), on/off, a menu item by number or text; a button needs no =VALUE. Read back:
 * where the driver made another value of it, a warning names both. `got` (may be NULL) gets the value as text.
 * Failures are logged: ZCS_ERR_ARG: no such control or value; ZCS_ERR_BUSY, ZCS_ERR_UNSUPPORTED: not now, or not
 * ever; ZCS_ERR_IO: refused by the driver. Also while a source captures, unless that changes the frames' format. */
zcs_status zcs_control_set(zcs_camera *camera, const char *setting, char *got,
                           size_t got_bytes) ZCS_MUST_CHECK;

/* Changes that a capturing source has seen, numbered from 1: those made by zcs_control_set, and those of others
 * that the driver told of (not of volatile values). A frame's `controls` is the number of the latest that was made
 * no later than the frame's time; a sensor may take a few frames more to follow, which drivers do not tell. */
struct zcs_control_change {
    uint64_t number;
    uint32_t id;
    int64_t value;
    int64_t time_ns; /* CLOCK_MONOTONIC: when it was made */
};
/* ZCS_ERR_ARG: not there (yet), or no longer: the latest 64 are kept. */
zcs_status zcs_control_change(const zcs_camera *camera, uint64_t number,
                              struct zcs_control_change *out);

#ifdef __cplusplus
}
#endif
#endif
