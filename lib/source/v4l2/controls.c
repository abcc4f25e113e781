/* SPDX-License-Identifier: MIT */
/* Finding, reading and setting controls: what a value means, what the driver made of it, and one
 * log line for each refusal. */
#include "source/v4l2/controls.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define NAMES_BYTES 600
#define MAX_TEXT (1 << 20) /* bytes of a string control */
#define MAX_ITEM 4095      /* of a menu: each index costs a request */
#define ITEMS_BYTES 400

void zci_v4l2_control_name(const char *title, char *out, size_t bytes)
{
    size_t used = 0;
    int gap = 0;
    for (; *title != '\0' && used + 2 < bytes; title++) {
        const unsigned char c = (unsigned char)*title;
        if (!isalnum(c)) {
            gap = used > 0;
            continue;
        }
        if (gap)
            out[used++] = '_';
        out[used++] = (char)tolower(c);
        gap = 0;
    }
    out[used] = '\0';
}

int zci_v4l2_parse_number(const char *text, int64_t *out)
{
    char *end = NULL;
    const int hex = text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
    if (!isdigit((unsigned char)text[text[0] == '-' || text[0] == '+']))
        return -1;
    errno = 0;
    const long long value = strtoll(text, &end, hex ? 16 : 10);
    if (end == text || *end != '\0' || errno != 0)
        return -1;
    *out = value;
    return 0;
}

/* 1/0, on/off, true/false, yes/no in any case. Returns 0, or -1. */
static int parse_bool(const char *text, int64_t *out)
{
    static const char *const words[][4] = {{"0", "off", "false", "no"}, {"1", "on", "true", "yes"}};
    for (int truth = 0; truth < 2; truth++)
        for (int i = 0; i < 4; i++)
            if (strcasecmp(text, words[truth][i]) == 0) {
                *out = truth;
                return 0;
            }
    return -1;
}

zcs_status zci_v4l2_control_next(const struct zci_v4l2_device *dev, uint32_t after,
                                 struct zci_v4l2_control *out)
{
    const int error = zci_v4l2_next_control(&dev->port, after, out);
    if (error == EINVAL || error == ENOTTY)
        return ZCS_EOF;
    if (error != 0)
        return zci_v4l2_fail(dev, "VIDIOC_QUERY_EXT_CTRL", error);
    zci_v4l2_control_name(out->info.title, out->info.name, sizeof out->info.name);
    return ZCS_OK;
}

static zcs_status refuse_name(const struct zci_v4l2_device *dev, const char *name)
{
    char names[NAMES_BYTES] = "";
    struct zci_v4l2_control control;
    size_t used = 0;
    for (uint32_t id = 0; zci_v4l2_control_next(dev, id, &control) == ZCS_OK; id = control.info.id)
        if (used < sizeof names)
            used += (size_t)snprintf(names + used, sizeof names - used, "%s%s",
                                     used > 0 ? ", " : "", control.info.name);
    if (used >= sizeof names)
        memcpy(names + sizeof names - 4, "...", 4);
    return zci_fail(dev->log, ZCS_ERR_ARG, "%s: no control '%s'; it has %s", dev->path, name,
                    used > 0 ? names : "none");
}

zcs_status zci_v4l2_control_find(const struct zci_v4l2_device *dev, const char *name,
                                 struct zci_v4l2_control *out)
{
    char spelt[64];
    int64_t id = 0;
    struct zci_v4l2_control control;
    const int by_id = zci_v4l2_parse_number(name, &id) == 0;
    zci_v4l2_control_name(name, spelt, sizeof spelt);
    zcs_status status = ZCS_OK;
    for (uint32_t after = 0; status == ZCS_OK; after = control.info.id) {
        status = zci_v4l2_control_next(dev, after, &control);
        if (status == ZCS_OK &&
            (by_id ? control.info.id == id : strcmp(control.info.name, spelt) == 0)) {
            *out = control;
            return ZCS_OK;
        }
    }
    return status < 0 ? status : refuse_name(dev, name);
}

