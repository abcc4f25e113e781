/* SPDX-License-Identifier: MIT */
/* Names compared as people count: numbers in them by their value. */
#include "source/replay/replay_order.h"

#include <string.h>

static int is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static size_t count_digits(const char *text)
{
    size_t count = 0;
    while (is_digit(text[count]))
        count++;
    return count;
}

static const char *skip_zeros(const char *text)
{
    while (*text == '0')
        text++;
    return text;
}

/* The numbers at *a and *b, of any length, which are passed over. */
static int compare_numbers(const char **a, const char **b)
{
    const char *x = skip_zeros(*a), *y = skip_zeros(*b);
    const size_t in_x = count_digits(x), in_y = count_digits(y);
    *a = x + in_x;
    *b = y + in_y;
    if (in_x != in_y)
        return in_x < in_y ? -1 : 1;
    return memcmp(x, y, in_x);
}

int zci_replay_order(const char *a, const char *b)
{
    const char *x = a, *y = b;
    while (*x != '\0' && *y != '\0') {
        int order = 0;
        if (is_digit(*x) && is_digit(*y))
            order = compare_numbers(&x, &y);
        else
            order = (unsigned char)*x++ - (unsigned char)*y++;
        if (order != 0)
            return order;
    }
    if (*x != *y)
        return *x != '\0' ? 1 : -1;
    return strcmp(a, b);
}
