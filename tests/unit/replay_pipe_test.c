/* SPDX-License-Identifier: MIT */
/* Replay of pipes: fifos and standard input, slow, short, closed, and interrupted. */
#include "source_setup.h"

#include <pthread.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <time.h>

#include "source/source.h"

#define FRAME 5000 /* bytes: GREY 100x50 */
#define MS 1000000

static struct setup_lines lines;

static zcs_status open_grey(zcs_context *ctx, const char *path, uint32_t fps, zcs_source **out)
{
    const struct zcs_replay_params params = {.path = path,
                                             .format = ZCS_PIXFMT_GREY,
                                             .width = 100,
                                             .height = 50,
                                             .fps_num = fps,
                                             .fps_den = fps != 0,
                                             .pace = fps != 0};
    return zcs_source_open_replay(ctx, &params, out);
}

static void nap(long ms)
{
    const struct timespec time = {.tv_nsec = ms * MS};
    nanosleep(&time, NULL);
}

/* Writes bytes 0 .. `bytes` of the tests' sequence in pieces of odd sizes. */
struct writer {
    const char *path;
    int fd; /* -1: path */
    size_t bytes;
    int slow;
};

static void *write_all(void *arg)
{
    const struct writer *writer = arg;
    uint8_t piece[997];
    const int fd = writer->fd >= 0 ? writer->fd : open(writer->path, O_WRONLY);
    CHECK(fd >= 0);
    for (size_t at = 0; at < writer->bytes;) {
        const size_t left = writer->bytes - at, n = left < sizeof piece ? left : sizeof piece;
        for (size_t i = 0; i < n; i++)
            piece[i] = setup_byte(at + i);
        CHECK(write(fd, piece, n) == (ssize_t)n);
        at += n;
        if (writer->slow)
            nap(2);
    }
    CHECK(close(fd) == 0);
    return NULL;
}

/* Reads `frames` frames with short timeouts; returns how often one expired. */
static int read_all(zcs_source *source, uint64_t frames, zcs_status end)
{
    int again = 0;
    for (uint64_t n = 0; n <= frames;) {
        const struct zcs_frame *frame = NULL;
        const zcs_status status = zcs_source_next(source, MS, &frame);
        again += status == ZCS_AGAIN;
        if (status == ZCS_AGAIN)
            continue;
        CHECK_EQ(status, n < frames ? ZCS_OK : end);
        if (frame != NULL) {
            CHECK(frame->sequence == n && frame->path == ZCS_PATH_READ);
            CHECK_EQ(frame->cpu_bytes_copied, FRAME);
            setup_check_frame(frame, n * FRAME);
            zcs_frame_unref(&frame);
        }
        n++;
    }
    return again;
}

static void test_fifo(zcs_context *ctx, size_t bytes, int slow, zcs_status end)
{
    zcs_source *source = NULL;
    const struct zcs_frame *frame = NULL;
    struct zcs_source_info info;
    pthread_t thread;
    struct writer writer = {.path = "fifo", .fd = -1, .bytes = bytes, .slow = slow};
    CHECK_EQ(open_grey(ctx, "fifo", 0, &source), ZCS_OK); /* does not wait for the writer */
    CHECK(source->ops->fd(source) >= 0 && source->ops->skip == NULL);
    CHECK_EQ(zcs_source_next(source, 0, &frame), ZCS_AGAIN);
    CHECK_EQ(zcs_source_next(source, 5 * MS, &frame), ZCS_AGAIN);
    CHECK(pthread_create(&thread, NULL, write_all, &writer) == 0);
    const int again = read_all(source, bytes / FRAME, end);
    CHECK(!slow || again > 0);
    CHECK(pthread_join(thread, NULL) == 0);
    zcs_source_info(source, &info);
    CHECK(info.frames == 0 && info.path == (bytes >= FRAME ? ZCS_PATH_READ : ZCS_PATH_NONE));
    CHECK_EQ(info.lost[ZCS_LOSS_SHORT], end == ZCS_EOF && bytes % FRAME != 0);
    zcs_source_close(&source);
}

