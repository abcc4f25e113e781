/* SPDX-License-Identifier: MIT */
/* Spare pinned memory: a list, last in, first out. */
#include "backend/cuda/spare.h"

#include <stdlib.h>

#include "backend/cuda/cuda.h"
#include "backend/cuda/memory.h"

struct zci_cuda_spare {
    struct zci_cuda_spare *next;
    struct zci_memory memory;
};

static struct zci_cuda_spare *pop(struct zci_cuda *cuda)
{
    pthread_mutex_lock(&cuda->lock);
    struct zci_cuda_spare *spare = cuda->spares;
    if (spare != NULL)
        cuda->spares = spare->next;
    pthread_mutex_unlock(&cuda->lock);
    return spare;
}

/* One that the device did not see when it was made is no good to it. */
zcs_status zci_cuda_spare_take(struct zci_cuda *cuda, uint32_t device, struct zci_memory *out)
{
    struct zci_cuda_spare *spare;
    while ((spare = pop(cuda)) != NULL) {
        struct zci_memory memory = spare->memory;
        free(spare);
        if (!cuda->devices[device].facts.can_map || zci_cuda_memory_seen(&memory, device) != NULL) {
            *out = memory;
            return ZCS_OK;
        }
        zci_cuda_memory_free(&cuda->base, &memory);
    }
    return zci_cuda_memory_alloc(&cuda->base, ZCS_ROLE_READBACK, ZCI_CUDA_REPORT_BYTES, out);
}

void zci_cuda_spare_give(struct zci_cuda *cuda, struct zci_memory *memory)
{
    if (memory->bytes == 0)
        return;
    struct zci_cuda_spare *spare = calloc(1, sizeof *spare);
    if (spare == NULL) {
        zci_cuda_memory_free(&cuda->base, memory);
        return;
    }
    spare->memory = *memory;
    *memory = (struct zci_memory){0};
    pthread_mutex_lock(&cuda->lock);
    spare->next = cuda->spares;
    cuda->spares = spare;
    pthread_mutex_unlock(&cuda->lock);
}

void zci_cuda_spares_finish(struct zci_cuda *cuda)
{
    for (struct zci_cuda_spare *spare; (spare = pop(cuda)) != NULL; free(spare))
        zci_cuda_memory_free(&cuda->base, &spare->memory);
}
