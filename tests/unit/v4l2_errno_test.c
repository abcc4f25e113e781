/* SPDX-License-Identifier: MIT */
/* Each request of the capture path answers each errno: at its first call, at a later one, at every
 * one, and at every one once frames stop and streaming is restarted. The table has what must
 * happen; docs/live-capture.md has it in words. */
#include "unit/v4l2_script.h"

#include "os/clock.h"

static struct script s;
static struct script_log log_text;
static zcs_context *ctx;
static zcs_source *source;

#define WANTED 20u /* frames */
#define MAX_ERRORS 12
#define STALL_NS 20000000
#define LIMIT_NS INT64_C(3000000000)
#define CPU_NS INT64_C(50000000)
#define MAX_CALLS 500u         /* of the driver */
#define MAX_INTERRUPTED 10000u /* the same for EINTR, which is repeated a thousand times */

enum { OPEN, POLL, MMAP }; /* requests of the script that are no ioctls */

enum when { FIRST, LATER, EVERY, RESTART, WHENS };

struct outcome {
    zcs_status status;
    uint32_t frames;  /* delivered */
    const char *word; /* of the message; NULL: the errno's text */
};

struct row {
    unsigned long request;
    const char *name;
    int errors[MAX_ERRORS];
    struct outcome outcome[WHENS];
};

#define REQUEST(request) request, #request

// clang-format off
#define GOOD {ZCS_OK, WANTED, NULL}
#define IO(frames, word) {ZCS_ERR_IO, frames, word}
#define GONE(frames) {ZCS_ERR_GONE, frames, "unplugged"}
#define BUSY(frames) {ZCS_ERR_BUSY, frames, "another program uses the camera"}
#define NOMEM(frames) {ZCS_ERR_NOMEM, frames, "memory"}
#define NO_PATH {ZCS_ERR_UNSUPPORTED, 0, "no capture path"}
#define OTHER EAGAIN, EBADF, EFAULT, ENOSPC, ENOTTY, EPERM, EPIPE, ENOLINK, EOVERFLOW
#define USB EIO, EPROTO, EILSEQ, EREMOTEIO, ETIMEDOUT
#define LOST ENODEV, ENXIO, ESHUTDOWN