static void test_fifos(zcs_context *ctx)
{
    CHECK(mkfifo("fifo", 0600) == 0);
    test_fifo(ctx, 4 * FRAME, 1, ZCS_EOF);
    test_fifo(ctx, 100 * FRAME, 0, ZCS_EOF);
    CHECK_EQ(lines.count, 0);
    test_fifo(ctx, 3 * FRAME + 50, 0, ZCS_EOF);
    CHECK_LINE(
        &lines,
        "fifo: 50 bytes left over after 3 frames of GREY 100x50 (5000 bytes each): not used");
    test_fifo(ctx, 0, 0, ZCS_ERR_FORMAT);
    CHECK_LINE(&lines, "fifo: ended after 0 bytes; a frame of GREY 100x50 needs 5000");
    test_fifo(ctx, FRAME - 1, 0, ZCS_ERR_FORMAT);
    CHECK_LINE(&lines, "fifo: ended after 4999 bytes; a frame of GREY 100x50 needs 5000");
}

/* Puts `fd` at 0; the tests need no standard input of their own. */
static void become_stdin(int fd)
{
    CHECK(dup2(fd, STDIN_FILENO) == STDIN_FILENO && close(fd) == 0);
}

/* A self-describing file is opened anew each time; the offset of descriptor 0 does not change. */
static void test_stdin_again(zcs_context *ctx)
{
    static const char grey[] = "P5 2 1 255\n\1\2";
    const struct zcs_replay_params params = {.path = "-", .loops = 3};
    zcs_source *source = NULL;
    const int fd = open("grey.pgm", O_RDWR | O_CREAT, 0600);
    CHECK(fd >= 0 && pwrite(fd, grey, sizeof grey - 1, 0) == sizeof grey - 1);
    become_stdin(fd);
    CHECK_EQ(zcs_source_open_replay(ctx, &params, &source), ZCS_OK);
    for (uint64_t n = 0; n < 3; n++) {
        const struct zcs_frame *frame = NULL;
        CHECK_EQ(zcs_source_next(source, -1, &frame), ZCS_OK);
        CHECK(frame->sequence == n && ((const uint8_t *)frame->host)[1] == 2);
        zcs_frame_unref(&frame);
    }
    zcs_source_close(&source);
    CHECK_EQ(lseek(STDIN_FILENO, 0, SEEK_CUR), 0);
}

static void test_stdin(zcs_context *ctx)
{
    int ends[2];
    pthread_t thread;
    zcs_source *source = NULL;
    CHECK(pipe(ends) == 0);
    become_stdin(ends[0]);
    struct writer writer = {.fd = ends[1], .bytes = 3 * FRAME + 7};
    CHECK_EQ(open_grey(ctx, "-", 0, &source), ZCS_OK);
    CHECK(pthread_create(&thread, NULL, write_all, &writer) == 0);
    read_all(source, 3, ZCS_EOF);
    CHECK(pthread_join(thread, NULL) == 0);
    CHECK_LINE(&lines, "standard input: 7 bytes left over after 3 frames of");
    zcs_source_close(&source);
    CHECK(fcntl(STDIN_FILENO, F_GETFD) >= 0); /* still the application's */

    /* A file as standard input is always ready, and epoll refuses it. */
    setup_file("x", 0, 2 * FRAME);
    become_stdin(open("x", O_RDONLY));
    CHECK_EQ(open_grey(ctx, "-", 0, &source), ZCS_OK);
    CHECK_EQ(source->ops->fd(source), -1);
    read_all(source, 2, ZCS_EOF);
    zcs_source_close(&source);

    test_stdin_again(ctx);

    /* A write-only descriptor is refused, although its file could be reopened. */
    become_stdin(open("x", O_WRONLY | O_APPEND));
    CHECK_EQ(zcs_source_open_replay(ctx, &(struct zcs_replay_params){.path = "-"}, &source),
             ZCS_ERR_IO);
    CHECK_LINE(&lines, "standard input: open for writing only");
    become_stdin(open("/", O_RDONLY));
    CHECK_EQ(open_grey(ctx, "-", 0, &source), ZCS_ERR_IO);
    CHECK_LINE(&lines, "standard input: not readable");
    become_stdin(eventfd(0, 0));
    CHECK_EQ(open_grey(ctx, "-", 0, &source), ZCS_ERR_IO);
    CHECK_LINE(&lines, "standard input: not readable");
    CHECK(close(STDIN_FILENO) == 0);
    CHECK_EQ(open_grey(ctx, "-", 0, &source), ZCS_ERR_IO);
    CHECK_LINE(&lines, "standard input: Bad file descriptor");
    CHECK(source == NULL);
}

