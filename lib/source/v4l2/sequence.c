/* SPDX-License-Identifier: MIT */
/* Frame numbers that may start anywhere, wrap, stand still or begin anew. */
#include "source/v4l2/sequence.h"

#define BACKWARDS (UINT32_C(1) << 31)

uint64_t zci_v4l2_sequence_next(struct zci_v4l2_sequence *sequence, uint32_t raw, uint64_t *gap)
{
    uint32_t step = raw - sequence->last;
    if (sequence->restarted || step == 0 || step >= BACKWARDS)
        step = 1;
    uint64_t lost = 0;
    if (sequence->started) {
        sequence->number += step;
        lost = step - 1;
    } else {
        sequence->number = raw;
    }
    *gap = lost > sequence->counted ? lost - sequence->counted : 0;
    sequence->counted = 0;
    sequence->last = raw;
    sequence->started = 1;
    sequence->restarted = 0;
    return sequence->number;
}

void zci_v4l2_sequence_pass(struct zci_v4l2_sequence *sequence, uint64_t missed)
{
    if (sequence->started)
        sequence->number += missed;
}
