/* SPDX-License-Identifier: MIT */
/* Regrouping: teams of the devices that are left. */
#include "stream/regroup.h"

#include "core/clock.h"

/* The places of the devices to make lanes of: its own, spares when none of them is left. */
static uint32_t usable(const struct zci_lanes *lanes, uint32_t places[ZCS_MAX_DEVICES])
{
    uint32_t count = 0;
    for (int own = 1; own >= 0 && count == 0; own--)
        for (uint32_t i = 0; i < lanes->params.device_count; i++)
            if (!lanes->entries[i].lost && lanes->entries[i].own == own)
                places[count++] = i;
    return count;
}

static uint32_t lanes_of(const struct zci_lanes *lanes, uint32_t entry)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < lanes->count; i++)
        if (lanes->flights[i].lane != NULL && lanes->flights[i].entries[0] == entry)
            count++;
    return count;
}

/* The one that has the fewest lanes. */
static uint32_t poorest(const struct zci_lanes *lanes, const uint32_t *places, uint32_t count)
{
    uint32_t best = 0, least = UINT32_MAX;
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t have = lanes_of(lanes, places[i]);
        if (have < least) {
            least = have;
            best = places[i];
        }
    }
    return best;
}

/* Who runs the flight's frames from now on. 0: nobody is left. */
static uint32_t make_team(const struct zci_lanes *lanes, struct zci_flight *flight,
                          struct zci_team *team)
{
    const struct zci_plan *plan = lanes->params.plan;
    uint32_t devices[ZCS_MAX_DEVICES], *places = flight->entries;
    uint32_t count = usable(lanes, places);
    if (count == 0)
        return 0;
    const enum zcs_dispatch dispatch = lanes->params.dispatch;
    if (dispatch != ZCS_DISPATCH_BANDS && dispatch != ZCS_DISPATCH_RELAY) {
        places[0] = poorest(lanes, places, count);
        count = 1;
    }
    for (uint32_t i = 0; i < count; i++)
        devices[i] = lanes->entries[places[i]].device;
    if (count == 1)
        zci_team_one(plan, devices[0], team);
    else if (dispatch == ZCS_DISPATCH_BANDS)
        zci_team_bands(plan, devices, count, team);
    else
        zci_team_relay(plan, devices, count, team);
    flight->entry_count = team->count;
    return team->count;
}

static zcs_status equip(struct zci_lanes *lanes, struct zci_flight *flight, int *culprit)
{
    struct zci_backend *backend = lanes->params.backend;
    struct zci_team team;
    *culprit = -1;
    if (make_team(lanes, flight, &team) == 0)
        return ZCS_ERR_DEVICE;
    flight->device = team.devices[zci_team_maker(&team)];
    return backend->ops->lane_create(backend, &team, lanes->params.bell, culprit, &flight->lane);
}

static int touches(const struct zci_flight *flight, uint32_t entry)
{
    for (uint32_t i = 0; i < flight->entry_count; i++)
        if (flight->entries[i] == entry)
            return 1;
    return 0;
}

void zci_lanes_take_out(struct zci_lanes *lanes, const struct zci_flight *flight, uint32_t place)
{
    struct zci_backend *backend = lanes->params.backend;
    struct zcs_device_info info = {.name = ""};
    uint32_t places[ZCS_MAX_DEVICES];
    const uint32_t entry = flight->entries[place], device = lanes->entries[entry].device;
    lanes->entries[entry].lost = 1;
    for (uint32_t i = 0; i < lanes->count; i++) {
        struct zci_flight *other = &lanes->flights[i];
        if (other->lane == NULL || !touches(other, entry))
            continue;
        backend->ops->lane_destroy(&other->lane);
        other->held_units = 0; /* a lane that is made anew holds none */
        other->running = 0;
    }
    const uint32_t left = usable(lanes, places);
    backend->ops->device_info(backend, device, &info);
    zci_log(&backend->log, left > 0 ? ZCS_LOG_WARNING : ZCS_LOG_ERROR,
            "device %u (%s) failed and is taken out; %u of %u left%s", device, info.name, left,
            lanes->params.device_count, left > 0 ? ", its frames are done again there" : "");
}

zcs_status zci_lanes_start(struct zci_lanes *lanes, struct zci_flight *flight)
{
    const struct zci_job job = {
        .source = flight->slot->frame.host,
        .source_memory = flight->slot->memory.bytes ? &flight->slot->memory : NULL,
        .result = flight->result->memory.host,
        .result_memory = &flight->result->memory,
        .route = flight->route,
    };
    flight->submitted_ns = zci_now_ns();
    const zcs_status status = lanes->params.backend->ops->lane_submit(flight->lane, &job);
    flight->running = status == ZCS_OK;
    return status;
}

/* ZCS_AGAIN: a device was taken out, to be begun anew. */
static zcs_status equip_all(struct zci_lanes *lanes)
{
    for (uint32_t i = 0; i < lanes->count; i++) {
        struct zci_flight *flight = &lanes->flights[i];
        int culprit;
        if (flight->lane != NULL)
            continue;
        const zcs_status status = equip(lanes, flight, &culprit);
        if (status == ZCS_ERR_DEVICE && culprit >= 0) {
            zci_lanes_take_out(lanes, flight, (uint32_t)culprit);
            return ZCS_AGAIN;
        }
        if (status != ZCS_OK)
            return status;
    }
    return ZCS_OK;
}

/* The same, oldest frame first. */
static zcs_status start_all(struct zci_lanes *lanes)
{
    for (uint32_t i = 0; i < lanes->busy; i++) {
        struct zci_flight *flight =
            &lanes->flights[lanes->ring[(lanes->oldest + i) % lanes->count]];
        if (flight->running || flight->failed != ZCS_OK)
            continue;
        const zcs_status status = zci_lanes_start(lanes, flight);
        if (status == ZCS_OK) {
            lanes->redone++;
        } else if (flight->lane->culprit >= 0) {
            zci_lanes_take_out(lanes, flight, (uint32_t)flight->lane->culprit);
            return ZCS_AGAIN;
        } else {
            flight->failed = status;
        }
    }
    return ZCS_OK;
}

zcs_status zci_lanes_regroup(struct zci_lanes *lanes)
{
    zcs_status status = ZCS_AGAIN;
    while (status == ZCS_AGAIN) {
        status = equip_all(lanes);
        if (status == ZCS_OK)
            status = start_all(lanes);
    }
    return status;
}
