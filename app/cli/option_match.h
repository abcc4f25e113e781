/* SPDX-License-Identifier: MIT */
/* Which options a misspelt or cut one may have meant. */
#ifndef ZCAPP_CLI_OPTION_MATCH_H
#define ZCAPP_CLI_OPTION_MATCH_H

#include <stddef.h>

/* `given` is "--NAME" or "--NAME=VALUE", no option of the table. What to say of it: a phrase of what it may
 * be, or that there is none. */
void option_match(const char *given, char *out, size_t out_bytes);

#endif
