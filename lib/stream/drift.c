/* SPDX-License-Identifier: MIT */
/* Drift: windows of frame times, compared with the measured time. */
#include "stream/drift.h"

int64_t zci_median(int64_t *values, uint32_t count)
{
    for (uint32_t i = 1; i < count; i++)
        for (uint32_t k = i; k > 0 && values[k] < values[k - 1]; k--) {
            const int64_t other = values[k];
            values[k] = values[k - 1];
            values[k - 1] = other;
        }
    return values[count / 2];
}

void zci_drift_init(struct zci_drift *drift, int64_t expected_ns)
{
    *drift = (struct zci_drift){.expected_ns = expected_ns};
}

int zci_drift_add(struct zci_drift *drift, int64_t ns)
{
    if (drift->expected_ns <= 0 || ns < 0)
        return 0;
    drift->run_ns += ns;
    if (++drift->in_run < ZCI_DRIFT_RUN)
        return 0;
    drift->ns[drift->runs++] = drift->run_ns / ZCI_DRIFT_RUN;
    drift->run_ns = 0;
    drift->in_run = 0;
    if (drift->runs < ZCI_DRIFT_RUNS)
        return 0;
    drift->runs = 0;
    drift->median_ns = zci_median(drift->ns, ZCI_DRIFT_RUNS);
    const int slow = drift->median_ns > drift->expected_ns + drift->expected_ns / 4;
    drift->slow = slow ? drift->slow + 1 : 0;
    if (drift->slow < ZCI_DRIFT_WINDOWS)
        return 0;
    drift->slow = 0;
    return 1;
}

void zci_drift_settle(struct zci_drift *drift, int64_t measured_ns)
{
    const int64_t seen_ns = drift->median_ns;
    zci_drift_init(drift, seen_ns > measured_ns ? seen_ns : measured_ns);
}
