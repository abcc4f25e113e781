/* SPDX-License-Identifier: MIT */
/* Reading the values of a camera's controls, and setting them again. */
#include "source/v4l2/values.h"

#include <stdlib.h>

#define GROW 32u

struct zci_v4l2_value {
    struct zci_v4l2_control control;
    int64_t value;
};

static int can_be_set_again(const struct zcs_control *seen)
{
    const uint32_t never = ZCS_CONTROL_DISABLED | ZCS_CONTROL_READ_ONLY | ZCS_CONTROL_WRITE_ONLY |
                           ZCS_CONTROL_VOLATILE | ZCS_CONTROL_INACTIVE;
    return (seen->flags & never) == 0 && seen->type != ZCS_CONTROL_BUTTON &&
           seen->type != ZCS_CONTROL_STRING && seen->type != ZCS_CONTROL_COMPOUND;
}

static int add(struct zci_v4l2_values *values, const struct zci_v4l2_control *control,
               int64_t value)
{
    if (values->count % GROW == 0) {
        struct zci_v4l2_value *more = realloc(values->kept, (values->count + GROW) * sizeof *more);
        if (more == NULL)
            return -1;
        values->kept = more;
    }
    values->kept[values->count++] = (struct zci_v4l2_value){*control, value};
    return 0;
}

int zci_v4l2_values_read(struct zci_v4l2_values *values, const struct zci_v4l2_port *port)
{
    struct zci_v4l2_control control;
    int64_t value = 0;
    for (uint32_t id = 0; zci_v4l2_next_control(port, id, &control) == 0; id = control.seen.id)
        if (can_be_set_again(&control.seen) && zci_v4l2_get_control(port, &control, &value) == 0 &&
            add(values, &control, value) != 0)
            return -1;
    return 0;
}

static void note(struct zci_v4l2_values *values, uint32_t id, int64_t value)
{
    for (uint32_t i = 0; i < values->count; i++)
        if (values->kept[i].control.seen.id == id)
            values->kept[i].value = value;
}

void zci_v4l2_values_follow(struct zci_v4l2_values *values, const struct zci_v4l2_changes *changes)
{
    const uint64_t count = changes->count;
    const uint64_t kept = count < ZCI_V4L2_CHANGES_KEPT ? count : ZCI_V4L2_CHANGES_KEPT;
    for (uint64_t number = count - kept + 1; number <= count; number++) {
        const struct zcs_control_change *change = zci_v4l2_changes_get(changes, number);
        if (change != NULL)
            note(values, change->id, change->value);
    }
}

void zci_v4l2_values_restore(const struct zci_v4l2_values *values, const struct zci_v4l2_port *port)
{
    for (uint32_t i = 0; i < values->count; i++) {
        const struct zci_v4l2_value *kept = &values->kept[i];
        int64_t now = 0;
        if (zci_v4l2_get_control(port, &kept->control, &now) == 0 && now != kept->value)
            (void)zci_v4l2_set_control(port, &kept->control, kept->value);
    }
}

void zci_v4l2_values_finish(struct zci_v4l2_values *values)
{
    free(values->kept);
    *values = (struct zci_v4l2_values){0};
}