zcs_status zci_v4l2_control_item(const struct zci_v4l2_device *dev,
                                 const struct zci_v4l2_control *control, uint32_t from,
                                 struct zcs_control_item *out)
{
    const enum zcs_control_type type = control->info.type;
    if (type != ZCS_CONTROL_MENU && type != ZCS_CONTROL_INTEGER_MENU)
        return ZCS_EOF;
    const int64_t max = control->info.max < MAX_ITEM ? control->info.max : MAX_ITEM;
    int64_t index = from > control->info.min ? (int64_t)from : control->info.min;
    for (; index <= max; index++) {
        const int error = zci_v4l2_querymenu(&dev->port, control, (uint32_t)index, out);
        if (error == 0)
            return ZCS_OK;
        if (error != EINVAL)
            return zci_v4l2_fail(dev, "VIDIOC_QUERYMENU", error);
    }
    return ZCS_EOF;
}

static zcs_status get_text(const struct zci_v4l2_device *dev,
                           const struct zci_v4l2_control *control, char *text, size_t bytes)
{
    /* A driver may report any length, and the kernel's struct has 32 bits for it. */
    const int64_t max = control->info.max;
    const size_t room = max >= 0 && max < MAX_TEXT ? (size_t)max + 1 : 0;
    if (room == 0)
        return zci_fail(dev->log, ZCS_ERR_UNSUPPORTED,
                        "%s: %s: the driver reports a string length of %" PRId64 " bytes",
                        dev->path, control->info.name, max);
    char *got = malloc(room);
    if (got == NULL)
        return zci_fail(dev->log, ZCS_ERR_NOMEM, "%s: no memory for the text of %s", dev->path,
                        control->info.name);
    const int error = zci_v4l2_get_string(&dev->port, control, got, room);
    if (error == 0)
        snprintf(text, bytes, "%s", got);
    free(got);
    return error == 0 ? ZCS_OK : zci_v4l2_fail(dev, control->info.name, error);
}

zcs_status zci_v4l2_control_get(const struct zci_v4l2_device *dev,
                                const struct zci_v4l2_control *control, char *text, size_t bytes)
{
    const enum zcs_control_type type = control->info.type;
    if (type == ZCS_CONTROL_BUTTON || type == ZCS_CONTROL_COMPOUND ||
        (control->info.flags & (ZCS_CONTROL_WRITE_ONLY | ZCS_CONTROL_DISABLED)))
        return ZCS_ERR_UNSUPPORTED;
    if (type == ZCS_CONTROL_STRING)
        return get_text(dev, control, text, bytes);
    int64_t value = 0;
    const int error = zci_v4l2_get_control(&dev->port, control, &value);
    if (error == EACCES)
        return ZCS_ERR_UNSUPPORTED;
    if (error != 0)
        return zci_v4l2_fail(dev, control->info.name, error);
    if (type == ZCS_CONTROL_BITMASK)
        snprintf(text, bytes, "0x%08" PRIx64, (uint64_t)value);
    else
        snprintf(text, bytes, "%" PRId64, value);
    return ZCS_OK;
}

zcs_status zci_v4l2_control_parse(const struct zci_v4l2_device *dev, const char *setting,
                                  struct zci_v4l2_control *out, const char **value)
{
    const char *equals = strchr(setting, '=');
    const size_t length = equals != NULL ? (size_t)(equals - setting) : strlen(setting);
    char name[64];
    snprintf(name, sizeof name, "%.*s", length < sizeof name ? (int)length : (int)sizeof name,
             setting);
    *value = equals != NULL ? equals + 1 : NULL;
    return zci_v4l2_control_find(dev, name, out);
}

