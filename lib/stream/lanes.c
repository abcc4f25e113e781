/* SPDX-License-Identifier: MIT */
/* The lanes of a stream: dispatch to the least busy device, results in the order of submission. */
#include "stream/lanes.h"

#include <stdlib.h>

#include "core/clock.h"
#include "core/trace.h"
#include "stream/regroup.h"

#define AT_ONCE_NS 2000 /* a wait that is over so soon found its frame complete */

static void fill_entries(struct zci_lanes *lanes)
{
    const struct zci_lanes_params *params = &lanes->params;
    for (uint32_t i = 0; i < params->device_count; i++)
        lanes->entries[i] = (struct zci_entry){.device = params->devices[i],
                                               .node = params->nodes[i],
                                               .own = i % params->step == params->first};
}

zcs_status zci_lanes_init(struct zci_lanes *lanes, const struct zci_lanes_params *params)
{
    uint32_t own = 0;
    *lanes = (struct zci_lanes){.params = *params};
    fill_entries(lanes);
    lanes->params.devices = NULL; /* the caller's, as are the nodes */
    lanes->params.nodes = NULL;
    for (uint32_t i = 0; i < params->device_count; i++)
        own += lanes->entries[i].own != 0;
    const uint32_t each = params->dispatch == ZCS_DISPATCH_BANDS ? 1 : own;
    const uint32_t count = each * params->per_device;
    if (count == 0)
        return zci_fail(&params->backend->log, ZCS_ERR_ARG, "lanes: no device");
    lanes->flights = calloc(count, sizeof *lanes->flights);
    lanes->ring = calloc(count, sizeof *lanes->ring);
    if (lanes->flights == NULL || lanes->ring == NULL)
        return zci_fail(&params->backend->log, ZCS_ERR_NOMEM, "%u lanes: no memory", count);
    lanes->count = count;
    return zci_lanes_regroup(lanes);
}

int zci_lanes_idle(const struct zci_lanes *lanes)
{
    return lanes->busy < lanes->count;
}

static uint32_t busy_on(const struct zci_lanes *lanes, uint32_t entry)
{
    uint32_t busy = 0;
    for (uint32_t i = 0; i < lanes->count; i++)
        busy += lanes->flights[i].slot != NULL && lanes->flights[i].entries[0] == entry;
    return busy;
}

static uint32_t device_of(const struct zci_lanes *lanes, const struct zci_flight *flight)
{
    return lanes->entries[flight->entries[0]].device;
}

/* The lower the better: frames in work on the flight's device, of all streams, then of this one; whether the slot
 * is far from it. */
static uint64_t rank(const struct zci_lanes *lanes, const struct zci_flight *flight,
                     const struct zci_slot *slot)
{
    const struct zci_entry *entry = &lanes->entries[flight->entries[0]];
    const uint64_t all = atomic_load_explicit(
        &lanes->params.backend->busy[device_of(lanes, flight)], memory_order_relaxed);
    const int far = slot->node >= 0 && entry->node >= 0 && slot->node != entry->node;
    return all << 32 | (uint64_t)busy_on(lanes, flight->entries[0]) << 1 | (uint64_t)far;
}

/* The idle lane that ranks best for the slot, of several that of the device that has done least. Some lane is
 * idle. */
static uint32_t choose(const struct zci_lanes *lanes, const struct zci_slot *slot)
{
    uint32_t best = 0;
    uint64_t least = UINT64_MAX, done = UINT64_MAX;
    for (uint32_t i = 0; i < lanes->count; i++) {
        const struct zci_flight *flight = &lanes->flights[i];
        if (flight->slot != NULL)
            continue;
        const uint64_t place = rank(lanes, flight, slot);
        const uint64_t frames = lanes->entries[flight->entries[0]].frames;
        if (place > least || (place == least && frames >= done))
            continue;
        least = place;
        done = frames;
        best = i;
    }
    return best;
}

