/* SPDX-License-Identifier: MIT */
/* Injected faults as text: "drop=5%,error=1%,short=1%,stall=200ms,gone=100,seed=7". Pure. */
#ifndef ZCI_CORE_INJECT_H
#define ZCI_CORE_INJECT_H

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

/* The loss that frame `n` suffers, or ZCS_LOSS_COUNT for none. The same for the same seed and
 * number. */
enum zcs_loss zci_inject_loss(const struct zci_inject *inject, uint64_t n);

#endif
