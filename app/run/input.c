/* SPDX-License-Identifier: MIT */
/* INPUT: the kind of source, the options that it allows, and opening it. */
#include "app/run/input.h"

#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include "app/cli/status.h"

#define PATTERN_PREFIX "pattern:"
#define V4L2_MAJOR 81u
#define PATTERN_FRAMES 100 /* the default limit: a pattern has no end */

enum kind { KIND_REPLAY, KIND_PATTERN, KIND_CAMERA };

static int begins(const char *text, const char *prefix)
{
    return strncmp(text, prefix, strlen(prefix)) == 0;
}

/* A name like /dev/video9 is a camera even if the node does not exist: so the error is about a
 * camera. */
static enum kind kind_of(const char *input)
{
    struct stat there;
    if (begins(input, PATTERN_PREFIX))
        return KIND_PATTERN;
    if (begins(input, "/dev/video") || begins(input, "/dev/v4l/"))
        return KIND_CAMERA;
    if (stat(input, &there) == 0 && S_ISCHR(there.st_mode) && major(there.st_rdev) == V4L2_MAJOR)
        return KIND_CAMERA;
    return KIND_REPLAY;
}

int input_is_camera(const char *input)
{
    return kind_of(input) == KIND_CAMERA;
}

int input_is_pattern(const char *input)
{
    return kind_of(input) == KIND_PATTERN;
}

uint64_t input_frame_limit(const struct options *options)
{
    return input_is_pattern(options->input) && !options->frames_given ? PATTERN_FRAMES
                                                                      : options->frames;
}

static int usage(struct console *console, const char *option, const char *why)
{
    console_error(console, "%s: %s", option, why);
    return ZCAPP_USAGE;
}

static int check_pattern_name(const struct options *options, struct console *console)
{
    const char *name = options->input + strlen(PATTERN_PREFIX);
    char names[256] = "";
    for (const char *const *known = zcs_pattern_names(); *known != NULL; known++) {
        if (strcmp(*known, name) == 0)
            return 0;
        const size_t used = strlen(names);
        snprintf(names + used, sizeof names - used, " %s", *known);
    }
    console_error(console, "%s: unknown pattern; there are%s", options->input, names);
    return ZCAPP_USAGE;
}

static int check_layout(const struct options *options, struct console *console)
{
    struct zcs_image image;
    const enum zcs_pixfmt format =
        options->format != ZCS_PIXFMT_NONE ? options->format : ZCS_PIXFMT_YUYV;
    const uint32_t width = options->width != 0 ? options->width : 640;
    const uint32_t height = options->height != 0 ? options->height : 480;
    const zcs_status status =
        zcs_image_init(&image, format, width, height, (size_t)options->stride_bytes);
    if (status == ZCS_OK)
        return 0;
    const char *name = zcs_pixfmt_info(format)->name;
    const size_t min = zcs_image_min_stride(format, width, 0);
    if (options->stride_bytes != 0 && options->stride_bytes < min)
        console_error(console, "--stride %llu: a row of %u %s pixels takes at least %zu bytes",
                      (unsigned long long)options->stride_bytes, width, name, min);
    else
        console_error(console, "%s %ux%u: %s", name, width, height, zcs_strerror(status));
    return ZCAPP_USAGE;
}

/* Refuses the options that this kind of input does not have. */
static int check_kind(const struct options *options, enum kind kind, struct console *console)
{
    enum { REPLAY = 1 << KIND_REPLAY, PATTERN = 1 << KIND_PATTERN, CAMERA = 1 << KIND_CAMERA };
    const struct {
        const char *option;
        int given, kinds;
    } rules[] = {
        {"--input", options->camera_input != NULL, CAMERA},
        {"--crop", options->crop_width != 0, CAMERA},
        {"--treat-as", options->treat_as != ZCS_PIXFMT_NONE, CAMERA},
        {"--accept-nearest", options->accept_nearest, CAMERA},
        {"--set", options->control_count != 0, CAMERA},
        {"--reconnect", options->reconnect_ns != 0, CAMERA},
        {"--stall", options->stall_ns != 0, CAMERA},
        {"--pace", options->pace, REPLAY | PATTERN},
        {"--inject", options->inject != NULL, REPLAY | PATTERN},
        {"--loop", options->loop_given, REPLAY},
        {"--shift", options->shift_given, REPLAY},
        {"the layout of planes", options->planes_given, REPLAY},
        {"--offset", options->offset != 0, REPLAY},
        {"--frame-header", options->frame_header != 0, REPLAY},
        {"--frame-footer", options->frame_footer != 0, REPLAY},
    };
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++)
        if (rules[i].given && (rules[i].kinds & 1 << kind) == 0)
            return usage(console, rules[i].option,
                         rules[i].kinds == CAMERA   ? "only for cameras"
                         : rules[i].kinds == REPLAY ? "only for files"
                                                    : "only for files and patterns");
    return 0;
}

