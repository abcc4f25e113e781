/* SPDX-License-Identifier: MIT */
/* --list-devices: what can compute, and the camera nodes, told apart. */
#ifndef ZCAPP_CLI_LIST_DEVICES_H
#define ZCAPP_CLI_LIST_DEVICES_H

#include "app/cli/options.h"

/* To standard output, or with options->json there. 0, or an exit status after one line of error. */
int list_devices(const struct options *options, struct console *console);

#endif
