/* SPDX-License-Identifier: MIT */
/* Drift: whether frames have been slower than measured for so long that measuring again pays. */
#ifndef ZCI_STREAM_DRIFT_H
#define ZCI_STREAM_DRIFT_H

#include <stdint.h>

/* frames whose mean is one value: single frames may alternate between quick and slow */
#define ZCI_DRIFT_RUN 8u
#define ZCI_DRIFT_RUNS 9u    /* values in a window, whose median counts, so that outliers do not */
#define ZCI_DRIFT_WINDOWS 4u /* slow windows in a row that count as drift */

struct zci_drift {
    int64_t expected_ns; /* of a frame; 0: drift is not watched */
    int64_t median_ns;   /* of the latest window */
    int64_t run_ns;      /* sum of the unfinished run */
    uint32_t in_run, runs, slow;
    int64_t ns[ZCI_DRIFT_RUNS];
};

void zci_drift_init(struct zci_drift *drift, int64_t expected_ns);

/* One frame took at least `ns`; < 0: not known. Returns 1 if ZCI_DRIFT_WINDOWS windows in a row
 * were more than a quarter above the expected time. The watch starts again then. */
int zci_drift_add(struct zci_drift *drift, int64_t ns);

/* To be called after measuring again. If frames were seen to take longer than the new measurement,
 * that longer time is expected from now on: a frame can be slower for good because the machine does
 * other work, and must not be measured again and again for it. */
void zci_drift_settle(struct zci_drift *drift, int64_t measured_ns);

/* Sorts the `count` > 0 values and returns their median. */
int64_t zci_median(int64_t *values, uint32_t count);

#endif
