/* SPDX-License-Identifier: MIT */
/* Faults */
#ifndef ZCI_SOURCE_FAULT_INJECTOR_H
#define ZCI_SOURCE_FAULT_INJECTOR_H

#include "core/log.h"
#include "zcstream/source.h"

/* What may happen to a frame; parts of a million. All zero: nothing. */
struct zci_inject {
    uint32_t drop_ppm, error_ppm, short_ppm;
    int64_t stall_ns;
    uint64_t stall_every; /* frames */
    uint64_t gone_after;  /* frames; 0: never */
    uint64_t seed;
};

/* NULL text is nothing. ZCS_ERR_FORMAT: `why` names the place. */
zcs_status zci_inject_parse(const char *text, struct zci_inject *out, char *why, size_t why_bytes);

/* The loss that frame `n` suffers, or ZCS_LOSS_COUNT for none. The same for the same seed and number. */
enum zcs_loss zci_inject_loss(const struct zci_inject *inject, uint64_t n);

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
