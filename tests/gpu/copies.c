/* SPDX-License-Identifier: MIT */
/* Plain copies: a frame context's frame goes to its device and, where something does, comes back
 * on one stream, so that the copies of several frame contexts run in both directions at once;
 * one host thread gives frame contexts their next frame in order. */
#include "gpu/copies.h"

#include "check.h"
#include "os/clock.h"

#define SAMPLE_BYTES 4096u

static void fill(void *memory, size_t bytes, uint64_t seed)
{
    for (size_t i = 0; i + 8 <= bytes; i += 8) {
        const uint64_t value = test_random(&seed);
        memcpy((uint8_t *)memory + i, &value, 8);
    }
}

static void open_frame_ctx(struct copies_frame_ctx *fctx, int device, size_t bytes)
{
    fctx->device = device;
    CHECK_EQ(cudaSetDevice(device), 0);
    CHECK_EQ(cudaStreamCreateWithFlags(&fctx->stream, cudaStreamNonBlocking), 0);
    CHECK_EQ(cudaMalloc(&fctx->there, bytes), 0);
    CHECK_EQ(cudaMemset(fctx->there, 0, bytes), 0);
    CHECK_EQ(cudaDeviceSynchronize(), 0);
}

void copies_open(struct copies *copies, zcs_context *ctx, const uint32_t devices[COPIES_DEVICES],
                 size_t in_bytes, size_t out_bytes)
{
    int previous;
    *copies = (struct copies){.ctx = ctx, .in_bytes = in_bytes, .out_bytes = out_bytes};
    CHECK_EQ(cudaGetDevice(&previous), 0);
    for (uint32_t i = 0; i < COPIES_FRAME_CTXS; i++)
        open_frame_ctx(&copies->inflight[i], (int)devices[i % COPIES_DEVICES],
                       in_bytes > out_bytes ? in_bytes : out_bytes);
    CHECK_EQ(cudaSetDevice(previous), 0);
    for (uint32_t i = 0; i < COPIES_SOURCES; i++) {
        CHECK_EQ(zcs_memory_alloc(ctx, ZCS_ROLE_INGEST, in_bytes, &copies->sources[i]), ZCS_OK);
        fill(copies->sources[i], in_bytes, i + 1);
    }
    for (uint32_t i = 0; i < COPIES_RESULTS && out_bytes > 0; i++)
        CHECK_EQ(zcs_memory_alloc(ctx, ZCS_ROLE_READBACK, out_bytes, &copies->results[i]), ZCS_OK);
}

/* Which buffers the nth copy there and back uses. */
struct turn {
    struct copies_frame_ctx *fctx;
    const void *source;
    void *result;
};

struct shape {
    uint32_t first, count;
    uint64_t each; /* copies there and back that make a frame */
};

static struct turn turn_of(struct copies *copies, const struct shape *shape, uint64_t n)
{
    const uint64_t fctx = n % (shape->count * COPIES_FLIGHT);
    const uint64_t device = (shape->first + fctx % shape->count) % COPIES_DEVICES;
    return (struct turn){
        .fctx = &copies->inflight[fctx / shape->count * COPIES_DEVICES + device],
        .source = copies->sources[n / shape->each % COPIES_SOURCES],
        .result = copies->results[n % (shape->count * COPIES_FLIGHT + COPIES_HELD)],
    };
}

/* Waits for the frame that the frame context has. */
static void give(const struct copies *copies, const struct turn *turn)
{
    const struct copies_frame_ctx *fctx = turn->fctx;
    CHECK_EQ(cudaSetDevice(fctx->device), 0);
    CHECK_EQ(cudaStreamSynchronize(fctx->stream), 0);
    CHECK_EQ(cudaMemcpyAsync(fctx->there, turn->source, copies->in_bytes, cudaMemcpyHostToDevice,
                             fctx->stream),
             0);
    if (copies->out_bytes > 0)
        CHECK_EQ(cudaMemcpyAsync(turn->result, fctx->there, copies->out_bytes,
                                 cudaMemcpyDeviceToHost, fctx->stream),
                 0);
}

