/* SPDX-License-Identifier: MIT */
/* Low latency: asking each device's first lane to hold what makes it quick. */
#include "stream/low_latency.h"

static void tell(const struct zci_log *log, uint32_t device, const struct zci_hold *hold)
{
    if (hold->units > 0)
        zci_log(log, ZCS_LOG_INFO, "low latency: %u multiprocessors of device %u are held",
                hold->units, device);
    else
        zci_log(log, ZCS_LOG_WARNING, "no low latency on device %u, since %s", device,
                hold->reason);
}

/* Whether a flight before the index-th makes its results on the same device. */
static int seen_before(const struct zci_lanes *lanes, uint32_t index)
{
    for (uint32_t i = 0; i < index; i++)
        if (lanes->flights[i].device == lanes->flights[index].device)
            return 1;
    return 0;
}

static zcs_status hold(struct zci_lanes *lanes, const struct zci_flight *flight,
                       struct zci_hold *out)
{
    const struct zci_backend_ops *ops = lanes->params.backend->ops;
    out->reason = "frames run on the CPU: only a GPU holds a kernel ready";
    if (flight->entry_count > 1)
        out->reason = "several devices work on each frame";
    else if (ops->lane_hold != NULL)
        return ops->lane_hold(flight->lane, out);
    return ZCS_OK;
}

zcs_status zci_latency_add(struct zci_latency *latency, struct zci_lanes *lanes)
{
    for (uint32_t i = 0; i < lanes->count; i++) {
        struct zci_hold held = {.units = 0};
        if (seen_before(lanes, i))
            continue;
        const zcs_status status = hold(lanes, &lanes->flights[i], &held);
        if (status != ZCS_OK)
            return status;
        lanes->flights[i].held_units = held.units;
        latency->held_units += held.units;
        if (held.units == 0)
            latency->reason = held.reason;
        tell(&lanes->params.backend->log, lanes->flights[i].device, &held);
    }
    return ZCS_OK;
}
