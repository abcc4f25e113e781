/* SPDX-License-Identifier: MIT */
/* Two kernels of the application: one in the chain, one after it. */
#include "cuda_stage_kernel.h"

static __global__ void edges(struct zcs_view in, struct zcs_view out)
{
    const uint32_t x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
    if (x >= in.width)
        return;
    const uint8_t *row = (const uint8_t *)in.data + y * in.stride_bytes;
    const int right = row[x + 1 < in.width ? x + 1 : x];
    ((uint8_t *)out.data)[y * out.stride_bytes + x] = (uint8_t)abs(right - row[x]);
}

static __global__ void add_up(struct zcs_view view, unsigned long long *sum)
{
    const uint32_t x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
    if (x < view.width)
        atomicAdd(sum, ((const uint8_t *)view.data)[y * view.stride_bytes + x]);
}

static dim3 grid_of(const struct zcs_view *view)
{
    return dim3((view->width + 255) / 256, view->height);
}

int edges_enqueue(const struct zcs_view *in, const struct zcs_view *out, void *cuda_stream)
{
    edges<<<grid_of(in), 256, 0, (cudaStream_t)cuda_stream>>>(*in, *out);
    return (int)cudaGetLastError();
}

int brightness_cuda(const struct zcs_view *view, void *cuda_stream, uint64_t *out)
{
    cudaStream_t stream = (cudaStream_t)cuda_stream;
    unsigned long long *sum = nullptr;
    cudaError_t error = cudaMalloc((void **)&sum, sizeof *sum);
    if (error == cudaSuccess)
        error = cudaMemsetAsync(sum, 0, sizeof *sum, stream);
    if (error == cudaSuccess) {
        add_up<<<grid_of(view), 256, 0, stream>>>(*view, sum);
        error = cudaGetLastError();
    }
    if (error == cudaSuccess)
        error = cudaMemcpyAsync(out, sum, sizeof *sum, cudaMemcpyDeviceToHost, stream);
    if (error == cudaSuccess)
        error = cudaStreamSynchronize(stream);
    cudaFree(sum);
    return (int)error;
}
