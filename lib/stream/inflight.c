/* SPDX-License-Identifier: MIT */
/* Frames in flight: starting and collecting them, and failover when a device fails. */
#include "stream/inflight.h"

#include <stdlib.h>

#include "core/trace.h"
#include "os/clock.h"

#define AT_ONCE_NS 2000 /* a wait that took no longer found its frame complete */

static void fill_entries(struct zci_inflight *inflight)
{
    const struct zci_inflight_params *params = &inflight->params;
    for (uint32_t i = 0; i < params->device_count; i++)
        inflight->entries[i] = (struct zci_entry){.device = params->devices[i],
                                                  .node = params->nodes[i],
                                                  .own = i % params->step == params->first};
}

/* The places of the devices that frame contexts may be made for: the chain's own devices, or its
 * spare devices if none of its own is left. */
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

/* The device that has the fewest frame contexts. */
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

/* Chooses the devices that process the frames of this frame context from now on. 0: no device is
 * left. */
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

/* The device at `place` of the device group failed. It is taken out, and every frame context that
 * it belongs to is destroyed. */
static void take_out(struct zci_inflight *inflight, const struct zci_flight *flight, uint32_t place)
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
        other->reserved_sms = 0; /* a new frame context reserves none */
        other->running = 0;
    }
    const uint32_t left = usable(inflight, places);
    backend->ops->device_info(backend, device, &info);
    zci_log(&backend->log, left > 0 ? ZCS_LOG_WARNING : ZCS_LOG_ERROR,
            "device %u (%s) failed and is taken out; %u of %u left%s", device, info.name, left,
            inflight->params.device_count, left > 0 ? ", its frames are done again there" : "");
}

static zcs_status start(struct zci_inflight *inflight, struct zci_flight *flight)
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

/* ZCS_AGAIN: a device was taken out; the caller starts again. */
static zcs_status equip_all(struct zci_inflight *inflight)
{
    for (uint32_t i = 0; i < inflight->count; i++) {
        struct zci_flight *flight = &inflight->flights[i];
        int failed_device;
        if (flight->fctx != NULL)
            continue;
        const zcs_status status = equip(inflight, flight, &failed_device);
        if (status == ZCS_ERR_DEVICE && failed_device >= 0) {
            take_out(inflight, flight, (uint32_t)failed_device);
            return ZCS_AGAIN;
        }
        if (status != ZCS_OK)
            return status;
    }
    return ZCS_OK;
}

/* Submits the frames that no frame context is running, the oldest first. Returns as equip_all. */
static zcs_status start_all(struct zci_inflight *inflight)
{
    for (uint32_t i = 0; i < inflight->busy; i++) {
        struct zci_flight *flight =
            &inflight->flights[inflight->ring[(inflight->oldest + i) % inflight->count]];
        if (flight->running || flight->failed != ZCS_OK)
            continue;
        const zcs_status status = start(inflight, flight);
        if (status == ZCS_OK) {
            inflight->redone++;
        } else if (flight->fctx->failed_device >= 0) {
            take_out(inflight, flight, (uint32_t)flight->fctx->failed_device);
            return ZCS_AGAIN;
        } else {
            flight->failed = status;
        }
    }
    return ZCS_OK;
}

static zcs_status failover(struct zci_inflight *inflight)
{
    zcs_status status = ZCS_AGAIN;
    while (status == ZCS_AGAIN) {
        status = equip_all(inflight);
        if (status == ZCS_OK)
            status = start_all(inflight);
    }
    return status;
}

zcs_status zci_inflight_init(struct zci_inflight *inflight,
                             const struct zci_inflight_params *params)
{
    uint32_t own = 0;
    *inflight = (struct zci_inflight){.params = *params};
    fill_entries(inflight);
    inflight->params.devices = NULL; /* these belong to the caller, as the nodes do */
    inflight->params.nodes = NULL;
    for (uint32_t i = 0; i < params->device_count; i++)
        own += inflight->entries[i].own != 0;
    const uint32_t each = params->dispatch == ZCS_DISPATCH_BANDS ? 1 : own;
    const uint32_t count = each * params->per_device;
    if (count == 0)
        return zci_fail(&params->backend->log, ZCS_ERR_ARG, "frames in flight: no device");
    inflight->flights = calloc(count, sizeof *inflight->flights);
    inflight->ring = calloc(count, sizeof *inflight->ring);
    if (inflight->flights == NULL || inflight->ring == NULL)
        return zci_fail(&params->backend->log, ZCS_ERR_NOMEM, "%u frames in flight: no memory",
                        count);
    inflight->count = count;
    return failover(inflight);
}