static void count_busy(const struct zci_lanes *lanes, struct zci_flight *flight)
{
    flight->counted = lanes->params.backend;
    flight->counted_device = device_of(lanes, flight);
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

zcs_status zci_lanes_blame(struct zci_lanes *lanes, uint32_t index)
{
    struct zci_flight *flight = &lanes->flights[index];
    flight->running = 0;
    if (flight->lane == NULL || flight->lane->culprit < 0)
        return ZCS_ERR_DEVICE;
    zci_lanes_take_out(lanes, flight, (uint32_t)flight->lane->culprit);
    return zci_lanes_regroup(lanes);
}

zcs_status zci_lanes_submit(struct zci_lanes *lanes, enum zcs_route route, struct zci_slot *slot,
                            struct zci_slot *result)
{
    const uint32_t index = choose(lanes, slot);
    struct zci_flight *flight = &lanes->flights[index];
    flight->slot = slot;
    flight->result = result;
    count_busy(lanes, flight);
    flight->route = result->frame.route = route;
    flight->failed = ZCS_OK;
    flight->traced = zci_trace_begin("frame", slot->frame.sequence);
    if (lanes->busy == 0)
        lanes->rested_ns = zci_now_ns() - lanes->collected_ns;
    flight->rested_ns = lanes->rested_ns;
    lanes->ring[(lanes->oldest + lanes->busy) % lanes->count] = index;
    lanes->busy++;
    zcs_status status = flight->lane != NULL ? zci_lanes_start(lanes, flight) : ZCS_ERR_DEVICE;
    if (status != ZCS_OK && zci_lanes_blame(lanes, index) == ZCS_OK)
        status = flight->failed;
    if (status != ZCS_OK) {
        lanes->busy--;
        clear(flight);
    }
    return status;
}

/* What the result inherits from the frame it was made of. */
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

/* Up to looked_ns the frame, or one before it, was not complete, and kept its lane for no other reason: a slow
 * application does not make frames look slow. While all lanes are taken, a frame keeps its own for as long as
 * that many frames need, in the mean, however many are complete at once; else for less. The first ones after a
 * rest that was longer than they took may have found a device that had to wake up. */
static void note_time(struct zci_lanes *lanes, const struct zci_flight *flight)
{
    const int64_t ns = lanes->looked_ns - flight->submitted_ns;
    const int woken =
        lanes->count > 1 && flight->rested_ns > ns; /* a single lane rests each time */
    if (woken)
        lanes->took_ns = -1;
    else
        lanes->took_ns = ns > 0 ? ns / lanes->count : 0;
    lanes->rested_ns = 0;
    lanes->collected_ns = zci_now_ns();
}

static zcs_status poll(struct zci_lanes *lanes, uint32_t index, struct zci_job_result *done)
{
    struct zci_flight *flight = &lanes->flights[index];
    if (flight->failed != ZCS_OK)
        return flight->failed;
    if (flight->lane == NULL || !flight->running)
        return ZCS_ERR_DEVICE;
    const zcs_status status = lanes->params.backend->ops->lane_poll(flight->lane, done);
    if (status == ZCS_ERR_DEVICE && zci_lanes_blame(lanes, index) == ZCS_OK)
        return ZCS_AGAIN;
    return status;
}

static void count_entries(struct zci_lanes *lanes, const struct zci_flight *flight)
{
    for (uint32_t i = 0; i < flight->entry_count; i++)
        lanes->entries[flight->entries[i]].frames++;
}

zcs_status zci_lanes_collect(struct zci_lanes *lanes, struct zci_slot **out)
{
    if (lanes->busy == 0)
        return ZCS_AGAIN;
    struct zci_job_result done = {0};
    const uint32_t index = lanes->ring[lanes->oldest];
    struct zci_flight *flight = &lanes->flights[index];
    const zcs_status status = poll(lanes, index, &done);
    if (status == ZCS_AGAIN) {
        lanes->looked_ns = zci_now_ns();
        return status;
    }
    note_time(lanes, flight);
    lanes->oldest = (lanes->oldest + 1) % lanes->count;
    lanes->busy--;
    flight->running = 0;
    if (status == ZCS_OK) {
        describe(flight, &done, zci_now_ns());
        count_entries(lanes, flight);
        *out = flight->result;
        flight->result = NULL;
    }
    clear(flight);
    return status;
}

void zci_lanes_wait(struct zci_lanes *lanes, int64_t timeout_ns)
{
    const struct zci_flight *oldest = &lanes->flights[lanes->ring[lanes->oldest]];
    const int64_t begin_ns = zci_now_ns();
    if (oldest->running)
        (void)lanes->params.backend->ops->lane_wait(oldest->lane, timeout_ns);
    const int64_t now_ns = zci_now_ns();
    if (now_ns - begin_ns > AT_ONCE_NS)
        lanes->looked_ns = now_ns;
}

void zci_lanes_finish(struct zci_lanes *lanes)
{
    for (uint32_t i = 0; i < lanes->count; i++) {
        if (lanes->flights[i].lane != NULL)
            lanes->params.backend->ops->lane_destroy(&lanes->flights[i].lane);
        clear(&lanes->flights[i]);
    }
    free(lanes->flights);
    free(lanes->ring);
    *lanes = (struct zci_lanes){0};
}
