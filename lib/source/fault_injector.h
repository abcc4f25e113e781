/* SPDX-License-Identifier: MIT */
/* Fault injection: the text "drop=5%,error=1%,short=1%,stall=200ms/30,gone=100,seed=7", and its
 * effect on a source's frames. */
#ifndef ZCI_SOURCE_FAULT_INJECTOR_H
#define ZCI_SOURCE_FAULT_INJECTOR_H

#include "core/log.h"
#include "zcstream/source.h"

/* What may happen to a frame; all zero: nothing. _ppm: parts per million. */
struct zci_inject {
    uint32_t drop_ppm, error_ppm, short_ppm;
    int64_t stall_ns;
    uint64_t stall_every; /* frames */
    uint64_t gone_after;  /* frames; 0: never */
    uint64_t seed;
};

/* NULL text: nothing is injected. ZCS_ERR_FORMAT: `why` names the wrong part. */
zcs_status zci_inject_parse(const char *text, struct zci_inject *out, char *why, size_t why_bytes);

/* The loss of frame `n`, or ZCS_LOSS_COUNT for none. It depends on the seed and the number only. */
enum zcs_loss zci_inject_loss(const struct zci_inject *inject, uint64_t n);

struct zci_fault_injector {
    struct zci_inject inject;
    int active;
    uint64_t n;       /* the number of the next frame, from 0 */
    int64_t stall_ns; /* the CLOCK_MONOTONIC moment at which a stall ends; 0: no stall has begun */
};

/* `text` may be NULL: nothing is injected. ZCS_ERR_FORMAT is logged with `what`. */
zcs_status zci_fault_injector_init(struct zci_fault_injector *faults, const char *text,
                                   const char *what, const struct zci_log *log);

/* Before the next frame. ZCS_AGAIN: it is stalled. ZCS_ERR_GONE: the source has ended; logged. */
zcs_status zci_fault_injector_wait(struct zci_fault_injector *faults, const char *what,
                                   const struct zci_log *log, int64_t deadline_ns);

/* Once the next frame is there. 1: it is lost, and counted in `lost`; 0: it is good. */
int zci_fault_injector_lost(struct zci_fault_injector *faults, uint64_t lost[ZCS_LOSS_COUNT]);

#endif