/* The first and the last bytes of what the device has. */
static void check_there(const struct copies *copies, const struct turn *turn)
{
    const size_t ends[] = {0, copies->in_bytes - SAMPLE_BYTES};
    uint8_t back[SAMPLE_BYTES];
    for (int i = 0; i < 2; i++) {
        CHECK_EQ(cudaMemcpy(back, (const uint8_t *)turn->fctx->there + ends[i], sizeof back,
                            cudaMemcpyDeviceToHost),
                 0);
        CHECK(memcmp(back, (const uint8_t *)turn->source + ends[i], sizeof back) == 0);
    }
}

/* What came back is what went there. */
static void check_result(const struct copies *copies, const struct turn *turn)
{
    const size_t bytes =
        copies->in_bytes < copies->out_bytes ? copies->in_bytes : copies->out_bytes;
    const size_t sample = bytes < SAMPLE_BYTES ? bytes : SAMPLE_BYTES, end = bytes - sample;
    CHECK_EQ(cudaSetDevice(turn->fctx->device), 0);
    CHECK_EQ(cudaStreamSynchronize(turn->fctx->stream), 0);
    if (copies->out_bytes == 0) {
        check_there(copies, turn);
        return;
    }
    CHECK(memcmp(turn->result, turn->source, sample) == 0);
    CHECK(memcmp((uint8_t *)turn->result + end, (const uint8_t *)turn->source + end, sample) == 0);
}

/* The nth frame's copies and those behind it, until ns are over, which it returns. */
static int64_t copy_for(struct copies *copies, const struct shape *shape, int64_t ns, uint64_t *n)
{
    const int64_t begin_ns = zci_now_ns();
    int64_t now_ns;
    do {
        for (uint64_t i = 0; i < shape->each; i++, (*n)++) {
            const struct turn turn = turn_of(copies, shape, *n);
            give(copies, &turn);
        }
        now_ns = zci_now_ns();
    } while (now_ns < begin_ns + ns);
    return now_ns - begin_ns;
}

double copies_rate(struct copies *copies, uint32_t first, uint32_t count, int to_all,
                   int64_t warm_ns, int64_t run_ns)
{
    const struct shape shape = {.first = first, .count = count, .each = to_all ? count : 1};
    int previous;
    uint64_t n = 0;
    CHECK_EQ(cudaGetDevice(&previous), 0);
    (void)copy_for(copies, &shape, warm_ns, &n);
    const uint64_t warm = n;
    const int64_t took_ns = copy_for(copies, &shape, run_ns, &n);
    for (uint64_t i = 0; i < n && i < shape.count * COPIES_FLIGHT; i++) {
        const struct turn turn = turn_of(copies, &shape, n - 1 - i);
        check_result(copies, &turn);
    }
    CHECK_EQ(cudaSetDevice(previous), 0);
    const uint64_t frames = (n - warm) / shape.each;
    return (double)frames * 1e9 / (double)took_ns;
}

void copies_close(struct copies *copies)
{
    int previous;
    CHECK_EQ(cudaGetDevice(&previous), 0);
    for (uint32_t i = 0; i < COPIES_FRAME_CTXS; i++) {
        CHECK_EQ(cudaSetDevice(copies->inflight[i].device), 0);
        CHECK_EQ(cudaStreamDestroy(copies->inflight[i].stream), 0);
        CHECK_EQ(cudaFree(copies->inflight[i].there), 0);
    }
    CHECK_EQ(cudaSetDevice(previous), 0);
    for (uint32_t i = 0; i < COPIES_SOURCES; i++)
        zcs_memory_free(copies->ctx, &copies->sources[i]);
    for (uint32_t i = 0; i < COPIES_RESULTS && copies->out_bytes > 0; i++)
        zcs_memory_free(copies->ctx, &copies->results[i]);
}
