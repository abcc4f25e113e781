/* SPDX-License-Identifier: MIT */
/* Frames whose words are looked at, as CUDA is told of them: which calls, in which order, and
 * where the source's image goes; with a stand-in, which runs no kernels. */
#include "check.h"

#include <pthread.h>
#include <time.h>

#include "backend/backend.h"
#include "backend/cuda/frame_ctx.h"
#include "backend/cuda/persistent.h"
#include "gpu/fake_api.h"
#include "plan_make.h"
#include "group.h"

enum { WIDTH = 1920, HEIGHT = 1440 };

static struct zci_cuda_api api;
static struct zci_backend *backend;
static struct zci_plan plan;
static struct zci_frame_ctx *fctx;
static struct zci_memory slot, result;

/* What was called for the latest frame: c(opy), w(ord), k(ernel), wait for a s(tream) where one
 * is held; and the kernel's pass. */
static char calls[32];
static struct zck_cuda_pass pass;
static int fail_word, fail_kernel, fail_memory, late, over, copying;
static const struct zci_cuda_persistent *held;

/* An order is there before all that is called for its frame. */
static void note(char what)
{
    if (held != NULL)
        CHECK_EQ(held->mailbox->command.result >> 48, held->frame);
    const size_t used = strlen(calls);
    if (used + 1 < sizeof calls)
        calls[used] = what;
}

static int copy(void *to, const void *from, size_t bytes, enum zci_cuda_copy_kind kind,
                void *stream)
{
    note('c');
    if (over) { /* the kernel is done with the frame and has ended before the call returns */
        held->args.completion->report.frame = held->frame;
        held->args.completion->closed = held->args.launch;
    }
    return fake_cuda.copy(to, from, bytes, kind, stream);
}

static int write_word(const struct zci_cuda_properties *properties, uint32_t *to, uint32_t value,
                      void *stream)
{
    note('w');
    return fail_word ? 1 : fake_cuda.write_word(properties, to, value, stream);
}

static int launch(const void *kernel, uint32_t blocks, uint32_t threads, void **arguments,
                  void *stream)
{
    note('k');
    if (threads == ZCK_CUDA_THREADS)
        pass = *(const struct zck_cuda_pass *)arguments[0];
    else if (late)
        held->args.completion->late = held->frame;
    return fail_kernel ? 1 : fake_cuda.launch(kernel, blocks, threads, arguments, stream);
}

static int stream_query(void *stream)
{
    return copying-- > 0 ? ZCI_CUDA_NOT_READY : fake_cuda.stream_query(stream);
}

static int stream_wait(void *stream)
{
    if (held != NULL)
        note('s');
    return fake_cuda.stream_wait(stream);
}

static int device_alloc(void **out, size_t bytes)
{
    return fail_memory-- > 0 ? ZCI_CUDA_NO_MEMORY : fake_cuda.device_alloc(out, bytes);
}

static int no_mapping(int device, struct zci_cuda_properties *out)
{
    const int error = fake_cuda.device_properties(device, out);
    out->can_map = 0;
    return error;
}

static void begin(int can_map)
{
    const struct zci_log quiet = {.fn = NULL};
    const struct zci_plan_params params = {.stages = "demosaic=mhc", .depth = ZCS_DEPTH_8};
    api = fake_cuda;
    api.copy = copy;
    api.write_word = write_word;
    api.launch = launch;
    api.device_alloc = device_alloc;
    api.stream_wait = stream_wait;
    api.stream_query = stream_query;
    if (!can_map)
        api.device_properties = no_mapping;
    CHECK_EQ(zci_cuda_open(&api, &quiet, &backend), ZCS_OK);
    plan_make(&plan, ZCS_PIXFMT_SRGGB8, WIDTH, HEIGHT, &params);
    CHECK_EQ(frame_ctx_alone(backend, 0, &plan, NULL, &fctx), ZCS_OK);
    CHECK_EQ(backend->ops->memory_alloc(backend, ZCS_ROLE_INGEST, 4 << 20, &slot), ZCS_OK);
    CHECK_EQ(backend->ops->memory_alloc(backend, ZCS_ROLE_READBACK, plan.image_bytes[0], &result),
             ZCS_OK);
}

