/* SPDX-License-Identifier: MIT */
/* Disconnect and reconnect: what ends, what waits, what is the same after a reconnect, and that
 * waiting costs nothing. Descriptors that only report errors. */
#include "unit/v4l2_script.h"

#include "starve.h"

#include <signal.h>
#include <sys/stat.h>
#include <sys/time.h>

#define SECOND_NS INT64_C(1000000000)

static struct script s;
static struct script_log log_text;
static zcs_context *ctx;
static zcs_source *source;
static zcs_stream *stream;

static void set_up(int64_t reconnect_ns, enum zcs_path path)
{
    const struct zcs_v4l2_params params = {
        .device = "/dev/video7", .path = path, .reconnect_ns = reconnect_ns};
    ctx = script_context(&log_text);
    CHECK_EQ(zci_v4l2_open(ctx, &params, &s.calls, &source), ZCS_OK);
}

static void set_up_stream(int64_t reconnect_ns, enum zcs_path path)
{
    const struct zcs_stream_params params = {.stages = "none"};
    set_up(reconnect_ns, path);
    CHECK_EQ(zcs_stream_create(ctx, source, &params, &stream), ZCS_OK);
}

static void tear_down(void)
{
    zcs_stream_destroy(&stream);
    zcs_source_close(&source);
    zcs_close(&ctx);
    CHECK_EQ(s.open_count, 0);
    CHECK(s.multi || s.mapped == 0); /* there one munmap releases several mmaps */
}

/* A webcam with a serial number at /dev/video7. */
static void webcam(void)
{
    script_init(&s);
    s.udmabuf = 1;
    s.node = "/dev/video7";
    s.serial = "1d6b:0102:0001";
    s.place = "/plug1";
}

static int count(const char *text)
{
    int times = 0;
    for (const char *at = log_text.text; (at = strstr(at, text)) != NULL; at++)
        times++;
    return times;
}

static uint64_t lost(enum zcs_loss cause)
{
    struct zcs_source_info info;
    zcs_source_info(source, &info);
    return info.lost[cause];
}

static int64_t now_ns(clockid_t clock)
{
    struct timespec now;
    CHECK(clock_gettime(clock, &now) == 0);
    return (int64_t)now.tv_sec * SECOND_NS + now.tv_nsec;
}

static void ends_without_wish(void)
{
    const struct zcs_frame *frame = NULL;
    webcam();
    set_up_stream(0, ZCS_PATH_NONE);
    CHECK_EQ(zcs_stream_next(stream, -1, &frame), ZCS_OK);
    zcs_frame_unref(&frame);
    s.unplugged = -1;
    zcs_status status;
    while ((status = zcs_stream_next(stream, SECOND_NS, &frame)) == ZCS_OK)
        zcs_frame_unref(&frame);
    CHECK_EQ(status, ZCS_ERR_GONE);
    CHECK_EQ(count("unplugged"), 1);
    CHECK_EQ(s.looks, 0);
    tear_down();
}

/* Counts the distinct addresses of slots. */
struct places {
    const void *at[SCRIPT_BUFFERS];
    int count;
};

static void add_place(struct places *places, const void *at)
{
    for (int i = 0; i < places->count; i++)
        if (places->at[i] == at)
            return;
    CHECK(places->count < SCRIPT_BUFFERS);
    places->at[places->count++] = at;
}

static void take(struct places *places, int frames, uint64_t *first, uint64_t *last)
{
    for (int i = 0; i < frames; i++) {
        const struct zcs_frame *frame = NULL;
        CHECK_EQ(zcs_source_next(source, 5 * SECOND_NS, &frame), ZCS_OK);
        CHECK(*first == UINT64_MAX || frame->sequence > *last);
        *first = *first == UINT64_MAX ? frame->sequence : *first;
        *last = frame->sequence;
        add_place(places, frame->host);
        zcs_frame_unref(&frame);
    }
}