static const struct row rows[] = {
    /* Outcomes: at the first call, a later one, every one, and at every one of a restart. */
    {REQUEST(OPEN), {OTHER, EINVAL}, {IO(0, NULL), GOOD, IO(0, NULL), GOOD}},
    {REQUEST(OPEN), {USB, EMFILE, ENFILE}, {IO(0, NULL), GOOD, IO(0, NULL), GOOD}},
    {REQUEST(OPEN), {EACCES, EPERM}, {IO(0, "group 'video'"), GOOD, IO(0, "group 'video'"), GOOD}},
    {REQUEST(OPEN), {ENOENT}, {IO(0, "no such node"), GOOD, IO(0, "no such node"), GOOD}},
    {REQUEST(OPEN), {EBUSY}, {GOOD, GOOD, BUSY(0), GOOD}},
    {REQUEST(OPEN), {EINTR}, {GOOD, GOOD, IO(0, "signals"), GOOD}},
    {REQUEST(OPEN), {LOST}, {GONE(0), GOOD, GONE(0), GOOD}},
    {REQUEST(OPEN), {ENOMEM}, {NOMEM(0), GOOD, NOMEM(0), GOOD}},

    {REQUEST(VIDIOC_QUERYCAP), {EAGAIN, EBADF, EFAULT, ENOSPC, EPERM, EPIPE, ENOLINK},
     {IO(0, NULL), GOOD, IO(0, NULL), GOOD}},
    {REQUEST(VIDIOC_QUERYCAP), {USB}, {IO(0, NULL), GOOD, IO(0, NULL), GOOD}},
    {REQUEST(VIDIOC_QUERYCAP), {EINVAL, ENOTTY},
     {{ZCS_ERR_UNSUPPORTED, 0, "no V4L2 device"}, GOOD,
      {ZCS_ERR_UNSUPPORTED, 0, "no V4L2 device"}, GOOD}},
    {REQUEST(VIDIOC_QUERYCAP), {EBUSY}, {BUSY(0), GOOD, BUSY(0), GOOD}},
    {REQUEST(VIDIOC_QUERYCAP), {EINTR}, {GOOD, GOOD, IO(0, "signals"), GOOD}},
    {REQUEST(VIDIOC_QUERYCAP), {LOST}, {GONE(0), GOOD, GONE(0), GOOD}},
    {REQUEST(VIDIOC_QUERYCAP), {ENOMEM}, {NOMEM(0), GOOD, NOMEM(0), GOOD}},

    /* The list of formats serves messages only, and TRY_FMT the list of sizes. */
    {REQUEST(VIDIOC_ENUM_FMT), {OTHER, EINVAL}, {GOOD, GOOD, GOOD, GOOD}},
    {REQUEST(VIDIOC_ENUM_FMT), {USB, EBUSY, EINTR, LOST, ENOMEM}, {GOOD, GOOD, GOOD, GOOD}},
    {REQUEST(VIDIOC_TRY_FMT), {EBUSY, EINVAL, ENOTTY, LOST}, {GOOD, GOOD, GOOD, GOOD}},

    {REQUEST(VIDIOC_G_FMT), {OTHER, EINVAL}, {IO(0, NULL), GOOD, IO(0, NULL), GOOD}},
    {REQUEST(VIDIOC_G_FMT), {USB}, {IO(0, NULL), GOOD, IO(0, NULL), GOOD}},
    {REQUEST(VIDIOC_G_FMT), {EBUSY}, {BUSY(0), GOOD, BUSY(0), GOOD}},
    {REQUEST(VIDIOC_G_FMT), {EINTR}, {GOOD, GOOD, IO(0, "signals"), GOOD}},
    {REQUEST(VIDIOC_G_FMT), {LOST}, {GONE(0), GOOD, GONE(0), GOOD}},
    {REQUEST(VIDIOC_G_FMT), {ENOMEM}, {NOMEM(0), GOOD, NOMEM(0), GOOD}},

    {REQUEST(VIDIOC_S_FMT), {OTHER}, {IO(0, NULL), GOOD, IO(0, NULL), GOOD}},
    {REQUEST(VIDIOC_S_FMT), {USB}, {IO(0, NULL), GOOD, IO(0, NULL), GOOD}},
    {REQUEST(VIDIOC_S_FMT), {EINVAL},
     {IO(0, "this format or size"), GOOD, IO(0, "this format or size"), GOOD}},
    {REQUEST(VIDIOC_S_FMT), {EBUSY}, {GOOD, GOOD, BUSY(0), GOOD}},
    {REQUEST(VIDIOC_S_FMT), {EINTR}, {GOOD, GOOD, IO(0, "signals"), GOOD}},
    {REQUEST(VIDIOC_S_FMT), {LOST}, {GONE(0), GOOD, GONE(0), GOOD}},
    {REQUEST(VIDIOC_S_FMT), {ENOMEM}, {NOMEM(0), GOOD, NOMEM(0), GOOD}},

    /* A rate is a preference. */
    {REQUEST(VIDIOC_G_PARM), {OTHER, EINVAL}, {GOOD, GOOD, GOOD, GOOD}},
    {REQUEST(VIDIOC_G_PARM), {USB, EBUSY, EINTR, LOST, ENOMEM}, {GOOD, GOOD, GOOD, GOOD}},
    {REQUEST(VIDIOC_S_PARM), {OTHER, EINVAL}, {GOOD, GOOD, GOOD, GOOD}},
    {REQUEST(VIDIOC_S_PARM), {USB, EBUSY, EINTR, LOST, ENOMEM}, {GOOD, GOOD, GOOD, GOOD}},

    /* Another kind of memory is tried, unless none would do. */
    {REQUEST(VIDIOC_REQBUFS), {OTHER, EINVAL}, {GOOD, GOOD, NO_PATH, GOOD}},
    {REQUEST(VIDIOC_REQBUFS), {USB, EINTR, ENOMEM}, {GOOD, GOOD, NO_PATH, GOOD}},
    {REQUEST(VIDIOC_REQBUFS), {EBUSY}, {GOOD, GOOD, BUSY(0), GOOD}},
    {REQUEST(VIDIOC_REQBUFS), {LOST}, {GONE(0), GOOD, GONE(0), GOOD}},
    {REQUEST(VIDIOC_QUERYBUF), {OTHER, EINVAL}, {GOOD, GOOD, NO_PATH, GOOD}},
    {REQUEST(VIDIOC_QUERYBUF), {USB, EINTR, ENOMEM}, {GOOD, GOOD, NO_PATH, GOOD}},
    {REQUEST(VIDIOC_QUERYBUF), {EBUSY}, {BUSY(0), BUSY(0), BUSY(0), GOOD}},
    {REQUEST(VIDIOC_QUERYBUF), {LOST}, {GONE(0), GONE(0), GONE(0), GOOD}},
    {REQUEST(MMAP), {OTHER, EINVAL}, {GOOD, GOOD, NO_PATH, GOOD}},
    {REQUEST(MMAP), {EIO, EINTR, ENOMEM}, {GOOD, GOOD, NO_PATH, GOOD}},
    {REQUEST(MMAP), {EBUSY}, {BUSY(0), BUSY(0), BUSY(0), GOOD}},
    {REQUEST(MMAP), {LOST}, {GONE(0), GONE(0), GONE(0), GOOD}},

    {REQUEST(VIDIOC_QBUF), {OTHER, ENOENT, EBADR}, {GOOD, IO(4, NULL), NO_PATH, IO(3, NULL)}},
    {REQUEST(VIDIOC_QBUF), {EPROTO, EILSEQ, EREMOTEIO, ETIMEDOUT},
     {GOOD, IO(4, NULL), NO_PATH, IO(3, NULL)}},
    {REQUEST(VIDIOC_QBUF), {EINVAL, EIO}, {GOOD, GOOD, NO_PATH, IO(3, NULL)}},
    {REQUEST(VIDIOC_QBUF), {EINTR}, {GOOD, GOOD, NO_PATH, IO(3, "signals")}},
    {REQUEST(VIDIOC_QBUF), {EBUSY}, {BUSY(0), BUSY(4), BUSY(0), BUSY(3)}},
    {REQUEST(VIDIOC_QBUF), {LOST}, {GONE(0), GONE(4), GONE(0), GONE(3)}},
    {REQUEST(VIDIOC_QBUF), {ENOMEM}, {GOOD, NOMEM(4), NO_PATH, NOMEM(3)}},

    {REQUEST(VIDIOC_STREAMON), {EAGAIN, EBADF, EFAULT, ENOTTY, EPERM, EOVERFLOW},
     {IO(0, NULL), GOOD, IO(0, NULL), IO(3, NULL)}},
    {REQUEST(VIDIOC_STREAMON), {EPIPE, ENOLINK},
     {IO(0, "media-ctl -p"), GOOD, IO(0, "media-ctl -p"), IO(3, "media-ctl -p")}},
    {REQUEST(VIDIOC_STREAMON), {ENOSPC},
     {IO(0, "no bandwidth"), GOOD, IO(0, "no bandwidth"), IO(3, "no bandwidth")}},
    {REQUEST(VIDIOC_STREAMON), {ENOMEM},
     {{ZCS_ERR_NOMEM, 0, "no bandwidth"}, GOOD, NOMEM(0), NOMEM(3)}},
    {REQUEST(VIDIOC_STREAMON), {EINVAL},
     {GOOD, GOOD, IO(0, "does not start"), IO(3, "does not start")}},
    {REQUEST(VIDIOC_STREAMON), {EINTR}, {GOOD, GOOD, IO(0, "signals"), IO(3, "signals")}},
    {REQUEST(VIDIOC_STREAMON), {EBUSY}, {GOOD, GOOD, BUSY(0), BUSY(3)}},
    {REQUEST(VIDIOC_STREAMON), {USB},
     {GOOD, GOOD, {ZCS_ERR_GONE, 0, "check its cable"}, {ZCS_ERR_GONE, 3, "check its cable"}}},
    {REQUEST(VIDIOC_STREAMON), {LOST}, {GONE(0), GOOD, GONE(0), GONE(3)}},

    {REQUEST(VIDIOC_DQBUF), {EBADF, EFAULT, ENOSPC, ENOTTY, EPERM, ENOLINK, EOVERFLOW},
     {IO(0, NULL), IO(5, NULL), IO(0, NULL), IO(3, NULL)}},
    {REQUEST(VIDIOC_DQBUF), {EPROTO, EILSEQ, EREMOTEIO, ETIMEDOUT},
     {IO(0, NULL), IO(5, NULL), IO(0, NULL), IO(3, NULL)}},
    {REQUEST(VIDIOC_DQBUF), {EPIPE},
     {IO(0, "end of its stream"), IO(5, "end of its stream"),
      IO(0, "end of its stream"), IO(3, "end of its stream")}},
    {REQUEST(VIDIOC_DQBUF), {EINVAL},
     {IO(0, "stopped streaming"), IO(5, "stopped streaming"),
      IO(0, "stopped streaming"), IO(3, "stopped streaming")}},
    {REQUEST(VIDIOC_DQBUF), {EAGAIN},
     {GOOD, GOOD, IO(0, "no frame came yet"), IO(3, "no frame comes any more")}},
    {REQUEST(VIDIOC_DQBUF), {EINTR}, {GOOD, GOOD, IO(0, "signals"), IO(3, "signals")}},
    {REQUEST(VIDIOC_DQBUF), {EIO}, {GOOD, GOOD, IO(0, "given up"), IO(3, "given up")}},
    {REQUEST(VIDIOC_DQBUF), {EBUSY}, {BUSY(0), BUSY(5), BUSY(0), BUSY(3)}},
    {REQUEST(VIDIOC_DQBUF), {LOST}, {GONE(0), GONE(5), GONE(0), GONE(3)}},
    {REQUEST(VIDIOC_DQBUF), {ENOMEM}, {NOMEM(0), NOMEM(5), NOMEM(0), NOMEM(3)}},

    {REQUEST(VIDIOC_STREAMOFF), {OTHER, EINVAL}, {GOOD, GOOD, GOOD, IO(3, NULL)}},
    {REQUEST(VIDIOC_STREAMOFF), {USB}, {GOOD, GOOD, GOOD, IO(3, NULL)}},
    {REQUEST(VIDIOC_STREAMOFF), {EINTR}, {GOOD, GOOD, GOOD, IO(3, "signals")}},
    {REQUEST(VIDIOC_STREAMOFF), {EBUSY}, {GOOD, GOOD, GOOD, BUSY(3)}},
    {REQUEST(VIDIOC_STREAMOFF), {LOST}, {GOOD, GOOD, GOOD, GONE(3)}},
    {REQUEST(VIDIOC_STREAMOFF), {ENOMEM}, {GOOD, GOOD, GOOD, NOMEM(3)}},

    {REQUEST(POLL), {EAGAIN, EBADF, EFAULT, EINVAL, EIO},
     {IO(0, NULL), IO(1, NULL), IO(0, NULL), IO(3, NULL)}},
    {REQUEST(POLL), {EINTR}, {GOOD, GOOD, GOOD, GOOD}},
    {REQUEST(POLL), {ENOMEM}, {NOMEM(0), NOMEM(1), NOMEM(0), NOMEM(3)}},
};

