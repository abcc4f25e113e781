/* SPDX-License-Identifier: MIT */
/* The table of CUDA calls over the runtime: the one file that includes it. */
#include "backend/cuda/api.h"

#include <stdio.h>
#include <string.h>

#include <cuda_runtime_api.h>

#include "os/numa.h"

static int device_count(int *out)
{
    return (int)cudaGetDeviceCount(out);
}

static int attribute(int device, enum cudaDeviceAttr which, int *out)
{
    return (int)cudaDeviceGetAttribute(out, which, device);
}

/* CUresult cuStreamWriteValue32(CUstream, CUdeviceptr, cuuint32_t, unsigned): in the driver
 * only. */
typedef int (*write_fn)(void *stream, unsigned long long to, uint32_t value, unsigned flags);

static void (*find_write_word(void))(void)
{
    void *found = NULL;
    void (*as_function)(void) = NULL;
    enum cudaDriverEntryPointQueryResult result = cudaDriverEntryPointSymbolNotFound;
#if CUDART_VERSION >= 12050
    const cudaError_t error = cudaGetDriverEntryPointByVersion("cuStreamWriteValue32", &found,
                                                               12000, cudaEnableDefault, &result);
#else
    const cudaError_t error =
        cudaGetDriverEntryPoint("cuStreamWriteValue32", &found, cudaEnableDefault, &result);
#endif
    if (error == cudaSuccess && result == cudaDriverEntryPointSuccess)
        memcpy(&as_function, &found, sizeof as_function);
    return as_function;
}

static int device_properties(int device, struct zci_cuda_properties *out)
{
    struct cudaDeviceProp prop;
    struct zci_cuda_properties properties = {.sm_count = 0};
    int major = 0, driver = 0, error = (int)cudaGetDeviceProperties(&prop, device);
    if (error == 0)
        error = (int)cudaDriverGetVersion(&driver);
    if (error == 0)
        error = attribute(device, cudaDevAttrComputeCapabilityMajor, &major);
    if (error == 0)
        error = attribute(device, cudaDevAttrIntegrated, &properties.integrated);
    if (error == 0)
        error = attribute(device, cudaDevAttrCanMapHostMemory, &properties.can_map);
    if (error != 0)
        return error;
    memcpy(properties.name, prop.name, sizeof properties.name - 1);
    properties.sm_count = (uint32_t)prop.multiProcessorCount;
    properties.memory_bytes = prop.totalGlobalMem;
    properties.driver = (uint32_t)driver;
    properties.toolkit = CUDART_VERSION;
    snprintf(properties.pci, sizeof properties.pci, "%04x:%02x:%02x.0",
             (unsigned)prop.pciDomainID & 0xffffu, (unsigned)prop.pciBusID & 0xffu,
             (unsigned)prop.pciDeviceID & 0xffu);
    properties.node = zci_numa_of_pci(properties.pci);
    properties.has_bulk_copy = major >= 9;
    properties.write_word = find_write_word();
    *out = properties;
    return error;
}

static int set_device(int device)
{
    return (int)cudaSetDevice(device);
}

static int get_device(int *out)
{
    return (int)cudaGetDevice(out);
}

static const char *error_text(int error)
{
    return cudaGetErrorString((cudaError_t)error);
}

static int last_error(void)
{
    return (int)cudaGetLastError();
}

static int host_alloc(void **out, size_t bytes, int write_combined)
{
    const unsigned flags = cudaHostAllocMapped | cudaHostAllocPortable;
    return (int)cudaHostAlloc(out, bytes,
                              flags | (write_combined ? cudaHostAllocWriteCombined : 0u));
}

static int host_free(void *host)
{
    return (int)cudaFreeHost(host);
}

static int host_register(void *host, size_t bytes)
{
    return (int)cudaHostRegister(host, bytes, cudaHostRegisterMapped | cudaHostRegisterPortable);
}

static int host_unregister(void *host)
{
    return (int)cudaHostUnregister(host);
}

