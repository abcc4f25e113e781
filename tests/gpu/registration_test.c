/* SPDX-License-Identifier: MIT */
/* Registered memory: found without a call, kept, let go for others, never while a frame is in
 * it, and noticed when it is mapped anew. CUDA is a stand-in that registers as the real one
 * does. */
#define _DEFAULT_SOURCE /* MAP_ANONYMOUS, MAP_FIXED */
#include "check.h"

#include <pthread.h>
#include <sys/mman.h>
#include <unistd.h>

#include "backend/cuda/registration.h"
#include "backend/cuda/cuda.h"
#include "backend/backend.h"
#include "context/context.h"
#include "gpu/fake_api.h"
#include "os/mlock_tag.h"
#include "zcstream/zcstream.h"

enum { PAGE = 4096, INVALID = 1, MAX = 64, OFFSET = 1 << 20 };

/* What the stand-in has registered. */
static struct {
    pthread_mutex_t lock;
    const uint8_t *begin[MAX], *end[MAX];
    int count, calls, registered, unregistered, current, no_memory;
    const uint8_t *others, *others_end; /* pinned by the application */
} cuda_state = {.lock = PTHREAD_MUTEX_INITIALIZER};

static char last_line[512];

static void keep_line(void *user, enum zcs_log_level level, const char *line)
{
    (void)user;
    if (level <= ZCS_LOG_WARNING)
        snprintf(last_line, sizeof last_line, "%s", line);
}

static int enter(void)
{
    pthread_mutex_lock(&cuda_state.lock);
    return ++cuda_state.calls;
}

static int leave(int error)
{
    pthread_mutex_unlock(&cuda_state.lock);
    return error;
}

static int host_register(void *host, size_t bytes)
{
    const uint8_t *begin = host, *end = begin + bytes;
    (void)enter();
    if (cuda_state.no_memory > 0 && cuda_state.no_memory--)
        return leave(ZCI_CUDA_NO_MEMORY);
    if (begin < cuda_state.others_end && cuda_state.others < end)
        return leave(INVALID);
    for (int i = 0; i < cuda_state.count; i++)
        if (begin < cuda_state.end[i] && cuda_state.begin[i] < end)
            return leave(ZCI_CUDA_ALREADY_REGISTERED);
    CHECK(cuda_state.count < MAX);
    cuda_state.begin[cuda_state.count] = begin;
    cuda_state.end[cuda_state.count++] = end;
    cuda_state.registered++;
    return leave(0);
}

static int host_unregister(void *host)
{
    (void)enter();
    int at = 0;
    while (at < cuda_state.count && cuda_state.begin[at] != host)
        at++;
    if (at == cuda_state.count)
        return leave(INVALID);
    cuda_state.count--;
    cuda_state.begin[at] = cuda_state.begin[cuda_state.count];
    cuda_state.end[at] = cuda_state.end[cuda_state.count];
    cuda_state.unregistered++;
    return leave(0);
}

static int is_pinned(int *out, const void *host)
{
    const uint8_t *at = host;
    (void)enter();
    *out = at >= cuda_state.others && at < cuda_state.others_end;
    for (int i = 0; i < cuda_state.count; i++)
        *out |= at >= cuda_state.begin[i] && at < cuda_state.end[i];
    return leave(0);
}

static int device_count(int *out)
{
    *out = 2;
    return 0;
}

static int set_device(int device)
{
    (void)enter();
    cuda_state.current = device;
    return leave(0);
}

static int get_device(int *out)
{
    (void)enter();
    *out = cuda_state.current;
    return leave(0);
}

/* Each device sees it elsewhere. */
static int host_device_pointer(void **out, void *host)
{
    (void)enter();
    *out = (uint8_t *)host + (cuda_state.current + 1) * OFFSET;
    return leave(0);
}

static struct zci_cuda_api table;