/* What poll reports where it does not fail. `frames`: they come nevertheless. */
static const struct {
    const char *name;
    short events;
    struct outcome silent, with_frames;
} results[] = {
    {"POLLERR",            POLLERR,           IO(3, "no frame comes any more"), GOOD},
    {"POLLNVAL",           POLLNVAL,          IO(3, "no frame comes any more"), GOOD},
    {"POLLPRI",            POLLPRI,           IO(3, "no frame comes any more"), GOOD},
    {"POLLIN",             POLLIN,            IO(3, "no frame comes any more"), GOOD},
    {"POLLIN | POLLERR",   POLLIN | POLLERR,  IO(3, "no frame comes any more"), GOOD},
    {"POLLHUP",            POLLHUP,           GONE(3),                          GOOD},
    {"POLLERR | POLLHUP",  POLLERR | POLLHUP, GONE(3),                          GOOD},
};
// clang-format on

/* What one capture came to. */
struct run {
    zcs_status status;
    uint32_t frames;
    int64_t wall_ns, cpu_ns;
};

static int64_t cpu_ns(void)
{
    struct timespec now;
    CHECK(clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now) == 0);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

/* Captures until there is an error or enough frames; without a stream, or through one. */
static void take(struct run *run, int streamed, const struct script_fault *at_restart)
{
    const struct zcs_stream_params params = {.stages = "none"};
    zcs_stream *stream = NULL;
    const int64_t end_ns = zci_now_ns() + LIMIT_NS;
    if (streamed)
        run->status = zcs_stream_create(ctx, source, &params, &stream);
    while (run->status >= 0 && run->frames < WANTED && zci_now_ns() < end_ns) {
        const struct zcs_frame *frame = NULL;
        run->status = streamed ? zcs_stream_next(stream, 10000000, &frame)
                               : zcs_source_next(source, 10000000, &frame);
        CHECK(run->status != ZCS_EOF); /* a camera has no calm end */
        run->frames += run->status == ZCS_OK;
        zcs_frame_unref(&frame);
        if (at_restart != NULL && run->frames == 3)
            s.faults[0] = *at_restart;
    }
    zcs_stream_destroy(&stream);
}

