/* SPDX-License-Identifier: MIT */
/* Strict reading of numbers on the command line: digits only, in range. */
#ifndef ZCAPP_CLI_NUMBER_H
#define ZCAPP_CLI_NUMBER_H

#include <stdint.h>

/* The whole text: no sign, no space, nothing after the number. 0, or -1 with *out untouched. */
int number_parse(const char *text, uint64_t min, uint64_t max, uint64_t *out);

/* The digits at *text; then *text points after them. As above. */
int number_scan(const char **text, uint64_t min, uint64_t max, uint64_t *out);

#endif
