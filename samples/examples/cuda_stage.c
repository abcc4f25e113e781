/* SPDX-License-Identifier: MIT */
/* A custom stage on the GPU. Its kernel is in cuda_stage_kernel.cu; machines without a GPU use the
 * C version here. Results stay in device memory, and another kernel reads them there. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <zcstream/zcstream.h>

#include "cuda_stage_kernel.h"

static zcs_status edges_host(void *user, const struct zcs_view *in, const struct zcs_view *out,
                             uint32_t first, uint32_t last)
{
    (void)user;
    if (in->format != ZCS_PIXFMT_GREY)
        return ZCS_ERR_FORMAT;
    for (uint32_t y = first; y < last; y++) {
        const uint8_t *row = (const uint8_t *)in->data + y * in->stride_bytes;
        uint8_t *to = (uint8_t *)out->data + y * out->stride_bytes;
        for (uint32_t x = 0; x < in->width; x++) {
            const int right = row[x + 1 < in->width ? x + 1 : x];
            to[x] = (uint8_t)(right > row[x] ? right - row[x] : row[x] - right);
        }
    }
    return ZCS_OK;
}

/* Gets device addresses and the frame's CUDA stream. Enqueues the kernel and returns. */
static zcs_status edges_cuda(void *user, const struct zcs_view *in, const struct zcs_view *out,
                             void *cuda_stream)
{
    (void)user;
    if (in->format != ZCS_PIXFMT_GREY)
        return ZCS_ERR_FORMAT;
    return edges_enqueue(in, out, cuda_stream) == 0 ? ZCS_OK : ZCS_ERR_DEVICE;
}

static void print_line(void *user, enum zcs_log_level level, const char *line)
{
    (void)user, (void)level;
    fprintf(stderr, "%s\n", line);
}

/* The brightness of a result, in device memory or in host memory. */
static zcs_status brightness(const struct zcs_frame *frame, uint64_t *out)
{
    struct zcs_cuda_frame cuda;
    const struct zcs_view view = {.data = frame->device_data,
                                  .stride_bytes = frame->image.stride_bytes[0],
                                  .width = frame->image.width,
                                  .height = frame->image.height,
                                  .format = frame->image.format};
    if (zcs_frame_cuda(frame, &cuda) == ZCS_OK)
        return brightness_cuda(&view, cuda.stream, out) == 0 ? ZCS_OK : ZCS_ERR_DEVICE;
    *out = 0;
    for (uint32_t y = 0; y < view.height; y++)
        for (uint32_t x = 0; x < view.width; x++)
            *out += ((const uint8_t *)frame->host)[y * view.stride_bytes + x];
    return ZCS_OK;
}

int main(int argc, char **argv)
{
    const int on_host = argc > 1 && strcmp(argv[1], "host") == 0;
    const struct zcs_custom_stage custom = {
        .name = "edges", .host_fn = edges_host, .cuda_fn = edges_cuda};
    const struct zcs_params params = {.backend = on_host ? ZCS_BACKEND_HOST : ZCS_BACKEND_CUDA,
                                      .log = print_line};
    const struct zcs_pattern_params pattern = {
        .name = "zone", .width = 640, .height = 480, .frames = 3};
    const struct zcs_stream_params chain = {.stages = "gray,edges",
                                            .depth = ZCS_DEPTH_8,
                                            .custom = &custom,
                                            .custom_count = 1,
                                            .device_results = !on_host,
                                            .device_count = 1}; /* results stay on one device */
    zcs_context *ctx = NULL;
    zcs_source *source = NULL;
    zcs_stream *stream = NULL;
    const struct zcs_frame *frame = NULL;
    zcs_status status = zcs_open(&params, &ctx);
    if (status == ZCS_OK)
        status = zcs_source_open_pattern(ctx, &pattern, &source);
    if (status == ZCS_OK)
        status = zcs_stream_create(ctx, source, &chain, &stream);
    while (status == ZCS_OK && (status = zcs_stream_next(stream, -1, &frame)) == ZCS_OK) {
        uint64_t sum = 0;
        status = brightness(frame, &sum);
        printf("frame %" PRIu64 ": edges add up to %" PRIu64 "\n", frame->sequence, sum);
        zcs_frame_unref(&frame);
    }
    zcs_stream_destroy(&stream);
    zcs_source_close(&source);
    zcs_close(&ctx);
    return status == ZCS_EOF ? 0 : 1;
}
