/* SPDX-License-Identifier: MIT */
/* The words for the members of a colour, as --color takes them. */
#ifndef ZCAPP_CLI_COLOR_NAME_H
#define ZCAPP_CLI_COLOR_NAME_H

#include "zcstream/format.h"

/* Static storage. "power" is a camera's; --color does not take it. */
const char *color_matrix_name(enum zcs_matrix matrix);
const char *color_range_name(enum zcs_range range);
const char *color_transfer_name(enum zcs_transfer transfer);

#endif
