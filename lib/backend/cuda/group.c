/* SPDX-License-Identifier: MIT */
/* Device groups: the order in which the devices get their work, and what they exchange within a
 * frame. */
#include "backend/cuda/group.h"

#include <stdlib.h>

#include "backend/cuda/submit.h"
#include "os/clock.h"

#define SLICE_NS                                                                                   \
    20000 /* how long a wait stays with one frame context, so that a failure of another is seen */

/* --- exchange between devices: events, peer copies, combined reductions --- */

static int has_rows(const struct zci_cuda_group *group, uint32_t place, uint32_t index)
{
    return !zci_rows_none(group->contexts[place]->partition.rows[index]);
}

static int has_sums(const struct zci_cuda_group *group, uint32_t place, uint32_t index)
{
    return !zci_rows_none(group->contexts[place]->partition.sums[index]);
}

static int goes_on(const struct zci_cuda_group *group, uint32_t place, uint32_t index)
{
    return group->contexts[place]->last_pass > index;
}

/* 1: the sums of pass `index` have to be combined, as several frame contexts have rows of it.
 * The host combines digests, from the reports. */
static int is_combined(const struct zci_cuda_group *group, uint32_t index)
{
    const struct zci_pass *pass = &group->plan->passes[index];
    uint32_t makers = 0;
    if (pass->custom >= 0 || pass->reduce.kind == ZCI_REDUCE_NONE ||
        pass->reduce.kind == ZCI_REDUCE_DIGEST)
        return 0;
    for (uint32_t i = 0; i < group->count; i++)
        makers += has_rows(group, i, index);
    return makers > 1;
}

/* 1: the frame context at `place` needs the image of the pass before, and has not made it. */
static int takes_over(const struct zci_cuda_group *group, uint32_t place, uint32_t index)
{
    return index > 0 && has_rows(group, place, index) && !has_rows(group, place, index - 1);
}

static int needs_event(const struct zci_cuda_group *group, uint32_t place, uint32_t index)
{
    const int added = has_sums(group, place, index) && is_combined(group, index);
    if (!has_rows(group, place, index))
        return 0;
    for (uint32_t i = 0; i < group->count && index + 1 < group->plan->pass_count; i++)
        if (takes_over(group, i, index + 1) || (added && i != place && goes_on(group, i, index)))
            return 1;
    return 0;
}

/* A call about two devices may report the error of either, so no device is marked as lost here. */
static zcs_status check_both(const struct zci_cuda_group *group, uint32_t place, int error,
                             const char *what)
{
    struct zci_cuda *cuda = group->cuda;
    if (error == ZCI_CUDA_SUCCESS)
        return ZCS_OK;
    cuda->api->last_error();
    return zci_fail(
        &cuda->base.log, ZCS_ERR_DEVICE, "cuda device %u, of %u for a frame: %s: %s (%d)",
        group->contexts[place]->device, group->count, what, cuda->api->error_text(error), error);
}

/* Makes the stream wait for the latest event of the other frame context. */
static int await(const struct zci_cuda_group *group, uint32_t place, uint32_t other)
{
    return group->cuda->api->stream_wait_event(group->contexts[place]->kernel_stream->handle,
                                               group->events[other]);
}

static int gather(const struct zci_cuda_group *group, uint32_t place, uint32_t index,
                  uint32_t *count)
{
    struct zci_cuda_frame_ctx *fctx = group->contexts[place];
    const struct zci_cuda_api *api = group->cuda->api;
    const uint32_t state = group->plan->passes[index].reduce.state;
    int error = ZCI_CUDA_SUCCESS;
    *count = 0;
    for (uint32_t i = 0; i < group->count && error == ZCI_CUDA_SUCCESS; i++) {
        if (!has_sums(group, i, index))
            continue;
        error = i != place ? await(group, place, i) : ZCI_CUDA_SUCCESS;
        if (error == ZCI_CUDA_SUCCESS)
            error = api->copy(
                &fctx->partial_sums[(*count)++], &group->contexts[i]->state->partial_sums[state],
                sizeof *fctx->partial_sums, ZCI_CUDA_BETWEEN, fctx->kernel_stream->handle);
    }
    return error;
}

