/* SPDX-License-Identifier: MIT */
/* Guarding CUDA calls: the current device, forks, lost devices, and the meaning of errors. */
#include "backend/cuda/cuda.h"

#include <unistd.h>

/* After these errors no call on the device works until the process ends. */
static int is_sticky(int error)
{
    switch (error) {
    case 46:  /* devices unavailable */
    case 214: /* uncorrectable ECC error */
    case 220: /* uncorrectable NVLink error */
    case 226: /* contained error */
    case 999: /* unknown */
        return 1;
    case 701: /* a launch asked for too much */
    case 703: /* incompatible texturing */
    case 704: /* peer access already enabled */
    case 705: /* peer access not enabled */
    case 708: /* too late to set flags */
    case 711: /* too many peers */
    case ZCI_CUDA_ALREADY_REGISTERED:
    case 713: /* not registered */
    case 720: /* cooperative launch too large */
        return 0;
    default:
        return error >= 700 && error < 800;
    }
}

static int others_lost(const struct zci_cuda *cuda, uint32_t device)
{
    for (uint32_t i = 0; i < cuda->device_count; i++)
        if (i != device && atomic_load(&cuda->devices[i].lost))
            return 1;
    return 0;
}

/* A call about memory that all devices share may report the error of a device that was lost
 * before. So the current device is probed with a call about nothing else. */
static int is_lost(struct zci_cuda *cuda, uint32_t device, int error)
{
    if (!is_sticky(error) || !others_lost(cuda, device))
        return is_sticky(error);
    const int own = cuda->api->stream_query(NULL);
    if (own != ZCI_CUDA_SUCCESS)
        cuda->api->last_error();
    return is_sticky(own);
}

zcs_status zci_cuda_classify(struct zci_cuda *cuda, uint32_t device, int error)
{
    if (error == ZCI_CUDA_SUCCESS)
        return ZCS_OK;
    cuda->api->last_error();
    if (is_lost(cuda, device, error))
        atomic_store(&cuda->devices[device].lost, 1);
    return error == ZCI_CUDA_NO_MEMORY ? ZCS_ERR_NOMEM : ZCS_ERR_DEVICE;
}

zcs_status zci_cuda_check(struct zci_cuda *cuda, uint32_t device, int error, const char *what)
{
    const zcs_status status = zci_cuda_classify(cuda, device, error);
    if (status == ZCS_OK)
        return status;
    const int lost = atomic_load(&cuda->devices[device].lost);
    return zci_fail(&cuda->base.log, status, "cuda device %u (%s): %s: %s (%d)%s", device,
                    cuda->devices[device].properties.name, what, cuda->api->error_text(error),
                    error, lost ? "; the device is lost to this process" : "");
}

int zci_cuda_enter_quietly(struct zci_cuda *cuda, uint32_t device, int *previous)
{
    if (!zci_fork_guard_same_process(&cuda->fork_guard))
        return 0;
    if (cuda->api->get_device(previous) != ZCI_CUDA_SUCCESS)
        *previous = (int)device;
    if (*previous != (int)device && cuda->api->set_device((int)device) != ZCI_CUDA_SUCCESS)
        cuda->api->last_error();
    return 1;
}

zcs_status zci_cuda_enter(struct zci_cuda *cuda, uint32_t device, int *previous)
{
    const struct zci_log *log = &cuda->base.log;
    if (!zci_fork_guard_same_process(&cuda->fork_guard))
        return zci_fail(log, ZCS_ERR_DEVICE,
                        "cuda: process %ld was forked from %ld, which opened it: a context does "
                        "not survive a fork",
                        (long)getpid(), (long)cuda->fork_guard.pid);
    if (atomic_load(&cuda->devices[device].lost))
        return zci_fail(log, ZCS_ERR_DEVICE, "cuda device %u (%s): lost by an earlier error",
                        device, cuda->devices[device].properties.name);
    zcs_status status =
        zci_cuda_check(cuda, device, cuda->api->get_device(previous), "getting the current device");
    if (status == ZCS_OK && *previous != (int)device)
        status = zci_cuda_check(cuda, device, cuda->api->set_device((int)device), "selecting it");
    return status;
}

void zci_cuda_leave(struct zci_cuda *cuda, int previous)
{
    int current;
    if (cuda->api->get_device(&current) == ZCI_CUDA_SUCCESS && current != previous)
        cuda->api->set_device(previous);
}

zcs_status zci_cuda_query_stream(struct zci_cuda *cuda, uint32_t device, void *stream,
                                 const char *what)
{
    int previous;
    zcs_status status = zci_cuda_enter(cuda, device, &previous);
    if (status != ZCS_OK)
        return status;
    const int error = cuda->api->stream_query(stream);
    if (error == ZCI_CUDA_NOT_READY) {
        cuda->api->last_error();
        status = ZCS_AGAIN;
    } else {
        status = zci_cuda_check(cuda, device, error, what);
    }
    zci_cuda_leave(cuda, previous);
    return status;
}
