/* SPDX-License-Identifier: MIT */
/* The stream pools: a stream is made when none is idle, and destroyed with the backend. */
#include "backend/cuda/streams.h"

#include <stdlib.h>

#include "backend/cuda/cuda.h"

static void destroy(const struct zci_cuda_api *api, struct zci_cuda_kernel_stream *stream,
                    int usable)
{
    if (usable && stream->event != NULL)
        api->event_destroy(stream->event);
    if (usable && stream->handle != NULL)
        api->stream_destroy(stream->handle);
    free(stream);
}

static zcs_status make(struct zci_cuda *cuda, uint32_t device, struct zci_cuda_kernel_stream **out)
{
    const struct zci_cuda_api *api = cuda->api;
    struct zci_cuda_kernel_stream *stream = calloc(1, sizeof *stream);
    if (stream == NULL)
        return zci_fail(&cuda->base.log, ZCS_ERR_NOMEM, "cuda stream: no memory");
    zcs_status status =
        zci_cuda_check(cuda, device, api->stream_create(&stream->handle), "creating a stream");
    if (status == ZCS_OK)
        status =
            zci_cuda_check(cuda, device, api->event_create(&stream->event), "creating an event");
    if (status == ZCS_OK)
        status = zci_cuda_check(cuda, device, api->event_record(stream->event, stream->handle),
                                "recording an event");
    if (status != ZCS_OK)
        goto fail;
    *out = stream;
    return ZCS_OK;
fail:
    destroy(api, stream, 1);
    return status;
}

zcs_status zci_cuda_kernel_stream_take(struct zci_cuda *cuda, uint32_t device,
                                       struct zci_cuda_kernel_stream **out)
{
    pthread_mutex_lock(&cuda->lock);
    struct zci_cuda_kernel_stream *stream = cuda->devices[device].idle_streams;
    if (stream != NULL)
        cuda->devices[device].idle_streams = stream->next;
    pthread_mutex_unlock(&cuda->lock);
    if (stream == NULL)
        return make(cuda, device, out);
    *out = stream;
    return ZCS_OK;
}

void zci_cuda_kernel_stream_give(struct zci_cuda *cuda, uint32_t device,
                                 struct zci_cuda_kernel_stream *stream)
{
    if (stream == NULL)
        return;
    pthread_mutex_lock(&cuda->lock);
    stream->next = cuda->devices[device].idle_streams;
    cuda->devices[device].idle_streams = stream;
    pthread_mutex_unlock(&cuda->lock);
}

/* Under the lock: the owner's stream, else a free one, else NULL. */
static struct zci_cuda_copy_stream *find_copy_stream(struct zci_cuda *cuda, uint32_t device,
                                                     const void *owner)
{
    struct zci_cuda_copy_stream *found = NULL;
    for (struct zci_cuda_copy_stream *at = cuda->devices[device].copy_streams; at != NULL;
         at = at->next) {
        if (at->users > 0 && at->owner == owner)
            return at;
        found = at->users == 0 ? at : found;
    }
    return found;
}

static zcs_status add_copy_stream(struct zci_cuda *cuda, uint32_t device, const void *owner,
                                  struct zci_cuda_copy_stream **out)
{
    struct zci_cuda_copy_stream *copies = calloc(1, sizeof *copies);
    if (copies == NULL)
        return zci_fail(&cuda->base.log, ZCS_ERR_NOMEM, "cuda stream: no memory");
    const zcs_status status = zci_cuda_check(
        cuda, device, cuda->api->stream_create(&copies->handle), "creating a stream");
    if (status != ZCS_OK) {
        free(copies);
        return status;
    }
    copies->owner = owner;
    copies->users = 1;
    pthread_mutex_lock(&cuda->lock);
    copies->next = cuda->devices[device].copy_streams;
    cuda->devices[device].copy_streams = copies;
    pthread_mutex_unlock(&cuda->lock);
    *out = copies;
    return ZCS_OK;
}

zcs_status zci_cuda_copy_stream_take(struct zci_cuda *cuda, uint32_t device, const void *owner,
                                     struct zci_cuda_copy_stream **out)
{
    pthread_mutex_lock(&cuda->lock);
    struct zci_cuda_copy_stream *copies = find_copy_stream(cuda, device, owner);
    if (copies != NULL) {
        copies->owner = owner;
        copies->users++;
    }
    pthread_mutex_unlock(&cuda->lock);
    if (copies == NULL)
        return add_copy_stream(cuda, device, owner, out);
    *out = copies;
    return ZCS_OK;
}

void zci_cuda_copy_stream_give(struct zci_cuda *cuda, struct zci_cuda_copy_stream *copies)
{
    if (copies == NULL)
        return;
    pthread_mutex_lock(&cuda->lock);
    copies->users--;
    pthread_mutex_unlock(&cuda->lock);
}

void zci_cuda_streams_finish(struct zci_cuda *cuda, uint32_t device, int usable)
{
    while (cuda->devices[device].idle_streams != NULL) {
        struct zci_cuda_kernel_stream *stream = cuda->devices[device].idle_streams;
        cuda->devices[device].idle_streams = stream->next;
        destroy(cuda->api, stream, usable);
    }
    while (cuda->devices[device].copy_streams != NULL) {
        struct zci_cuda_copy_stream *copies = cuda->devices[device].copy_streams;
        cuda->devices[device].copy_streams = copies->next;
        if (usable)
            cuda->api->stream_destroy(copies->handle);
        free(copies);
    }
}