static struct run capture(int streamed, const struct script_fault *at_restart)
{
    const int asks = s.faults[0].request != VIDIOC_G_PARM; /* for a rate */
    const struct zcs_v4l2_params params = {.device = "/dev/video7",
                                           .fps_num = asks ? 30 : 0,
                                           .fps_den = asks ? 1 : 0,
                                           .stall_ns = STALL_NS};
    struct run run = {.wall_ns = zci_now_ns(), .cpu_ns = cpu_ns()};
    ctx = script_context(&log_text);
    run.status = zci_v4l2_open(ctx, &params, &s.calls, &source);
    if (run.status == ZCS_OK)
        take(&run, streamed, at_restart);
    zcs_source_close(&source);
    zcs_close(&ctx);
    run.wall_ns = zci_now_ns() - run.wall_ns;
    run.cpu_ns = cpu_ns() - run.cpu_ns;
    CHECK_EQ(s.open_count, 0);
    return run;
}

/* 1: as the table has it. A stream may first hand out frames that it took before the failure. */
static int check(const struct run *run, const struct outcome *outcome, int error, int streamed,
                 const char *what)
{
    const char *word = outcome->word != NULL ? outcome->word : strerror(error);
    CHECK(outcome->status < 0 || outcome->frames == WANTED); /* no end is calm with less */
    const int told = outcome->status == ZCS_OK || strstr(log_text.text, word) != NULL;
    const int more = streamed && run->status < 0 && run->frames > outcome->frames;
    const int bounded = s.calls_made <= (error == EINTR ? MAX_INTERRUPTED : MAX_CALLS) &&
                        run->wall_ns < LIMIT_NS && (SANITIZED || run->cpu_ns < CPU_NS);
    if (run->status == outcome->status && (run->frames == outcome->frames || more) && told &&
        bounded)
        return 1;
    fprintf(stderr,
            "%s: status %d, %u frames, %u calls, %.0f ms, %.0f ms of the processor; right: status "
            "%d, %u frames, '%s'; the log:\n%s",
            what, run->status, run->frames, s.calls_made, (double)run->wall_ns / 1e6,
            (double)run->cpu_ns / 1e6, outcome->status, outcome->frames, word, log_text.text);
    return 0;
}

