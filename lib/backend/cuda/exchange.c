/* SPDX-License-Identifier: MIT */
/* Between devices: events, peer copies, and reductions combined. */
#include "backend/cuda/exchange.h"

#include "kernels/cuda/combine.h"

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

/* A digest is added up by the host, from the reports. Who has rows, and none that it adds up, knows nothing. */
int zci_cuda_is_combined(const struct zci_cuda_group *group, uint32_t index)
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

/* The frame context at `place` has rows in the next pass that it has to take over. */
static int takes_over(const struct zci_cuda_group *group, uint32_t place, uint32_t index)
{
    return index > 0 && has_rows(group, place, index) && !has_rows(group, place, index - 1);
}

int zci_cuda_is_awaited(const struct zci_cuda_group *group, uint32_t place, uint32_t index)
{
    const int added = has_sums(group, place, index) && zci_cuda_is_combined(group, index);
    if (!has_rows(group, place, index))
        return 0;
    for (uint32_t i = 0; i < group->count && index + 1 < group->plan->pass_count; i++)
        if (takes_over(group, i, index + 1) || (added && i != place && goes_on(group, i, index)))
            return 1;
    return 0;
}

/* Such a call may tell of the other device's failure, so that no device is marked as lost here. */
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

/* Behind the other frame context's latest event. */
static int await(const struct zci_cuda_group *group, uint32_t place, uint32_t other)
{
    return group->cuda->api->event_await(group->contexts[place]->queue->stream,
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
            error = api->copy(&fctx->parts[(*count)++], &group->contexts[i]->state->parts[state],
                              sizeof *fctx->parts, ZCI_CUDA_BETWEEN, fctx->queue->stream);
    }
    return error;
}

static zcs_status combine_on(struct zci_cuda_group *group, uint32_t place, uint32_t index)
{
    struct zci_cuda_frame_ctx *fctx = group->contexts[place];
    struct zck_cuda_combine combine = {
        .state = fctx->state, .parts = fctx->parts, .reduce = group->plan->passes[index].reduce};
    void *arguments[] = {&combine};
    int previous;
    zcs_status status = zci_cuda_enter(group->cuda, fctx->device, &previous);
    if (status != ZCS_OK)
        return status;
    int error = gather(group, place, index, &combine.count);
    if (error == ZCI_CUDA_SUCCESS)
        error = group->cuda->api->launch(zck_cuda_combine_kernel(), 1, 32, arguments,
                                         fctx->queue->stream);
    status = check_both(group, place, error, "combining what devices added up");
    zci_cuda_leave(group->cuda, previous);
    return status;
}

zcs_status zci_cuda_combine(struct zci_cuda_group *group, uint32_t index, int *failed_device)
{
    if (!zci_cuda_is_combined(group, index))
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

zcs_status zci_cuda_take_over(struct zci_cuda_group *group, uint32_t place, uint32_t index)
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
                          to->queue->stream);
    if (error == ZCI_CUDA_SUCCESS && group->plan->state_count > 0)
        error = api->copy(to->state->states, from->state->states, sizeof to->state->states,
                          ZCI_CUDA_BETWEEN, to->queue->stream);
    return check_both(group, place, error, "taking an image over");
}