static void end(void)
{
    backend->ops->memory_free(backend, &slot);
    backend->ops->memory_free(backend, &result);
    backend->ops->frame_ctx_destroy(&fctx);
    zci_plan_finish(&plan);
    zci_backend_unref(&backend);
}

static zcs_status frame(enum zcs_route route, size_t offset)
{
    struct zci_job_result done;
    const struct zci_job job = {.source = (uint8_t *)slot.host + offset,
                                .source_memory = &slot,
                                .result = result.host,
                                .result_memory = &result,
                                .route = route};
    memset(calls, 0, sizeof calls);
    const zcs_status status = backend->ops->frame_ctx_submit(fctx, &job);
    if (status != ZCS_OK)
        return status;
    if (copying > 1) { /* looked at twice, and not waited for */
        CHECK_EQ(backend->ops->frame_ctx_wait(fctx, 0), ZCS_AGAIN);
        CHECK_EQ(backend->ops->frame_ctx_poll(fctx, &done), ZCS_AGAIN);
        CHECK_EQ(copying, 0);
        CHECK_EQ(backend->ops->frame_ctx_wait(fctx, -1), ZCS_OK);
    }
    CHECK_EQ(backend->ops->frame_ctx_poll(fctx, &done), ZCS_OK);
    return ZCS_OK;
}

static void expect(const char *what, enum zck_cuda_wait wait)
{
    if (strcmp(calls, what) != 0)
        fprintf(stderr, "calls: %s, not %s\n", calls, what);
    CHECK(strcmp(calls, what) == 0);
    CHECK_EQ(pass.transfer.wait, wait);
}

/* Chunks or bands first; from then on each frame in the place that the one before got ready. */
static void two_places(enum zcs_route route)
{
    const int staged = route == ZCS_ROUTE_STAGED;
    begin(1);
    CHECK_EQ(frame(route, 0), ZCS_OK);
    expect(staged ? "cwcwk" : "k", staged ? ZCK_CUDA_WAIT_CHUNK_FLAGS : ZCK_CUDA_WAIT_BAND_FLAGS);
    const uint8_t *first = pass.in, *second = pass.transfer.next_staging;
    CHECK(second != NULL && second != first);
    for (int i = 0; i < 4; i++) {
        CHECK_EQ(frame(route, 0), ZCS_OK);
        expect(staged ? "cwk" : "k",
               staged ? ZCK_CUDA_WAIT_SENTINEL : ZCK_CUDA_WAIT_SENTINEL_LOADERS);
        CHECK(pass.in == (i % 2 ? first : second));
        CHECK(pass.transfer.staging == pass.in);
        CHECK(pass.transfer.next_staging == (i % 2 ? second : first));
        CHECK_EQ(pass.transfer.loaders > 0, !staged);
        if (!staged)
            continue;
        CHECK(memcmp(pass.in, slot.host, plan.source.size_bytes) == 0);
        CHECK_EQ(pass.transfer.chunk_flags[pass.transfer.chunk_count - 1],
                 pass.transfer.chunk_target);
    }
    end();
}

/* Whole frames leave the place as it is; the other routes take it from each other. */
static void routes_in_turn(void)
{
    begin(1);
    CHECK_EQ(frame(ZCS_ROUTE_STAGED, 0), ZCS_OK);
    const uint8_t *first = pass.in, *ready = pass.transfer.next_staging;
    CHECK_EQ(frame(ZCS_ROUTE_WHOLE, 0), ZCS_OK);
    CHECK(pass.in == first && pass.transfer.next_staging == NULL);
    CHECK_EQ(frame(ZCS_ROUTE_MAPPED, 0), ZCS_OK);
    expect("k", ZCK_CUDA_WAIT_SENTINEL_LOADERS);
    CHECK(pass.in == ready && pass.transfer.next_staging == first);
    CHECK_EQ(frame(ZCS_ROUTE_STAGED, 0), ZCS_OK);
    expect("cwk", ZCK_CUDA_WAIT_SENTINEL);
    CHECK(pass.in == first && pass.transfer.next_staging == ready);
    end();
}