static struct zci_backend *open_backend(uint32_t registrations, uint64_t bytes)
{
    const struct zci_log log = {.fn = keep_line, .level = ZCS_LOG_WARNING};
    struct zci_backend *backend = NULL;
    table = fake_cuda;
    table.device_count = device_count;
    table.set_device = set_device;
    table.get_device = get_device;
    table.host_register = host_register;
    table.host_unregister = host_unregister;
    table.host_device_pointer = host_device_pointer;
    table.is_pinned = is_pinned;
    cuda_state.calls = cuda_state.registered = cuda_state.unregistered = 0;
    CHECK_EQ(zci_cuda_open(&table, &log, &backend), ZCS_OK);
    backend->ops->memory_limits(backend, registrations, bytes);
    return backend;
}

static void close_backend(struct zci_backend *backend)
{
    zci_backend_unref(&backend);
    CHECK_EQ(cuda_state.count, 0);
    CHECK_EQ(cuda_state.registered, cuda_state.unregistered);
}

static uint8_t *map_at(void *at, size_t bytes)
{
    uint8_t *memory = mmap(at, bytes, PROT_READ | PROT_WRITE,
                           MAP_PRIVATE | MAP_ANONYMOUS | (at != NULL ? MAP_FIXED : 0), -1, 0);
    CHECK(memory != MAP_FAILED);
    memset(memory, 1, bytes);
    return memory;
}

/* A frame of the memory; NULL: it would be copied. */
static void *use(struct zci_backend *backend, void *memory, size_t bytes, zcs_status wanted)
{
    void *held = NULL;
    CHECK_EQ(backend->ops->memory_use(backend, memory, bytes, &held), wanted);
    return held;
}

static void use_once(struct zci_backend *backend, void *memory, size_t bytes)
{
    void *held = use(backend, memory, bytes, ZCS_OK);
    CHECK(held != NULL);
    backend->ops->memory_unuse(backend, held);
}

static struct zcs_memory_stats stats_of(struct zci_backend *backend)
{
    struct zcs_memory_stats stats;
    backend->ops->memory_stats(backend, &stats);
    return stats;
}

/* Sanitizers leave mlock out, and some limits leave nothing of it. */
static int marks_work;

static void try_marks(void)
{
    uint8_t *memory = map_at(NULL, 3 * PAGE);
    const enum zci_mlock_tag tag = zci_mlock_tag_set(memory + 5, 2 * PAGE, 0);
    marks_work = tag != ZCI_MLOCK_TAG_NONE;
    CHECK(zci_mlock_tag_holds(tag, memory + 5, 2 * PAGE));
    zci_mlock_tag_clear(tag, memory + 5, 2 * PAGE, 0);
    if (marks_work) {
        CHECK(!zci_mlock_tag_holds(tag, memory + 5, 2 * PAGE));
        CHECK_EQ(zci_mlock_tag_set(memory, 1, 0), tag);
        CHECK_EQ(zci_mlock_tag_set(memory, 1, 0), ZCI_MLOCK_TAG_NONE); /* locked by somebody else */
        munlock(memory, PAGE);
    }
    munmap(memory, 3 * PAGE);
}

/* The first frame registers; what follows is found, also parts of it, without a call of CUDA's. */
static void known_memory(void)
{
    struct zci_backend *backend = open_backend(0, 0);
    struct zci_cuda *cuda = zci_cuda_of(backend);
    uint8_t *memory = map_at(NULL, 8 * PAGE);
    use_once(backend, memory + 100, 7 * PAGE);
    const int calls = cuda_state.calls;
    for (int i = 0; i < 100; i++)
        use_once(backend, memory + 100 + 3 * i, 6 * PAGE);
    CHECK_EQ(cuda_state.calls, calls);
    CHECK_EQ(cuda_state.registered, 1);
    for (uint32_t device = 0; device < 2; device++)
        CHECK(zci_cuda_registration_find(cuda, device, memory + 200, PAGE) ==
              memory + 200 + (device + 1) * OFFSET);
    CHECK(zci_cuda_registration_find(cuda, 0, memory + 99, 2) == NULL);
    CHECK(zci_cuda_registration_find(cuda, 0, memory + 100 + 7 * PAGE - 1, 2) == NULL);
    const struct zcs_memory_stats stats = stats_of(backend);
    CHECK(stats.hits == 100 && stats.misses == 1 && stats.ranges == 1);
    CHECK_EQ(stats.bytes, 7 * PAGE);
    close_backend(backend);
    munmap(memory, 8 * PAGE);
}