static zcs_status combine_on(struct zci_cuda_group *group, uint32_t place, uint32_t index)
{
    struct zci_cuda_frame_ctx *fctx = group->contexts[place];
    struct zck_cuda_combine combine = {.state = fctx->state,
                                       .parts = fctx->partial_sums,
                                       .reduce = group->plan->passes[index].reduce};
    void *arguments[] = {&combine};
    int previous;
    zcs_status status = zci_cuda_enter(group->cuda, fctx->device, &previous);
    if (status != ZCS_OK)
        return status;
    int error = gather(group, place, index, &combine.count);
    if (error == ZCI_CUDA_SUCCESS)
        error = group->cuda->api->launch(zck_cuda_combine_kernel(), 1, 32, arguments,
                                         fctx->kernel_stream->handle);
    status = check_both(group, place, error, "combining partial sums");
    zci_cuda_leave(group->cuda, previous);
    return status;
}

static zcs_status combine(struct zci_cuda_group *group, uint32_t index, int *failed_device)
{
    if (!is_combined(group, index))
        return ZCS_OK;
    for (uint32_t i = 0; i < group->count; i++) {
        if (!goes_on(group, i, index))
            continue;
        const zcs_status status = combine_on(group, i, index);
        if (status != ZCS_OK) {
            *failed_device = (int)i;
            return status;
        }
    }
    return ZCS_OK;
}

static zcs_status import_image(struct zci_cuda_group *group, uint32_t place, uint32_t index)
{
    if (!takes_over(group, place, index))
        return ZCS_OK;
    uint32_t maker = 0;
    while (!has_rows(group, maker, index - 1))
        maker++;
    const struct zci_pass *pass = &group->plan->passes[index];
    struct zci_cuda_frame_ctx *to = group->contexts[place];
    const struct zci_cuda_frame_ctx *from = group->contexts[maker];
    const struct zci_cuda_api *api = group->cuda->api;
    const size_t bytes = group->plan->image_stride[pass->in] * pass->in_height;
    int error = await(group, place, maker);
    if (error == ZCI_CUDA_SUCCESS)
        error = api->copy(to->images[pass->in], from->images[pass->in], bytes, ZCI_CUDA_BETWEEN,
                          to->kernel_stream->handle);
    if (error == ZCI_CUDA_SUCCESS && group->plan->state_count > 0)
        error = api->copy(to->state->states, from->state->states, sizeof to->state->states,
                          ZCI_CUDA_BETWEEN, to->kernel_stream->handle);
    return check_both(group, place, error, "importing an image");
}

/* --- life and work of a group --- */

static struct zci_cuda_group *group_of(struct zci_frame_ctx *fctx)
{
    return (struct zci_cuda_group *)fctx;
}

/* So that copies between devices are direct. Otherwise the driver copies through host memory. */
static void enable_peers(struct zci_cuda *cuda, const struct zci_group *group)
{
    for (uint32_t i = 0; i < group->count; i++) {
        int previous;
        if (zci_cuda_enter(cuda, group->devices[i], &previous) != ZCS_OK)
            continue;
        for (uint32_t k = 0; k < group->count; k++)
            if (group->devices[k] != group->devices[i] &&
                cuda->api->peer_enable((int)group->devices[k]) != ZCI_CUDA_SUCCESS)
                cuda->api->last_error();
        zci_cuda_leave(cuda, previous);
    }
}

static zcs_status add_member(struct zci_cuda_group *group, const struct zci_group *wanted)
{
    struct zci_cuda *cuda = group->cuda;
    const uint32_t place = group->count, device = wanted->devices[place];
    struct zci_frame_ctx *fctx = NULL;
    int previous;
    zcs_status status = zci_cuda_frame_ctx_create(&cuda->base, wanted, place, &fctx);
    if (status != ZCS_OK)
        return status;
    group->contexts[group->count++] = (struct zci_cuda_frame_ctx *)fctx;
    status = zci_cuda_enter(cuda, device, &previous);
    if (status != ZCS_OK)
        return status;
    status = zci_cuda_check(cuda, device, cuda->api->event_create(&group->events[place]),
                            "creating an event");
    zci_cuda_leave(cuda, previous);
    return status;
}

