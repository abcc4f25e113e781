/* SPDX-License-Identifier: MIT */
/* Looking at one camera: --list-formats with a device, --list-controls, and what other lists share. */
#ifndef ZCAPP_CLI_LIST_CAMERA_H
#define ZCAPP_CLI_LIST_CAMERA_H

#include "zcstream/camera.h"

#include "app/cli/options.h"

/* Of the camera that options->input names, to standard output. 0, or an exit status after one line of error. */
int list_camera_formats(const struct options *options, struct console *console);
int list_camera_controls(const struct options *options, struct console *console);

/* Opens it for looking only; *ctx is for zcs_close. As above. */
int list_camera_open(const struct options *options, struct console *console, zcs_context **ctx,
                     zcs_camera **camera);

/* "YUYV", or what stands for a format that the library does not know. */
struct camera_fourcc {
    char text[8];
};
struct camera_fourcc camera_fourcc(uint32_t fourcc);

/* "30" or "29.97" frames a second. */
struct camera_rate_text {
    char text[24];
};
struct camera_rate_text camera_rate_text(uint32_t num, uint32_t den);

#endif
