/* SPDX-License-Identifier: MIT */
/* Low latency: asking each device's first frame context to hold what makes it quick. */
#include "stream/low_latency.h"

static void tell(const struct zci_log *log, uint32_t device, const struct zci_reservation *hold)
{
    if (hold->units > 0)
        zci_log(log, ZCS_LOG_INFO, "low latency: %u multiprocessors of device %u are held",
                hold->units, device);
    else
        zci_log(log, ZCS_LOG_WARNING, "no low latency on device %u, since %s", device,
                hold->reason);
}

/* Whether a flight before the index-th makes its results on the same device. */
static int seen_before(const struct zci_inflight *inflight, uint32_t index)
{
    for (uint32_t i = 0; i < index; i++)
        if (inflight->flights[i].device == inflight->flights[index].device)
            return 1;
    return 0;
}

static zcs_status hold(struct zci_inflight *inflight, const struct zci_flight *flight,
                       struct zci_reservation *out)
{
    const struct zci_backend_ops *ops = inflight->params.backend->ops;
    out->reason = "frames run on the CPU: only a GPU holds a kernel ready";
    if (flight->entry_count > 1)
        out->reason = "several devices work on each frame";
    else if (ops->frame_ctx_reserve != NULL)
        return ops->frame_ctx_reserve(flight->fctx, out);
    return ZCS_OK;
}

zcs_status zci_latency_add(struct zci_latency *latency, struct zci_inflight *inflight)
{
    for (uint32_t i = 0; i < inflight->count; i++) {
        struct zci_reservation held = {.units = 0};
        if (seen_before(inflight, i))
            continue;
        const zcs_status status = hold(inflight, &inflight->flights[i], &held);
        if (status != ZCS_OK)
            return status;
        inflight->flights[i].reserved_sms = held.units;
        latency->reserved_sms += held.units;
        if (held.units == 0)
            latency->reason = held.reason;
        tell(&inflight->params.backend->log, inflight->flights[i].device, &held);
    }
    return ZCS_OK;
}
