/* SPDX-License-Identifier: MIT */
/* A custom stage in the chain: it makes a picture with two tones and counts the light pixels. */
#include <inttypes.h>
#include <stdatomic.h>
#include <stdio.h>
#include <zcstream/zcstream.h>

struct two_tones {
    uint8_t threshold;
    atomic_ulong light; /* light pixels so far; several workers add to it */
};

/* Writes rows first to last - 1 of `out`. Several threads call it at the same time with different
 * rows. It may read all of `in`, for example neighbour pixels. */
static zcs_status two_tones(void *user, const struct zcs_view *in, const struct zcs_view *out,
                            uint32_t first, uint32_t last)
{
    struct two_tones *stage = user;
    unsigned long light = 0;
    if (in->format != ZCS_PIXFMT_GREY)
        return ZCS_ERR_FORMAT; /* fails the frame: the chain must end in one channel of 8 bits */
    for (uint32_t y = first; y < last; y++) {
        const uint8_t *from = (const uint8_t *)in->data + y * in->stride_bytes;
        uint8_t *to = (uint8_t *)out->data + y * out->stride_bytes;
        for (uint32_t x = 0; x < in->width; x++) {
            const int is_light = from[x] >= stage->threshold;
            to[x] = is_light ? 255 : 0;
            light += is_light;
        }
    }
    atomic_fetch_add(&stage->light, light);
    return ZCS_OK;
}

static void print_line(void *user, enum zcs_log_level level, const char *line)
{
    (void)user, (void)level;
    fprintf(stderr, "%s\n", line);
}

int main(void)
{
    struct two_tones state = {.threshold = 128};
    /* cuda_fn would enqueue a kernel for the same work. Without it, use the host backend. */
    const struct zcs_custom_stage custom = {
        .name = "two_tones", .user = &state, .host_fn = two_tones};
    const struct zcs_params params = {.backend = ZCS_BACKEND_HOST, .log = print_line};
    const struct zcs_pattern_params pattern = {
        .name = "bars", .width = 640, .height = 480, .frames = 3};
    /* The chain names it like any other stage. */
    const struct zcs_stream_params chain = {
        .stages = "gray,two_tones", .depth = ZCS_DEPTH_8, .custom = &custom, .custom_count = 1};
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
        const uint8_t *row = frame->host;
        printf("frame %" PRIu64 ": left %d, right %d\n", frame->sequence, row[0],
               row[frame->image.width - 1]);
        zcs_frame_unref(&frame);
    }
    printf("%lu light pixels\n", atomic_load(&state.light));
    zcs_stream_destroy(&stream);
    zcs_source_close(&source);
    zcs_close(&ctx);
    return status == ZCS_EOF ? 0 : 1;
}