/* Unplugged and plugged in again, each time at another node: format, rate and slots stay. */
static void comes_back(enum zcs_path path, int multi, int times)
{
    static const char *const nodes[] = {"/dev/video9", "/dev/video7", "/dev/video0"};
    struct places places = {.count = 0};
    uint64_t first = UINT64_MAX, last = 0;
    webcam();
    if (multi) {
        script_init_multi(&s, V4L2_PIX_FMT_NV12M);
        s.udmabuf = 1;
        s.node = "/dev/video7";
        s.place = "/plug1";
    }
    set_up(5 * SECOND_NS, path);
    const uint32_t fourcc = s.now.pixelformat;
    take(&places, 30, &first, &last);
    const int made = places.count;
    for (int i = 0; i < times; i++) {
        s.unplugged = 1;
        s.node = nodes[i];
        s.sequence = 0;
        s.now = (struct v4l2_pix_format){
            .width = 32, .height = 24, .pixelformat = s.fourccs[0], .field = V4L2_FIELD_NONE};
        s.period = (struct v4l2_fract){1, 5};
        script_lay_out(&s, 0);
        take(&places, 30, &first, &last);
        CHECK_EQ(s.now.width, 64);
        CHECK_EQ(s.now.pixelformat, fourcc);
        CHECK_EQ(s.period.denominator, 30);
    }
    if (path != ZCS_PATH_REGISTERED) /* there the slots are the driver's buffers */
        CHECK_EQ(places.count, made);
    CHECK_EQ(count("is back after"), times);
    CHECK_EQ(last - first + 1, 30 * (1 + (uint64_t)times) + lost(ZCS_LOSS_AWAY));
    CHECK(lost(ZCS_LOSS_AWAY) >= 4 * (uint64_t)times); /* 0.2 s at least, at 30 a second */
    CHECK_EQ(lost(ZCS_LOSS_DRIVER_GAP) + lost(ZCS_LOSS_ERROR) + lost(ZCS_LOSS_STALE), 0);
    tear_down();
}

/* The same through a stream and poll, while some results are held. */
static void stream_goes_on(enum zcs_path path)
{
    const struct zcs_frame *held[2] = {NULL}, *frame = NULL;
    webcam();
    set_up_stream(5 * SECOND_NS, path);
    for (int i = 0; i < 2; i++)
        CHECK_EQ(zcs_stream_next(stream, -1, &held[i]), ZCS_OK);
    struct pollfd fd = {.fd = zcs_stream_fd(stream), .events = POLLIN};
    int got = 0, reports = 0;
    while (got < 60) {
        if (got % 20 == 10 && s.unplugged == 0 && frame == NULL) {
            s.unplugged = 1;
            got++;
        }
        CHECK(poll(&fd, 1, 5000) == 1);
        CHECK(++reports < 2000);
        const zcs_status status = zcs_stream_next(stream, 0, &frame);
        CHECK(status == ZCS_OK || status == ZCS_AGAIN);
        got += status == ZCS_OK;
        zcs_frame_unref(&frame);
    }
    CHECK_EQ(count("is back after"), 3);
    for (int i = 0; i < 2; i++)
        zcs_frame_unref(&held[i]);
    tear_down();
}

/* A camera that is back without a frame at first: its new descriptor wakes the poller with the
 * first frame. */
static void wakes_again(void)
{
    const struct zcs_frame *frame = NULL;
    webcam();
    set_up_stream(5 * SECOND_NS, ZCS_PATH_NONE);
    struct pollfd fd = {.fd = zcs_stream_fd(stream), .events = POLLIN};
    CHECK_EQ(zcs_stream_next(stream, -1, &frame), ZCS_OK);
    zcs_frame_unref(&frame);
    s.unplugged = 1;
    s.endless = 0;
    while (count("is back after") == 0) {
        CHECK(zcs_stream_next(stream, SECOND_NS / 50, &frame) >= ZCS_OK);
        zcs_frame_unref(&frame);
    }
    while (zcs_stream_next(stream, 0, &frame) == ZCS_OK)
        zcs_frame_unref(&frame);
    CHECK_EQ(poll(&fd, 1, 50), 0);
    s.endless = 1;
    script_update(&s, 0);
    CHECK_EQ(poll(&fd, 1, 1000), 1);
    const int64_t began_ns = now_ns(CLOCK_MONOTONIC);
    CHECK_EQ(zcs_stream_next(stream, -1, &frame), ZCS_OK);
    CHECK(now_ns(CLOCK_MONOTONIC) - began_ns < SECOND_NS);
    zcs_frame_unref(&frame);
    tear_down();
}

/* The camera comes back with another descriptor, which nobody polled yet; the old number is another
 * file's. */
