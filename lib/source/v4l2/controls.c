/* SPDX-License-Identifier: MIT */
/* A camera's controls by name: finding and reading. */
#include "source/v4l2/controls.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "source/v4l2/control_text.h"

#define NAMES_BYTES 600
#define MAX_TEXT (1 << 20) /* bytes of a text */
#define MAX_ITEM 4095      /* of a menu: each number that may be one costs a request */

zcs_status zci_v4l2_control_next(const struct zci_v4l2_device *dev, uint32_t after,
                                 struct zci_v4l2_control *out)
{
    const int error = zci_v4l2_next_control(&dev->port, after, out);
    if (error == EINVAL || error == ENOTTY)
        return ZCS_EOF;
    if (error != 0)
        return zci_v4l2_trouble(dev, "VIDIOC_QUERY_EXT_CTRL", error);
    zci_control_spell(out->seen.title, out->seen.name, sizeof out->seen.name);
    return ZCS_OK;
}

static zcs_status refuse_name(const struct zci_v4l2_device *dev, const char *name)
{
    char names[NAMES_BYTES] = "";
    struct zci_v4l2_control control;
    size_t used = 0;
    for (uint32_t id = 0; zci_v4l2_control_next(dev, id, &control) == ZCS_OK; id = control.seen.id)
        if (used < sizeof names)
            used += (size_t)snprintf(names + used, sizeof names - used, "%s%s",
                                     used > 0 ? ", " : "", control.seen.name);
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
    const int by_id = zci_control_number(name, &id) == 0;
    zci_control_spell(name, spelt, sizeof spelt);
    zcs_status status = ZCS_OK;
    for (uint32_t after = 0; status == ZCS_OK; after = control.seen.id) {
        status = zci_v4l2_control_next(dev, after, &control);
        if (status == ZCS_OK &&
            (by_id ? control.seen.id == id : strcmp(control.seen.name, spelt) == 0)) {
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
    const enum zcs_control_type type = control->seen.type;
    if (type != ZCS_CONTROL_MENU && type != ZCS_CONTROL_INTEGER_MENU)
        return ZCS_EOF;
    const int64_t max = control->seen.max < MAX_ITEM ? control->seen.max : MAX_ITEM;
    int64_t index = from > control->seen.min ? (int64_t)from : control->seen.min;
    for (; index <= max; index++) {
        const int error = zci_v4l2_menu_item(&dev->port, control, (uint32_t)index, out);
        if (error == 0)
            return ZCS_OK;
        if (error != EINVAL)
            return zci_v4l2_trouble(dev, "VIDIOC_QUERYMENU", error);
    }
    return ZCS_EOF;
}

static zcs_status get_text(const struct zci_v4l2_device *dev,
                           const struct zci_v4l2_control *control, char *text, size_t bytes)
{
    /* A driver may say any length; the kernel's struct has 32 bits for it. */
    const int64_t max = control->seen.max;
    const size_t room = max >= 0 && max < MAX_TEXT ? (size_t)max + 1 : 0;
    if (room == 0)
        return zci_fail(dev->log, ZCS_ERR_UNSUPPORTED,
                        "%s: %s: the driver says that its text has up to %" PRId64 " bytes",
                        dev->path, control->seen.name, max);
    char *got = malloc(room);
    if (got == NULL)
        return zci_fail(dev->log, ZCS_ERR_NOMEM, "%s: no memory for the text of %s", dev->path,
                        control->seen.name);
    const int error = zci_v4l2_get_text(&dev->port, control, got, room);
    if (error == 0)
        snprintf(text, bytes, "%s", got);
    free(got);
    return error == 0 ? ZCS_OK : zci_v4l2_trouble(dev, control->seen.name, error);
}

zcs_status zci_v4l2_control_get(const struct zci_v4l2_device *dev,
                                const struct zci_v4l2_control *control, char *text, size_t bytes)
{
    const enum zcs_control_type type = control->seen.type;
    if (type == ZCS_CONTROL_BUTTON || type == ZCS_CONTROL_COMPOUND ||
        (control->seen.flags & (ZCS_CONTROL_WRITE_ONLY | ZCS_CONTROL_DISABLED)))
        return ZCS_ERR_UNSUPPORTED;
    if (type == ZCS_CONTROL_STRING)
        return get_text(dev, control, text, bytes);
    int64_t value = 0;
    const int error = zci_v4l2_get_control(&dev->port, control, &value);
    if (error == EACCES)
        return ZCS_ERR_UNSUPPORTED;
    if (error != 0)
        return zci_v4l2_trouble(dev, control->seen.name, error);
    if (type == ZCS_CONTROL_BITMASK)
        snprintf(text, bytes, "0x%08" PRIx64, (uint64_t)value);
    else
        snprintf(text, bytes, "%" PRId64, value);
    return ZCS_OK;
}

zcs_status zci_v4l2_control_of(const struct zci_v4l2_device *dev, const char *setting,
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