static void test_closed_later(zcs_context *ctx)
{
    int ends[2];
    zcs_source *source = NULL;
    const struct zcs_frame *frame = NULL;
    CHECK(pipe(ends) == 0);
    if (ends[0] != STDIN_FILENO)
        become_stdin(ends[0]);
    CHECK_EQ(open_grey(ctx, "-", 0, &source), ZCS_OK);
    CHECK(close(STDIN_FILENO) == 0);
    CHECK_EQ(zcs_source_next(source, -1, &frame), ZCS_ERR_IO);
    CHECK_LINE(&lines, "standard input: Bad file descriptor");
    zcs_source_close(&source);
    CHECK(close(ends[1]) == 0);
}

static volatile sig_atomic_t alarms;

static void on_alarm(int number)
{
    (void)number;
    alarms = alarms + 1;
}

static void ring(long every_us)
{
    const struct itimerval timer = {.it_interval = {.tv_usec = every_us},
                                    .it_value = {.tv_usec = every_us}};
    CHECK(setitimer(ITIMER_REAL, &timer, NULL) == 0);
}

/* A signal ends an infinite wait; a signal every millisecond loses no byte. */
static void test_signals(zcs_context *ctx)
{
    const struct sigaction action = {.sa_handler = on_alarm};
    zcs_source *source = NULL;
    const struct zcs_frame *frame = NULL;
    CHECK(sigaction(SIGALRM, &action, NULL) == 0);
    CHECK_EQ(open_grey(ctx, "fifo", 0, &source), ZCS_OK);
    ring(20000);
    CHECK_EQ(zcs_source_next(source, -1, &frame), ZCS_AGAIN);
    CHECK(alarms > 0);
    ring(0);

    const int fd = open("fifo", O_WRONLY);
    CHECK(fd >= 0);
    ring(1000);
    int interrupted = 0;
    for (uint64_t n = 0; n < 20; n++) {
        uint8_t data[FRAME];
        for (size_t i = 0; i < FRAME; i++)
            data[i] = setup_byte(n * FRAME + i);
        CHECK(write(fd, data, 3000) == 3000);
        zcs_status status;
        while ((status = zcs_source_next(source, -1, &frame)) == ZCS_AGAIN)
            if (interrupted++ % 3 == 2)
                break; /* one frame arrives over several calls */
        CHECK_EQ(status, ZCS_AGAIN);
        CHECK(write(fd, data + 3000, FRAME - 3000) == FRAME - 3000);
        while ((status = zcs_source_next(source, -1, &frame)) == ZCS_AGAIN)
            interrupted++;
        CHECK_EQ(status, ZCS_OK);
        CHECK_EQ(frame->sequence, n);
        setup_check_frame(frame, n * FRAME);
        zcs_frame_unref(&frame);
    }
    ring(0);
    CHECK(interrupted > 20);
    zcs_source_close(&source); /* with the writer still there */
    CHECK(close(fd) == 0);
}

static void test_paced_pipe(zcs_context *ctx)
{
    zcs_source *source = NULL;
    const struct zcs_frame *frame = NULL;
    CHECK_EQ(open_grey(ctx, "fifo", 1, &source), ZCS_OK);
    CHECK(source->ops->fd(source) >= 0);
    const int fd = open("fifo", O_WRONLY);
    uint8_t data[2 * FRAME];
    for (size_t i = 0; i < sizeof data; i++)
        data[i] = setup_byte(i);
    CHECK(write(fd, data, sizeof data) == (ssize_t)sizeof data);
    CHECK_EQ(zcs_source_next(source, -1, &frame), ZCS_OK);
    zcs_frame_unref(&frame);
    CHECK_EQ(zcs_source_next(source, 3 * MS, &frame),
             ZCS_AGAIN); /* it has arrived, but is not due */
    CHECK_EQ(source->ops->fd(source), -1);
    zcs_source_close(&source);
    CHECK(close(fd) == 0);
}

int main(void)
{
    char folder[64];
    zcs_context *ctx = setup_context(&lines);
    setup_folder(folder);
    test_fifos(ctx);
    test_stdin(ctx);
    test_closed_later(ctx);
    test_signals(ctx);
    test_paced_pipe(ctx);
    setup_remove_folder(folder);
    zcs_close(&ctx);
    return 0;
}