static void least_recently_used(void)
{
    struct zci_backend *backend = open_backend(3, 0);
    uint8_t *memory = map_at(NULL, 40 * PAGE);
    void *held = use(backend, memory, PAGE, ZCS_OK); /* in use: stays, whatever comes */
    for (int i = 1; i <= 2; i++)
        use_once(backend, memory + 2 * i * PAGE, PAGE);
    use_once(backend, memory + 2 * PAGE, PAGE); /* the second is now the oldest */
    use_once(backend, memory + 6 * PAGE, PAGE);
    const int registered = cuda_state.registered;
    use_once(backend, memory, PAGE);
    use_once(backend, memory + 2 * PAGE, PAGE);
    use_once(backend, memory + 6 * PAGE, PAGE);
    CHECK_EQ(cuda_state.registered, registered);
    use_once(backend, memory + 4 * PAGE, PAGE);
    CHECK_EQ(cuda_state.registered, registered + 1);
    CHECK_EQ(stats_of(backend).evictions, 2);
    CHECK_EQ(stats_of(backend).ranges, 3);
    /* All three in use: a fourth is not kept, and is copied. */
    void *more[2] = {use(backend, memory + 6 * PAGE, PAGE, ZCS_OK),
                     use(backend, memory + 4 * PAGE, PAGE, ZCS_OK)};
    CHECK(use(backend, memory + 8 * PAGE, PAGE, ZCS_OK) == NULL);
    CHECK(strstr(last_line, "are copied") != NULL);
    CHECK(use(backend, memory + 8 * PAGE, PAGE, ZCS_OK) == NULL);
    CHECK_EQ(stats_of(backend).refused, 2);
    for (int i = 0; i < 2; i++)
        backend->ops->memory_unuse(backend, more[i]);
    /* What the application registers is beyond the limit, and no room for others either. */
    CHECK_EQ(backend->ops->memory_register(backend, memory + 20 * PAGE, PAGE), ZCS_OK);
    CHECK_EQ(stats_of(backend).ranges, 4);
    CHECK_EQ(backend->ops->memory_release(backend, memory + 20 * PAGE), ZCS_OK);
    backend->ops->memory_unuse(backend, held);
    close_backend(backend);
    backend = open_backend(0, 5 * PAGE);
    for (int i = 0; i < 4; i++)
        use_once(backend, memory + 3 * i * PAGE, 2 * PAGE);
    CHECK_EQ(stats_of(backend).bytes, 4 * PAGE);
    CHECK(use(backend, memory, 6 * PAGE, ZCS_OK) == NULL);
    close_backend(backend);
    munmap(memory, 40 * PAGE);
}

/* Too little memory to pin: what was unused for longest goes, one after the other. */
static void short_of_memory(void)
{
    struct zci_backend *backend = open_backend(0, 0);
    uint8_t *memory = map_at(NULL, 20 * PAGE);
    for (int i = 0; i < 3; i++)
        use_once(backend, memory + 2 * i * PAGE, PAGE);
    cuda_state.no_memory = 2;
    use_once(backend, memory + 10 * PAGE, PAGE);
    CHECK_EQ(stats_of(backend).evictions, 2);
    CHECK_EQ(stats_of(backend).ranges, 2);
    cuda_state.no_memory = 100;
    CHECK_EQ(backend->ops->memory_register(backend, memory + 12 * PAGE, PAGE), ZCS_ERR_NOMEM);
    CHECK(strstr(last_line, "4096 bytes cannot be pinned") != NULL);
    CHECK(use(backend, memory + 14 * PAGE, PAGE, ZCS_OK) == NULL);
    cuda_state.no_memory = 0;
    CHECK_EQ(stats_of(backend).ranges, 0);
    close_backend(backend);
    munmap(memory, 20 * PAGE);
}

