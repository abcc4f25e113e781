/* SPDX-License-Identifier: MIT */
/* The words for the members of a colour, as --color takes them. */
#include "app/cli/color_name.h"

const char *color_matrix_name(enum zcs_matrix matrix)
{
    static const char *const names[] = {
        [ZCS_MATRIX_AUTO] = "auto",
        [ZCS_MATRIX_BT601] = "bt601",
        [ZCS_MATRIX_BT709] = "bt709",
        [ZCS_MATRIX_BT2020] = "bt2020",
    };
    return names[matrix];
}

const char *color_range_name(enum zcs_range range)
{
    static const char *const names[] = {
        [ZCS_RANGE_AUTO] = "auto",
        [ZCS_RANGE_LIMITED] = "limited",
        [ZCS_RANGE_FULL] = "full",
    };
    return names[range];
}

const char *color_transfer_name(enum zcs_transfer transfer)
{
    static const char *const names[] = {
        [ZCS_TRANSFER_AUTO] = "auto",
        [ZCS_TRANSFER_SRGB] = "srgb",
        [ZCS_TRANSFER_LINEAR] = "linear",
        [ZCS_TRANSFER_POWER] = "power",
    };
    return names[transfer];
}
