/* SPDX-License-Identifier: MIT */
/* The text of injected faults, and the draw that decides a frame's fate. */
#include "core/inject.h"

#include <stdio.h>
#include <string.h>

#define MILLION 1000000u
#define DEFAULT_STALL_EVERY 30 /* a second of many cameras */
#define STALL_MAX_NS INT64_C(3600000000000)

/* Digits, and up to four behind a point, as a number of ten thousandths; the text moves behind
 * them. */
static int take_decimal(const char **text, uint64_t max, uint64_t *out)
{
    const char *at = *text;
    uint64_t value = 0, unit = 10000;
    while (*at >= '0' && *at <= '9' && value <= max)
        value = value * 10 + (uint64_t)(*at++ - '0');
    if (at == *text || value > max)
        return 0;
    value *= 10000;
    if (*at == '.')
        for (at++; *at >= '0' && *at <= '9' && unit > 1; at++) {
            unit /= 10;
            value += (uint64_t)(*at - '0') * unit;
        }
    *text = at;
    *out = value;
    return 1;
}

static int take_whole(const char **text, uint64_t *out)
{
    const char *at = *text;
    uint64_t value = 0;
    while (*at >= '0' && *at <= '9') {
        if (value > (UINT64_MAX - 9) / 10)
            return 0;
        value = value * 10 + (uint64_t)(*at++ - '0');
    }
    if (at == *text)
        return 0;
    *text = at;
    *out = value;
    return 1;
}

static int take_percent(const char **text, uint32_t *ppm)
{
    uint64_t value;
    if (!take_decimal(text, 100, &value) || value > MILLION || *(*text)++ != '%')
        return 0;
    *ppm = (uint32_t)value;
    return 1;
}

/* "200ms", "1.5s" or "50us", then perhaps "/N": each N-th frame. */
static int take_stall(const char **text, struct zci_inject *out)
{
    static const struct {
        const char *name;
        int64_t ns;
    } units[] = {{"ms", 1000000}, {"us", 1000}, {"s", 1000000000}};
    uint64_t value;
    if (!take_decimal(text, 3600000000, &value))
        return 0;
    for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
        const size_t length = strlen(units[i].name);
        if (strncmp(*text, units[i].name, length) != 0)
            continue;
        *text += length;
        if (value > (uint64_t)(STALL_MAX_NS / units[i].ns) * 10000)
            return 0;
        out->stall_ns = (int64_t)(value * (uint64_t)(units[i].ns / 1000) / 10);
        out->stall_every = DEFAULT_STALL_EVERY;
        if (**text != '/')
            return 1;
        ++*text;
        return take_whole(text, &out->stall_every) && out->stall_every > 0;
    }
    return 0;
}

struct key {
    const char *name, *form;
};

static const struct key keys[] = {
    {"drop=", "a share such as 5%"},
    {"error=", "a share such as 1%"},
    {"short=", "a share such as 0.5%"},
    {"stall=", "a time such as 200ms or 2s, perhaps with /N for each N-th frame; 1h at most"},
    {"gone=", "a number of frames from 1 on"},
    {"seed=", "a whole number"},
};

static int take_value(size_t key, const char **text, struct zci_inject *out)
{
    switch (key) {
    case 0:
        return take_percent(text, &out->drop_ppm);
    case 1:
        return take_percent(text, &out->error_ppm);
    case 2:
        return take_percent(text, &out->short_ppm);
    case 3:
        return take_stall(text, out);
    case 4:
        return take_whole(text, &out->gone_after) && out->gone_after > 0;
    default:
        return take_whole(text, &out->seed);
    }
}

static zcs_status refuse(const char *at, const char *form, char *why, size_t why_bytes)
{
    if (why == NULL)
        return ZCS_ERR_FORMAT;
    const int length = (int)strcspn(at, ",");
    snprintf(why, why_bytes, "'%.*s': %s", length < 60 ? length : 60, at, form);
    return ZCS_ERR_FORMAT;
}

zcs_status zci_inject_parse(const char *text, struct zci_inject *out, char *why, size_t why_bytes)
{
    struct zci_inject made = {.seed = 0};
    unsigned seen = 0;
    while (text != NULL) {
        const char *at = text;
        size_t key = 0;
        while (key < sizeof keys / sizeof *keys &&
               strncmp(text, keys[key].name, strlen(keys[key].name)) != 0)
            key++;
        if (key == sizeof keys / sizeof *keys)
            return refuse(text, "known are drop, error, short, stall, gone and seed", why,
                          why_bytes);
        at += strlen(keys[key].name);
        if (!take_value(key, &at, &made) || (*at != ',' && *at != '\0'))
            return refuse(text, keys[key].form, why, why_bytes);
        if (seen & 1u << key)
            return refuse(text, "given twice", why, why_bytes);
        seen |= 1u << key;
        text = *at == ',' ? at + 1 : NULL;
    }
    if ((uint64_t)made.drop_ppm + made.error_ppm + made.short_ppm > MILLION)
        return refuse("drop, error and short", "more than 100% together", why, why_bytes);
    *out = made;
    return ZCS_OK;
}

/* SplitMix64's finaliser. */
static uint64_t mix(uint64_t x)
{
    x = (x ^ x >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
    x = (x ^ x >> 27) * UINT64_C(0x94D049BB133111EB);
    return x ^ x >> 31;
}

enum zcs_loss zci_inject_loss(const struct zci_inject *inject, uint64_t n)
{
    const uint64_t draw = mix(mix(inject->seed) + (n + 1) * UINT64_C(0x9E3779B97F4A7C15)) % MILLION;
    if (draw < inject->drop_ppm)
        return ZCS_LOSS_DRIVER_GAP;
    if (draw < (uint64_t)inject->drop_ppm + inject->error_ppm)
        return ZCS_LOSS_ERROR;
    if (draw < (uint64_t)inject->drop_ppm + inject->error_ppm + inject->short_ppm)
        return ZCS_LOSS_SHORT;
    return ZCS_LOSS_COUNT;
}