static void claims(void)
{
    struct zci_backend *backend = open_backend(0, 0);
    const struct zci_backend_ops *ops = backend->ops;
    uint8_t *m = map_at(NULL, 20 * PAGE);
    CHECK_EQ(ops->memory_register(backend, m, 4 * PAGE), ZCS_OK);
    CHECK_EQ(ops->memory_register(backend, m, 4 * PAGE), ZCS_OK);
    CHECK_EQ(ops->memory_register(backend, m, PAGE), ZCS_ERR_ARG);
    CHECK(strstr(last_line, "16384") != NULL && strstr(last_line, "4096") != NULL);
    /* Within it: nothing is done. Overlapping: both become one range. */
    CHECK_EQ(ops->memory_register(backend, m + PAGE, PAGE), ZCS_OK);
    CHECK_EQ(cuda_state.registered, 1);
    CHECK_EQ(ops->memory_register(backend, m + 3 * PAGE + 7, 5 * PAGE), ZCS_OK);
    CHECK_EQ(cuda_state.registered - cuda_state.unregistered, 1);
    CHECK_EQ(stats_of(backend).bytes, 8 * PAGE + 7);
    CHECK_EQ(ops->memory_release(backend, m + 3 * PAGE + 7), ZCS_OK);
    CHECK_EQ(ops->memory_release(backend, m + PAGE), ZCS_OK);
    CHECK_EQ(ops->memory_release(backend, m), ZCS_OK);
    CHECK_EQ(cuda_state.count, 1);
    CHECK_EQ(ops->memory_release(backend, m), ZCS_OK);
    CHECK_EQ(cuda_state.count, 0);
    CHECK_EQ(ops->memory_release(backend, m), ZCS_ERR_ARG);
    CHECK_EQ(ops->memory_release(backend, m + PAGE), ZCS_ERR_ARG);
    /* Released while a frame is in it: stays until that has gone, and goes with the next call. */
    CHECK_EQ(ops->memory_register(backend, m, 4 * PAGE), ZCS_OK);
    void *held = use(backend, m, PAGE, ZCS_OK);
    CHECK_EQ(ops->memory_register(backend, m + PAGE, 4 * PAGE), ZCS_ERR_BUSY);
    CHECK(use(backend, m + PAGE, 4 * PAGE, ZCS_AGAIN) == NULL);
    CHECK_EQ(ops->memory_release(backend, m), ZCS_OK);
    CHECK_EQ(cuda_state.count, 1);
    CHECK(zci_cuda_registration_find(zci_cuda_of(backend), 0, m, PAGE) != NULL);
    ops->memory_unuse(backend, held);
    CHECK_EQ(cuda_state.count, 1);
    CHECK_EQ(ops->memory_register(backend, m + 10 * PAGE, PAGE), ZCS_OK);
    CHECK_EQ(cuda_state.count, 1);
    close_backend(backend);
    munmap(m, 20 * PAGE);
}

/* Neighbours on one page: neither's end disturbs the other. */
static void neighbours(void)
{
    struct zci_backend *backend = open_backend(0, 0);
    uint8_t *m = map_at(NULL, 8 * PAGE);
    CHECK_EQ(backend->ops->memory_register(backend, m + 100, 5000), ZCS_OK);
    use_once(backend, m + 5100, 9000); /* which it cannot be without marks of its own */
    CHECK_EQ(backend->ops->memory_register(backend, m + 5100, 9000), ZCS_OK);
    use_once(backend, m + 14100, 20);
    CHECK_EQ(backend->ops->memory_register(backend, m + 14100, 20), ZCS_OK);
    use_once(backend, m + 5100, 9000);
    CHECK_EQ(backend->ops->memory_release(backend, m + 100), ZCS_OK);
    CHECK_EQ(backend->ops->memory_release(backend, m + 14100), ZCS_OK);
    use_once(backend, m + 5100, 9000);
    const struct zcs_memory_stats stats = stats_of(backend);
    CHECK(stats.remapped == 0 && stats.misses == 3 && stats.ranges == 1);
    close_backend(backend);
    /* Their marks are gone with them. */
    CHECK_EQ(msync(m, 8 * PAGE, MS_INVALIDATE), 0);
    munmap(m, 8 * PAGE);
}