/* A source whose words would be brought in parts comes in chunks, and the next one need not. */
static void unaligned(void)
{
    begin(1);
    CHECK_EQ(frame(ZCS_ROUTE_STAGED, 0), ZCS_OK);
    CHECK_EQ(frame(ZCS_ROUTE_STAGED, 2), ZCS_OK);
    expect("cwcwk", ZCK_CUDA_WAIT_CHUNK_FLAGS);
    CHECK_EQ(frame(ZCS_ROUTE_STAGED, 16), ZCS_OK);
    expect("cwk", ZCK_CUDA_WAIT_SENTINEL);
    CHECK_EQ(frame(ZCS_ROUTE_MAPPED, 2), ZCS_OK);
    expect("k", ZCK_CUDA_WAIT_BAND_FLAGS);
    CHECK(pass.transfer.next_staging == NULL); /* the place that is ready stays so */
    CHECK_EQ(frame(ZCS_ROUTE_MAPPED, 16), ZCS_OK);
    expect("k", ZCK_CUDA_WAIT_SENTINEL_LOADERS);
    CHECK(pass.in == pass.transfer.staging + 16); /* it lies in its lines as in the source's */
    end();
}

/* After a failure nobody knows what lies in the places. */
static void failures(void)
{
    begin(1);
    CHECK_EQ(frame(ZCS_ROUTE_STAGED, 0), ZCS_OK);
    fail_word = 1;
    CHECK_EQ(frame(ZCS_ROUTE_STAGED, 0), ZCS_ERR_DEVICE);
    CHECK(strcmp(calls, "cw") == 0);
    fail_word = 0;
    CHECK_EQ(frame(ZCS_ROUTE_STAGED, 0), ZCS_OK);
    expect("cwcwk", ZCK_CUDA_WAIT_CHUNK_FLAGS);
    fail_kernel = 1;
    CHECK_EQ(frame(ZCS_ROUTE_STAGED, 0), ZCS_ERR_DEVICE);
    expect("cwk", ZCK_CUDA_WAIT_SENTINEL);
    CHECK_EQ(frame(ZCS_ROUTE_MAPPED, 0), ZCS_ERR_DEVICE);
    expect("k", ZCK_CUDA_WAIT_BAND_FLAGS);
    fail_kernel = 0;
    CHECK_EQ(frame(ZCS_ROUTE_MAPPED, 0), ZCS_OK);
    expect("k", ZCK_CUDA_WAIT_BAND_FLAGS);
    CHECK_EQ(frame(ZCS_ROUTE_STAGED, 0), ZCS_OK);
    expect("cwk", ZCK_CUDA_WAIT_SENTINEL);
    end();
}

/* Results and reports are copied then, behind the kernel. */
static void cannot_map(void)
{
    begin(0);
    CHECK_EQ(frame(ZCS_ROUTE_STAGED, 0), ZCS_OK);
    CHECK_EQ(frame(ZCS_ROUTE_STAGED, 0), ZCS_OK);
    CHECK(strncmp(calls, "cwk", 3) == 0);
    CHECK_EQ(pass.transfer.wait, ZCK_CUDA_WAIT_SENTINEL);
    end();
}

/* Where there is no room for two places, frames come in chunks and bands. */
static void one_place(void)
{
    fail_memory = 1;
    begin(1);
    for (int i = 0; i < 3; i++) {
        CHECK_EQ(frame(ZCS_ROUTE_STAGED, 0), ZCS_OK);
        expect("cwcwk", ZCK_CUDA_WAIT_CHUNK_FLAGS);
        CHECK(pass.transfer.next_staging == NULL);
        CHECK_EQ(frame(ZCS_ROUTE_MAPPED, 0), ZCS_OK);
        expect("k", ZCK_CUDA_WAIT_BAND_FLAGS);
        CHECK(pass.transfer.next_staging == NULL);
    }
    end();
}

