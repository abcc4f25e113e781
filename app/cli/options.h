/* SPDX-License-Identifier: MIT */
/* The command line. One table of options serves --help and the parser. */
#ifndef ZCAPP_CLI_OPTIONS_H
#define ZCAPP_CLI_OPTIONS_H

#include <stdio.h>

#include "zcstream/stream.h"

#include "app/cli/console.h"
#include "app/output/output.h"

#define MAX_CONTROLS 64u

enum action {
    ACTION_RUN,
    ACTION_HELP,
    ACTION_VERSION,
    ACTION_LIST_DEVICES,
    ACTION_LIST_FORMATS,
    ACTION_LIST_STAGES,
    ACTION_DOCTOR, /* `input` is NULL where none is named */
    ACTION_DOCTOR_HELP,
    ACTION_LIST_CONTROLS,
};

/* As the command line says it; 0 and NULL where it says nothing. Texts are argv's. */
struct options {
    enum action action;
    const char *input; /* the first, or the only one */
    char *const *inputs;
    unsigned input_count;
    int sync; /* frames of several inputs are matched: no further apart than sync_ns */
    int64_t sync_ns;
    struct output_target target;
    uint64_t frames, skip, every, loop;
    int frames_given, loop_given, pace;
    uint32_t width, height;
    const char *format_text;
    enum zcs_pixfmt format;
    uint64_t stride_bytes, shift;
    int shift_given;
    const char *camera_input; /* of a camera with several: name or number */
    uint32_t crop_x, crop_y, crop_width, crop_height;
    enum zcs_pixfmt treat_as;
    int accept_nearest;
    int64_t stall_ns, reconnect_ns;     /* as zcs_v4l2_params has them */
    const char *controls[MAX_CONTROLS]; /* "NAME=VALUE", of a camera */
    uint32_t control_count;
    uint32_t fps_num, fps_den;
    struct zcs_color color;
    const char *stages;                 /* the first */
    const char *chains[ZCS_MAX_CHAINS]; /* all that were given; of a broadcast */
    uint32_t chain_count;
    uint64_t depth;                                    /* place in auto|8|16 */
    uint64_t backend, dispatch, route, memory, policy; /* the library's enums */
    uint32_t devices[ZCS_MAX_DEVICES], device_count;
    int low_latency;
    const char *route_cache; /* NULL: none */
    const char *require_path;
    uint64_t buffers, writers, threads, png_level;
    const char *json;
    const char *record;          /* NULL: no recording */
    struct output_target latest; /* kind NULL: none */
    struct keep_limit keep;      /* {0}: all files stay */
    const char *inject;
    int quiet, verbose;
};

/* 0, or an exit status after one line of error. */
int options_parse(struct options *options, int argc, char **argv, struct console *console);
void options_finish(struct options *options);

/* After how many results `input` ends: 0: at its end. */
uint64_t options_frames(const struct options *options, const char *input);

void options_help(FILE *file);

#endif