static zcs_status refuse_value(const struct zci_v4l2_device *dev,
                               const struct zci_v4l2_control *control, const char *value,
                               const char *takes)
{
    return zci_fail(dev->log, ZCS_ERR_ARG, "%s: %s=%s: it takes %s", dev->path, control->info.name,
                    value, takes);
}

static zcs_status refuse_item(const struct zci_v4l2_device *dev,
                              const struct zci_v4l2_control *control, const char *value)
{
    char items[ITEMS_BYTES] = "";
    struct zcs_control_item item = {0};
    size_t used = 0;
    for (uint32_t from = 0; zci_v4l2_control_item(dev, control, from, &item) == ZCS_OK;
         from = item.index + 1)
        if (used < sizeof items)
            used += (size_t)snprintf(items + used, sizeof items - used, "%s%" PRIu32 " (%s)",
                                     used > 0 ? ", " : "", item.index, item.text);
    return refuse_value(dev, control, value, items);
}

/* Parses a menu item: its index, or its text. In an integer menu a number is first taken as the
 * index, as v4l2-ctl does, and as the item's own number where there is no such index. */
static zcs_status parse_item(const struct zci_v4l2_device *dev,
                             const struct zci_v4l2_control *control, const char *value,
                             int64_t *out)
{
    char wanted[64], spelt[64];
    int64_t number = -1;
    const int is_number = zci_v4l2_parse_number(value, &number) == 0;
    struct zcs_control_item item = {0};
    int64_t found = -1;
    zci_v4l2_control_name(value, wanted, sizeof wanted);
    for (uint32_t from = 0; zci_v4l2_control_item(dev, control, from, &item) == ZCS_OK;
         from = item.index + 1) {
        zci_v4l2_control_name(item.text, spelt, sizeof spelt);
        if (is_number && number == item.index) {
            *out = number;
            return ZCS_OK;
        }
        if (found < 0 && (strcmp(item.text, value) == 0 || strcmp(spelt, wanted) == 0))
            found = item.index;
    }
    if (found < 0)
        return refuse_item(dev, control, value);
    *out = found;
    return ZCS_OK;
}

static zcs_status parse_integer(const struct zci_v4l2_device *dev,
                                const struct zci_v4l2_control *control, const char *value,
                                int64_t *out)
{
    const struct zcs_control *info = &control->info;
    char range[96];
    int64_t number = 0;
    const int truth = info->type == ZCS_CONTROL_BOOLEAN && parse_bool(value, &number) == 0;
    const int bits = info->type == ZCS_CONTROL_BITMASK;
    snprintf(range, sizeof range, "%" PRId64 "..%" PRId64, bits ? 0 : info->min, info->max);
    if (info->type == ZCS_CONTROL_BOOLEAN)
        snprintf(range, sizeof range, "0 or 1, off or on");
    if (!truth && zci_v4l2_parse_number(value, &number) != 0)
        return refuse_value(dev, control, value, range);
    if (number < (bits ? 0 : info->min) || number > info->max)
        return refuse_value(dev, control, value, range);
    *out = number;
    return ZCS_OK;
}

static zcs_status parse_value(const struct zci_v4l2_device *dev,
                              const struct zci_v4l2_control *control, const char *value,
                              int64_t *out)
{
    switch (control->info.type) {
    case ZCS_CONTROL_MENU:
    case ZCS_CONTROL_INTEGER_MENU:
        return parse_item(dev, control, value, out);
    case ZCS_CONTROL_BUTTON:
    case ZCS_CONTROL_STRING:
        *out = 0;
        return ZCS_OK;
    default:
        return parse_integer(dev, control, value, out);
    }
}