int zci_inflight_idle(const struct zci_inflight *inflight)
{
    return inflight->busy < inflight->count;
}

static uint32_t busy_on(const struct zci_inflight *inflight, uint32_t entry)
{
    uint32_t busy = 0;
    for (uint32_t i = 0; i < inflight->count; i++)
        busy += inflight->flights[i].slot != NULL && inflight->flights[i].entries[0] == entry;
    return busy;
}

static uint32_t device_of(const struct zci_inflight *inflight, const struct zci_flight *flight)
{
    return inflight->entries[flight->entries[0]].device;
}

/* The lower the better: the frames in flight on the device, of all streams and then of this one,
 * and whether the slot is on another node. */
static uint64_t rank(const struct zci_inflight *inflight, const struct zci_flight *flight,
                     const struct zci_slot *slot)
{
    const struct zci_entry *entry = &inflight->entries[flight->entries[0]];
    const uint64_t all = atomic_load_explicit(
        &inflight->params.backend->busy[device_of(inflight, flight)], memory_order_relaxed);
    const int far = slot->node >= 0 && entry->node >= 0 && slot->node != entry->node;
    return all << 32 | (uint64_t)busy_on(inflight, flight->entries[0]) << 1 | (uint64_t)far;
}

/* The idle frame context that ranks best for the slot. If several rank equal, the one whose device
 * has processed the fewest frames. At least one is idle. */
static uint32_t choose(const struct zci_inflight *inflight, const struct zci_slot *slot)
{
    uint32_t best = 0;
    uint64_t min = UINT64_MAX, done = UINT64_MAX;
    for (uint32_t i = 0; i < inflight->count; i++) {
        const struct zci_flight *flight = &inflight->flights[i];
        if (flight->slot != NULL)
            continue;
        const uint64_t place = rank(inflight, flight, slot);
        const uint64_t frames = inflight->entries[flight->entries[0]].frames;
        if (place > min || (place == min && frames >= done))
            continue;
        min = place;
        done = frames;
        best = i;
    }
    return best;
}

static void count_busy(const struct zci_inflight *inflight, struct zci_flight *flight)
{
    flight->counted = inflight->params.backend;
    flight->counted_device = device_of(inflight, flight);
    atomic_fetch_add_explicit(&flight->counted->busy[flight->counted_device], 1,
                              memory_order_relaxed);
}

static void clear(struct zci_flight *flight)
{
    if (flight->counted != NULL)
        atomic_fetch_sub_explicit(&flight->counted->busy[flight->counted_device], 1,
                                  memory_order_relaxed);
    if (flight->slot != NULL)
        zci_slot_unref(flight->slot);
    if (flight->result != NULL)
        zci_slot_unref(flight->result);
    zci_trace_end(flight->traced);
    flight->traced = 0;
    flight->slot = flight->result = NULL;
    flight->counted = NULL;
}

zcs_status zci_inflight_blame(struct zci_inflight *inflight, uint32_t index)
{
    struct zci_flight *flight = &inflight->flights[index];
    flight->running = 0;
    if (flight->fctx == NULL || flight->fctx->failed_device < 0)
        return ZCS_ERR_DEVICE;
    take_out(inflight, flight, (uint32_t)flight->fctx->failed_device);
    return failover(inflight);
}

zcs_status zci_inflight_submit(struct zci_inflight *inflight, enum zcs_route route,
                               struct zci_slot *slot, struct zci_slot *result)
{
    const uint32_t index = choose(inflight, slot);
    struct zci_flight *flight = &inflight->flights[index];
    flight->slot = slot;
    flight->result = result;
    count_busy(inflight, flight);
    flight->route = result->frame.route = route;
    flight->failed = ZCS_OK;
    flight->traced = zci_trace_begin("frame", slot->frame.sequence);
    if (inflight->busy == 0)
        inflight->rested_ns = zci_now_ns() - inflight->collected_ns;
    flight->rested_ns = inflight->rested_ns;
    inflight->ring[(inflight->oldest + inflight->busy) % inflight->count] = index;
    inflight->busy++;
    zcs_status status = flight->fctx != NULL ? start(inflight, flight) : ZCS_ERR_DEVICE;
    if (status != ZCS_OK && zci_inflight_blame(inflight, index) == ZCS_OK)
        status = flight->failed;
    if (status != ZCS_OK) {
        inflight->busy--;
        clear(flight);
    }
    return status;
}

