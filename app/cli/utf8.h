/* SPDX-License-Identifier: MIT */
/* UTF-8, as far as names of files must be shown in JSON and PNG. */
#ifndef ZCAPP_CLI_UTF8_H
#define ZCAPP_CLI_UTF8_H

#include <stddef.h>

/* Bytes of the well-formed character at `text`, 1..4; 0: not well-formed, or the end. */
size_t utf8_bytes(const char *text);

#endif