/* Pinned by the application: used as it is, never registered, never let go. */
static void pinned_by_others(void)
{
    struct zci_backend *backend = open_backend(0, 0);
    uint8_t *m = map_at(NULL, 8 * PAGE);
    cuda_state.others = m;
    cuda_state.others_end = m + 4 * PAGE;
    CHECK(use(backend, m, PAGE, ZCS_OK) == NULL);
    CHECK_EQ(backend->ops->memory_register(backend, m, 2 * PAGE), ZCS_OK);
    CHECK_EQ(backend->ops->memory_release(backend, m), ZCS_OK);
    CHECK_EQ(backend->ops->memory_register(backend, m + 3 * PAGE, 2 * PAGE), ZCS_ERR_ARG);
    CHECK(strstr(last_line, "8192 bytes: a part of them") != NULL);
    CHECK_EQ(cuda_state.registered + cuda_state.unregistered, 0);
    close_backend(backend);
    cuda_state.others = cuda_state.others_end = NULL;
    munmap(m, 8 * PAGE);
}

static void mapped_anew(void)
{
    struct zci_backend *backend = open_backend(0, 0);
    uint8_t *m = map_at(NULL, 8 * PAGE);
    use_once(backend, m, 8 * PAGE);
    munmap(m, 8 * PAGE);
    map_at(m, 8 * PAGE);
    use_once(backend, m, 8 * PAGE);
    CHECK_EQ(stats_of(backend).remapped, 1);
    CHECK_EQ(cuda_state.registered, 2);
    CHECK_EQ(cuda_state.unregistered, 1);
    map_at(m + 7 * PAGE, PAGE); /* its end alone */
    void *held = use(backend, m, 8 * PAGE, ZCS_OK);
    CHECK_EQ(cuda_state.registered, 3);
    /* While a frame is in it, against the rules: the next one has to wait for that. */
    map_at(m, 8 * PAGE);
    CHECK(use(backend, m, 8 * PAGE, ZCS_AGAIN) == NULL);
    CHECK(use(backend, m, PAGE, ZCS_AGAIN) == NULL);
    backend->ops->memory_unuse(backend, held);
    use_once(backend, m, 8 * PAGE);
    CHECK_EQ(cuda_state.registered, 4);
    /* Another, larger mapping over a freed one. */
    munmap(m, 8 * PAGE);
    map_at(m, 6 * PAGE);
    use_once(backend, m + PAGE, 5 * PAGE);
    CHECK_EQ(stats_of(backend).ranges, 1);
    /* What the application claims is registered anew as well, with a word. */
    CHECK_EQ(backend->ops->memory_register(backend, m, 6 * PAGE), ZCS_OK);
    map_at(m, 6 * PAGE);
    use_once(backend, m, 6 * PAGE);
    CHECK(strstr(last_line, "were unmapped while registered") != NULL);
    CHECK_EQ(backend->ops->memory_release(backend, m), ZCS_OK);
    CHECK_EQ(cuda_state.count, 0);
    close_backend(backend);
    munmap(m, 6 * PAGE);
}

