/* SPDX-License-Identifier: MIT */
/* Numbers on the command line, read strictly: digits alone, the whole text, in range. */
#ifndef ZCAPP_CLI_NUMBER_H
#define ZCAPP_CLI_NUMBER_H

#include <stdint.h>

/* 0, or -1 with *out untouched. No sign, no space, nothing behind. */
int number_parse(const char *text, uint64_t min, uint64_t max, uint64_t *out);

/* The digits at *text, which is moved behind them. */
int number_scan(const char **text, uint64_t min, uint64_t max, uint64_t *out);

#endif
