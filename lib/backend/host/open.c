/* SPDX-License-Identifier: MIT */
/* The host backend: opening and closing it, its one device, and its table of functions. */
#include "backend/host/host.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "backend/host/frame_ctx.h"

#define MAX_THREADS 1024u

/* The entry of the first processor comes first and is shorter than this. */
#define ENTRY_BYTES 4096

static void read_entry(char *text)
{
    ssize_t used = 0;
    const int fd = open("/proc/cpuinfo", O_RDONLY | O_CLOEXEC);
    if (fd >= 0) {
        used = read(fd, text, ENTRY_BYTES - 1);
        close(fd);
    }
    text[used > 0 ? used : 0] = '\0';
}

/* As the kernel calls the processor; "host" if it does not say. */
static void cpu_name(char *out, size_t bytes)
{
    char text[ENTRY_BYTES];
    read_entry(text);
    const char *key = strstr(text, "model name");
    const char *name = key != NULL ? strchr(key, ':') : NULL;
    if (name == NULL)
        name = ": host\n";
    name += 1 + strspn(name + 1, " \t");
    snprintf(out, bytes, "%.*s", (int)strcspn(name, "\n"), name);
}

static void host_close(struct zci_backend *backend)
{
    struct zci_host *host = zci_host_of(backend);
    zci_workers_destroy(&host->workers);
    zci_host_registrations_finish(&host->registrations);
    free(host);
}

static uint32_t host_device_count(const struct zci_backend *backend)
{
    (void)backend;
    return 1;
}

static void host_device_info(const struct zci_backend *backend, uint32_t device,
                             struct zcs_device_info *out)
{
    (void)device;
    const struct zci_host *host = (const struct zci_host *)backend;
    *out = (struct zcs_device_info){
        .backend = ZCS_BACKEND_HOST,
        .units = zci_workers_count(host->workers),
        .integrated = 1,
        .node = -1,
        .can_map = 1,
    };
    for (size_t i = 0; i < sizeof out->name; i++)
        out->name[i] = host->name[i];
}

static uint32_t host_routes(const struct zci_backend *backend, uint32_t device, uint32_t *automatic,
                            const char **reason)
{
    (void)backend;
    (void)device;
    *automatic = 1u << ZCS_ROUTE_MAPPED;
    *reason = "the host reads its slots directly";
    return 1u << ZCS_ROUTE_MAPPED | 1u << ZCS_ROUTE_STAGED | 1u << ZCS_ROUTE_WHOLE;
}

static zcs_status host_memory_register(struct zci_backend *backend, void *memory, size_t bytes)
{
    return zci_host_registrations_add(&zci_host_of(backend)->registrations, &backend->log, memory,
                                      bytes);
}

static zcs_status host_memory_release(struct zci_backend *backend, void *memory)
{
    return zci_host_registrations_remove(&zci_host_of(backend)->registrations, &backend->log,
                                         memory);
}

static const struct zci_backend_ops host_ops = {
    .name = "host",
    .id = ZCS_BACKEND_HOST,
    .close = host_close,
    .device_count = host_device_count,
    .device_info = host_device_info,
    .memory_alloc = zci_host_memory_alloc,
    .memory_free = zci_host_memory_free,
    .memory_register = host_memory_register,
    .memory_release = host_memory_release,
    .routes = host_routes,
    .frame_ctx_create = zci_host_frame_ctx_create,
    .frame_ctx_submit = zci_host_frame_ctx_submit,
    .frame_ctx_poll = zci_host_frame_ctx_poll,
    .frame_ctx_wait = zci_host_frame_ctx_wait,
    .frame_ctx_destroy = zci_host_frame_ctx_destroy,
};

static uint32_t core_count(void)
{
    const long cores = sysconf(_SC_NPROCESSORS_ONLN);
    return cores < 1 ? 1 : cores > (long)MAX_THREADS ? MAX_THREADS : (uint32_t)cores;
}

zcs_status zci_backend_open_host(const struct zci_log *log, uint32_t threads,
                                 struct zci_backend **out)
{
    if (threads > MAX_THREADS)
        return zci_fail(log, ZCS_ERR_ARG, "backend host: %u threads: at most %u", threads,
                        MAX_THREADS);
    struct zci_host *host = calloc(1, sizeof *host);
    if (host == NULL)
        return zci_fail(log, ZCS_ERR_NOMEM, "backend host: no memory");
    host->base.ops = &host_ops;
    host->base.log = *log;
    atomic_init(&host->base.refs, 1);
    zci_host_registrations_init(&host->registrations);
    cpu_name(host->name, sizeof host->name);
    struct zci_backend *backend = &host->base;
    const zcs_status status =
        zci_workers_create(log, threads ? threads : core_count(), &host->workers);
    if (status != ZCS_OK)
        goto fail;
    *out = backend;
    return ZCS_OK;
fail:
    zci_backend_unref(&backend);
    return status;
}