/* Fills in what the result takes over from its source frame. */
static void describe(const struct zci_flight *flight, const struct zci_job_result *done,
                     int64_t now_ns)
{
    const struct zcs_frame *from = &flight->slot->frame;
    struct zcs_frame *to = &flight->result->frame;
    to->sequence = from->sequence;
    to->time_ns = from->time_ns;
    to->clock = from->clock;
    to->controls = from->controls;
    to->flags = from->flags & ZCS_FRAME_EXPOSURE_START;
    to->path = from->path;
    to->memory = from->memory;
    to->device = flight->device;
    to->device_data = done->device_data;
    to->cpu_bytes_copied = from->cpu_bytes_copied + done->cpu_bytes_copied;
    to->digest = done->digest;
    to->captured_ns = from->captured_ns;
    to->result_ns = now_ns;
    if (done->route != ZCS_ROUTE_AUTO)
        to->route = done->route;
    flight->result->cuda = (struct zcs_cuda_frame){
        .stream = done->cuda_stream, .event = done->cuda_event, .cuda_device = done->cuda_device};
}

/* Until looked_ns, this frame or one before it was incomplete; so the frame did not keep its frame
 * context for any other reason, and a slow application does not make frames look slow. While all
 * frame contexts are busy, a frame keeps its own for as long as that many frames take on average,
 * however many of them complete at the same time; otherwise for less. The first frames after a rest
 * that was longer than they took do not count: the device may have had to wake up. */
static void note_time(struct zci_inflight *inflight, const struct zci_flight *flight)
{
    const int64_t ns = inflight->looked_ns - flight->submitted_ns;
    const int woken =
        inflight->count > 1 && flight->rested_ns > ns; /* a single frame context always rests */
    if (woken)
        inflight->took_ns = -1;
    else
        inflight->took_ns = ns > 0 ? ns / inflight->count : 0;
    inflight->rested_ns = 0;
    inflight->collected_ns = zci_now_ns();
}

static zcs_status poll(struct zci_inflight *inflight, uint32_t index, struct zci_job_result *done)
{
    struct zci_flight *flight = &inflight->flights[index];
    if (flight->failed != ZCS_OK)
        return flight->failed;
    if (flight->fctx == NULL || !flight->running)
        return ZCS_ERR_DEVICE;
    const zcs_status status = inflight->params.backend->ops->frame_ctx_poll(flight->fctx, done);
    if (status == ZCS_ERR_DEVICE && zci_inflight_blame(inflight, index) == ZCS_OK)
        return ZCS_AGAIN;
    return status;
}

static void count_entries(struct zci_inflight *inflight, const struct zci_flight *flight)
{
    for (uint32_t i = 0; i < flight->entry_count; i++)
        inflight->entries[flight->entries[i]].frames++;
}

zcs_status zci_inflight_collect(struct zci_inflight *inflight, struct zci_slot **out)
{
    if (inflight->busy == 0)
        return ZCS_AGAIN;
    struct zci_job_result done = {0};
    const uint32_t index = inflight->ring[inflight->oldest];
    struct zci_flight *flight = &inflight->flights[index];
    const zcs_status status = poll(inflight, index, &done);
    if (status == ZCS_AGAIN) {
        inflight->looked_ns = zci_now_ns();
        return status;
    }
    note_time(inflight, flight);
    inflight->oldest = (inflight->oldest + 1) % inflight->count;
    inflight->busy--;
    flight->running = 0;
    if (status == ZCS_OK) {
        describe(flight, &done, zci_now_ns());
        count_entries(inflight, flight);
        *out = flight->result;
        flight->result = NULL;
    }
    clear(flight);
    return status;
}

void zci_inflight_wait(struct zci_inflight *inflight, int64_t timeout_ns)
{
    const struct zci_flight *oldest = &inflight->flights[inflight->ring[inflight->oldest]];
    const int64_t begin_ns = zci_now_ns();
    if (oldest->running)
        (void)inflight->params.backend->ops->frame_ctx_wait(oldest->fctx, timeout_ns);
    const int64_t now_ns = zci_now_ns();
    if (now_ns - begin_ns > AT_ONCE_NS)
        inflight->looked_ns = now_ns;
}

void zci_inflight_finish(struct zci_inflight *inflight)
{
    for (uint32_t i = 0; i < inflight->count; i++) {
        if (inflight->flights[i].fctx != NULL)
            inflight->params.backend->ops->frame_ctx_destroy(&inflight->flights[i].fctx);
        clear(&inflight->flights[i]);
    }
    free(inflight->flights);
    free(inflight->ring);
    *inflight = (struct zci_inflight){0};
}
