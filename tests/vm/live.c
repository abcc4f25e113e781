/* SPDX-License-Identifier: MIT */
/* Captures from real drivers in the guest and judges what comes: pictures, paths, losses, ends.
 *
 *   vm_live matrix DEVICE PATH...   every raw format on each path: vivid's colour bars must be right
 *   vm_live colors DEVICE           Y'CbCr encodings and ranges
 *   vm_live faults DEVICE           vivid's error injections, one by one
 *   vm_live gone DEVICE             vivid's Disconnect
 *   vm_live count DEVICE PATH N [gaps] [error] [short]   N frames; each loss named must have happened, no other
 *   vm_live ends DEVICE             frames come until the camera is pulled out
 *   vm_live pace DEVICE N           CPU time a frame and hand-off, without processing; the same of a bare loop
 *   vm_live soak DEVICE SECONDS     no loss beyond the driver's gaps, and flat memory */
#include <errno.h>
#include <fcntl.h>
#include <linux/videodev2.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#include "check.h"
#include "zcstream/zcstream.h"

#define WIDTH 320u
#define HEIGHT 180u
#define ROW (HEIGHT - 6) /* below the text that vivid writes into its picture */
#define SECOND_NS INT64_C(1000000000)

static char log_text[65536];

static void keep_log(void *user, enum zcs_log_level level, const char *line)
{
    (void)user;
    (void)level;
    const size_t length = strlen(log_text);
    snprintf(log_text + length, sizeof log_text - length, "  %s\n", line);
}

struct capture {
    zcs_context *ctx;
    zcs_source *source;
    zcs_stream *stream;
};

static zcs_status open_capture(struct capture *c, const struct zcs_v4l2_params *params,
                               const char *stages)
{
    const struct zcs_params context = {
        .backend = ZCS_BACKEND_HOST, .host_threads = 1, .log = keep_log, .log_level = ZCS_LOG_INFO};
    const struct zcs_stream_params stream = {.stages = stages, .depth = ZCS_DEPTH_8};
    *c = (struct capture){NULL, NULL, NULL};
    log_text[0] = '\0';
    CHECK_EQ(zcs_open(&context, &c->ctx), ZCS_OK);
    zcs_status status = zcs_source_open_v4l2(c->ctx, params, &c->source);
    if (status == ZCS_OK)
        status = zcs_stream_create(c->ctx, c->source, &stream, &c->stream);
    return status;
}

static void close_capture(struct capture *c)
{
    zcs_stream_destroy(&c->stream);
    zcs_source_close(&c->source);
    zcs_close(&c->ctx);
}

/* vivid's webcam, small and fast. */
static struct zcs_v4l2_params small(const char *device)
{
    return (struct zcs_v4l2_params){
        .device = device, .width = WIDTH, .height = HEIGHT, .fps_num = 50, .fps_den = 1};
}

static void die(const char *what)
{
    fprintf(stderr, "failed: %s\n%s", what, log_text);
    exit(1);
}

static void must(int condition, const char *what)
{
    if (!condition)
        die(what);
}

static const struct zcs_frame *next_frame(struct capture *c)
{
    const struct zcs_frame *frame = NULL;
    const zcs_status status = zcs_stream_next(c->stream, 20 * SECOND_NS, &frame);
    if (status != ZCS_OK)
        die(zcs_strerror(status));
    return frame;
}

static uint64_t skip_frames(struct capture *c, int count)
{
    uint64_t last = 0;
    for (int i = 0; i < count; i++) {
        const struct zcs_frame *frame = next_frame(c);
        must(i == 0 || frame->sequence > last, "numbers grow");
        last = frame->sequence;
        zcs_frame_unref(&frame);
    }
    return last;
}

static uint64_t lost(struct capture *c, enum zcs_loss cause)
{
    struct zcs_stream_stats stats;
    zcs_stream_stats(c->stream, &stats);
    return stats.lost[cause];
}