/* Reductions that will be combined end in partial sums. */
static void set_partial(struct zci_cuda_group *group)
{
    for (uint32_t i = 0; i < group->count; i++)
        for (uint32_t p = 0; p < group->plan->pass_count; p++)
            group->contexts[i]->steps[p].pass.finish.partial = (uint32_t)is_combined(group, p);
}

zcs_status zci_cuda_group_create(struct zci_backend *backend, const struct zci_group *group,
                                 struct zci_notifier *notifier, int *failed_device,
                                 struct zci_frame_ctx **out)
{
    (void)notifier; /* the backend is polled */
    *failed_device = 0;
    if (group->count == 1)
        return zci_cuda_frame_ctx_create(backend, group, 0, out);
    struct zci_cuda_group *made = calloc(1, sizeof *made);
    if (made == NULL)
        return zci_fail(&backend->log, ZCS_ERR_NOMEM, "cuda device group: no memory");
    struct zci_frame_ctx *base = &made->base;
    base->backend = zci_backend_ref(backend);
    base->members = group->count;
    made->cuda = zci_cuda_of(backend);
    made->plan = group->plan;
    made->maker = zci_group_result_device(group);
    enable_peers(made->cuda, group);
    zcs_status status = ZCS_OK;
    for (uint32_t i = 0; i < group->count && status == ZCS_OK; i++) {
        *failed_device = (int)i;
        status = add_member(made, group);
    }
    if (status != ZCS_OK)
        goto fail;
    set_partial(made);
    *out = base;
    return ZCS_OK;
fail:
    zci_cuda_group_destroy(&base);
    return status;
}

static int is_idle(const struct zci_cuda_frame_ctx *fctx)
{
    return zci_rows_none(fctx->partition.rows[fctx->last_pass]);
}

static zcs_status begin(struct zci_cuda_group *group, uint32_t place, const struct zci_job *job,
                        struct zci_cuda_addresses *at)
{
    struct zci_cuda_frame_ctx *fctx = group->contexts[place];
    *at = zci_cuda_find_addresses(fctx, job);
    fctx->done = (struct zci_job_result){.route = ZCS_ROUTE_AUTO};
    const zcs_status status = zci_cuda_check_result(fctx, at);
    if (status != ZCS_OK)
        return status;
    zci_cuda_begin_frame(fctx, at);
    return zci_rows_none(fctx->partition.rows[0]) ? ZCS_OK : zci_cuda_upload(fctx, job, at);
}

static zcs_status run_pass(struct zci_cuda_group *group, uint32_t place, uint32_t index)
{
    struct zci_cuda_frame_ctx *fctx = group->contexts[place];
    struct zci_cuda *cuda = group->cuda;
    zcs_status status = import_image(group, place, index);
    if (status == ZCS_OK)
        status = zci_cuda_enqueue_pass(fctx, index);
    if (status == ZCS_OK && needs_event(group, place, index))
        status = zci_cuda_check(
            cuda, fctx->device,
            cuda->api->event_record(group->events[place], fctx->kernel_stream->handle),
            "recording an event");
    return status;
}

