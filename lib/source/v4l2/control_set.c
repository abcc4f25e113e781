/* SPDX-License-Identifier: MIT */
/* Setting a control: what a value means, what the driver made of it, and one line for each refusal. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "source/v4l2/control_text.h"
#include "source/v4l2/controls.h"

#define ITEMS_BYTES 400

static zcs_status refuse_value(const struct zci_v4l2_device *dev,
                               const struct zci_v4l2_control *control, const char *value,
                               const char *takes)
{
    return zci_fail(dev->log, ZCS_ERR_ARG, "%s: %s=%s: it takes %s", dev->path, control->seen.name,
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

/* A menu's item by number, or by its text; of an integer menu the number is the place, as v4l2-ctl has it, and
 * only where there is no such place the item's own number. */
static zcs_status read_item(const struct zci_v4l2_device *dev,
                            const struct zci_v4l2_control *control, const char *value, int64_t *out)
{
    char wanted[64], spelt[64];
    int64_t number = -1;
    const int is_number = zci_control_number(value, &number) == 0;
    struct zcs_control_item item = {0};
    int64_t found = -1;
    zci_control_spell(value, wanted, sizeof wanted);
    for (uint32_t from = 0; zci_v4l2_control_item(dev, control, from, &item) == ZCS_OK;
         from = item.index + 1) {
        zci_control_spell(item.text, spelt, sizeof spelt);
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

static zcs_status read_number(const struct zci_v4l2_device *dev,
                              const struct zci_v4l2_control *control, const char *value,
                              int64_t *out)
{
    const struct zcs_control *seen = &control->seen;
    char range[96];
    int64_t number = 0;
    const int truth = seen->type == ZCS_CONTROL_BOOLEAN && zci_control_truth(value, &number) == 0;
    const int bits = seen->type == ZCS_CONTROL_BITMASK;
    snprintf(range, sizeof range, "%" PRId64 "..%" PRId64, bits ? 0 : seen->min, seen->max);
    if (seen->type == ZCS_CONTROL_BOOLEAN)
        snprintf(range, sizeof range, "0 or 1, off or on");
    if (!truth && zci_control_number(value, &number) != 0)
        return refuse_value(dev, control, value, range);
    if (number < (bits ? 0 : seen->min) || number > seen->max)
        return refuse_value(dev, control, value, range);
    *out = number;
    return ZCS_OK;
}

static zcs_status read_value(const struct zci_v4l2_device *dev,
                             const struct zci_v4l2_control *control, const char *value,
                             int64_t *out)
{
    switch (control->seen.type) {
    case ZCS_CONTROL_MENU:
    case ZCS_CONTROL_INTEGER_MENU:
        return read_item(dev, control, value, out);
    case ZCS_CONTROL_BUTTON:
    case ZCS_CONTROL_STRING:
        *out = 0;
        return ZCS_OK;
    default:
        return read_number(dev, control, value, out);
    }
}

/* What stands against setting it, as far as its flags tell. */
static zcs_status check(const struct zci_v4l2_device *dev, const struct zci_v4l2_control *control,
                        const char *value)
{
    const struct zcs_control *seen = &control->seen;
    if (seen->type == ZCS_CONTROL_COMPOUND)
        return zci_fail(dev->log, ZCS_ERR_UNSUPPORTED,
                        "%s: %s is %s: only single values and texts can be set", dev->path,
                        seen->name, seen->kind);
    if (seen->flags & (ZCS_CONTROL_READ_ONLY | ZCS_CONTROL_DISABLED))
        return zci_fail(dev->log, ZCS_ERR_UNSUPPORTED, "%s: %s %s", dev->path, seen->name,
                        seen->flags & ZCS_CONTROL_DISABLED ? "is disabled by the driver"
                                                           : "can only be read");
    if (value == NULL && seen->type != ZCS_CONTROL_BUTTON)
        return zci_fail(dev->log, ZCS_ERR_ARG, "%s: %s: a value is missing (%s=VALUE)", dev->path,
                        seen->name, seen->name);
    return ZCS_OK;
}

static zcs_status refused(const struct zci_v4l2_device *dev, const struct zci_v4l2_control *control,
                          const char *value, int error)
{
    const char *why = strerror(error);
    zcs_status status = ZCS_ERR_IO;
    if (error == ENODEV || error == ENXIO)
        return zci_v4l2_trouble(dev, control->seen.name, error);
    if (control->seen.flags & ZCS_CONTROL_INACTIVE) {
        why = "it is inactive: another control, mostly an automatic one, rules it; set that one "
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
    return zci_fail(dev->log, status, "%s: %s=%s: %s", dev->path, control->seen.name,
                    value != NULL ? value : "", why);
}

static int set(const struct zci_v4l2_device *dev, const struct zci_v4l2_control *control,
               const char *value, int64_t number)
{
    if (control->seen.type != ZCS_CONTROL_STRING)
        return zci_v4l2_set_control(&dev->port, control, number);
    const size_t bytes = strlen(value) + 1;
    if (control->seen.max < 0 || bytes - 1 > (uint64_t)control->seen.max)
        return ERANGE;
    return zci_v4l2_set_text(&dev->port, control, value, bytes);
}

/* A value that the driver made another one of is told; volatile ones change by themselves. */
static int64_t read_back(const struct zci_v4l2_device *dev, const struct zci_v4l2_control *control,
                         int64_t wanted)
{
    const struct zcs_control *seen = &control->seen;
    int64_t got = wanted;
    if (seen->type == ZCS_CONTROL_BUTTON || seen->type == ZCS_CONTROL_STRING ||
        (seen->flags & ZCS_CONTROL_WRITE_ONLY) ||
        zci_v4l2_get_control(&dev->port, control, &got) != 0)
        return wanted;
    if (got != wanted && !(seen->flags & ZCS_CONTROL_VOLATILE))
        zci_log(dev->log, ZCS_LOG_WARNING,
                "%s: %s: asked for %" PRId64 ", the driver made it %" PRId64, dev->path, seen->name,
                wanted, got);
    return got;
}

zcs_status zci_v4l2_control_set(const struct zci_v4l2_device *dev,
                                const struct zci_v4l2_control *control, const char *value,
                                int64_t *done)
{
    int64_t number = 0;
    zcs_status status = check(dev, control, value);
    if (status == ZCS_OK)
        status = read_value(dev, control, value, &number);
    if (status != ZCS_OK)
        return status;
    const int error = set(dev, control, value, number);
    if (error != 0)
        return refused(dev, control, value, error);
    *done = read_back(dev, control, number);
    return ZCS_OK;
}