/* How many calls of the request are answered before its later failure. */
static uint32_t calls_before(unsigned long request)
{
    switch (request) {
    case VIDIOC_QBUF:
        return 11; /* 8 buffers, and 3 that return */
    case VIDIOC_DQBUF:
        return 5;
    default:
        return 1;
    }
}

/* 1: the request is made during capture or while streaming is restarted. */
static int used_late(unsigned long request)
{
    return request == VIDIOC_QBUF || request == VIDIOC_DQBUF || request == VIDIOC_STREAMON ||
           request == VIDIOC_STREAMOFF || request == POLL;
}

/* A camera that gives three frames, and more after a restart. */
static void stalling_camera(void)
{
    static const struct script_frame few[] = {{.sequence = 0, .bytes_used = SCRIPT_FULL},
                                              {.sequence = 1, .bytes_used = SCRIPT_FULL},
                                              {.sequence = 2, .bytes_used = SCRIPT_FULL}};
    script_init(&s);
    s.fail_error = EIO; /* the script's rules allow for failures */
    s.frames = few;
    s.frame_count = 3;
    s.endless = 0;
    s.revives = 1;
}

static int check_case(const struct row *row, int error, enum when when, int streamed)
{
    static const char *const names[] = {"the first", "a later", "every", "every later"};
    const struct script_fault fault = {row->request, error, when < EVERY ? 1 : -1};
    char what[160];
    stalling_camera();
    if (when != RESTART) {
        s.endless = 1;
        s.faults[0] = fault;
        s.fault_after = when == LATER ? calls_before(row->request) : 0;
    }
    if (row->request == VIDIOC_QUERYBUF || row->request == MMAP)
        s.memories = 1; /* the driver's own */
    const struct run run = capture(streamed, when == RESTART ? &fault : NULL);
    snprintf(what, sizeof what, "%s: %s at %s call%s", row->name, strerror(error), names[when],
             streamed ? ", through a stream" : "");
    return check(&run, &row->outcome[when], error, streamed, what);
}

