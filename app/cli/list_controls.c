/* SPDX-License-Identifier: MIT */
/* --list-controls: a line for each control, its menu below it. */
#include <inttypes.h>
#include <stdlib.h>

#include "app/cli/list_camera.h"

#define TEXT_BYTES 256

static void put_flags(uint32_t flags)
{
    static const struct {
        uint32_t flag;
        const char *word;
    } words[] = {
        {ZCS_CONTROL_DISABLED, "disabled"},         {ZCS_CONTROL_READ_ONLY, "read-only"},
        {ZCS_CONTROL_WRITE_ONLY, "write-only"},     {ZCS_CONTROL_INACTIVE, "inactive"},
        {ZCS_CONTROL_VOLATILE, "volatile"},         {ZCS_CONTROL_GRABBED, "grabbed"},
        {ZCS_CONTROL_LAYOUT, "changes the format"},
    };
    int any = 0;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (flags & words[i].flag) {
            printf("%s%s", any ? ", " : "  (", words[i].word);
            any = 1;
        }
    if (any)
        printf(")");
}

static void put_range(const struct zcs_control *control)
{
    switch (control->type) {
    case ZCS_CONTROL_INTEGER:
        printf("  %" PRId64 "..%" PRId64, control->min, control->max);
        if (control->step != 1)
            printf(" step %" PRIu64, control->step);
        printf(" [%" PRId64 "]", control->default_value);
        break;
    case ZCS_CONTROL_BITMASK:
        printf("  0x%08" PRIx64 " [0x%08" PRIx64 "]", (uint64_t)control->max,
               (uint64_t)control->default_value);
        break;
    case ZCS_CONTROL_STRING:
        printf("  %" PRId64 "..%" PRId64 " bytes", control->min, control->max);
        break;
    case ZCS_CONTROL_BOOLEAN:
    case ZCS_CONTROL_MENU:
    case ZCS_CONTROL_INTEGER_MENU:
        printf("  [%" PRId64 "]", control->default_value);
        break;
    default:
        break;
    }
}

/* Its value, of a menu with the item's text. */
static void put_value(zcs_camera *camera, const struct zcs_control *control)
{
    char value[TEXT_BYTES];
    struct zcs_control_item item = {0};
    if (zcs_control_get(camera, control, value, sizeof value) != ZCS_OK)
        return;
    printf(control->type == ZCS_CONTROL_STRING ? "  = '%s'" : "  = %s", value);
    const uint32_t index = (uint32_t)strtoul(value, NULL, 10);
    if (zcs_control_item(camera, control, index, &item) == ZCS_OK && item.index == index)
        printf(" (%s)", item.text);
}

static void put_control(zcs_camera *camera, const struct zcs_control *control)
{
    struct zcs_control_item item = {0};
    printf("%-32s 0x%08x  %-8s", control->name, control->id, control->kind);
    put_range(control);
    put_value(camera, control);
    put_flags(control->flags);
    printf("\n");
    for (uint32_t from = 0; zcs_control_item(camera, control, from, &item) == ZCS_OK;
         from = item.index + 1)
        printf("    %" PRIu32 ": %s\n", item.index, item.text);
}

int list_camera_controls(const struct options *options, struct console *console)
{
    zcs_context *ctx = NULL;
    zcs_camera *camera = NULL;
    struct zcs_control control = {.id = 0};
    const int status = list_camera_open(options, console, &ctx, &camera);
    if (status != 0)
        return status;
    uint32_t count = 0;
    for (; zcs_control_next(camera, control.id, &control) == ZCS_OK; count++)
        put_control(camera, &control);
    if (count == 0)
        printf("%s has no controls\n", options->input);
    zcs_camera_close(&camera);
    zcs_close(&ctx);
    return 0;
}
