/* SPDX-License-Identifier: MIT */
/* Regrouping: device groups of the devices that are left. */
#include "stream/failover.h"

#include "os/clock.h"

/* The places of the devices to make frame contexts of: its own, spares when none of them is left. */
static uint32_t usable(const struct zci_inflight *inflight, uint32_t places[ZCS_MAX_DEVICES])
{
    uint32_t count = 0;
    for (int own = 1; own >= 0 && count == 0; own--)
        for (uint32_t i = 0; i < inflight->params.device_count; i++)
            if (!inflight->entries[i].lost && inflight->entries[i].own == own)
                places[count++] = i;
    return count;
}

static uint32_t frame_ctxs_of(const struct zci_inflight *inflight, uint32_t entry)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < inflight->count; i++)
        if (inflight->flights[i].fctx != NULL && inflight->flights[i].entries[0] == entry)
            count++;
    return count;
}

/* The one that has the fewest frame contexts. */
static uint32_t poorest(const struct zci_inflight *inflight, const uint32_t *places, uint32_t count)
{
    uint32_t best = 0, min = UINT32_MAX;
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t have = frame_ctxs_of(inflight, places[i]);
        if (have < min) {
            min = have;
            best = places[i];
        }
    }
    return best;
}

/* Who runs the flight's frames from now on. 0: nobody is left. */
static uint32_t make_group(const struct zci_inflight *inflight, struct zci_flight *flight,
                           struct zci_group *group)
{
    const struct zci_plan *plan = inflight->params.plan;
    uint32_t devices[ZCS_MAX_DEVICES], *places = flight->entries;
    uint32_t count = usable(inflight, places);
    if (count == 0)
        return 0;
    const enum zcs_dispatch dispatch = inflight->params.dispatch;
    if (dispatch != ZCS_DISPATCH_BANDS && dispatch != ZCS_DISPATCH_RELAY) {
        places[0] = poorest(inflight, places, count);
        count = 1;
    }
    for (uint32_t i = 0; i < count; i++)
        devices[i] = inflight->entries[places[i]].device;
    if (count == 1)
        zci_group_one(plan, devices[0], group);
    else if (dispatch == ZCS_DISPATCH_BANDS)
        zci_group_split_rows(plan, devices, count, group);
    else
        zci_group_pipeline(plan, devices, count, group);
    flight->entry_count = group->count;
    return group->count;
}

static zcs_status equip(struct zci_inflight *inflight, struct zci_flight *flight,
                        int *failed_device)
{
    struct zci_backend *backend = inflight->params.backend;
    struct zci_group group;
    *failed_device = -1;
    if (make_group(inflight, flight, &group) == 0)
        return ZCS_ERR_DEVICE;
    flight->device = group.devices[zci_group_result_device(&group)];
    return backend->ops->frame_ctx_create(backend, &group, inflight->params.notifier, failed_device,
                                          &flight->fctx);
}

static int touches(const struct zci_flight *flight, uint32_t entry)
{
    for (uint32_t i = 0; i < flight->entry_count; i++)
        if (flight->entries[i] == entry)
            return 1;
    return 0;
}

void zci_inflight_take_out(struct zci_inflight *inflight, const struct zci_flight *flight,
                           uint32_t place)
{
    struct zci_backend *backend = inflight->params.backend;
    struct zcs_device_info info = {.name = ""};
    uint32_t places[ZCS_MAX_DEVICES];
    const uint32_t entry = flight->entries[place], device = inflight->entries[entry].device;
    inflight->entries[entry].lost = 1;
    for (uint32_t i = 0; i < inflight->count; i++) {
        struct zci_flight *other = &inflight->flights[i];
        if (other->fctx == NULL || !touches(other, entry))
            continue;
        backend->ops->frame_ctx_destroy(&other->fctx);
        other->reserved_sms = 0; /* a frame context that is made anew holds none */
        other->running = 0;
    }
    const uint32_t left = usable(inflight, places);
    backend->ops->device_info(backend, device, &info);
    zci_log(&backend->log, left > 0 ? ZCS_LOG_WARNING : ZCS_LOG_ERROR,
            "device %u (%s) failed and is taken out; %u of %u left%s", device, info.name, left,
            inflight->params.device_count, left > 0 ? ", its frames are done again there" : "");
}

zcs_status zci_inflight_start(struct zci_inflight *inflight, struct zci_flight *flight)
{
    const struct zci_job job = {
        .source = flight->slot->frame.host,
        .source_memory = flight->slot->memory.bytes ? &flight->slot->memory : NULL,
        .result = flight->result->memory.host,
        .result_memory = &flight->result->memory,
        .route = flight->route,
    };
    flight->submitted_ns = zci_now_ns();
    const zcs_status status = inflight->params.backend->ops->frame_ctx_submit(flight->fctx, &job);
    flight->running = status == ZCS_OK;
    return status;
}

/* ZCS_AGAIN: a device was taken out, to be begun anew. */
static zcs_status equip_all(struct zci_inflight *inflight)
{
    for (uint32_t i = 0; i < inflight->count; i++) {
        struct zci_flight *flight = &inflight->flights[i];
        int failed_device;
        if (flight->fctx != NULL)
            continue;
        const zcs_status status = equip(inflight, flight, &failed_device);
        if (status == ZCS_ERR_DEVICE && failed_device >= 0) {
            zci_inflight_take_out(inflight, flight, (uint32_t)failed_device);
            return ZCS_AGAIN;
        }
        if (status != ZCS_OK)
            return status;
    }
    return ZCS_OK;
}

/* The same, oldest frame first. */
static zcs_status start_all(struct zci_inflight *inflight)
{
    for (uint32_t i = 0; i < inflight->busy; i++) {
        struct zci_flight *flight =
            &inflight->flights[inflight->ring[(inflight->oldest + i) % inflight->count]];
        if (flight->running || flight->failed != ZCS_OK)
            continue;
        const zcs_status status = zci_inflight_start(inflight, flight);
        if (status == ZCS_OK) {
            inflight->redone++;
        } else if (flight->fctx->failed_device >= 0) {
            zci_inflight_take_out(inflight, flight, (uint32_t)flight->fctx->failed_device);
            return ZCS_AGAIN;
        } else {
            flight->failed = status;
        }
    }
    return ZCS_OK;
}

zcs_status zci_inflight_failover(struct zci_inflight *inflight)
{
    zcs_status status = ZCS_AGAIN;
    while (status == ZCS_AGAIN) {
        status = equip_all(inflight);
        if (status == ZCS_OK)
            status = start_all(inflight);
    }
    return status;
}