static void wakes_elsewhere(void)
{
    const struct timespec pause = {.tv_nsec = 10000000};
    const struct zcs_frame *frame = NULL;
    webcam();
    set_up_stream(5 * SECOND_NS, ZCS_PATH_NONE);
    const int old = s.fd;
    s.unplugged = 1;
    s.endless = 0;
    while (count("is back after") == 0) {
        CHECK_EQ(zcs_stream_next(stream, 0, &frame), ZCS_AGAIN);
        if (s.fd < 0 && fcntl(old, F_GETFD) < 0) {
            const int silent = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
            CHECK(silent == old || (dup2(silent, old) == old && close(silent) == 0));
        }
        nanosleep(&pause, NULL);
    }
    CHECK(s.fd != old);
    struct pollfd fd = {.fd = zcs_stream_fd(stream), .events = POLLIN};
    CHECK_EQ(zcs_stream_next(stream, 0, &frame), ZCS_AGAIN);
    CHECK_EQ(poll(&fd, 1, 0), 0);
    s.endless = 1;
    script_update(&s, 0);
    CHECK_EQ(poll(&fd, 1, 0), 1);
    CHECK_EQ(zcs_stream_next(stream, 5 * SECOND_NS, &frame), ZCS_OK);
    zcs_frame_unref(&frame);
    tear_down();
    close(old);
}

/* A driver that needs two queued buffers to write: a returned frame must wake the poller, also
 * where it lies in a slot that was made after the reconnect. */
static void wakes_by_slots(enum zcs_path path)
{
    struct starve starve = {.keeps = 0};
    const struct zcs_v4l2_params params = {
        .device = "/dev/video7", .path = path, .reconnect_ns = 5 * SECOND_NS, .stall_ns = -1};
    const struct zcs_stream_params chain = {
        .stages = "none", .tap = starve_tap, .tap_user = &starve, .tap_frames = 2};
    const struct zcs_frame *frame = NULL;
    webcam();
    s.keeps = 1;
    ctx = script_context(&log_text);
    CHECK_EQ(zci_v4l2_open(ctx, &params, &s.calls, &source), ZCS_OK);
    CHECK_EQ(zcs_stream_create(ctx, source, &chain, &stream), ZCS_OK);
    starve.stream = stream;
    starve_and_wake(&starve);
    s.unplugged = 1;
    while (count("is back after") == 0) {
        CHECK(zcs_stream_next(stream, SECOND_NS / 50, &frame) >= ZCS_OK);
        zcs_frame_unref(&frame);
    }
    starve_and_wake(&starve);
    CHECK_EQ(lost(ZCS_LOSS_POLICY), 0);
    tear_down();
}

/* One error after the time limit; the wait used hardly any CPU time. */
static void stays_away(void)
{
    const struct zcs_frame *frame = NULL;
    zcs_status status;
    webcam();
    set_up_stream(SECOND_NS / 2, ZCS_PATH_NONE);
    CHECK_EQ(zcs_stream_next(stream, -1, &frame), ZCS_OK);
    zcs_frame_unref(&frame);
    s.unplugged = -1;
    const int64_t began_ns = now_ns(CLOCK_MONOTONIC), used_ns = now_ns(CLOCK_THREAD_CPUTIME_ID);
    while ((status = zcs_stream_next(stream, -1, &frame)) == ZCS_OK)
        zcs_frame_unref(&frame);
    CHECK_EQ(status, ZCS_ERR_GONE);
    CHECK(now_ns(CLOCK_MONOTONIC) - began_ns >= SECOND_NS / 2);
    CHECK(now_ns(CLOCK_THREAD_CPUTIME_ID) - used_ns < SECOND_NS / 10);
    CHECK(s.looks <= 10);
    CHECK(script_logged(&log_text, "did not come back within 0.5 s"));
    tear_down();
}

/* The timeout ends each wait: SIGINT must not be delayed. */
static void ignore(int number)
{
    (void)number;
}

