/* SPDX-License-Identifier: MIT */
/* Calibration: routes are tried, or found in notes, and one is chosen. */
#include "stream/calibrate.h"

#include <stdio.h>
#include <string.h>

#include "context/route_cache_file.h"
#include "stream/trial.h"

static const struct zci_trial_budget at_start = {.min_ns = 100000000, .rounds_ns = 30000000};
static const struct zci_trial_budget between_frames = {.min_ns = 40000000, .rounds_ns = 15000000};

/* FNV-1a, 64 bits. */
static uint64_t mix_byte(uint64_t key, uint64_t byte)
{
    return (key ^ byte) * 1099511628211u;
}

static uint64_t mix(uint64_t key, const uint64_t *facts, size_t count)
{
    for (size_t i = 0; i < count; i++)
        for (int shift = 0; shift < 64; shift += 8)
            key = mix_byte(key, facts[i] >> shift & 255u);
    return key;
}

static uint64_t mix_text(uint64_t key, const char *text)
{
    while (*text != '\0')
        key = mix_byte(key, (uint8_t)*text++);
    return key;
}

static uint64_t mix_passes(uint64_t key, const struct zci_plan *plan)
{
    for (uint32_t i = 0; i < plan->pass_count; i++) {
        const struct zci_pass *pass = &plan->passes[i];
        const uint64_t facts[] = {pass->width,        pass->height,      pass->stencil,
                                  pass->pre_count,    pass->post_count,  pass->loaded.layout,
                                  pass->loaded.depth, pass->pixel.depth, pass->pixel.layout,
                                  pass->window.width, pass->reduce.kind, (uint8_t)pass->in,
                                  (uint8_t)pass->out, pass->in_width,    pass->in_height};
        key = mix(key, facts, sizeof facts / sizeof *facts);
    }
    for (uint32_t i = 0; i < plan->op_count; i++) {
        const uint64_t facts[] = {plan->ops[i].kind, plan->ops[i].in.depth, plan->ops[i].out.depth};
        key = mix(key, facts, sizeof facts / sizeof *facts);
    }
    return key;
}

/* Whose frame contexts were measured, by turns as they get frames. */
static uint64_t mix_devices(uint64_t key, const struct zci_inflight *inflight)
{
    struct zci_backend *backend = inflight->params.backend;
    for (uint32_t i = 0; i < inflight->count; i++)
        for (uint32_t place = 0; place < inflight->flights[i].entry_count; place++) {
            struct zcs_device_info info = {.name = ""};
            const uint32_t device = inflight->entries[inflight->flights[i].entries[place]].device;
            backend->ops->device_info(backend, device, &info);
            const uint64_t facts[] = {i, device, info.driver, info.units, info.memory_bytes};
            key = mix(mix_text(key, info.name), facts, sizeof facts / sizeof *facts);
        }
    return key;
}

/* What a measurement is good for: these devices and this driver, source layout, chain, memory and number
 * of frames in flight. The same in another process. */
static uint64_t key_of(const struct zcs_stream *stream, const struct zci_branch *branch)
{
    const struct zci_plan *plan = &branch->plan;
    const struct zci_inflight *inflight = &branch->inflight;
    const uint64_t facts[] = {stream->latency.reserved_sms,
                              inflight->flights[0].entry_count > 1 ? inflight->params.dispatch : 0,
                              stream->memory,
                              zci_pool_slot(branch->results, 0)->memory.kind,
                              plan->source.format,
                              plan->load.width,
                              plan->load.height,
                              plan->source.size_bytes};
    const uint64_t key = mix_text(14695981039346656037u, zcs_version());
    return mix_passes(mix(mix_devices(key, inflight), facts, sizeof facts / sizeof *facts), plan);
}

/* Results that the application does not hold, one for each frame context that is measured. 0: too few. */
static int take_results(struct zci_branch *branch)
{
    struct zci_flight *flights = branch->inflight.flights;
    uint32_t taken = 0;
    while (taken < branch->inflight.count &&
           (flights[taken].result = zci_pool_take(branch->results)) != NULL)
        taken++;
    return taken == branch->inflight.count;
}

static void give_results(struct zci_branch *branch)
{
    for (uint32_t i = 0; i < branch->inflight.count; i++) {
        struct zci_slot **result = &branch->inflight.flights[i].result;
        if (*result != NULL)
            zci_slot_unref(*result);
        *result = NULL;
    }
}

static zcs_status measure_and_note(struct zcs_stream *stream, struct zci_branch *branch,
                                   const struct zci_trial_budget *budget)
{
    int64_t ns[ZCI_ROUTES] = {0};
    zcs_status status = take_results(branch) ? ZCS_ERR_BUSY : ZCS_AGAIN;
    while (status == ZCS_ERR_BUSY) /* as often as there are devices, at most */
        status = zci_trial_run(stream, branch, budget, ns);
    give_results(branch);
    if (status != ZCS_OK)
        return status;
    zci_route_choose(ns, &branch->choice);
    zci_route_cache_add(stream->ctx, key_of(stream, branch), &branch->choice);
    zci_route_cache_write(stream->ctx);
    return ZCS_OK;
}

static void take_choice(struct zci_branch *branch)
{
    branch->route = branch->choice.route;
    branch->route_reason = branch->choice.reason;
    zci_log(&branch->inflight.params.backend->log, ZCS_LOG_INFO, "route %s: %s",
            zcs_route_name(branch->route), branch->route_reason);
}

zcs_status zci_calibrate(struct zcs_stream *stream, struct zci_branch *branch)
{
    if (zci_route_cache_find(stream->ctx, key_of(stream, branch), &branch->choice)) {
        zci_route_remark(&branch->choice, "kept from earlier");
    } else {
        const zcs_status status = measure_and_note(stream, branch, &at_start);
        if (status != ZCS_OK)
            return status;
    }
    take_choice(branch);
    zci_drift_init(&branch->drift, branch->choice.ns[branch->route]);
    return ZCS_OK;
}

zcs_status zci_recalibrate(struct zcs_stream *stream, struct zci_branch *branch)
{
    const int64_t expected_ns = branch->drift.expected_ns, seen_ns = branch->drift.median_ns;
    const enum zcs_route before = branch->route;
    char remark[96];
    const zcs_status status = measure_and_note(stream, branch, &between_frames);
    if (status != ZCS_OK)
        return status;
    snprintf(remark, sizeof remark, "anew, as %s took %.1f us, not %.1f", zcs_route_name(before),
             (double)seen_ns / 1000.0, (double)expected_ns / 1000.0);
    zci_route_remark(&branch->choice, remark);
    take_choice(branch);
    zci_drift_settle(&branch->drift, branch->choice.ns[branch->route]);
    return ZCS_OK;
}