static int host_device_pointer(void **out, void *host)
{
    return (int)cudaHostGetDevicePointer(out, host, 0);
}

static int is_pinned(int *out, const void *host)
{
    struct cudaPointerAttributes attributes;
    const int error = (int)cudaPointerGetAttributes(&attributes, host);
    *out = error == 0 && attributes.type == cudaMemoryTypeHost;
    return error;
}

static int device_alloc(void **out, size_t bytes)
{
    return (int)cudaMalloc(out, bytes);
}

static int device_free(void *memory)
{
    return (int)cudaFree(memory);
}

static int stream_create(void **out)
{
    return (int)cudaStreamCreateWithFlags((cudaStream_t *)out, cudaStreamNonBlocking);
}

static int stream_destroy(void *stream)
{
    return (int)cudaStreamDestroy(stream);
}

static int stream_query(void *stream)
{
    return (int)cudaStreamQuery(stream);
}

static int stream_wait(void *stream)
{
    return (int)cudaStreamSynchronize(stream);
}

static int event_create(void **out)
{
    return (int)cudaEventCreateWithFlags((cudaEvent_t *)out, cudaEventDisableTiming);
}

static int event_destroy(void *event)
{
    return (int)cudaEventDestroy(event);
}

static int event_record(void *event, void *stream)
{
    return (int)cudaEventRecord(event, stream);
}

static int stream_wait_event(void *stream, void *event)
{
    return (int)cudaStreamWaitEvent(stream, event, 0);
}

static int peer_enable(int peer)
{
    int current = 0, can = 0, error = (int)cudaGetDevice(&current);
    if (error == 0)
        error = (int)cudaDeviceCanAccessPeer(&can, current, peer);
    if (error != 0 || !can)
        return error;
    error = (int)cudaDeviceEnablePeerAccess(peer, 0);
    if (error != (int)cudaErrorPeerAccessAlreadyEnabled)
        return error;
    (void)cudaGetLastError();
    return 0;
}

static int copy(void *to, const void *from, size_t bytes, enum zci_cuda_copy_kind kind,
                void *stream)
{
    return (int)cudaMemcpyAsync(to, from, bytes, (enum cudaMemcpyKind)kind, stream);
}

static int write_word(const struct zci_cuda_properties *properties, uint32_t *to, uint32_t value,
                      void *stream)
{
    return ((write_fn)properties->write_word)(stream, (uintptr_t)to, value, 0);
}

static int fill(void *to, int value, size_t bytes, void *stream)
{
    return (int)cudaMemsetAsync(to, value, bytes, stream);
}

static int launch(const void *kernel, uint32_t blocks, uint32_t threads, void **arguments,
                  void *stream)
{
    const dim3 grid = {blocks, 1, 1}, block = {threads, 1, 1};
    return (int)cudaLaunchKernel(kernel, grid, block, arguments, 0, stream);
}

static int blocks_per_sm(int *out, const void *kernel, uint32_t threads)
{
    return (int)cudaOccupancyMaxActiveBlocksPerMultiprocessor(out, kernel, (int)threads, 0);
}

const struct zci_cuda_api zci_cuda_runtime = {
    .device_count = device_count,
    .device_properties = device_properties,
    .set_device = set_device,
    .get_device = get_device,
    .error_text = error_text,
    .last_error = last_error,
    .host_alloc = host_alloc,
    .host_free = host_free,
    .host_register = host_register,
    .host_unregister = host_unregister,
    .host_device_pointer = host_device_pointer,
    .is_pinned = is_pinned,
    .device_alloc = device_alloc,
    .device_free = device_free,
    .stream_create = stream_create,
    .stream_destroy = stream_destroy,
    .stream_query = stream_query,
    .stream_wait = stream_wait,
    .event_create = event_create,
    .event_destroy = event_destroy,
    .event_record = event_record,
    .stream_wait_event = stream_wait_event,
    .peer_enable = peer_enable,
    .copy = copy,
    .write_word = write_word,
    .fill = fill,
    .launch = launch,
    .blocks_per_sm = blocks_per_sm,
};
