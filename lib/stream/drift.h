/* SPDX-License-Identifier: MIT */
/* Whether frames have become slower than was measured, for so long that measuring anew pays. */
#ifndef ZCI_STREAM_DRIFT_H
#define ZCI_STREAM_DRIFT_H

#include <stdint.h>

#define ZCI_DRIFT_RUN 8u     /* frames whose mean is a value: they may be uneven by turns */
#define ZCI_DRIFT_RUNS 9u    /* a window: their median counts, so that single frames do not */
#define ZCI_DRIFT_WINDOWS 4u /* slow ones in a row that are long enough */

struct zci_drift {
    int64_t expected_ns; /* of a frame; 0: nothing is watched */
    int64_t median_ns;   /* of the latest window */
    int64_t run_ns;      /* sum over the run that is not whole yet */
    uint32_t in_run, runs, slow;
    int64_t ns[ZCI_DRIFT_RUNS];
};

void zci_drift_init(struct zci_drift *drift, int64_t expected_ns);

/* One frame took `ns` at least; < 0: not known. 1: ZCI_DRIFT_WINDOWS windows in a row were more than a
 * quarter above what is expected. The watch begins anew then. */
int zci_drift_add(struct zci_drift *drift, int64_t ns);

/* Once measured anew. What frames were seen to take is expected from now on where that is more: a frame
 * beside which the machine does other things takes longer than one that is measured, for good, and is not
 * measured again and again for it. */
void zci_drift_settle(struct zci_drift *drift, int64_t measured_ns);

/* Of `count` > 0 values, which are sorted by it. */
int64_t zci_median(int64_t *values, uint32_t count);

#endif