/* Enqueues one frame context's work up to the end of pass `index`. Enters and leaves its device. */
static zcs_status advance(struct zci_cuda_group *group, uint32_t place, uint32_t index,
                          const struct zci_job *job, struct zci_cuda_addresses *at)
{
    struct zci_cuda_frame_ctx *fctx = group->contexts[place];
    int previous;
    if (is_idle(fctx) || (index > 0 && zci_rows_none(fctx->partition.rows[index])))
        return ZCS_OK;
    zcs_status status = zci_cuda_enter(group->cuda, fctx->device, &previous);
    if (status != ZCS_OK)
        return status;
    if (index == 0)
        status = begin(group, place, job, at);
    if (status == ZCS_OK && !zci_rows_none(fctx->partition.rows[index]))
        status = run_pass(group, place, index);
    if (status == ZCS_OK && index == fctx->last_pass) {
        status = zci_cuda_end_frame(fctx, at);
        fctx->busy = status == ZCS_OK;
        group->pending |= (uint32_t)fctx->busy << place;
    }
    zci_cuda_leave(group->cuda, previous);
    return status;
}

static zcs_status enqueue(struct zci_cuda_group *group, const struct zci_job *job)
{
    struct zci_cuda_addresses at[ZCS_MAX_DEVICES];
    zcs_status status = ZCS_OK;
    for (uint32_t p = 0; p < group->plan->pass_count && status == ZCS_OK; p++) {
        for (uint32_t i = 0; i < group->count && status == ZCS_OK; i++) {
            group->contexts[i]->base.failed_device = 0;
            status = advance(group, i, p, job, &at[i]);
            if (status != ZCS_OK)
                group->base.failed_device =
                    group->contexts[i]->base.failed_device < 0 ? -1 : (int)i;
        }
        if (status == ZCS_OK)
            status = combine(group, p, &group->base.failed_device);
    }
    return status;
}

static int first_lost_device(const struct zci_cuda_group *group)
{
    for (uint32_t i = 0; i < group->count; i++)
        if (atomic_load(&group->cuda->devices[group->contexts[i]->device].lost))
            return (int)i;
    return -1;
}

/* The index of a frame context whose device is lost; otherwise `place`. A call about two devices
 * may report the error of either, so each device is probed. */
static int find_failed_device(struct zci_cuda_group *group, int place)
{
    struct zci_cuda *cuda = group->cuda;
    for (uint32_t i = 0; i < group->count && first_lost_device(group) < 0; i++) {
        struct zci_cuda_frame_ctx *fctx = group->contexts[i];
        int previous;
        if (!zci_cuda_enter_quietly(cuda, fctx->device, &previous))
            continue;
        const int error = cuda->api->stream_query(fctx->kernel_stream->handle);
        if (error != ZCI_CUDA_NOT_READY)
            zci_cuda_classify(cuda, fctx->device, error);
        else
            cuda->api->last_error();
        zci_cuda_leave(cuda, previous);
    }
    const int found = first_lost_device(group);
    return found >= 0 ? found : place;
}

/* Waits until no work of the frame is running. */
static void give_up(struct zci_cuda_group *group)
{
    group->pending = 0;
    for (uint32_t i = 0; i < group->count; i++) {
        struct zci_cuda_frame_ctx *fctx = group->contexts[i];
        int previous;
        fctx->busy = 0;
        if (!zci_cuda_enter_quietly(group->cuda, fctx->device, &previous))
            continue;
        zci_cuda_frame_ctx_drain(fctx);
        zci_cuda_leave(group->cuda, previous);
    }
}

zcs_status zci_cuda_group_submit(struct zci_frame_ctx *base, const struct zci_job *job)
{
    struct zci_cuda_group *group = group_of(base);
    if (base->members <= 1)
        return zci_cuda_frame_ctx_submit(base, job);
    if (group->pending != 0)
        return zci_fail(&base->backend->log, ZCS_ERR_BUSY,
                        "cuda device group: has a frame already");
    base->failed_device = 0;
    group->done = (struct zci_job_result){.route = ZCS_ROUTE_AUTO};
    if (enqueue(group, job) == ZCS_OK)
        return ZCS_OK;
    if (base->failed_device >= 0)
        base->failed_device = find_failed_device(group, base->failed_device);
    give_up(group);
    return ZCS_ERR_DEVICE;
}

