/* SPDX-License-Identifier: MIT */
/* The lanes of a stream: dispatch to the least busy device, results in the order of submission. */
#include "stream/lanes.h"

#include <stdlib.h>

#include "core/clock.h"

#define AT_ONCE_NS 2000 /* a wait that is over so soon found its frame complete */

zcs_status zci_lanes_init(struct zci_lanes *lanes, struct zci_backend *backend,
                          const struct zci_plan *plan, const uint32_t *devices,
                          uint32_t device_count, uint32_t per_device, int notify_fd)
{
    const uint32_t count = device_count * per_device;
    *lanes = (struct zci_lanes){.backend = backend, .per_device = per_device};
    lanes->flights = calloc(count, sizeof *lanes->flights);
    lanes->ring = calloc(count, sizeof *lanes->ring);
    if (lanes->flights == NULL || lanes->ring == NULL)
        return zci_fail(&backend->log, ZCS_ERR_NOMEM, "%u lanes: no memory", count);
    for (uint32_t i = 0; i < count; i++) {
        struct zci_flight *flight = &lanes->flights[i];
        flight->device = devices[i / per_device];
        const zcs_status status =
            backend->ops->lane_create(backend, flight->device, plan, notify_fd, &flight->lane);
        if (status != ZCS_OK)
            return status;
        lanes->count++;
    }
    return ZCS_OK;
}

int zci_lanes_idle(const struct zci_lanes *lanes)
{
    return lanes->busy < lanes->count;
}

static uint32_t busy_on(const struct zci_lanes *lanes, uint32_t first)
{
    uint32_t busy = 0;
    for (uint32_t i = first; i < first + lanes->per_device; i++)
        busy += lanes->flights[i].slot != NULL;
    return busy;
}

/* The first idle lane of the device with the fewest busy ones; some lane is idle. */
static uint32_t choose(const struct zci_lanes *lanes)
{
    uint32_t best = 0, least = UINT32_MAX;
    for (uint32_t first = 0; first < lanes->count; first += lanes->per_device) {
        const uint32_t busy = busy_on(lanes, first);
        if (busy < least) {
            least = busy;
            best = first;
        }
    }
    while (lanes->flights[best].slot != NULL)
        best++;
    return best;
}

static void clear(struct zci_flight *flight)
{
    if (flight->slot != NULL)
        zci_slot_unref(flight->slot);
    if (flight->result != NULL)
        zci_slot_unref(flight->result);
    flight->slot = flight->result = NULL;
}

zcs_status zci_lanes_submit(struct zci_lanes *lanes, enum zcs_route route, struct zci_slot *slot,
                            struct zci_slot *result)
{
    const uint32_t index = choose(lanes);
    struct zci_flight *flight = &lanes->flights[index];
    flight->slot = slot;
    flight->result = result;
    flight->submitted_ns = zci_now_ns();
    result->frame.route = route;
    const struct zci_job job = {
        .source = slot->frame.host,
        .source_memory = slot->memory.bytes ? &slot->memory : NULL,
        .result = result->memory.host,
        .result_memory = &result->memory,
        .route = route,
    };
    const zcs_status status = lanes->backend->ops->lane_submit(flight->lane, &job);
    if (status != ZCS_OK) {
        clear(flight);
        return status;
    }
    lanes->ring[(lanes->oldest + lanes->busy) % lanes->count] = index;
    lanes->busy++;
    flight->full = lanes->busy == lanes->count;
    return ZCS_OK;
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

/* The frame was complete no sooner than looked_ns, and its turn came no later than it was submitted and the
 * one before was seen complete. So slow applications do not make frames look slow. */
static void note_time(struct zci_lanes *lanes, const struct zci_flight *flight)
{
    const int64_t turn_ns =
        flight->submitted_ns > lanes->collected_ns ? flight->submitted_ns : lanes->collected_ns;
    lanes->took_ns = flight->full ? lanes->looked_ns - turn_ns : 0;
    lanes->collected_ns = zci_now_ns();
}

zcs_status zci_lanes_collect(struct zci_lanes *lanes, struct zci_slot **out)
{
    if (lanes->busy == 0)
        return ZCS_AGAIN;
    struct zci_flight *flight = &lanes->flights[lanes->ring[lanes->oldest]];
    struct zci_job_result done = {0};
    const zcs_status status = lanes->backend->ops->lane_poll(flight->lane, &done);
    if (status == ZCS_AGAIN) {
        lanes->looked_ns = zci_now_ns();
        return status;
    }
    note_time(lanes, flight);
    lanes->oldest = (lanes->oldest + 1) % lanes->count;
    lanes->busy--;
    if (status == ZCS_OK) {
        describe(flight, &done, zci_now_ns());
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
    (void)lanes->backend->ops->lane_wait(oldest->lane, timeout_ns);
    const int64_t now_ns = zci_now_ns();
    if (now_ns - begin_ns > AT_ONCE_NS)
        lanes->looked_ns = now_ns;
}

void zci_lanes_finish(struct zci_lanes *lanes)
{
    for (uint32_t i = 0; i < lanes->count; i++) {
        lanes->backend->ops->lane_destroy(&lanes->flights[i].lane);
        clear(&lanes->flights[i]);
    }
    free(lanes->flights);
    free(lanes->ring);
    *lanes = (struct zci_lanes){0};
}