/* A pushed frame holds its range until its last reference goes. */
static void pushed_frames(void)
{
    const struct zcs_params params = {
        .backend = ZCS_BACKEND_HOST, .host_threads = 1, .log = keep_line};
    struct zcs_push_params push = {.queue = 2};
    zcs_context *ctx = NULL;
    zcs_source *source = NULL;
    const struct zcs_frame *frame = NULL;
    CHECK_EQ(zcs_open(&params, &ctx), ZCS_OK);
    zci_backend_unref(&ctx->backend);
    ctx->backend = open_backend(2, 0);
    CHECK_EQ(zcs_image_init(&push.image, ZCS_PIXFMT_GREY, 64, 64, 0), ZCS_OK);
    CHECK_EQ(zcs_source_open_push(ctx, &push, &source), ZCS_OK);
    uint8_t *m = map_at(NULL, 10 * PAGE);
    const struct zcs_push_meta meta = {.sequence = 1}, brief = {.bytes_used = 1};
    CHECK_EQ(zcs_source_push(source, m, &meta, NULL, NULL), ZCS_OK);
    CHECK_EQ(zcs_source_push(source, m, &meta, NULL, NULL), ZCS_OK);
    CHECK_EQ(zcs_source_push(source, m + 4 * PAGE, &meta, NULL, NULL), ZCS_AGAIN);
    CHECK_EQ(cuda_state.registered, 1); /* a full queue registers nothing */
    CHECK_EQ(zcs_source_push(source, m + 4 * PAGE, &brief, NULL, NULL), ZCS_OK);
    CHECK_EQ(cuda_state.registered, 1); /* nor does a short frame */
    CHECK_EQ(zcs_source_next(source, 0, &frame), ZCS_OK);
    struct zcs_memory_stats stats;
    zcs_memory_stats(ctx, &stats);
    CHECK(stats.hits == 1 && stats.misses == 1);
    zcs_source_push_end(source);
    zcs_source_close(&source); /* with a frame in the queue, and one held */
    CHECK_EQ(zcs_memory_register(ctx, m + PAGE / 2, PAGE), ZCS_ERR_BUSY);
    zcs_frame_unref(&frame);
    CHECK_EQ(zcs_memory_register(ctx, m + PAGE / 2, PAGE), ZCS_OK);
    zcs_close(&ctx);
    CHECK_EQ(cuda_state.count, 0);
    munmap(m, 10 * PAGE);
}

static void *push_and_claim(void *user)
{
    struct zci_backend *backend = user;
    static uint8_t shared[32 * PAGE];
    uint64_t seed = (uint64_t)(uintptr_t)&seed;
    for (int i = 0; i < 400; i++) {
        uint8_t *at = shared + test_random(&seed) % (24 * PAGE);
        const size_t bytes = 1 + test_random(&seed) % (8 * PAGE);
        void *held = NULL;
        if (backend->ops->memory_use(backend, at, bytes, &held) == ZCS_OK && held != NULL) {
            CHECK(zci_cuda_registration_find(zci_cuda_of(backend), 1, at, bytes) ==
                  at + 2 * OFFSET);
            backend->ops->memory_unuse(backend, held);
        }
        if (i % 4 == 0 && backend->ops->memory_register(backend, at, bytes) == ZCS_OK)
            CHECK_EQ(backend->ops->memory_release(backend, at), ZCS_OK);
    }
    return NULL;
}

static void several_threads(void)
{
    struct zci_backend *backend = open_backend(4, 0);
    pthread_t threads[4];
    for (int i = 0; i < 4; i++)
        CHECK_EQ(pthread_create(&threads[i], NULL, push_and_claim, backend), 0);
    for (int i = 0; i < 4; i++)
        CHECK_EQ(pthread_join(threads[i], NULL), 0);
    close_backend(backend);
}

int main(void)
{
    try_marks();
    claims();
    pinned_by_others();
    several_threads();
    if (!marks_work)
        SKIP("no memory locks here (a sanitizer, or a limit): what is not registered is not kept");
    known_memory();
    least_recently_used();
    short_of_memory();
    neighbours();
    mapped_anew();
    pushed_frames();
    return 0;
}
