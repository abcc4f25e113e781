/* SPDX-License-Identifier: MIT */
/* The options that only cameras have: reading their values, and telling that one was given. */
#include "app/cli/option_camera.h"

#include "app/cli/number.h"

#define STALL_MAX_S 86400u

/* A number behind `sign`. */
static int scan_behind(const char **text, char sign, uint64_t min, uint32_t *out)
{
    uint64_t number = 0;
    if (sign != '\0' && *(*text)++ != sign)
        return -1;
    if (number_scan(text, min, ZCS_MAX_DIMENSION, &number) != 0)
        return -1;
    *out = (uint32_t)number;
    return 0;
}

int option_camera_crop(struct options *options, const char *text, char *why, size_t why_bytes)
{
    uint32_t width, height, x, y;
    if (scan_behind(&text, '\0', 1, &width) != 0 || scan_behind(&text, 'x', 1, &height) != 0 ||
        scan_behind(&text, '+', 0, &x) != 0 || scan_behind(&text, '+', 0, &y) != 0 ||
        *text != '\0') {
        snprintf(why, why_bytes, "a part is WIDTHxHEIGHT+X+Y, such as 640x480+320+0, up to %u",
                 ZCS_MAX_DIMENSION);
        return -1;
    }
    options->crop_width = width;
    options->crop_height = height;
    options->crop_x = x;
    options->crop_y = y;
    return 0;
}

int option_camera_treat_as(struct options *options, const char *text, char *why, size_t why_bytes)
{
    if (zcs_pixfmt_parse(text, &options->treat_as) != ZCS_OK)
        snprintf(why, why_bytes, "no such format; --list-formats names them all");
    else if (zcs_pixfmt_info(options->treat_as)->model == ZCS_MODEL_JPEG)
        snprintf(why, why_bytes, "compressed formats are not in this build");
    else
        return 0;
    return -1;
}

int option_camera_stall(struct options *options, const char *text, char *why, size_t why_bytes)
{
    uint64_t seconds = 0;
    if (number_parse(text, 0, STALL_MAX_S, &seconds) != 0) {
        snprintf(why, why_bytes, "not a whole number of seconds from 0 to %u", STALL_MAX_S);
        return -1;
    }
    options->stall_ns = seconds > 0 ? (int64_t)seconds * 1000000000 : -1;
    return 0;
}

/* Whether there is such a control only the camera knows. */
int option_camera_set(struct options *options, const char *text, char *why, size_t why_bytes)
{
    if (text[0] == '\0' || text[0] == '=') {
        snprintf(why, why_bytes,
                 "a control is set by NAME=VALUE, such as brightness=128; --list-controls DEVICE "
                 "names them");
        return -1;
    }
    if (options->control_count == MAX_CONTROLS) {
        snprintf(why, why_bytes, "more than %u controls", MAX_CONTROLS);
        return -1;
    }
    options->controls[options->control_count++] = text;
    return 0;
}

int option_camera_reconnect(struct options *options, const char *text, char *why, size_t why_bytes)
{
    uint64_t seconds = 0;
    if (number_parse(text, 0, STALL_MAX_S, &seconds) != 0) {
        snprintf(why, why_bytes, "not a whole number of seconds from 0 to %u", STALL_MAX_S);
        return -1;
    }
    options->reconnect_ns = (int64_t)seconds * 1000000000;
    return 0;
}

const char *option_camera_given(const struct options *options)
{
    if (options->camera_input != NULL)
        return "--input";
    if (options->crop_width != 0)
        return "--crop";
    if (options->treat_as != ZCS_PIXFMT_NONE)
        return "--treat-as";
    if (options->accept_nearest)
        return "--accept-nearest";
    if (options->control_count != 0)
        return "--set";
    if (options->reconnect_ns != 0)
        return "--reconnect";
    return options->stall_ns != 0 ? "--stall" : NULL;
}
