/* SPDX-License-Identifier: MIT */
/* The fate of each frame of a source with injected faults. */
#ifndef ZCI_SOURCE_FAULT_INJECTOR_H
#define ZCI_SOURCE_FAULT_INJECTOR_H

#include "core/inject.h"
#include "core/log.h"

struct zci_fault_injector {
    struct zci_inject inject;
    int active;
    uint64_t n;       /* of the next frame, from 0 */
    int64_t stall_ns; /* CLOCK_MONOTONIC moment up to which it is held back; 0: not */
};

/* `text` may be NULL: nothing happens. ZCS_ERR_FORMAT, logged with `what`. */
zcs_status zci_fault_injector_init(struct zci_fault_injector *faults, const char *text,
                                   const char *what, const struct zci_log *log);

/* Before the next frame: ZCS_OK, or ZCS_AGAIN while it is held back; ZCS_ERR_GONE, logged. */
zcs_status zci_fault_injector_wait(struct zci_fault_injector *faults, const char *what,
                                   const struct zci_log *log, int64_t deadline_ns);

/* Once the next frame is there: 0 and it is good, or 1 and it is lost, which `lost` counts. */
int zci_fault_injector_lost(struct zci_fault_injector *faults, uint64_t lost[ZCS_LOSS_COUNT]);

#endif
