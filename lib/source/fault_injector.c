/* SPDX-License-Identifier: MIT */
/* Injected faults as they come true: frames lost or held back, and the end. */
#include "source/fault_injector.h"

#include <inttypes.h>

#include "os/clock.h"
#include "source/wait.h"

zcs_status zcs_inject_parse(const char *text, char *message, size_t message_bytes)
{
    struct zci_inject inject;
    return text == NULL ? ZCS_ERR_ARG : zci_inject_parse(text, &inject, message, message_bytes);
}

zcs_status zci_fault_injector_init(struct zci_fault_injector *faults, const char *text,
                                   const char *what, const struct zci_log *log)
{
    char why[160];
    *faults = (struct zci_fault_injector){.active = text != NULL};
    const zcs_status status = zci_inject_parse(text, &faults->inject, why, sizeof why);
    return status == ZCS_OK ? status : zci_fail(log, status, "%s: inject %s", what, why);
}

zcs_status zci_fault_injector_wait(struct zci_fault_injector *faults, const char *what,
                                   const struct zci_log *log, int64_t deadline_ns)
{
    const struct zci_inject *inject = &faults->inject;
    if (!faults->active)
        return ZCS_OK;
    if (inject->gone_after != 0 && faults->n == inject->gone_after)
        return zci_fail(log, ZCS_ERR_GONE, "%s: gone after %" PRIu64 " frames, as injected", what,
                        faults->n);
    if (inject->stall_ns == 0 || faults->n % inject->stall_every != inject->stall_every - 1)
        return ZCS_OK;
    if (faults->stall_ns == 0)
        faults->stall_ns = zci_now_ns() + inject->stall_ns;
    return zci_wait_until(faults->stall_ns, deadline_ns);
}

int zci_fault_injector_lost(struct zci_fault_injector *faults, uint64_t lost[ZCS_LOSS_COUNT])
{
    if (!faults->active)
        return 0;
    const enum zcs_loss loss = zci_inject_loss(&faults->inject, faults->n++);
    faults->stall_ns = 0;
    if (loss == ZCS_LOSS_COUNT)
        return 0;
    lost[loss]++;
    return 1;
}
