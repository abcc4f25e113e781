/* SPDX-License-Identifier: MIT */
/* Strict reading of numbers on the command line: digits only, in range. */
#include "app/cli/number.h"

int number_scan(const char **text, uint64_t min, uint64_t max, uint64_t *out)
{
    const char *at = *text;
    uint64_t value = 0;
    if (*at < '0' || *at > '9')
        return -1;
    for (; *at >= '0' && *at <= '9'; at++) {
        const uint64_t digit = (uint64_t)(*at - '0');
        if (value > (UINT64_MAX - digit) / 10)
            return -1;
        value = value * 10 + digit;
    }
    if (value < min || value > max)
        return -1;
    *text = at;
    *out = value;
    return 0;
}

int number_parse(const char *text, uint64_t min, uint64_t max, uint64_t *out)
{
    uint64_t value = 0;
    if (number_scan(&text, min, max, &value) != 0 || *text != '\0')
        return -1;
    *out = value;
    return 0;
}