/* A stream does not call the table's poll. */
static int check_row(const struct row *row, int error)
{
    int good = 1;
    for (int when = 0; when < WHENS; when++)
        for (int streamed = 0; streamed < (row->request == POLL ? 1 : 2); streamed++)
            if (when != RESTART || used_late(row->request))
                good &= check_case(row, error, (enum when)when, streamed);
    return good;
}

/* At the first call, at a later one, or at every one. */
static int check_result(size_t i, enum when when, int with_frames)
{
    char what[160];
    stalling_camera();
    s.endless = with_frames;
    s.revives = 0;
    s.poll_events = results[i].events;
    s.poll_after = when == LATER ? 5 : 0;
    s.poll_times = when == EVERY ? 0 : 1;
    const struct run run = capture(0, NULL);
    snprintf(what, sizeof what, "poll: %s, case %d%s", results[i].name, (int)when,
             with_frames ? ", with frames" : "");
    const struct outcome stalled = IO(3, "no frame comes any more");
    const struct outcome *silent = when == EVERY ? &results[i].silent : &stalled;
    return check(&run, with_frames ? &results[i].with_frames : silent, 0, 0, what);
}

int main(void)
{
    int good = 1;
    for (size_t r = 0; r < sizeof rows / sizeof rows[0]; r++)
        for (int e = 0; e < MAX_ERRORS && rows[r].errors[e] != 0; e++)
            good &= check_row(&rows[r], rows[r].errors[e]);
    for (size_t i = 0; i < sizeof results / sizeof results[0]; i++)
        for (int when = FIRST; when <= EVERY; when++)
            for (int with_frames = 0; with_frames < 2; with_frames++)
                good &= check_result(i, (enum when)when, with_frames);
    CHECK(good);
    return 0;
}