/* --- controls, by v4l2-ctl's names ------------------------------------------------------------------- */
static int same_control(const char *name, const char *wanted)
{
    for (; *name != '\0'; name++) {
        char c = *name >= 'A' && *name <= 'Z' ? (char)(*name - 'A' + 'a') : *name;
        if (!((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9')))
            c = '_';
        if (c == '_' && name[1] != '\0' &&
            !strchr("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                    "0123456789",
                    name[1]))
            continue;
        if (*wanted++ != c)
            return 0;
    }
    return *wanted == '\0';
}

static void set_control(const char *device, const char *wanted, int value)
{
    const int fd = open(device, O_RDWR | O_CLOEXEC);
    CHECK(fd >= 0);
    struct v4l2_queryctrl query = {.id = V4L2_CTRL_FLAG_NEXT_CTRL};
    while (ioctl(fd, VIDIOC_QUERYCTRL, &query) == 0) {
        if (same_control((const char *)query.name, wanted)) {
            struct v4l2_control control = {.id = query.id, .value = value};
            if (ioctl(fd, VIDIOC_S_CTRL, &control) != 0)
                die(wanted);
            close(fd);
            return;
        }
        query.id |= V4L2_CTRL_FLAG_NEXT_CTRL;
    }
    die(wanted);
}

/* --- colour bars ------------------------------------------------------------------------------------- */
static const uint8_t bars[8][3] = {{191, 191, 191}, {191, 191, 0}, {0, 191, 191}, {0, 191, 0},
                                   {191, 0, 191},   {191, 0, 0},   {0, 0, 191},   {0, 0, 0}};

static int near(int value, int right, int tolerance)
{
    return value >= right - tolerance && value <= right + tolerance;
}

/* What the format can hold of a full-range value. */
static int quantized(enum zcs_pixfmt format, int channel, int value)
{
    if (format != ZCS_PIXFMT_RGB565 && format != ZCS_PIXFMT_RGB565X)
        return value;
    const int bits = channel == 1 ? 6 : 5, max = (1 << bits) - 1;
    return ((value >> (8 - bits)) * 255 * 2 + max) / (2 * max);
}

static void check_bars(const struct zcs_frame *frame, enum zcs_pixfmt format)
{
    const struct zcs_pixfmt_info *info = zcs_pixfmt_info(format);
    /* vivid cuts its Y'CbCr codes off where it should round: 191 becomes 190 and, with chroma, 188. */
    const int tolerance = info->model == ZCS_MODEL_RGB ? 0 : info->model == ZCS_MODEL_YUV ? 3 : 2;
    const uint8_t *row = (const uint8_t *)frame->host + ROW * frame->image.stride_bytes[0];
    for (uint32_t bar = 0; bar < 8; bar++) {
        const uint32_t x = bar * WIDTH / 8 + WIDTH / 16;
        if (info->model == ZCS_MODEL_MONO) {
            const int luma =
                (2126 * bars[bar][0] + 7152 * bars[bar][1] + 722 * bars[bar][2]) / 10000;
            if (!near(row[x], luma, 2)) {
                fprintf(stderr, "%s: bar %u is %d, not %d\n", info->name, bar, row[x], luma);
                die("grey bars");
            }
            continue;
        }
        for (int c = 0; c < 3; c++) {
            const int right = quantized(format, c, bars[bar][c]);
            if (!near(row[4 * x + (uint32_t)c], right, tolerance)) {
                fprintf(stderr, "%s: bar %u is %d %d %d\n", info->name, bar, row[4 * x],
                        row[4 * x + 1], row[4 * x + 2]);
                die("colour bars");
            }
        }
    }
}

static const char *stages_of(enum zcs_pixfmt format)
{
    return zcs_pixfmt_info(format)->model == ZCS_MODEL_BAYER ? "demosaic=bilinear" : "none";
}

static void one_format(const char *device, enum zcs_pixfmt format, enum zcs_path path,
                       size_t more_stride)
{
    struct capture c;
    struct zcs_v4l2_params params = small(device);
    params.format = format;
    params.path = path;
    if (more_stride > 0)
        params.stride_bytes = zcs_image_min_stride(format, WIDTH, 0) + more_stride;
    const zcs_status status = open_capture(&c, &params, stages_of(format));
    if (status != ZCS_OK) {
        fprintf(stderr, "%s on %s: %s\n", zcs_pixfmt_info(format)->name, zcs_path_name(path),
                zcs_strerror(status));
        die(device);
    }
    const struct zcs_frame *frame = next_frame(&c);
    must(frame->path == path, "the path");
    must((frame->cpu_bytes_copied > 0) == (path == ZCS_PATH_COPIED), "bytes copied");
    check_bars(frame, format);
    zcs_frame_unref(&frame);
    close_capture(&c);
}

static enum zcs_path path_of(const char *name)
{
    for (int path = ZCS_PATH_USERPTR; path <= ZCS_PATH_COPIED; path++)
        if (strcmp(name, zcs_path_name((enum zcs_path)path)) == 0)
            return (enum zcs_path)path;
    die(name);
    return ZCS_PATH_NONE;
}

/* The raw formats that the device lists and the table knows. */
static uint32_t list_formats(const char *device, enum zcs_pixfmt *out)
{
    const int fd = open(device, O_RDWR | O_CLOEXEC);
    CHECK(fd >= 0);
    uint32_t count = 0;
    struct v4l2_fmtdesc single = {.type = V4L2_BUF_TYPE_VIDEO_CAPTURE};
    const uint32_t type = ioctl(fd, VIDIOC_ENUM_FMT, &single) == 0
                              ? V4L2_BUF_TYPE_VIDEO_CAPTURE
                              : V4L2_BUF_TYPE_VIDEO_CAPTURE_MPLANE;
    for (uint32_t i = 0;; i++) {
        struct v4l2_fmtdesc desc = {.index = i, .type = type};
        if (ioctl(fd, VIDIOC_ENUM_FMT, &desc) != 0)
            break;
        const enum zcs_pixfmt format = zcs_pixfmt_from_fourcc(desc.pixelformat);
        if (format != ZCS_PIXFMT_NONE && zcs_pixfmt_info(format)->model != ZCS_MODEL_JPEG)
            out[count++] = format;
    }
    close(fd);
    return count;
}

static void matrix(const char *device, char **paths, int path_count)
{
    enum zcs_pixfmt formats[ZCS_PIXFMT_COUNT];
    const uint32_t count = list_formats(device, formats);
    uint32_t done = 0;
    for (uint32_t i = 0; i < count; i++)
        for (int p = 0; p < path_count; p++) {
            one_format(device, formats[i], path_of(paths[p]), 0);
            done++;
            if (p == 0)
                one_format(device, formats[i], path_of(paths[p]), 64);
        }
    must(count >= 40, "at least 40 formats");
    printf("ok: %s: %u formats, %u combinations with paths\n", device, count, done);
}

/* vivid encodes the same bars by what its controls say; what it then reports must bring them back. */
static void colors(const char *device)
{
    for (int encoding = 0; encoding <= 8; encoding++)
        for (int range = 0; range <= 2; range++) {
            /* No control takes 5; constant luminance and SMPTE 240M have kin only. */
            if (encoding == 5 || encoding >= 7)
                continue;
            set_control(device, "y_cbcr_encoding", encoding);
            set_control(device, "quantization", range);
            one_format(device, ZCS_PIXFMT_YUYV, ZCS_PATH_USERPTR, 0);
        }
    set_control(device, "y_cbcr_encoding", 0);
    set_control(device, "quantization", 0);
    printf("ok: %s: encodings and ranges\n", device);
}

/* --- error injection --------------------------------------------------------------------------------- */
static void start(struct capture *c, const char *device)
{
    struct zcs_v4l2_params params = small(device);
    params.stall_ns = SECOND_NS;
    const zcs_status status = open_capture(c, &params, "none");
    if (status != ZCS_OK)
        die(zcs_strerror(status));
}

static void finish(struct capture *c, const char *what)
{
    close_capture(c);
    printf("ok: %s\n", what);
}

static void start_faults(const char *device)
{
    static const char *const names[] = {"inject_vidioc_reqbufs_error", "inject_vidioc_qbuf_error",
                                        "inject_vidioc_streamon_error"};
    struct capture c;
    for (int i = 0; i < 3; i++) {
        set_control(device, names[i], 1);
        start(&c, device);
        skip_frames(&c, 3);
        must(strstr(log_text, "path userptr") != NULL, "a refusal that passes changes no path");
        finish(&c, names[i]);
    }
}

static void frame_faults(const char *device)
{
    struct capture c;
    start(&c, device);
    skip_frames(&c, 3);
    set_control(device, "inject_vidioc_qbuf_error", 1);
    skip_frames(&c, 5);
    finish(&c, "QBUF refused while streaming");

    start(&c, device);
    skip_frames(&c, 3);
    set_control(device, "inject_v4l2_buf_flag_error", 1);
    skip_frames(&c, 8);
    must(lost(&c, ZCS_LOSS_ERROR) == 1, "one frame with the error flag");
    finish(&c, "error flag");

    start(&c, device);
    skip_frames(&c, 3);
    set_control(device, "inject_fatal_streaming_error", 1);
    skip_frames(&c, 5);
    must(strstr(log_text, "streaming is restarted") != NULL, "one restart");
    finish(&c, "fatal streaming error");
}

static void dropped_buffers(const char *device)
{
    struct capture c;
    set_control(device, "percentage_of_dropped_buffers", 50);
    start(&c, device);
    const struct zcs_frame *frame = next_frame(&c);
    const uint64_t first = frame->sequence;
    zcs_frame_unref(&frame);
    const uint64_t gaps_before = lost(&c, ZCS_LOSS_DRIVER_GAP);
    const uint64_t last = skip_frames(&c, 20);
    must(last - first > 20, "numbers have gaps");
    must(lost(&c, ZCS_LOSS_DRIVER_GAP) - gaps_before >= last - first - 20, "gaps are counted");
    set_control(device, "percentage_of_dropped_buffers", 100);
    zcs_status status;
    do {
        status = zcs_stream_next(c.stream, 20 * SECOND_NS, &frame);
        if (status == ZCS_OK)
            zcs_frame_unref(&frame);
    } while (status == ZCS_OK);
    must(status == ZCS_ERR_IO, "a camera that stays silent ends with an error");
    must(strstr(log_text, "given up") != NULL, "and says so");
    set_control(device, "percentage_of_dropped_buffers", 0);
    finish(&c, "dropped buffers, some and all");
}

static void wrapped_numbers(const char *device)
{
    struct capture c;
    set_control(device, "wrap_sequence_number", 1);
    start(&c, device);
    must(skip_frames(&c, 160) >= UINT64_C(1) << 32, "numbers go on beyond 32 bits");
    /* Taken for one it would count some 2^32; a slow guest loses some hundreds of its own. */
    must(lost(&c, ZCS_LOSS_DRIVER_GAP) < UINT64_C(1) << 20, "a wrap is no gap");
    set_control(device, "wrap_sequence_number", 0);
    finish(&c, "sequence numbers that wrap");
}

static void wrapped_times(const char *device)
{
    struct capture c;
    for (int kind = 1; kind <= 2; kind++) {
        set_control(device, "wrap_timestamp", kind);
        start(&c, device);
        const struct zcs_frame *frame = next_frame(&c);
        must(frame->clock == ZCS_CLOCK_MONOTONIC, "the clock is told");
        const int64_t start_ns =
            kind == 1 ? INT64_C(9223372000) * SECOND_NS : ((INT64_C(1) << 31) - 60) * SECOND_NS;
        must(frame->time_ns >= start_ns, "times near the end of their range");
        zcs_frame_unref(&frame);
        /* The first kind's seconds turn negative after some 16 of them. */
        for (int i = 0; kind == 1 && i < 1000; i++) {
            frame = next_frame(&c);
            const int negative = frame->time_ns < 0;
            zcs_frame_unref(&frame);
            if (negative)
                break;
            must(i < 999, "times turn negative");
        }
        skip_frames(&c, 3);
        set_control(device, "wrap_timestamp", 0);
        finish(&c, "times that wrap");
    }
}

static void faults(const char *device)
{
    start_faults(device);
    frame_faults(device);
    dropped_buffers(device);
    wrapped_numbers(device);
    wrapped_times(device);
}

static void expect_gone(struct capture *c)
{
    zcs_status status;
    do {
        const struct zcs_frame *frame = NULL;
        status = zcs_stream_next(c->stream, 20 * SECOND_NS, &frame);
        zcs_frame_unref(&frame);
    } while (status == ZCS_OK);
    if (status != ZCS_ERR_GONE)
        die(zcs_strerror(status));
    must(strstr(log_text, "unplugged") != NULL, "one line says that the camera is gone");
}

static void gone(const char *device)
{
    struct capture c;
    start(&c, device);
    skip_frames(&c, 5);
    set_control(device, "disconnect", 1);
    expect_gone(&c);
    /* vivid comes back when its last user has closed it. */
    struct capture other;
    const struct zcs_v4l2_params params = small(device);
    must(open_capture(&other, &params, "none") == ZCS_ERR_GONE, "opening a camera that is gone");
    close_capture(&other);
    finish(&c, "disconnect");
    start(&c, device);
    skip_frames(&c, 3);
    finish(&c, "the camera is back");
}

/* --- other drivers ------------------------------------------------------------------------------------ */
static void count_frames(const char *device, const char *path, int frames, char **wanted, int kinds)
{
    struct capture c;
    const struct zcs_v4l2_params params = {.device = device};
    const zcs_status status = open_capture(&c, &params, "none");
    if (status != ZCS_OK)
        die(zcs_strerror(status));
    for (int i = 0; i < frames; i++) {
        const struct zcs_frame *frame = next_frame(&c);
        must(strcmp(zcs_path_name(frame->path), path) == 0, path);
        zcs_frame_unref(&frame);
    }
    for (int cause = 0; cause < ZCS_LOSS_COUNT; cause++) {
        const uint64_t count = lost(&c, (enum zcs_loss)cause);
        int expected = 0;
        for (int i = 0; i < kinds; i++)
            expected |= strcmp(wanted[i], zcs_loss_name((enum zcs_loss)cause)) == 0;
        printf("%s%s %" PRIu64, cause ? ", " : "lost: ", zcs_loss_name((enum zcs_loss)cause),
               count);
        must((count > 0) == expected || cause == ZCS_LOSS_DRIVER_GAP, "losses");
        must(!expected || count > 0, "the losses that were to be");
    }
    printf("\n");
    finish(&c, device);
}

static void ends(const char *device)
{
    struct capture c;
    const struct zcs_v4l2_params params = {.device = device};
    must(open_capture(&c, &params, "none") == ZCS_OK, device);
    expect_gone(&c);
    finish(&c, "pulled out");
}

/* --- pace --------------------------------------------------------------------------------------------- */
/* By the scheduler's clock: what ticks count is wrong for programs that wake up with them. */
static int64_t cpu_ns(void)
{
    struct timespec used;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
    return (int64_t)used.tv_sec * SECOND_NS + used.tv_nsec;
}

static int64_t monotonic_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * SECOND_NS + now.tv_nsec;
}

static int compare(const void *a, const void *b)
{
    const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

static void tell(const char *who, int64_t *hand_off_ns, int frames, int64_t cpu)
{
    qsort(hand_off_ns, (size_t)frames, sizeof *hand_off_ns, compare);
    printf("%s: %" PRId64 " us of CPU a frame, hand-off median %" PRId64 " us\n", who,
           cpu / frames / 1000, hand_off_ns[frames / 2] / 1000);
}

static void pace_ours(const char *device, int frames, int64_t *hand_off_ns)
{
    const struct zcs_params context = {.backend = ZCS_BACKEND_HOST, .host_threads = 1};
    const struct zcs_v4l2_params params = {.device = device};
    struct capture c = {NULL, NULL, NULL};
    CHECK_EQ(zcs_open(&context, &c.ctx), ZCS_OK);
    CHECK_EQ(zcs_source_open_v4l2(c.ctx, &params, &c.source), ZCS_OK);
    int64_t cpu = 0;
    for (int i = -10; i < frames; i++) {
        const struct zcs_frame *frame = NULL;
        CHECK_EQ(zcs_source_next(c.source, -1, &frame), ZCS_OK);
        if (i >= 0)
            hand_off_ns[i] = monotonic_ns() - frame->time_ns;
        else
            cpu = cpu_ns();
        zcs_frame_unref(&frame);
    }
    tell("zcs_source_next", hand_off_ns, frames, cpu_ns() - cpu);
    close_capture(&c);
}

/* The least that a program can do with memory of its own: poll, DQBUF, QBUF. */
static void pace_bare(const char *device, int frames, int64_t *hand_off_ns)
{
    const int fd = open(device, O_RDWR | O_NONBLOCK | O_CLOEXEC);
    CHECK(fd >= 0);
    struct v4l2_format format = {.type = V4L2_BUF_TYPE_VIDEO_CAPTURE};
    struct v4l2_requestbuffers request = {
        .count = 8, .type = V4L2_BUF_TYPE_VIDEO_CAPTURE, .memory = V4L2_MEMORY_USERPTR};
    CHECK(ioctl(fd, VIDIOC_G_FMT, &format) == 0 && ioctl(fd, VIDIOC_REQBUFS, &request) == 0);
    const size_t bytes = (format.fmt.pix.sizeimage + 4095u) / 4096u * 4096u;
    void *allocated = NULL;
    CHECK(posix_memalign(&allocated, 4096, bytes * request.count) == 0);
    uint8_t *memory = allocated;
    for (uint32_t i = 0; i < request.count; i++) {
        struct v4l2_buffer buffer = {.index = i,
                                     .type = V4L2_BUF_TYPE_VIDEO_CAPTURE,
                                     .memory = V4L2_MEMORY_USERPTR,
                                     .length = (uint32_t)bytes};
        buffer.m.userptr = (unsigned long)(memory + i * bytes);
        CHECK(ioctl(fd, VIDIOC_QBUF, &buffer) == 0);
    }
    int type = V4L2_BUF_TYPE_VIDEO_CAPTURE;
    CHECK(ioctl(fd, VIDIOC_STREAMON, &type) == 0);
    int64_t cpu = 0;
    for (int i = -10; i < frames; i++) {
        struct pollfd ready = {.fd = fd, .events = POLLIN};
        struct v4l2_buffer buffer = {.type = V4L2_BUF_TYPE_VIDEO_CAPTURE,
                                     .memory = V4L2_MEMORY_USERPTR};
        CHECK(poll(&ready, 1, 20000) == 1 && ioctl(fd, VIDIOC_DQBUF, &buffer) == 0);
        if (i >= 0)
            hand_off_ns[i] = monotonic_ns() - (int64_t)buffer.timestamp.tv_sec * SECOND_NS -
                             (int64_t)buffer.timestamp.tv_usec * 1000;
        else
            cpu = cpu_ns();
        CHECK(ioctl(fd, VIDIOC_QBUF, &buffer) == 0);
    }
    tell("a bare loop", hand_off_ns, frames, cpu_ns() - cpu);
    close(fd);
    free(memory);
}

static void pace(const char *device, int frames)
{
    int64_t *hand_off_ns = calloc((size_t)frames, sizeof *hand_off_ns);
    CHECK(hand_off_ns != NULL);
    pace_bare(device, frames, hand_off_ns);
    pace_ours(device, frames, hand_off_ns);
    free(hand_off_ns);
}

/* Memory of the program's own; pages of its file come and go as the system likes. */
static long anonymous_kib(void)
{
    long pages = 0, of_files = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    CHECK(file != NULL && fscanf(file, "%*d %ld %ld", &pages, &of_files) == 2);
    fclose(file);
    return (pages - of_files) * (sysconf(_SC_PAGESIZE) / 1024);
}

/* Every result that the stream has is used once, so that no page is new later. */
static void touch_results(struct capture *c)
{
    const struct zcs_frame *held[64] = {NULL};
    for (int i = 0; i < 64 && zcs_stream_next(c->stream, SECOND_NS, &held[i]) == ZCS_OK; i++)
        ;
    for (int i = 0; i < 64; i++)
        zcs_frame_unref(&held[i]);
}

static void soak(const char *device, int seconds)
{
    struct capture c;
    const struct zcs_v4l2_params params = {
        .device = device, .width = WIDTH, .height = HEIGHT, .fps_num = 25, .fps_den = 1};
    must(open_capture(&c, &params, NULL) == ZCS_OK, device);
    touch_results(&c);
    skip_frames(&c, 25);
    uint64_t before[ZCS_LOSS_COUNT];
    for (int cause = 0; cause < ZCS_LOSS_COUNT; cause++)
        before[cause] = lost(&c, (enum zcs_loss)cause);
    const long begin_kib = anonymous_kib();
    const time_t end = time(NULL) + seconds;
    uint64_t frames = 0;
    for (; time(NULL) < end; frames += 25)
        skip_frames(&c, 25);
    const long grown = anonymous_kib() - begin_kib;
    for (int cause = ZCS_LOSS_ERROR; cause < ZCS_LOSS_COUNT; cause++)
        must(lost(&c, (enum zcs_loss)cause) == before[cause], zcs_loss_name((enum zcs_loss)cause));
    printf("%" PRIu64 " frames in %d s, the driver lost %" PRIu64 ", memory grew by %ld KiB\n",
           frames, seconds, lost(&c, ZCS_LOSS_DRIVER_GAP) - before[ZCS_LOSS_DRIVER_GAP], grown);
    must(grown < 64, "memory is flat");
    finish(&c, "soak");
}

int main(int argc, char **argv)
{
    setvbuf(stdout, NULL, _IOLBF, 0);
    if (argc < 3)
        return 2;
    const char *what = argv[1], *device = argv[2];
    alarm(strcmp(what, "soak") == 0 && argc > 3 ? (unsigned)atoi(argv[3]) + 60 : 240);
    if (strcmp(what, "matrix") == 0)
        matrix(device, argv + 3, argc - 3);
    else if (strcmp(what, "colors") == 0)
        colors(device);
    else if (strcmp(what, "faults") == 0)
        faults(device);
    else if (strcmp(what, "gone") == 0)
        gone(device);
    else if (strcmp(what, "count") == 0 && argc >= 5)
        count_frames(device, argv[3], atoi(argv[4]), argv + 5, argc - 5);
    else if (strcmp(what, "ends") == 0)
        ends(device);
    else if (strcmp(what, "pace") == 0 && argc == 4)
        pace(device, atoi(argv[3]));
    else if (strcmp(what, "soak") == 0 && argc == 4)
        soak(device, atoi(argv[3]));
    else
        return 2;
    return 0;
}
