/* SPDX-License-Identifier: MIT */
/* The C part of zcs_frames.py: processed frames of a recording as DLPack tensors. */
#include <stdio.h>
#include <stdlib.h>
#include <zcstream/dlpack.h>
#include <zcstream/zcstream.h>

#define EXPORT __attribute__((visibility("default")))

struct frames {
    zcs_context *ctx;
    zcs_source *source;
    zcs_stream *stream;
};

/* Declarations for ctypes, which reads no headers. */
EXPORT struct frames *frames_open(const char *path, const char *stages, int on_device,
                                  unsigned keep);
EXPORT int frames_next(struct frames *frames, struct DLManagedTensor **out);
EXPORT const char *frames_strerror(int status);
EXPORT void frames_delete(struct DLManagedTensor *tensor);
EXPORT void frames_close(struct frames *frames);

static void print_line(void *user, enum zcs_log_level level, const char *line)
{
    (void)user, (void)level;
    fprintf(stderr, "zcstream: %s\n", line);
}

void frames_close(struct frames *frames)
{
    zcs_stream_destroy(&frames->stream);
    zcs_source_close(&frames->source);
    zcs_close(&frames->ctx);
    free(frames);
}

/* NULL: failed, with a message. `stages` may be NULL. At most `keep` tensors may be held; 0: 4. */
struct frames *frames_open(const char *path, const char *stages, int on_device, unsigned keep)
{
    const struct zcs_params params = {.backend = on_device ? ZCS_BACKEND_CUDA : ZCS_BACKEND_AUTO,
                                      .log = print_line};
    const struct zcs_replay_params replay = {.path = path};
    /* Results stay on the first device. */
    const struct zcs_stream_params chain = {.stages = stages,
                                            .device_results = on_device,
                                            .device_count = on_device ? 1 : 0,
                                            .results = keep};
    struct frames *frames = calloc(1, sizeof *frames);
    if (frames == NULL)
        return NULL;
    zcs_status status = zcs_open(&params, &frames->ctx);
    if (status == ZCS_OK)
        status = zcs_source_open_replay(frames->ctx, &replay, &frames->source);
    if (status == ZCS_OK)
        status = zcs_stream_create(frames->ctx, frames->source, &chain, &frames->stream);
    if (status == ZCS_OK)
        return frames;
    frames_close(frames);
    return NULL;
}

/* A zcs_status. ZCS_OK: the next frame. ZCS_EOF: no more frames. ZCS_AGAIN: all results are held,
 * or a signal arrived. Failures print a message. */
int frames_next(struct frames *frames, struct DLManagedTensor **out)
{
    const struct zcs_frame *frame = NULL;
    zcs_status status = zcs_stream_next(frames->stream, -1, &frame);
    if (status == ZCS_OK)
        status = zcs_frame_dlpack(frame, 0, 0, out);
    zcs_frame_unref(&frame); /* the tensor has its own reference */
    return status;
}

const char *frames_strerror(int status)
{
    return zcs_strerror((zcs_status)status);
}

/* For tensors that no library took. In DLPack's layout the deleter is the last member. */
void frames_delete(struct DLManagedTensor *tensor)
{
    struct managed {
        char tensor[48];
        void *manager_ctx;
        void (*deleter)(struct DLManagedTensor *self);
    } *managed = (struct managed *)tensor;
    managed->deleter(tensor);
}
