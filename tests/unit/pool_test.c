/* SPDX-License-Identifier: MIT */
/* Slots: order of taking, references on many threads, release callbacks, notification, little memory. */
#include "check.h"

#include <poll.h>
#include <pthread.h>
#include <unistd.h>

#include "backend/backend.h"
#include "frame/pool.h"

static char line[256];
static int lines;

static void keep_line(void *user, enum zcs_log_level level, const char *text)
{
    (void)user;
    (void)level;
    snprintf(line, sizeof line, "%s", text);
    lines++;
}

static struct zci_backend *open_host(void)
{
    const struct zci_log log = {.fn = keep_line, .level = ZCS_LOG_DEBUG};
    struct zci_backend *backend = NULL;
    CHECK(zci_backend_open_host(&log, 1, &backend) == ZCS_OK);
    return backend;
}

static struct zci_pool *make(struct zci_backend *backend, size_t bytes, uint32_t count)
{
    const struct zci_pool_params params = {
        .backend = backend, .bytes = bytes, .count = count, .min = 1, .what = "test slots"};
    struct zci_pool *pool = NULL;
    CHECK(zci_pool_create(&params, &pool) == ZCS_OK);
    CHECK_EQ(zci_pool_count(pool), count);
    return pool;
}

static void test_order(struct zci_backend *backend)
{
    struct zci_pool *pool = make(backend, 1000, 3);
    struct zci_slot *first = zci_pool_take(pool);
    CHECK(first == zci_pool_slot(pool, 0));
    CHECK(first->frame.host == first->memory.host &&
          first->frame.device_data == first->memory.host);
    CHECK_EQ(first->frame.memory, ZCS_MEMORY_PAGEABLE);
    CHECK_EQ(first->memory.bytes % (size_t)sysconf(_SC_PAGESIZE), 0);
    CHECK_EQ((uintptr_t)first->memory.host % (size_t)sysconf(_SC_PAGESIZE), 0);
    struct zci_slot *second = zci_pool_take(pool);
    CHECK(second == zci_pool_slot(pool, 1));
    first->frame.sequence = 7;
    first->frame.host = NULL;
    zci_slot_unref(first);
    CHECK_EQ(zci_pool_home_count(pool), 2);
    CHECK(zci_pool_take(pool) == first); /* the most recently used, not the untouched one */
    CHECK_EQ(first->frame.sequence, 0);
    CHECK(first->frame.host == first->memory.host);
    CHECK(zci_pool_take(pool) == zci_pool_slot(pool, 2));
    CHECK(zci_pool_take(pool) == NULL);
    const struct zcs_frame *frame = zcs_frame_ref(&second->frame);
    zci_slot_unref(second);
    CHECK_EQ(zci_pool_home_count(pool), 0);
    zcs_frame_unref(&frame);
    CHECK(frame == NULL);
    zcs_frame_unref(&frame);
    CHECK_EQ(zci_pool_home_count(pool), 1);
    zci_slot_unref(first);
    zci_slot_unref(zci_pool_slot(pool, 2));
    zci_pool_drop(&pool);
    CHECK(pool == NULL);
    zci_pool_drop(&pool);
}

static void count_release(void *user, void *memory)
{
    CHECK(memory == &line);
    ++*(int *)user;
}

static void test_release_and_notifier(struct zci_backend *backend)
{
    struct zci_pool *pool = make(backend, 0, 1);
    struct zci_notifier notifier;
    unsigned rung = 0;
    int released = 0;
    CHECK_EQ(zci_notifier_init(&notifier), 0);
    zci_pool_set_notifier(pool, &notifier);
    for (int round = 0; round < 3; round++) {
        struct zci_slot *slot = zci_pool_take(pool);
        CHECK(slot->frame.host == NULL && slot->frame.memory == ZCS_MEMORY_NONE);
        CHECK(slot->release == NULL);
        if (round < 2) { /* the third round must not call it again */
            slot->release = count_release;
            slot->release_user = &released;
            slot->release_memory = &line;
        }
        zci_slot_ref(slot);
        zci_slot_unref(slot);
        CHECK_EQ(released, round);
        CHECK_EQ(notifier.signals, rung);
        zci_slot_unref(slot);
        CHECK_EQ(released, round < 2 ? round + 1 : 2);
        CHECK_EQ(notifier.signals, ++rung);
    }
    struct zci_slot *slot = zci_pool_take(pool);
    zci_pool_drop(&pool);
    zci_slot_unref(slot); /* the owner is gone: nobody is told */
    CHECK_EQ(notifier.signals, rung);
    zci_notifier_finish(&notifier);
}

static void test_little_memory(struct zci_backend *backend)
{
    const size_t huge = (size_t)1 << 50;
    struct zci_pool *pool = NULL;
    struct zci_pool_params params = {.backend = backend,
                                     .role = ZCS_ROLE_READBACK,
                                     .bytes = huge,
                                     .count = 4,
                                     .min = 1,
                                     .what = "capture slots"};
    lines = 0;
    CHECK_EQ(zci_pool_create(&params, &pool), ZCS_ERR_NOMEM);
    CHECK(pool == NULL);
    CHECK_EQ(lines, 1);
    CHECK(strstr(line, "capture slots: 4 of 1125899906842624 bytes: no memory; 0 made") != NULL);
    params.bytes = SIZE_MAX;
    CHECK_EQ(zci_pool_create(&params, &pool), ZCS_ERR_NOMEM);
}

struct sharer {
    struct zci_pool *pool;
    atomic_uint *taken;
};

/* Takes slots, hands references on to itself, lets go. */
static void *share(void *argument)
{
    const struct sharer *sharer = argument;
    for (int i = 0; i < 5000; i++) {
        struct zci_slot *slot = zci_pool_take(sharer->pool);
        if (slot == NULL)
            continue;
        CHECK_EQ(atomic_load(&slot->refs), 1);
        slot->frame.sequence = (uint64_t)i;
        zci_slot_ref(slot);
        zci_slot_unref(slot);
        CHECK_EQ(slot->frame.sequence, i);
        zci_slot_unref(slot);
        atomic_fetch_add(sharer->taken, 1);
    }
    return NULL;
}

static void test_threads(struct zci_backend *backend)
{
    atomic_uint taken = 0;
    struct sharer sharer = {.pool = make(backend, 100, 2), .taken = &taken};
    pthread_t threads[4];
    for (int i = 0; i < 4; i++)
        CHECK(pthread_create(&threads[i], NULL, share, &sharer) == 0);
    for (int i = 0; i < 4; i++)
        pthread_join(threads[i], NULL);
    CHECK(taken > 0);
    CHECK_EQ(zci_pool_home_count(sharer.pool), 2);
    zci_pool_drop(&sharer.pool);
}

int main(void)
{
    struct zci_backend *backend = open_host();
    test_order(backend);
    test_release_and_notifier(backend);
    test_little_memory(backend);
    test_threads(backend);
    CHECK_EQ(atomic_load(&backend->refs), 1);
    zci_backend_unref(&backend);
    return 0;
}