static void low_latency(void)
{
    struct zci_reservation hold;
    begin(1);
    CHECK_EQ(backend->ops->frame_ctx_reserve(fctx, &hold), ZCS_OK);
    CHECK(hold.units > 0);
    held = ((struct zci_cuda_frame_ctx *)fctx)->persistent;
    for (uint32_t i = 1; i <= 3; i++) {
        CHECK_EQ(frame(ZCS_ROUTE_STAGED, 0), ZCS_OK);
        CHECK(strcmp(calls, "cwk") == 0);
        CHECK_EQ(held->frame, i);
        CHECK_EQ((held->mailbox->command.source & ZCK_COMMAND_SENTINEL) != 0, i > 1);
    }
    late = 1; /* the source is not given back before copies that the kernel did without are over */
    copying = 2;
    CHECK_EQ(frame(ZCS_ROUTE_STAGED, 0), ZCS_OK);
    CHECK(strcmp(calls, "cwk") == 0 && copying < 0);
    late = 0;
    over = 1;
    CHECK_EQ(frame(ZCS_ROUTE_STAGED, 0), ZCS_OK);
    CHECK(strcmp(calls, "cw") == 0); /* it is not launched for that frame again */
    over = 0;
    CHECK_EQ(frame(ZCS_ROUTE_MAPPED, 0), ZCS_OK);
    CHECK(strcmp(calls, "k") == 0);
    CHECK(held->mailbox->command.source & ZCK_COMMAND_SENTINEL);
    CHECK((held->mailbox->command.result & ZCK_COMMAND_HYBRID) == 0);
    fail_word = 1;
    CHECK_EQ(frame(ZCS_ROUTE_STAGED, 0), ZCS_ERR_DEVICE);
    CHECK(strcmp(calls, "cwss") == 0);
    CHECK_EQ(held->frame, 7);
    held = NULL;
    fail_word = 0;
    CHECK_EQ(frame(ZCS_ROUTE_STAGED, 0), ZCS_OK);
    expect("ck", ZCK_CUDA_WAIT_NONE); /* the ordinary way, as a whole */
    end();
}

/* ---- a kernel that is at a frame, played by a thread, since the stand-in's are done with it
 * when launched ---- */

static _Atomic int at_frame, stopped_within;
static const struct zci_cuda_persistent *slow;

static void *be_slow(void *user)
{
    const struct timespec time = {.tv_nsec = 30000000};
    (void)user;
    nanosleep(&time, NULL);
    const uint64_t command = __atomic_load_n(&slow->mailbox->command.result, __ATOMIC_ACQUIRE);
    stopped_within = (command & ZCK_COMMAND_STOP) != 0;
    at_frame = 0;
    __atomic_store_n(&slow->args.completion->report.frame, (uint32_t)(command >> 48),
                     __ATOMIC_RELEASE);
    return NULL;
}

static pthread_t begin_slow(const struct zci_cuda_persistent *persistent)
{
    pthread_t thread;
    slow = persistent;
    at_frame = 1;
    slow->args.completion->closed = 0;
    CHECK_EQ(pthread_create(&thread, NULL, be_slow, NULL), 0);
    return thread;
}

static void hold(void)
{
    struct zci_reservation hold;
    begin(1);
    CHECK_EQ(backend->ops->frame_ctx_reserve(fctx, &hold), ZCS_OK);
    held = ((struct zci_cuda_frame_ctx *)fctx)->persistent;
}

/* Neither a frame whose copies fail nor a frame context goes home while the kernel is at it. */
static void while_running(void)
{
    hold();
    fail_word = 1;
    pthread_t thread = begin_slow(held);
    CHECK_EQ(frame(ZCS_ROUTE_STAGED, 0), ZCS_ERR_DEVICE);
    CHECK(!at_frame);
    CHECK_EQ(pthread_join(thread, NULL), 0);
    held = NULL;
    fail_word = 0;
    end();

    hold();
    held->args.completion->closed = 0;
    const struct zci_job job = {.source = slot.host,
                                .source_memory = &slot,
                                .result = result.host,
                                .result_memory = &result,
                                .route = ZCS_ROUTE_MAPPED};
    CHECK_EQ(backend->ops->frame_ctx_submit(fctx, &job), ZCS_OK);
    thread = begin_slow(held);
    held = NULL;
    struct zci_frame_ctx *gone = fctx;
    fctx = NULL;
    backend->ops->frame_ctx_destroy(&gone);
    CHECK(!at_frame && !stopped_within);
    CHECK_EQ(pthread_join(thread, NULL), 0);
    end();
}

int main(void)
{
    two_places(ZCS_ROUTE_STAGED);
    two_places(ZCS_ROUTE_MAPPED);
    routes_in_turn();
    unaligned();
    failures();
    cannot_map();
    one_place();
    low_latency();
    while_running();
    return 0;
}
