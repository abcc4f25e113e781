/* SPDX-License-Identifier: MIT */
/* The values of the command line. command_line.h fills them in. */
#ifndef ZCAPP_CLI_OPTIONS_H
#define ZCAPP_CLI_OPTIONS_H

#include "zcstream/stream.h"

#include "app/output/output.h"

#define MAX_CONTROLS 64u

enum action {
    ACTION_RUN,
    ACTION_HELP,
    ACTION_VERSION,
    ACTION_LIST_DEVICES,
    ACTION_LIST_FORMATS,
    ACTION_LIST_STAGES,
    ACTION_DOCTOR, /* `input` is NULL if the command line has none */
    ACTION_DOCTOR_HELP,
    ACTION_LIST_CONTROLS,
};

/* 0 and NULL: not given. All texts belong to argv. */
struct options {
    enum action action;
    const char *input; /* the first or only INPUT */
    char *const *inputs;
    unsigned input_count;
    int sync; /* 1: match the frames of several inputs that are at most sync_ns apart */
    int64_t sync_ns;
    struct output_target target;
    uint64_t frames, skip, every, loop;
    int frames_given, loop_given, pace;
    uint32_t width, height;
    const char *format_text;
    enum zcs_pixfmt format;
    uint64_t stride_bytes, shift;
    uint64_t chroma_strides[ZCS_MAX_PLANES - 1], plane_offsets[ZCS_MAX_PLANES]; /* in bytes */
    enum zcs_layout layout;
    int planes_given; /* 1: one of these three */
    int shift_given;
    uint64_t offset, frame_header, frame_footer; /* bytes of raw frames that are no pixels */
    const char *camera_input;                    /* --input: name or number of a camera's input */
    uint32_t crop_x, crop_y, crop_width, crop_height;
    enum zcs_pixfmt treat_as;
    int accept_nearest;
    int64_t stall_ns, reconnect_ns;     /* as in zcs_v4l2_params */
    const char *controls[MAX_CONTROLS]; /* "NAME=VALUE" */
    uint32_t control_count;
    uint32_t fps_num, fps_den;
    struct zcs_color color;
    const char *stages;                 /* the first --stages */
    const char *chains[ZCS_MAX_CHAINS]; /* every --stages; more than one: broadcast */
    uint32_t chain_count;
    uint64_t depth;                                    /* index in auto|8|16 */
    uint64_t backend, dispatch, route, memory, policy; /* the library's enums */
    uint32_t devices[ZCS_MAX_DEVICES], device_count;
    int low_latency;
    const char *route_cache; /* NULL: none */
    const char *require_path;
    uint64_t buffers, writers, threads, png_level;
    const char *json;
    const char *record;               /* NULL: no recording */
    struct output_target latest;      /* kind NULL: none */
    struct retention_limit retention; /* {0}: keep all files */
    const char *inject;
    int quiet, verbose;
};

#endif
