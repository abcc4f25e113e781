/* SPDX-License-Identifier: MIT */
/* The --list-... options, and the name of a camera's format. All print to standard output. */
#ifndef ZCAPP_CLI_LISTS_H
#define ZCAPP_CLI_LISTS_H

#include "app/cli/options.h"

/* --list-formats without a camera: the pixel formats of the library. */
void list_formats(void);

/* --list-stages. */
void list_stages(void);

/* The functions below return 0, or an exit status after one line of error. */

/* --list-devices: the devices that compute, and the camera nodes. With options->json: a JSON
 * document. */
int list_devices(const struct options *options, struct console *console);

/* --list-formats and --list-controls of the camera options->input. */
int list_camera_formats(const struct options *options, struct console *console);
int list_camera_controls(const struct options *options, struct console *console);

/* "YUYV"; for a format that the library does not know, the characters of its fourcc. */
struct camera_fourcc {
    char text[8];
};
struct camera_fourcc camera_fourcc(uint32_t fourcc);

#endif