static void add_done(struct zci_cuda_group *group, const struct zci_cuda_frame_ctx *fctx,
                     const struct zci_job_result *done)
{
    const struct zci_plan *plan = group->plan;
    const uint64_t copied = group->done.cpu_bytes_copied + done->cpu_bytes_copied;
    const enum zcs_route route = done->route != ZCS_ROUTE_AUTO ? done->route : group->done.route;
    uint64_t digest = group->done.digest;
    for (uint32_t p = 0; p < plan->pass_count; p++)
        if (plan->passes[p].reduce.kind == ZCI_REDUCE_DIGEST &&
            plan->passes[p].reduce.state == plan->digest_state &&
            !zci_rows_none(fctx->partition.sums[p]))
            digest += done->digest;
    if (fctx == group->contexts[group->maker])
        group->done = *done;
    group->done.digest = digest;
    group->done.cpu_bytes_copied = copied;
    group->done.route = route;
}

zcs_status zci_cuda_group_poll(struct zci_frame_ctx *base, struct zci_job_result *out)
{
    struct zci_cuda_group *group = group_of(base);
    if (base->members <= 1)
        return zci_cuda_frame_ctx_poll(base, out);
    for (uint32_t i = 0; i < group->count; i++) {
        struct zci_cuda_frame_ctx *fctx = group->contexts[i];
        struct zci_job_result done;
        if (!(group->pending >> i & 1u))
            continue;
        const zcs_status status = zci_cuda_frame_ctx_poll(&fctx->base, &done);
        if (status == ZCS_AGAIN)
            continue;
        if (status != ZCS_OK) {
            base->failed_device = find_failed_device(group, (int)i);
            group->pending = 0;
            return status;
        }
        group->pending &= ~(1u << i);
        add_done(group, fctx, &done);
    }
    if (group->pending != 0)
        return ZCS_AGAIN;
    *out = group->done;
    return ZCS_OK;
}

/* Bits of the frame contexts whose frame is complete or has failed. */
static uint32_t look(struct zci_cuda_group *group, uint32_t pending)
{
    uint32_t over = 0;
    for (uint32_t i = 0; i < group->count; i++)
        if (pending >> i & 1u &&
            zci_cuda_frame_ctx_wait(&group->contexts[i]->base, SLICE_NS) == ZCS_OK)
            over |= 1u << i;
    return over;
}

zcs_status zci_cuda_group_wait(struct zci_frame_ctx *base, int64_t timeout_ns)
{
    struct zci_cuda_group *group = group_of(base);
    if (base->members <= 1)
        return zci_cuda_frame_ctx_wait(base, timeout_ns);
    const int64_t deadline_ns = zci_deadline_ns(timeout_ns);
    uint32_t pending = group->pending;
    while (pending != 0) {
        const uint32_t over = look(group, pending);
        for (uint32_t i = 0; i < group->count; i++)
            if (over >> i & 1u && !zci_cuda_frame_ctx_reported(group->contexts[i]))
                return ZCS_OK; /* it has failed */
        pending &= ~over;
        if (pending != 0 && zci_now_ns() >= deadline_ns)
            return ZCS_AGAIN;
    }
    return ZCS_OK;
}

void zci_cuda_group_destroy(struct zci_frame_ctx **base)
{
    if (*base == NULL || (*base)->members <= 1) {
        zci_cuda_frame_ctx_destroy(base);
        return;
    }
    struct zci_cuda_group *group = group_of(*base);
    struct zci_backend *backend = group->base.backend;
    struct zci_cuda *cuda = group->cuda;
    *base = NULL;
    give_up(group);
    for (uint32_t i = 0; i < group->count; i++) {
        struct zci_frame_ctx *fctx = &group->contexts[i]->base;
        int previous;
        const int usable = zci_cuda_enter_quietly(cuda, group->contexts[i]->device, &previous);
        if (usable && group->events[i] != NULL)
            zci_cuda_classify(cuda, group->contexts[i]->device,
                              cuda->api->event_destroy(group->events[i]));
        if (usable)
            zci_cuda_leave(cuda, previous);
        zci_cuda_frame_ctx_destroy(&fctx);
    }
    free(group);
    zci_backend_unref(&backend);
}
