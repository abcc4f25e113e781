/* SPDX-License-Identifier: MIT */
/* Checks UTF-8, for file names in messages, JSON and PNG. */
#ifndef ZCAPP_CLI_UTF8_H
#define ZCAPP_CLI_UTF8_H

#include <stddef.h>

/* The length of the well-formed character at `text`, 1 to 4 bytes; 0: not well-formed, or the end
 * of the text. */
size_t utf8_bytes(const char *text);

#endif
