/* SPDX-License-Identifier: MIT */
/* Queues and streams of copies: made when a frame context needs one and none is idle, destroyed with the backend. */
#include "backend/cuda/queue.h"

#include <stdlib.h>

#include "backend/cuda/cuda.h"

static void destroy(const struct zci_cuda_api *api, struct zci_cuda_queue *queue, int usable)
{
    if (usable && queue->event != NULL)
        api->event_destroy(queue->event);
    if (usable && queue->stream != NULL)
        api->stream_destroy(queue->stream);
    free(queue);
}

static zcs_status make(struct zci_cuda *cuda, uint32_t device, struct zci_cuda_queue **out)
{
    const struct zci_cuda_api *api = cuda->api;
    struct zci_cuda_queue *queue = calloc(1, sizeof *queue);
    if (queue == NULL)
        return zci_fail(&cuda->base.log, ZCS_ERR_NOMEM, "cuda queue: no memory");
    zcs_status status =
        zci_cuda_check(cuda, device, api->stream_create(&queue->stream), "making a stream");
    if (status == ZCS_OK)
        status = zci_cuda_check(cuda, device, api->event_create(&queue->event), "making an event");
    if (status == ZCS_OK)
        status = zci_cuda_check(cuda, device, api->event_record(queue->event, queue->stream),
                                "recording an event");
    if (status != ZCS_OK)
        goto fail;
    *out = queue;
    return ZCS_OK;
fail:
    destroy(api, queue, 1);
    return status;
}

zcs_status zci_cuda_queue_take(struct zci_cuda *cuda, uint32_t device, struct zci_cuda_queue **out)
{
    pthread_mutex_lock(&cuda->lock);
    struct zci_cuda_queue *queue = cuda->devices[device].idle;
    if (queue != NULL)
        cuda->devices[device].idle = queue->next;
    pthread_mutex_unlock(&cuda->lock);
    if (queue == NULL)
        return make(cuda, device, out);
    *out = queue;
    return ZCS_OK;
}

void zci_cuda_queue_give(struct zci_cuda *cuda, uint32_t device, struct zci_cuda_queue *queue)
{
    if (queue == NULL)
        return;
    pthread_mutex_lock(&cuda->lock);
    queue->next = cuda->devices[device].idle;
    cuda->devices[device].idle = queue;
    pthread_mutex_unlock(&cuda->lock);
}

/* Under the lock: the owner's, else one that nobody has. NULL: neither. */
static struct zci_cuda_copies *find_copies(struct zci_cuda *cuda, uint32_t device,
                                           const void *owner)
{
    struct zci_cuda_copies *found = NULL;
    for (struct zci_cuda_copies *at = cuda->devices[device].copies; at != NULL; at = at->next) {
        if (at->users > 0 && at->owner == owner)
            return at;
        found = at->users == 0 ? at : found;
    }
    return found;
}

static zcs_status add_copies(struct zci_cuda *cuda, uint32_t device, const void *owner,
                             struct zci_cuda_copies **out)
{
    struct zci_cuda_copies *copies = calloc(1, sizeof *copies);
    if (copies == NULL)
        return zci_fail(&cuda->base.log, ZCS_ERR_NOMEM, "cuda stream: no memory");
    const zcs_status status =
        zci_cuda_check(cuda, device, cuda->api->stream_create(&copies->stream), "making a stream");
    if (status != ZCS_OK) {
        free(copies);
        return status;
    }
    copies->owner = owner;
    copies->users = 1;
    pthread_mutex_lock(&cuda->lock);
    copies->next = cuda->devices[device].copies;
    cuda->devices[device].copies = copies;
    pthread_mutex_unlock(&cuda->lock);
    *out = copies;
    return ZCS_OK;
}

zcs_status zci_cuda_copies_take(struct zci_cuda *cuda, uint32_t device, const void *owner,
                                struct zci_cuda_copies **out)
{
    pthread_mutex_lock(&cuda->lock);
    struct zci_cuda_copies *copies = find_copies(cuda, device, owner);
    if (copies != NULL) {
        copies->owner = owner;
        copies->users++;
    }
    pthread_mutex_unlock(&cuda->lock);
    if (copies == NULL)
        return add_copies(cuda, device, owner, out);
    *out = copies;
    return ZCS_OK;
}

void zci_cuda_copies_give(struct zci_cuda *cuda, struct zci_cuda_copies *copies)
{
    if (copies == NULL)
        return;
    pthread_mutex_lock(&cuda->lock);
    copies->users--;
    pthread_mutex_unlock(&cuda->lock);
}

void zci_cuda_queues_finish(struct zci_cuda *cuda, uint32_t device, int usable)
{
    while (cuda->devices[device].idle != NULL) {
        struct zci_cuda_queue *queue = cuda->devices[device].idle;
        cuda->devices[device].idle = queue->next;
        destroy(cuda->api, queue, usable);
    }
    while (cuda->devices[device].copies != NULL) {
        struct zci_cuda_copies *copies = cuda->devices[device].copies;
        cuda->devices[device].copies = copies->next;
        if (usable)
            cuda->api->stream_destroy(copies->stream);
        free(copies);
    }
}
