/* SPDX-License-Identifier: MIT */
/* The host backend's memory: anonymous mappings, and a list of counted ranges. */
#define _DEFAULT_SOURCE /* MAP_ANONYMOUS */
#include "backend/host/memory.h"

#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

struct zci_host_range {
    struct zci_host_range *next;
    void *memory;
    size_t bytes;
    uint64_t count;
};

zcs_status zci_host_memory_alloc(struct zci_backend *backend, enum zcs_role role, size_t bytes,
                                 struct zci_memory *out)
{
    (void)backend;
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    if (bytes > SIZE_MAX - page)
        return ZCS_ERR_NOMEM;
    const size_t padded = (bytes + page - 1) / page * page;
    void *memory = mmap(NULL, padded, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED)
        return ZCS_ERR_NOMEM;
    *out = (struct zci_memory){
        .host = memory, .bytes = padded, .role = role, .kind = ZCS_MEMORY_PAGEABLE};
    return ZCS_OK;
}

void zci_host_memory_free(struct zci_backend *backend, struct zci_memory *memory)
{
    (void)backend;
    munmap(memory->host, memory->bytes);
    *memory = (struct zci_memory){0};
}

void zci_host_registrations_init(struct zci_host_registrations *registrations)
{
    pthread_mutex_init(&registrations->lock, NULL);
    registrations->first = NULL;
}

void zci_host_registrations_finish(struct zci_host_registrations *registrations)
{
    while (registrations->first != NULL) {
        struct zci_host_range *range = registrations->first;
        registrations->first = range->next;
        free(range);
    }
    pthread_mutex_destroy(&registrations->lock);
}

/* The link to the range that begins at `memory`, or the last link. */
static struct zci_host_range **find(struct zci_host_registrations *registrations,
                                    const void *memory)
{
    struct zci_host_range **link = &registrations->first;
    while (*link != NULL && (*link)->memory != memory)
        link = &(*link)->next;
    return link;
}

static zcs_status add(struct zci_host_range **link, const struct zci_log *log, void *memory,
                      size_t bytes)
{
    struct zci_host_range *range = *link;
    if (range == NULL) {
        range = calloc(1, sizeof *range);
        if (range == NULL)
            return zci_fail(log, ZCS_ERR_NOMEM, "memory %p: registration: no memory", memory);
        range->memory = memory;
        range->bytes = bytes;
        *link = range;
    }
    if (range->bytes != bytes)
        return zci_fail(log, ZCS_ERR_ARG, "memory %p: registered with %zu bytes, now with %zu",
                        memory, range->bytes, bytes);
    range->count++;
    return ZCS_OK;
}

zcs_status zci_host_registrations_add(struct zci_host_registrations *registrations,
                                      const struct zci_log *log, void *memory, size_t bytes)
{
    pthread_mutex_lock(&registrations->lock);
    const zcs_status status = add(find(registrations, memory), log, memory, bytes);
    pthread_mutex_unlock(&registrations->lock);
    return status;
}

zcs_status zci_host_registrations_remove(struct zci_host_registrations *registrations,
                                         const struct zci_log *log, void *memory)
{
    pthread_mutex_lock(&registrations->lock);
    struct zci_host_range **link = find(registrations, memory);
    struct zci_host_range *range = *link;
    if (range != NULL && --range->count == 0) {
        *link = range->next;
        free(range);
    }
    pthread_mutex_unlock(&registrations->lock);
    return range != NULL ? ZCS_OK
                         : zci_fail(log, ZCS_ERR_ARG, "memory %p: is not registered", memory);
}
