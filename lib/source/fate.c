/* SPDX-License-Identifier: MIT */
/* Injected faults as they come true: frames lost or held back, and the end. */
#include "source/fate.h"

#include <inttypes.h>

#include "core/clock.h"
#include "source/wait.h"

zcs_status zcs_inject_parse(const char *text, char *message, size_t message_bytes)
{
    struct zci_inject inject;
    return text == NULL ? ZCS_ERR_ARG : zci_inject_parse(text, &inject, message, message_bytes);
}

zcs_status zci_fate_init(struct zci_fate *fate, const char *text, const char *what,
                         const struct zci_log *log)
{
    char why[160];
    *fate = (struct zci_fate){.active = text != NULL};
    const zcs_status status = zci_inject_parse(text, &fate->inject, why, sizeof why);
    return status == ZCS_OK ? status : zci_fail(log, status, "%s: inject %s", what, why);
}

zcs_status zci_fate_wait(struct zci_fate *fate, const char *what, const struct zci_log *log,
                         int64_t deadline_ns)
{
    const struct zci_inject *inject = &fate->inject;
    if (!fate->active)
        return ZCS_OK;
    if (inject->gone_after != 0 && fate->n == inject->gone_after)
        return zci_fail(log, ZCS_ERR_GONE, "%s: gone after %" PRIu64 " frames, as injected", what,
                        fate->n);
    if (inject->stall_ns == 0 || fate->n % inject->stall_every != inject->stall_every - 1)
        return ZCS_OK;
    if (fate->stall_ns == 0)
        fate->stall_ns = zci_now_ns() + inject->stall_ns;
    return zci_wait_until(fate->stall_ns, deadline_ns);
}

int zci_fate_lost(struct zci_fate *fate, uint64_t lost[ZCS_LOSS_COUNT])
{
    if (!fate->active)
        return 0;
    const enum zcs_loss loss = zci_inject_loss(&fate->inject, fate->n++);
    fate->stall_ns = 0;
    if (loss == ZCS_LOSS_COUNT)
        return 0;
    lost[loss]++;
    return 1;
}