static void interrupted(void)
{
    const struct sigaction action = {.sa_handler = ignore};
    const struct itimerval every = {{0, 30000}, {0, 30000}}, never = {{0, 0}, {0, 0}};
    const struct zcs_frame *frame = NULL;
    webcam();
    set_up_stream(60 * SECOND_NS, ZCS_PATH_NONE);
    s.unplugged = -1;
    for (int i = 0; i < 3; i++) {
        CHECK(sigaction(SIGALRM, &action, NULL) == 0);
        CHECK(setitimer(ITIMER_REAL, &every, NULL) == 0);
        zcs_status status;
        while ((status = zcs_stream_next(stream, -1, &frame)) == ZCS_OK)
            zcs_frame_unref(&frame);
        CHECK_EQ(status, ZCS_AGAIN);
    }
    CHECK(setitimer(ITIMER_REAL, &never, NULL) == 0);
    zcs_stream_stop(stream);
    CHECK_EQ(zcs_stream_next(stream, -1, &frame), ZCS_EOF);
    tear_down();
    /* The source alone waits as well, and no stream can be made meanwhile. */
    webcam();
    set_up(60 * SECOND_NS, ZCS_PATH_NONE);
    CHECK_EQ(zcs_source_next(source, -1, &frame), ZCS_OK);
    zcs_frame_unref(&frame);
    s.unplugged = -1;
    CHECK_EQ(zcs_source_next(source, SECOND_NS / 20, &frame), ZCS_AGAIN);
    CHECK_EQ(zcs_stream_create(ctx, source, NULL, &stream), ZCS_ERR_GONE);
    CHECK(script_logged(&log_text, "the camera is disconnected"));
    tear_down();
}

/* The same node or the same serial number need not be the same camera. */
static void others(void)
{
    const struct zcs_frame *frame = NULL;
    webcam();
    set_up(SECOND_NS / 3, ZCS_PATH_NONE);
    CHECK_EQ(zcs_source_next(source, -1, &frame), ZCS_OK);
    zcs_frame_unref(&frame);
    s.unplugged = 1;
    s.serial = "1d6b:0102:0002"; /* another camera of the same model, at the same USB port */
    CHECK_EQ(zcs_source_next(source, -1, &frame), ZCS_ERR_GONE);
    CHECK_EQ(s.opened, 1);
    tear_down();
    /* Two cameras with one serial number: the USB port decides. */
    webcam();
    s.other = "/dev/video8";
    s.other_serial = s.serial;
    set_up(SECOND_NS / 3, ZCS_PATH_NONE);
    CHECK_EQ(zcs_source_next(source, -1, &frame), ZCS_OK);
    zcs_frame_unref(&frame);
    s.unplugged = 1;
    s.place = "/plug2";
    CHECK_EQ(zcs_source_next(source, -1, &frame), ZCS_ERR_GONE);
    CHECK_EQ(s.opened, 1);
    tear_down();
    /* Without sysfs the driver's answers decide. */
    webcam();
    s.serial = s.place = NULL;
    set_up(SECOND_NS / 3, ZCS_PATH_NONE);
    CHECK_EQ(zcs_source_next(source, -1, &frame), ZCS_OK);
    zcs_frame_unref(&frame);
    s.unplugged = 1;
    s.bus = "platform:elsewhere";
    CHECK_EQ(zcs_source_next(source, -1, &frame), ZCS_ERR_GONE);
    CHECK(script_logged(&log_text, "is another camera"));
    tear_down();
}

/* The camera is back with another format: logged with both numbers. With the old format it
 * continues. */
static void comes_back_otherwise(void)
{
    const struct zcs_frame *frame = NULL;
    webcam();
    set_up(SECOND_NS, ZCS_PATH_NONE);
    CHECK_EQ(zcs_source_next(source, -1, &frame), ZCS_OK);
    zcs_frame_unref(&frame);
    s.unplugged = 1;
    s.stubborn = 1;
    s.now.width = 32;
    script_lay_out(&s, 0);
    CHECK_EQ(zcs_source_next(source, -1, &frame), ZCS_ERR_GONE);
    CHECK(script_logged(&log_text, "asked for 64x48, the driver gives 32x48"));
    tear_down();

    webcam();
    set_up(5 * SECOND_NS, ZCS_PATH_NONE);
    CHECK_EQ(zcs_source_next(source, -1, &frame), ZCS_OK);
    zcs_frame_unref(&frame);
    s.unplugged = 1;
    s.faults[0] = (struct script_fault){VIDIOC_STREAMON, EPROTO, 2};
    CHECK_EQ(zcs_source_next(source, -1, &frame), ZCS_OK);
    zcs_frame_unref(&frame);
    CHECK_EQ(count("is back after"), 1);
    tear_down();
}