/* Whether the control can be set, as far as its type and flags show. */
static zcs_status check_settable(const struct zci_v4l2_device *dev,
                                 const struct zci_v4l2_control *control, const char *value)
{
    const struct zcs_control *info = &control->info;
    if (info->type == ZCS_CONTROL_COMPOUND)
        return zci_fail(dev->log, ZCS_ERR_UNSUPPORTED,
                        "%s: %s is %s: only single values and texts can be set", dev->path,
                        info->name, info->kind);
    if (info->flags & (ZCS_CONTROL_READ_ONLY | ZCS_CONTROL_DISABLED))
        return zci_fail(dev->log, ZCS_ERR_UNSUPPORTED, "%s: %s %s", dev->path, info->name,
                        info->flags & ZCS_CONTROL_DISABLED ? "is disabled by the driver"
                                                           : "can only be read");
    if (value == NULL && info->type != ZCS_CONTROL_BUTTON)
        return zci_fail(dev->log, ZCS_ERR_ARG, "%s: %s: a value is missing (%s=VALUE)", dev->path,
                        info->name, info->name);
    return ZCS_OK;
}

/* Logs why the driver refused the value. */
static zcs_status set_failed(const struct zci_v4l2_device *dev,
                             const struct zci_v4l2_control *control, const char *value, int error)
{
    const char *why = strerror(error);
    zcs_status status = ZCS_ERR_IO;
    if (error == ENODEV || error == ENXIO)
        return zci_v4l2_fail(dev, control->info.name, error);
    if (control->info.flags & ZCS_CONTROL_INACTIVE) {
        why =
            "it is inactive: another control, usually an automatic one, overrides it; set that one "
            "first";
        status = ZCS_ERR_BUSY;
    } else if (error == EBUSY) {
        why = "the driver holds it while the camera streams, or another program does";
        status = ZCS_ERR_BUSY;
    } else if (error == EACCES) {
        why = "the driver does not let it be set";
        status = ZCS_ERR_UNSUPPORTED;
    } else if (error == ERANGE || error == EINVAL) {
        why = "the driver does not take this value";
        status = ZCS_ERR_ARG;
    }
    return zci_fail(dev->log, status, "%s: %s=%s: %s", dev->path, control->info.name,
                    value != NULL ? value : "", why);
}

static int set_value(const struct zci_v4l2_device *dev, const struct zci_v4l2_control *control,
                     const char *value, int64_t number)
{
    if (control->info.type != ZCS_CONTROL_STRING)
        return zci_v4l2_set_control(&dev->port, control, number);
    const size_t bytes = strlen(value) + 1;
    if (control->info.max < 0 || bytes - 1 > (uint64_t)control->info.max)
        return ERANGE;
    return zci_v4l2_set_string(&dev->port, control, value, bytes);
}

/* Logs where the driver set another value. Volatile controls change by themselves and are not
 * logged. */
static int64_t read_back(const struct zci_v4l2_device *dev, const struct zci_v4l2_control *control,
                         int64_t wanted)
{
    const struct zcs_control *info = &control->info;
    int64_t got = wanted;
    if (info->type == ZCS_CONTROL_BUTTON || info->type == ZCS_CONTROL_STRING ||
        (info->flags & ZCS_CONTROL_WRITE_ONLY) ||
        zci_v4l2_get_control(&dev->port, control, &got) != 0)
        return wanted;
    if (got != wanted && !(info->flags & ZCS_CONTROL_VOLATILE))
        zci_log(dev->log, ZCS_LOG_WARNING,
                "%s: %s: asked for %" PRId64 ", the driver made it %" PRId64, dev->path, info->name,
                wanted, got);
    return got;
}

zcs_status zci_v4l2_control_set(const struct zci_v4l2_device *dev,
                                const struct zci_v4l2_control *control, const char *value,
                                int64_t *done)
{
    int64_t number = 0;
    zcs_status status = check_settable(dev, control, value);
    if (status == ZCS_OK)
        status = parse_value(dev, control, value, &number);
    if (status != ZCS_OK)
        return status;
    const int error = set_value(dev, control, value, number);
    if (error != 0)
        return set_failed(dev, control, value, error);
    *done = read_back(dev, control, number);
    return ZCS_OK;
}