int input_check(const struct options *options, struct console *console)
{
    const enum kind kind = kind_of(options->input);
    int status = kind == KIND_PATTERN ? check_pattern_name(options, console) : 0;
    if (status == 0)
        status = check_kind(options, kind, console);
    if (status != 0 || kind == KIND_CAMERA)
        return status;
    if (options->loop_given && options->loop != 1 && strcmp(options->input, "-") == 0)
        return usage(console, "--loop", "standard input can be played only once");
    if (kind == KIND_PATTERN && options->pace && options->fps_num == 0)
        return usage(console, "--pace", "needs a frame rate, --fps N[/D]");
    const int whole = options->format != ZCS_PIXFMT_NONE && options->width != 0;
    return whole || kind == KIND_PATTERN ? check_layout(options, console) : 0;
}

static zcs_status open_replay(const struct options *options, zcs_context *ctx, zcs_source **out)
{
    struct zcs_replay_params params = {
        .path = options->input,
        .format = options->format,
        .width = options->width,
        .height = options->height,
        .stride_bytes = (size_t)options->stride_bytes,
        .shift = (uint32_t)options->shift,
        .color = options->color,
        .fps_num = options->fps_num,
        .fps_den = options->fps_den,
        .pace = options->pace,
        .loops = options->loop_given && options->loop == 0 ? UINT32_MAX : (uint32_t)options->loop,
        .inject = options->inject,
        .offset_bytes = options->offset,
        .frame_header_bytes = (uint32_t)options->frame_header,
        .frame_footer_bytes = (uint32_t)options->frame_footer,
        .layout = options->layout,
    };
    for (int p = 0; p < ZCS_MAX_PLANES; p++)
        params.plane_offset_bytes[p] = (size_t)options->plane_offsets[p];
    for (int p = 1; p < ZCS_MAX_PLANES; p++)
        params.chroma_stride_bytes[p - 1] = (size_t)options->chroma_strides[p - 1];
    return zcs_source_open_replay(ctx, &params, out);
}

static zcs_status open_pattern(const struct options *options, zcs_context *ctx, zcs_source **out)
{
    const struct zcs_pattern_params params = {
        .name = options->input + strlen(PATTERN_PREFIX),
        .format = options->format,
        .width = options->width,
        .height = options->height,
        .stride_bytes = (size_t)options->stride_bytes,
        .color = options->color,
        .fps_num = options->fps_num,
        .fps_den = options->fps_den,
        .pace = options->pace,
        .inject = options->inject,
    };
    return zcs_source_open_pattern(ctx, &params, out);
}

/* --require-path: a path that only cameras have is requested from the driver. Other paths are
 * checked with each frame. */
static enum zcs_path camera_path(const char *name)
{
    static const enum zcs_path paths[] = {ZCS_PATH_USERPTR, ZCS_PATH_DMABUF, ZCS_PATH_REGISTERED,
                                          ZCS_PATH_COPIED};
    for (size_t i = 0; name != NULL && i < sizeof paths / sizeof *paths; i++)
        if (strcmp(name, zcs_path_name(paths[i])) == 0)
            return paths[i];
    return ZCS_PATH_NONE;
}

static zcs_status open_camera(const struct options *options, zcs_context *ctx, zcs_source **out)
{
    const struct zcs_v4l2_params params = {
        .device = options->input,
        .format = options->format,
        .width = options->width,
        .height = options->height,
        .stride_bytes = (size_t)options->stride_bytes,
        .fps_num = options->fps_num,
        .fps_den = options->fps_den,
        .color = options->color,
        .treat_as = options->treat_as,
        .accept_nearest = options->accept_nearest,
        .input = options->camera_input,
        .crop_x = options->crop_x,
        .crop_y = options->crop_y,
        .crop_width = options->crop_width,
        .crop_height = options->crop_height,
        .stall_ns = options->stall_ns,
        .controls = options->controls,
        .control_count = options->control_count,
        .reconnect_ns = options->reconnect_ns,
        .path = camera_path(options->require_path),
    };
    return zcs_source_open_v4l2(ctx, &params, out);
}

zcs_status input_open(const struct options *options, zcs_context *ctx, zcs_source **out)
{
    switch (kind_of(options->input)) {
    case KIND_CAMERA:
        return open_camera(options, ctx, out);
    case KIND_PATTERN:
        return open_pattern(options, ctx, out);
    default:
        return open_replay(options, ctx, out);
    }
}