/* A camera that answers but sends nothing is reopened too; without a frame the time limit is not
 * extended. */
static void given_up(void)
{
    const struct zcs_frame *frame = NULL;
    const struct zcs_v4l2_params params = {
        .device = "/dev/video7", .stall_ns = SECOND_NS / 20, .reconnect_ns = SECOND_NS / 2};
    webcam();
    ctx = script_context(&log_text);
    CHECK_EQ(zci_v4l2_open(ctx, &params, &s.calls, &source), ZCS_OK);
    CHECK_EQ(zcs_source_next(source, -1, &frame), ZCS_OK);
    zcs_frame_unref(&frame);
    s.endless = 0;
    CHECK_EQ(zcs_source_next(source, -1, &frame), ZCS_ERR_GONE);
    CHECK(count("is back after") >= 1);
    CHECK_EQ(count("waiting for this camera"), 1);
    tear_down();
}

/* STREAMON fails when capture starts: as unplugged, so the camera is waited for. Without a wish to
 * reconnect it is an error. */
static void refused_at_start(enum zcs_path path, int streamed)
{
    const struct zcs_stream_params params = {.stages = "none"};
    const struct zcs_frame *frame = NULL;
    webcam();
    set_up(5 * SECOND_NS, path);
    s.faults[0] = (struct script_fault){VIDIOC_STREAMON, EIO, 4};
    if (streamed)
        CHECK_EQ(zcs_stream_create(ctx, source, &params, &stream), ZCS_OK);
    for (int i = 0; i < 20; i++) {
        CHECK_EQ(streamed ? zcs_stream_next(stream, 5 * SECOND_NS, &frame)
                          : zcs_source_next(source, 5 * SECOND_NS, &frame),
                 ZCS_OK);
        CHECK_EQ(frame->path, path);
        zcs_frame_unref(&frame);
    }
    CHECK_EQ(s.faults[0].times, 0);
    CHECK_EQ(count("check its cable, hub and power"), 1);
    CHECK_EQ(count("waiting for this camera"), 1);
    CHECK_EQ(count("is back after"), 1);
    tear_down();

    webcam();
    set_up(0, path);
    s.faults[0] = (struct script_fault){VIDIOC_STREAMON, EIO, 2};
    CHECK_EQ(zcs_source_next(source, SECOND_NS, &frame), ZCS_ERR_GONE);
    CHECK_EQ(zcs_source_next(source, SECOND_NS, &frame), ZCS_OK); /* nothing is left behind */
    zcs_frame_unref(&frame);
    tear_down();
}

/* The driver reports the end of its stream, or any other error: with a wish to reconnect the camera
 * is opened again. */
static void failed_dequeue(void)
{
    static const int errors[] = {EPIPE, EINVAL, EPROTO, EOVERFLOW, EINTR};
    struct places places = {.count = 0};
    for (size_t i = 0; i < sizeof errors / sizeof errors[0]; i++) {
        uint64_t first = UINT64_MAX, last = 0;
        webcam();
        set_up(5 * SECOND_NS, ZCS_PATH_COPIED);
        take(&places, 3, &first, &last);
        s.faults[0] = (struct script_fault){VIDIOC_DQBUF, errors[i], errors[i] == EINTR ? 1001 : 1};
        take(&places, 17, &first, &last);
        CHECK_EQ(count("is back after"), 1);
        tear_down();
    }
}

