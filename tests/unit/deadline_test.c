/* SPDX-License-Identifier: MIT */
/* Calls with a timeout return in time and heed signals, under sources that always have something to
 * do: all sources, policies, skip and every, alone, in a stream and in a set. */
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <time.h>

#include "source_setup.h"

#define MS INT64_C(1000000)
#define LATE_NS (50 * MS)   /* of processor time, after the timeout; */
#define SLOW_NS (2000 * MS) /* and of time: other processes may run meanwhile */
#define NEVER UINT64_C(1000000000000)
#define SIDE 32u
#define LARGE 1024u /* frames that take seconds byte by byte */

struct bed {
    zcs_context *ctx;
    zcs_source *source;
    zcs_stream *stream;
    pthread_t thread;
    int has_thread, fd;
    atomic_int stop;
};

static int64_t clock_ns(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

/* --- sources --- */

static void pattern(struct bed *bed, uint32_t fps, const char *inject)
{
    const struct zcs_pattern_params params = {.format = ZCS_PIXFMT_GREY,
                                              .width = SIDE,
                                              .height = SIDE,
                                              .fps_num = fps,
                                              .fps_den = fps != 0,
                                              .pace = fps != 0,
                                              .inject = inject};
    CHECK_EQ(zcs_source_open_pattern(bed->ctx, &params, &bed->source), ZCS_OK);
}

static void replay(struct bed *bed, const char *path, uint32_t side, uint32_t fps)
{
    struct stat info;
    CHECK(stat(path, &info) == 0);
    const struct zcs_replay_params params = {.path = path,
                                             .format = ZCS_PIXFMT_GREY,
                                             .width = side,
                                             .height = side,
                                             .fps_num = fps,
                                             .fps_den = fps != 0,
                                             .pace = fps != 0,
                                             .loops = S_ISFIFO(info.st_mode) ? 1 : UINT32_MAX};
    CHECK_EQ(zcs_source_open_replay(bed->ctx, &params, &bed->source), ZCS_OK);
}

static void open_unpaced(struct bed *bed)
{
    pattern(bed, 0, NULL);
}

static void open_fast(struct bed *bed)
{
    pattern(bed, 1000000, NULL);
}

static void open_lossy(struct bed *bed)
{
    pattern(bed, 0, "drop=100%");
}

static void open_file(struct bed *bed)
{
    replay(bed, "one.raw", SIDE, 0);
}

static void open_fast_file(struct bed *bed)
{
    replay(bed, "one.raw", SIDE, 1000000);
}

/* Short and empty files, and one good frame at the end. */
static void open_damaged(struct bed *bed)
{
    replay(bed, "damaged", SIDE, 0);
}

static void *push_all(void *user)
{
    static uint8_t memory[64][SIDE * SIDE];
    struct bed *bed = user;
    for (uint64_t n = 0; !atomic_load(&bed->stop);) {
        const struct zcs_push_meta meta = {.sequence = n};
        if (zcs_source_push(bed->source, memory[n % 64], &meta, NULL, NULL) == ZCS_OK)
            n++;
        else
            sched_yield();
    }
    return NULL;
}

static void start(struct bed *bed, void *(*work)(void *user))
{
    CHECK(pthread_create(&bed->thread, NULL, work, bed) == 0);
    bed->has_thread = 1;
}

static void open_idle_push(struct bed *bed)
{
    struct zcs_push_params params = {.queue = 16};
    CHECK_EQ(zcs_image_init(&params.image, ZCS_PIXFMT_GREY, SIDE, SIDE, 0), ZCS_OK);
    CHECK_EQ(zcs_source_open_push(bed->ctx, &params, &bed->source), ZCS_OK);
}

static void open_push(struct bed *bed)
{
    open_idle_push(bed);
    start(bed, push_all);
}

static void *write_blocks(void *user)
{
    static const uint8_t block[1 << 16];
    struct bed *bed = user;
    while (!atomic_load(&bed->stop))
        if (write(bed->fd, block, sizeof block) < 0)
            sched_yield();
    return NULL;
}

static void *write_bytes(void *user)
{
    struct bed *bed = user;
    while (!atomic_load(&bed->stop))
        if (write(bed->fd, "x", 1) < 0)
            sched_yield();
    return NULL;
}

static void pipe_of(struct bed *bed, uint32_t side)
{
    bed->fd = open("fifo", O_RDWR | O_NONBLOCK | O_CLOEXEC);
    CHECK(bed->fd >= 0);
    replay(bed, "fifo", side, 0);
}

static void open_idle_pipe(struct bed *bed)
{
    pipe_of(bed, SIDE);
}

static void open_pipe(struct bed *bed)
{
    pipe_of(bed, SIDE);
    start(bed, write_blocks);
}

static void open_trickle(struct bed *bed)
{
    pipe_of(bed, LARGE);
    start(bed, write_bytes);
}

static const struct {
    const char *name;
    void (*open)(struct bed *bed);
} kinds[] = {
    {"an unpaced pattern", open_unpaced},
    {"a pattern at 1,000,000 frames/s", open_fast},
    {"a pattern that loses all frames", open_lossy},
    {"a file in a loop", open_file},
    {"a file in a loop at 1,000,000 frames/s", open_fast_file},
    {"damaged files in a loop", open_damaged},
    {"push from another thread", open_push},
    {"a pipe of blocks", open_pipe},
    {"a pipe of single bytes", open_trickle},
};
#define KINDS (sizeof kinds / sizeof *kinds)

/* --- the bed --- */

static void begin(struct bed *bed, void (*open_source)(struct bed *bed))
{
    static struct setup_lines lines;
    *bed = (struct bed){.ctx = setup_context(&lines), .fd = -1};
    open_source(bed);
}

static void add_stream(struct bed *bed, enum zcs_policy policy, uint64_t skip, uint64_t every)
{
    const struct zcs_stream_params params = {
        .stages = "none", .policy = policy, .skip = skip, .every = every};
    CHECK_EQ(zcs_stream_create(bed->ctx, bed->source, &params, &bed->stream), ZCS_OK);
}

static void end(struct bed *bed)
{
    atomic_store(&bed->stop, 1);
    if (bed->has_thread)
        CHECK(pthread_join(bed->thread, NULL) == 0);
    zcs_stream_destroy(&bed->stream);
    zcs_source_close(&bed->source);
    zcs_close(&bed->ctx);
    if (bed->fd >= 0)
        close(bed->fd);
}

/* --- timeouts --- */

struct watch {
    const char *what;
    int64_t timeout_ns, begin_ns, begin_cpu_ns;
};

static struct watch watch_begin(const char *what, int64_t timeout_ns)
{
    return (struct watch){what, timeout_ns, clock_ns(CLOCK_MONOTONIC),
                          clock_ns(CLOCK_THREAD_CPUTIME_ID)};
}

static void watch_end(const struct watch *watch, const char *call)
{
    const int64_t took_ns = clock_ns(CLOCK_MONOTONIC) - watch->begin_ns - watch->timeout_ns;
    const int64_t cpu_ns = clock_ns(CLOCK_THREAD_CPUTIME_ID) - watch->begin_cpu_ns;
    if ((took_ns < LATE_NS || cpu_ns < watch->timeout_ns + LATE_NS) && took_ns < SLOW_NS)
        return;
    fprintf(stderr, "%s of %s, timeout %.0f ms: %.1f ms too late, %.1f ms processor time\n", call,
            watch->what, (double)watch->timeout_ns / 1e6, (double)took_ns / 1e6,
            (double)cpu_ns / 1e6);
    exit(1);
}

static void check_stream(struct bed *bed, const char *what, int64_t timeout_ns, int calls)
{
    for (int i = 0; i < calls; i++) {
        const struct zcs_frame *frame = NULL;
        const struct watch watch = watch_begin(what, timeout_ns);
        const zcs_status status = zcs_stream_next(bed->stream, timeout_ns, &frame);
        watch_end(&watch, "zcs_stream_next");
        CHECK(status == ZCS_OK || status == ZCS_AGAIN);
        zcs_frame_unref(&frame);
    }
}

static void streams(void)
{
    static const struct {
        uint64_t skip, every;
    } ways[] = {{0, 1}, {NEVER, 1}, {0, NEVER}, {5, 3}};
    struct bed bed;
    for (size_t i = 0; i < KINDS * 3 * 4; i++) {
        const char *what = kinds[i / 12].name;
        begin(&bed, kinds[i / 12].open);
        add_stream(&bed, (enum zcs_policy)(i / 4 % 3), ways[i % 4].skip, ways[i % 4].every);
        check_stream(&bed, what, 0, 8);
        check_stream(&bed, what, MS, 4);
        check_stream(&bed, what, 100 * MS, 1);
        end(&bed);
    }
}

static void sources(void)
{
    static const int64_t timeouts[] = {0, 0, 0, MS, MS, 100 * MS};
    struct bed bed;
    for (size_t i = 0; i < KINDS; i++) {
        begin(&bed, kinds[i].open);
        for (size_t k = 0; k < sizeof timeouts / sizeof *timeouts; k++) {
            const struct zcs_frame *frame = NULL;
            const struct watch watch = watch_begin(kinds[i].name, timeouts[k]);
            const zcs_status status = zcs_source_next(bed.source, timeouts[k], &frame);
            watch_end(&watch, "zcs_source_next");
            CHECK(status == ZCS_OK || status == ZCS_AGAIN);
            zcs_frame_unref(&frame);
        }
        end(&bed);
    }
}

/* --- sets --- */

#define MEMBERS 12u /* of one kind, each with frames to skip */

static void check_set(zcs_set *set, const char *what, int64_t timeout_ns, int matches)
{
    const struct zcs_frame *frames[MEMBERS] = {NULL};
    struct zcs_set_event event = {.frame = NULL};
    const struct watch watch = watch_begin(what, timeout_ns);
    const zcs_status status =
        matches ? zcs_set_match(set, timeout_ns, frames) : zcs_set_next(set, timeout_ns, &event);
    watch_end(&watch, matches ? "zcs_set_match" : "zcs_set_next");
    CHECK(status == ZCS_OK || status == ZCS_AGAIN);
    zcs_frame_unref(&event.frame);
    for (uint32_t i = 0; i < MEMBERS; i++)
        zcs_frame_unref(&frames[i]);
}

static void set_of(void (*open_source)(struct bed *bed), const char *what, uint64_t skip,
                   int matches)
{
    const struct zcs_set_params params = {.tolerance_ns = 0};
    struct bed beds[MEMBERS];
    zcs_context *ctx = NULL;
    zcs_set *set = NULL;
    uint32_t member;
    CHECK_EQ(zcs_open(&(struct zcs_params){.backend = ZCS_BACKEND_HOST, .host_threads = 1}, &ctx),
             ZCS_OK);
    CHECK_EQ(zcs_set_create(ctx, &params, &set), ZCS_OK);
    for (uint32_t i = 0; i < MEMBERS; i++) {
        begin(&beds[i], open_source);
        add_stream(&beds[i], ZCS_POLICY_WAIT, skip, 1);
        CHECK_EQ(zcs_set_add(set, beds[i].stream, &member), ZCS_OK);
    }
    check_set(set, what, 0, matches);
    check_set(set, what, 0, matches);
    check_set(set, what, MS, matches);
    check_set(set, what, 100 * MS, matches);
    zcs_set_destroy(&set);
    zcs_close(&ctx);
    for (uint32_t i = 0; i < MEMBERS; i++)
        end(&beds[i]);
}

static void sets(void)
{
    for (int matches = 0; matches < 2; matches++) {
        set_of(open_unpaced, "a set of patterns", 0, matches);
        set_of(open_lossy, "a set of patterns that lose all frames", 0, matches);
        set_of(open_file, "a set of files with frames to skip", NEVER, matches);
        set_of(open_fast, "a set of fast patterns", 0, matches);
        set_of(open_damaged, "a set of damaged files", NEVER, matches);
    }
}

/* A member that takes long does not keep the others from their turn, even without a timeout. */
static void turns(void)
{
    struct bed beds[2];
    zcs_set *set = NULL;
    struct zcs_set_event event = {.frame = NULL};
    uint32_t member;
    begin(&beds[0], open_lossy);
    begin(&beds[1], open_unpaced);
    CHECK_EQ(zcs_set_create(beds[0].ctx, NULL, &set), ZCS_OK);
    for (int i = 0; i < 2; i++) {
        add_stream(&beds[i], ZCS_POLICY_WAIT, 0, 1);
        CHECK_EQ(zcs_set_add(set, beds[i].stream, &member), ZCS_OK);
    }
    zcs_status status = ZCS_AGAIN;
    for (int i = 0; i < 200 && status == ZCS_AGAIN; i++)
        status = zcs_set_next(set, 0, &event);
    CHECK(status == ZCS_OK && event.member == 1);
    zcs_frame_unref(&event.frame);
    zcs_set_destroy(&set);
    end(&beds[0]);
    end(&beds[1]);
}

/* --- signals --- */

static volatile sig_atomic_t signals;

static void on_signal(int number)
{
    (void)number;
    signals++;
}

/* One signal after 20 ms, and further ones: the first may come before the call sleeps. */
static void set_timer(int on)
{
    const struct itimerval timer = {.it_value.tv_usec = on ? 20000 : 0,
                                    .it_interval.tv_usec = on ? 20000 : 0};
    CHECK(setitimer(ITIMER_REAL, &timer, NULL) == 0);
}

static void waits_end_by_signals(void)
{
    static void (*const idle[])(struct bed * bed) = {open_idle_push, open_idle_pipe};
    struct bed bed;
    for (size_t i = 0; i < 2; i++)
        for (int way = 0; way < 3; way++) {
            const struct zcs_frame *frame = NULL;
            struct zcs_set_event event;
            zcs_set *set = NULL;
            uint32_t member;
            begin(&bed, idle[i]);
            CHECK_EQ(zcs_set_create(bed.ctx, NULL, &set), ZCS_OK);
            if (way > 0)
                add_stream(&bed, ZCS_POLICY_LATEST, 0, 1);
            if (way == 2)
                CHECK_EQ(zcs_set_add(set, bed.stream, &member), ZCS_OK);
            const struct watch watch = watch_begin("an idle source", 40 * MS);
            set_timer(1);
            CHECK_EQ(way == 0   ? zcs_source_next(bed.source, -1, &frame)
                     : way == 1 ? zcs_stream_next(bed.stream, -1, &frame)
                                : zcs_set_next(set, -1, &event),
                     ZCS_AGAIN);
            set_timer(0);
            watch_end(&watch, "a wait that a signal ends");
            zcs_set_destroy(&set);
            end(&bed);
        }
}

/* A call that does not sleep cannot see a signal; its timeout ends it. */
static void busy_calls_with_signals(void)
{
    struct bed bed;
    for (size_t i = 0; i < KINDS; i++) {
        begin(&bed, kinds[i].open);
        add_stream(&bed, ZCS_POLICY_LATEST, NEVER, 1);
        set_timer(1);
        check_stream(&bed, kinds[i].name, 100 * MS, 1);
        set_timer(0);
        end(&bed);
    }
    CHECK(signals > 0);
}

/* Without a timeout too, a source that only loses frames gives the caller a turn. */
static void endless_loss(void)
{
    struct bed bed;
    for (int way = 0; way < 3; way++) {
        const struct zcs_frame *frame = NULL;
        struct zcs_set_event event;
        zcs_set *set = NULL;
        uint32_t member;
        begin(&bed, open_lossy);
        CHECK_EQ(zcs_set_create(bed.ctx, NULL, &set), ZCS_OK);
        if (way > 0)
            add_stream(&bed, ZCS_POLICY_WAIT, 0, 1);
        if (way == 2)
            CHECK_EQ(zcs_set_add(set, bed.stream, &member), ZCS_OK);
        CHECK_EQ(way == 0   ? zcs_source_next(bed.source, -1, &frame)
                 : way == 1 ? zcs_stream_next(bed.stream, -1, &frame)
                            : zcs_set_next(set, -1, &event),
                 ZCS_AGAIN);
        zcs_set_destroy(&set);
        end(&bed);
    }
}

/* --- damaged files --- */

/* A pass without a good frame is the last one. Its messages are few, however many files there are. */
static void damaged_only(void)
{
    const struct zcs_frame *frame = NULL;
    struct zcs_source_info info;
    char name[32];
    CHECK(mkdir("hopeless", 0700) == 0);
    setup_file("hopeless/0", 0, (size_t)SIDE * SIDE);
    for (int i = 1; i < 50; i++) {
        snprintf(name, sizeof name, "hopeless/%d", i);
        setup_file(name, 0, i % 2 ? 0 : 100);
    }
    struct setup_lines lines;
    struct bed bed = {.ctx = setup_context(&lines), .fd = -1};
    replay(&bed, "hopeless", SIDE, 0);
    CHECK(truncate("hopeless/0", 10) == 0);
    CHECK_EQ(zcs_source_next(bed.source, -1, &frame), ZCS_EOF);
    zcs_source_info(bed.source, &info);
    CHECK(info.lost[ZCS_LOSS_SHORT] == 50);
    CHECK(lines.count > 10 && lines.count < 30);
    end(&bed);
}

/* A pipe in place of a file of a series is refused; opening it would block. */
static void planted_pipe(void)
{
    const struct zcs_frame *frame = NULL;
    struct setup_lines lines;
    struct bed bed = {.ctx = setup_context(&lines), .fd = -1};
    CHECK(mkdir("series", 0700) == 0);
    setup_file("series/0", 0, (size_t)SIDE * SIDE);
    setup_file("series/1", 0, (size_t)SIDE * SIDE);
    replay(&bed, "series", SIDE, 0);
    CHECK(unlink("series/1") == 0 && mkfifo("series/1", 0600) == 0);
    CHECK_EQ(zcs_source_next(bed.source, 0, &frame), ZCS_OK);
    zcs_frame_unref(&frame);
    alarm(10); /* the signal ends an open that blocks */
    const struct watch watch = watch_begin("a file that became a pipe", 0);
    CHECK_EQ(zcs_source_next(bed.source, 0, &frame), ZCS_ERR_IO);
    watch_end(&watch, "zcs_source_next");
    alarm(0);
    CHECK(strstr(lines.last, "series/1: no longer a regular file") != NULL);
    end(&bed);
}

static void make_files(void)
{
    char name[32];
    setup_file("one.raw", 0, (size_t)SIDE * SIDE);
    CHECK(mkdir("damaged", 0700) == 0 && mkfifo("fifo", 0600) == 0);
    for (int i = 0; i < 300; i++) {
        snprintf(name, sizeof name, "damaged/%d", i);
        setup_file(name, 0, i % 2 ? 0 : 100);
    }
    setup_file("damaged/300", 0, (size_t)SIDE * SIDE);
}

int main(void)
{
    char folder[64];
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = on_signal; /* no SA_RESTART */
    CHECK(sigaction(SIGALRM, &action, NULL) == 0);
    setup_folder(folder);
    make_files();
    sources();
    streams();
    sets();
    turns();
    waits_end_by_signals();
    busy_calls_with_signals();
    endless_loss();
    damaged_only();
    planted_pipe();
    setup_remove_folder(folder);
    return 0;
}
