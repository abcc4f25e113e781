/* SPDX-License-Identifier: MIT */
/* Between devices: events, peer copies, and reductions combined. */
#include "backend/cuda/exchange.h"

#include "kernels/cuda_combine.h"

static int has_rows(const struct zci_cuda_team *team, uint32_t place, uint32_t index)
{
    return !zci_rows_none(team->lanes[place]->share.rows[index]);
}

static int has_sums(const struct zci_cuda_team *team, uint32_t place, uint32_t index)
{
    return !zci_rows_none(team->lanes[place]->share.sums[index]);
}

static int goes_on(const struct zci_cuda_team *team, uint32_t place, uint32_t index)
{
    return team->lanes[place]->last_pass > index;
}

/* A digest is added up by the host, from the reports. Who has rows, and none that it adds up, knows nothing. */
int zci_cuda_is_combined(const struct zci_cuda_team *team, uint32_t index)
{
    const struct zci_pass *pass = &team->plan->passes[index];
    uint32_t makers = 0;
    if (pass->custom >= 0 || pass->reduce.kind == ZCI_REDUCE_NONE ||
        pass->reduce.kind == ZCI_REDUCE_DIGEST)
        return 0;
    for (uint32_t i = 0; i < team->count; i++)
        makers += has_rows(team, i, index);
    return makers > 1;
}

/* The lane at `place` has rows in the next pass that it has to take over. */
static int takes_over(const struct zci_cuda_team *team, uint32_t place, uint32_t index)
{
    return index > 0 && has_rows(team, place, index) && !has_rows(team, place, index - 1);
}

int zci_cuda_is_awaited(const struct zci_cuda_team *team, uint32_t place, uint32_t index)
{
    const int added = has_sums(team, place, index) && zci_cuda_is_combined(team, index);
    if (!has_rows(team, place, index))
        return 0;
    for (uint32_t i = 0; i < team->count && index + 1 < team->plan->pass_count; i++)
        if (takes_over(team, i, index + 1) || (added && i != place && goes_on(team, i, index)))
            return 1;
    return 0;
}

/* Such a call may tell of the other device's failure, so that no device is marked as lost here. */
static zcs_status check_both(const struct zci_cuda_team *team, uint32_t place, int error,
                             const char *what)
{
    struct zci_cuda *cuda = team->cuda;
    if (error == ZCI_CUDA_SUCCESS)
        return ZCS_OK;
    cuda->api->last_error();
    return zci_fail(&cuda->base.log, ZCS_ERR_DEVICE,
                    "cuda device %u, of %u for a frame: %s: %s (%d)", team->lanes[place]->device,
                    team->count, what, cuda->api->error_text(error), error);
}

/* Behind the other lane's latest event. */
static int await(const struct zci_cuda_team *team, uint32_t place, uint32_t other)
{
    return team->cuda->api->event_await(team->lanes[place]->queue->stream, team->events[other]);
}

static int gather(const struct zci_cuda_team *team, uint32_t place, uint32_t index, uint32_t *count)
{
    struct zci_cuda_lane *lane = team->lanes[place];
    const struct zci_cuda_api *api = team->cuda->api;
    const uint32_t state = team->plan->passes[index].reduce.state;
    int error = ZCI_CUDA_SUCCESS;
    *count = 0;
    for (uint32_t i = 0; i < team->count && error == ZCI_CUDA_SUCCESS; i++) {
        if (!has_sums(team, i, index))
            continue;
        error = i != place ? await(team, place, i) : ZCI_CUDA_SUCCESS;
        if (error == ZCI_CUDA_SUCCESS)
            error = api->copy(&lane->parts[(*count)++], &team->lanes[i]->board->parts[state],
                              sizeof *lane->parts, ZCI_CUDA_BETWEEN, lane->queue->stream);
    }
    return error;
}

static zcs_status combine_on(struct zci_cuda_team *team, uint32_t place, uint32_t index)
{
    struct zci_cuda_lane *lane = team->lanes[place];
    struct zck_cuda_combine combine = {
        .board = lane->board, .parts = lane->parts, .reduce = team->plan->passes[index].reduce};
    void *arguments[] = {&combine};
    int previous;
    zcs_status status = zci_cuda_enter(team->cuda, lane->device, &previous);
    if (status != ZCS_OK)
        return status;
    int error = gather(team, place, index, &combine.count);
    if (error == ZCI_CUDA_SUCCESS)
        error = team->cuda->api->launch(zck_cuda_combine_kernel(), 1, 32, arguments,
                                        lane->queue->stream);
    status = check_both(team, place, error, "combining what devices added up");
    zci_cuda_leave(team->cuda, previous);
    return status;
}

zcs_status zci_cuda_combine(struct zci_cuda_team *team, uint32_t index, int *culprit)
{
    if (!zci_cuda_is_combined(team, index))
        return ZCS_OK;
    for (uint32_t i = 0; i < team->count; i++) {
        if (!goes_on(team, i, index))
            continue;
        const zcs_status status = combine_on(team, i, index);
        if (status != ZCS_OK) {
            *culprit = (int)i;
            return status;
        }
    }
    return ZCS_OK;
}

zcs_status zci_cuda_take_over(struct zci_cuda_team *team, uint32_t place, uint32_t index)
{
    if (!takes_over(team, place, index))
        return ZCS_OK;
    uint32_t maker = 0;
    while (!has_rows(team, maker, index - 1))
        maker++;
    const struct zci_pass *pass = &team->plan->passes[index];
    struct zci_cuda_lane *to = team->lanes[place];
    const struct zci_cuda_lane *from = team->lanes[maker];
    const struct zci_cuda_api *api = team->cuda->api;
    const size_t bytes = team->plan->image_stride[pass->in] * pass->in_height;
    int error = await(team, place, maker);
    if (error == ZCI_CUDA_SUCCESS)
        error = api->copy(to->images[pass->in], from->images[pass->in], bytes, ZCI_CUDA_BETWEEN,
                          to->queue->stream);
    if (error == ZCI_CUDA_SUCCESS && team->plan->state_count > 0)
        error = api->copy(to->board->states, from->board->states, sizeof to->board->states,
                          ZCI_CUDA_BETWEEN, to->queue->stream);
    return check_both(team, place, error, "taking an image over");
}