/* A permanent error without a frame: neither poll nor zcs_source_next spins. */
static void broken_descriptor(void)
{
    const struct zcs_frame *frame = NULL;
    webcam();
    s.endless = 0;
    s.broken_fd = 1;
    set_up_stream(0, ZCS_PATH_NONE);
    const int64_t used_ns = now_ns(CLOCK_THREAD_CPUTIME_ID);
    CHECK_EQ(zcs_stream_next(stream, SECOND_NS / 2, &frame), ZCS_AGAIN);
    CHECK(now_ns(CLOCK_THREAD_CPUTIME_ID) - used_ns < SECOND_NS / 10);
    struct pollfd fd = {.fd = zcs_stream_fd(stream), .events = POLLIN};
    const int64_t end_ns = now_ns(CLOCK_MONOTONIC) + SECOND_NS / 2;
    int reports = 0;
    while (now_ns(CLOCK_MONOTONIC) < end_ns)
        if (poll(&fd, 1, 10) > 0) {
            reports++;
            CHECK_EQ(zcs_stream_next(stream, 0, &frame), ZCS_AGAIN);
        }
    CHECK(reports <= 120);
    tear_down();
    /* After a hang-up the camera is gone, also where DQBUF does not report it. */
    webcam();
    s.endless = 0;
    s.poll_events = POLLERR | POLLHUP;
    set_up(0, ZCS_PATH_NONE);
    CHECK_EQ(zcs_source_next(source, SECOND_NS, &frame), ZCS_ERR_GONE);
    CHECK_EQ(count("unplugged"), 1);
    tear_down();
}

static void put(const char *folder, const char *name, const char *text)
{
    char path[1024];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "w");
    CHECK(file != NULL && fputs(text, file) >= 0 && fclose(file) == 0);
}

/* A tree like sysfs: a USB camera with two nodes, and a camera that is not on USB. */
static void reads_sysfs(void)
{
    char root[] = "/tmp/zcs-sysfs-XXXXXX", usb[64], command[600];
    CHECK(mkdtemp(root) != NULL);
    snprintf(usb, sizeof usb, "%s/devices/usb1/1-2", root);
    snprintf(command, sizeof command,
             "mkdir -p %s/1-2:1.0/video4linux/video5 %s/dev/char %s/devices/platform/isp/video9 && "
             "ln -s ../.. %s/1-2:1.0/video4linux/video5/device && "
             "ln -s .. %s/devices/platform/isp/video9/device && "
             "ln -s ../../devices/usb1/1-2/1-2:1.0/video4linux/video5 %s/dev/char/81:5 && "
             "ln -s ../../devices/platform/isp/video9 %s/dev/char/81:9",
             usb, root, root, usb, root, root, root);
    CHECK(system(command) == 0);
    put(usb, "idVendor", "046d\n");
    put(usb, "idProduct", "0825\n");
    put(usb, "serial", "ABC 1\n");
    snprintf(command, sizeof command, "%s/1-2:1.0/video4linux/video5", usb);
    put(command, "index", "1\n");
    struct zci_v4l2_identity got, other;
    zci_v4l2_identity_read(root, 81, 5, &got);
    CHECK(strcmp(got.serial, "046d:0825:ABC 1") == 0);
    CHECK(strstr(got.sysfs_path, "/devices/usb1/1-2/1-2:1.0") != NULL);
    CHECK_EQ(got.index, 1);
    zci_v4l2_identity_read(root, 81, 9, &other);
    CHECK(other.serial[0] == '\0' && strstr(other.sysfs_path, "/devices/platform/isp") != NULL);
    CHECK(!zci_v4l2_identity_matches(&got, &other));
    CHECK(zci_v4l2_identity_matches(&got, &got));
    other = got;
    other.index = 0;
    CHECK(!zci_v4l2_identity_matches(&got, &other));
    zci_v4l2_identity_read(root, 81, 6, &other);
    CHECK(other.serial[0] == '\0' && other.sysfs_path[0] == '\0');
    snprintf(command, sizeof command, "rm -r %s", root);
    CHECK(system(command) == 0);
}

int main(void)
{
    static const enum zcs_path paths[] = {ZCS_PATH_USERPTR, ZCS_PATH_DMABUF, ZCS_PATH_REGISTERED,
                                          ZCS_PATH_COPIED};
    ends_without_wish();
    for (int i = 0; i < 4; i++) {
        comes_back(paths[i], 0, 2);
        comes_back(paths[i], 1, 1);
    }
    stream_goes_on(ZCS_PATH_USERPTR);
    stream_goes_on(ZCS_PATH_REGISTERED);
    wakes_again();
    wakes_elsewhere();
    wakes_by_slots(ZCS_PATH_USERPTR);
    wakes_by_slots(ZCS_PATH_REGISTERED);
    stays_away();
    interrupted();
    others();
    comes_back_otherwise();
    given_up();
    for (int i = 0; i < 8; i++)
        refused_at_start(paths[i / 2], i % 2);
    failed_dequeue();
    broken_descriptor();
    reads_sysfs();
    return 0;
}
