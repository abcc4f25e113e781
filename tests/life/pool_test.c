/* SPDX-License-Identifier: MIT */
/* Frames that outlive everything else: valid until the last reference is gone, on whatever thread, and
 * then nothing is left; nothing is logged after the context was closed. */
#include "check.h"

#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

#include "zcstream/zcstream.h"
#include "backend/backend.h"
#include "context/context.h"
#include "frame/pool.h"

static atomic_int closed;

static void refuse_late_lines(void *user, enum zcs_log_level level, const char *line)
{
    (void)user;
    (void)level;
    (void)line;
    CHECK_EQ(closed, 0);
}

static zcs_context *open_host(void)
{
    const struct zcs_params params = {.backend = ZCS_BACKEND_HOST,
                                      .host_threads = 2,
                                      .log = refuse_late_lines,
                                      .log_level = ZCS_LOG_DEBUG};
    zcs_context *ctx = NULL;
    closed = 0;
    CHECK(zcs_open(&params, &ctx) == ZCS_OK);
    return ctx;
}

static struct zci_pool *make(zcs_context *ctx, size_t bytes, uint32_t count)
{
    const struct zci_pool_params params = {
        .backend = ctx->backend, .bytes = bytes, .count = count, .min = count, .what = "slots"};
    struct zci_pool *pool = NULL;
    CHECK(zci_pool_create(&params, &pool) == ZCS_OK);
    return pool;
}

/* A forbidden address makes the kernel refuse the write: the slot's memory is not mapped any more. */
static int is_mapped(const void *memory)
{
    int pipe_fds[2];
    CHECK(pipe(pipe_fds) == 0);
    const int mapped = write(pipe_fds[1], memory, 1) == 1;
    close(pipe_fds[0]);
    close(pipe_fds[1]);
    return mapped;
}

static void *drop_frame(void *argument)
{
    const struct zcs_frame *frame = argument;
    CHECK_EQ(((const uint8_t *)frame->host)[4095], 42);
    zcs_frame_unref(&frame);
    return NULL;
}

static void test_outlive(void)
{
    zcs_context *ctx = open_host();
    struct zci_pool *pool = make(ctx, 4096, 2);
    struct zci_slot *slots[2];
    const void *memory[2];
    for (int i = 0; i < 2; i++) {
        slots[i] = zci_pool_take(pool);
        memory[i] = slots[i]->frame.host;
        memset(slots[i]->memory.host, 42, 4096);
    }
    zci_pool_drop(&pool);
    zcs_close(&ctx);
    closed = 1;
    struct zcs_cuda_frame cuda;
    CHECK_EQ(zcs_frame_cuda(&slots[0]->frame, &cuda), ZCS_ERR_UNSUPPORTED);
    const struct zcs_frame *first = zcs_frame_ref(&slots[0]->frame);
    zci_slot_unref(slots[0]);
    zcs_frame_unref(&first);
    CHECK(is_mapped(memory[0])); /* the pool lives with its last slot */
    pthread_t thread;
    CHECK(pthread_create(&thread, NULL, drop_frame, &slots[1]->frame) == 0);
    pthread_join(thread, NULL);
    CHECK(!is_mapped(memory[0]) && !is_mapped(memory[1]));
}

static void *unref_all(void *argument)
{
    struct zci_slot **slots = argument;
    for (int i = 0; i < 8; i++)
        zci_slot_unref(slots[i]);
    return NULL;
}

/* Many last references at the same moment as the owner's drop: the pool goes exactly once. */
static void test_race(void)
{
    for (int round = 0; round < 200; round++) {
        zcs_context *ctx = open_host();
        struct zci_pool *pool = make(ctx, 64, 8);
        struct zci_slot *slots[8];
        pthread_t threads[3];
        for (int i = 0; i < 8; i++) {
            slots[i] = zci_pool_take(pool);
            zci_slot_ref(slots[i]);
            zci_slot_ref(slots[i]);
        }
        for (int i = 0; i < 3; i++)
            CHECK(pthread_create(&threads[i], NULL, unref_all, slots) == 0);
        zci_pool_drop(&pool);
        zcs_close(&ctx);
        closed = 1;
        for (int i = 0; i < 3; i++)
            pthread_join(threads[i], NULL);
    }
}

int main(void)
{
    test_outlive();
    test_race();
    return 0;
}
