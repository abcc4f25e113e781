/* SPDX-License-Identifier: MIT */
/* Examination of a camera: its driver, its capture paths, and two seconds of frames. */
#include "app/doctor/camera.h"

#include <inttypes.h>
#include <string.h>
#include <time.h>

#include "zcstream/camera.h"
#include "zcstream/latency.h"

#include "app/cli/lists.h"
#include "app/cli/status.h"
#include "app/doctor/device_node.h"
#include "app/run/input.h"

/* The library's last error, or its first warning. */
struct message {
    char text[1024];
};

static void save_message(void *user, enum zcs_log_level level, const char *line)
{
    struct message *message = user;
    if (level == ZCS_LOG_ERROR || (level == ZCS_LOG_WARNING && message->text[0] == '\0'))
        snprintf(message->text, sizeof message->text, "%s", line);
}

/* --- the driver --- */

#define MAX_FORMATS 64u
#define FEW_READABLE 3u /* with more, compressed formats need no advice */

static void report_identity(const struct zcs_camera_info *info, struct findings *findings)
{
    findings_fact(findings, "camera", "%s", info->card);
    findings_fact(findings, "driver", "%s, bus %s%s%s", info->driver, info->bus,
                  info->serial[0] != '\0' ? ", serial " : "", info->serial);
    findings_fact(findings, "memory policy", "the driver fills buffers %s",
                  info->cpu_writes ? "with the CPU: cached memory, unless --memory says others"
                                   : "by DMA: write-combined memory, unless --memory says others");
}

/* The fastest modes are often available in compressed formats only. */
static void report_formats(zcs_camera *camera, struct findings *findings)
{
    char raw[FINDING_BYTES] = "", other[FINDING_BYTES] = "";
    struct zcs_camera_format format;
    unsigned readable = 0;
    for (uint32_t i = 0; i < MAX_FORMATS && zcs_camera_format(camera, i, &format) == ZCS_OK; i++) {
        char *list = format.readable ? raw : other;
        const size_t used = strlen(list);
        snprintf(list + used, FINDING_BYTES - used, "%s%s", used > 0 ? " " : "",
                 camera_fourcc(format.fourcc).text);
        readable += format.readable;
    }
    findings_fact(findings, "formats", "%s", raw[0] != '\0' ? raw : "none that can be read");
    if (other[0] != '\0')
        findings_fact(findings, "formats", "not readable by this build: %s", other);
    if (other[0] != '\0' && readable <= FEW_READABLE)
        findings_advice(findings,
                        "%s cannot be read here: 'zcapp --list-formats' shows whether larger or "
                        "faster modes are in them alone",
                        other);
}

static int is_capture(const struct zcs_camera_info *info, const char *device,
                      struct findings *findings)
{
    static const char *const kinds[] = {
        [ZCS_CAMERA_CAPTURE] = "a camera", [ZCS_CAMERA_METADATA] = "a metadata node",
        [ZCS_CAMERA_OUTPUT] = "an output", [ZCS_CAMERA_CODEC] = "a codec or converter",
        [ZCS_CAMERA_OTHER] = "no camera",
    };
    findings_fact(findings, "kind", "%s", kinds[info->kind]);
    if (info->kind == ZCS_CAMERA_CAPTURE)
        return 1;
    findings_advice(findings,
                    "%s is %s: zcapp --list-devices shows the node with the pictures, mostly the "
                    "one before",
                    device, kinds[info->kind]);
    return 0;
}

/* Queries the driver without capturing. 1: the node can capture. */
static int query_driver(const char *device, struct findings *findings)
{
    struct message message = {.text = ""};
    const struct zcs_params params = {.backend = ZCS_BACKEND_HOST,
                                      .host_threads = 1,
                                      .log = save_message,
                                      .log_user = &message,
                                      .log_level = ZCS_LOG_ERROR};
    zcs_context *ctx = NULL;
    zcs_camera *camera = NULL;
    struct zcs_camera_info info;
    int good = 0;
    if (zcs_open(&params, &ctx) == ZCS_OK && zcs_camera_open(ctx, device, &camera) == ZCS_OK) {
        zcs_camera_info(camera, &info);
        good = is_capture(&info, device, findings);
        report_identity(&info, findings);
        if (good)
            report_formats(camera, findings);
    } else {
        findings_advice(findings, "%s",
                        message.text[0] != '\0' ? message.text : "it cannot be opened");
    }
    zcs_camera_close(&camera);
    zcs_close(&ctx);
    return good;
}

/* --- two seconds of frames --- */

#define ISOCHRONOUS_BYTES 24576000u /* per second: the maximum of one high-speed endpoint */

struct measured {
    double seconds;
    uint64_t frames;
    struct zcs_source_info source;
    struct zcs_stream_stats stream;
    struct zcs_latency driver, result;
    uint32_t flags;       /* of the last frame */
    enum zcs_clock clock; /* of the last frame */
    int may_slow_down;    /* automatic exposure may lower the rate */
};

static double nominal(const struct zcs_source_info *source)
{
    return source->fps_den != 0 ? (double)source->fps_num / source->fps_den : 0;
}

static void report_stream(struct findings *findings, const struct measured *m)
{
    const struct zcs_image *image = &m->source.image;
    findings_fact(findings, "format", "%s %ux%u, %zu bytes a frame, %.4g frames a second promised",
                  zcs_pixfmt_info(image->format)->name, image->width, image->height,
                  image->size_bytes, nominal(&m->source));
    findings_fact(findings, "path", "%s: %s", zcs_path_name(m->stream.path),
                  m->source.path_reason != NULL ? m->source.path_reason : "");
    findings_fact(findings, "memory", "%s; fresh: %s", zcs_memory_name(m->stream.memory),
                  zcs_freshness_name(m->stream.freshness));
    findings_fact(findings, "route", "%s: %s", zcs_route_name(m->stream.route),
                  m->stream.route_reason != NULL ? m->stream.route_reason : "");
}

static void report_times(struct findings *findings, const struct measured *m)
{
    char lost[200] = "none lost";
    size_t used = 0;
    for (int i = 0; i < ZCS_LOSS_COUNT; i++)
        if (m->stream.lost[i] > 0 && used < sizeof lost)
            used += (size_t)snprintf(lost + used, sizeof lost - used, "%s%" PRIu64 " lost: %s",
                                     used > 0 ? ", " : "", m->stream.lost[i],
                                     zcs_loss_name((enum zcs_loss)i));
    findings_fact(findings, "measured", "%" PRIu64 " frames in %.2f s, %.2f a second; %s",
                  m->frames, m->seconds, m->seconds > 0 ? (double)m->frames / m->seconds : 0, lost);
    if (m->driver.count > 0)
        findings_fact(findings, "latency",
                      "driver's time (%s) to frame in hand: p50 %.2f, p99 %.2f, max %.2f ms",
                      m->flags & ZCS_FRAME_EXPOSURE_START ? "start of exposure" : "end of frame",
                      (double)m->driver.p50_ns / 1e6, (double)m->driver.p99_ns / 1e6,
                      (double)m->driver.max_ns / 1e6);
    else
        findings_fact(findings, "latency", "from the driver's time: not comparable: %s",
                      m->driver.because != NULL ? m->driver.because : "no frame");
    findings_fact(findings, "latency", "frame in hand to result: p50 %.2f, p99 %.2f, max %.2f ms",
                  (double)m->result.p50_ns / 1e6, (double)m->result.p99_ns / 1e6,
                  (double)m->result.max_ns / 1e6);
    findings_fact(findings, "clock", "%s", zcs_clock_name(m->clock));
}

static uint64_t all_lost(const struct zcs_stream_stats *stream)
{
    uint64_t all = 0;
    for (int i = 0; i < ZCS_LOSS_COUNT; i++)
        all += stream->lost[i];
    return all;
}

static void advise_rate(const struct measured *m, unsigned usb_mbit, struct findings *findings)
{
    const double promised = nominal(&m->source);
    const double got = m->seconds > 0 ? (double)m->frames / m->seconds : 0;
    const double needs = promised * (double)m->source.image.size_bytes;
    if (usb_mbit == 480 && needs > ISOCHRONOUS_BYTES)
        findings_advice(findings,
                        "%.1f MB/s are promised over USB 2.0, whose endpoints carry 24.6 at most: "
                        "a smaller size, a lower rate, or a USB 3 port",
                        needs / 1e6);
    const double lost = m->seconds > 0 ? (double)all_lost(&m->stream) / m->seconds : 0;
    if (promised <= 0 || got + lost >= 0.95 * promised) /* lost frames have their own advice */
        return;
    if (m->may_slow_down)
        findings_advice(findings,
                        "%.2f frames a second of %.4g: automatic exposure may lower the rate in "
                        "the dark: --set exposure_dynamic_framerate=0 (or more light)",
                        got, promised);
    else
        findings_advice(findings,
                        "%.2f frames a second of %.4g: exposure longer than the frame, or too "
                        "little bandwidth: try a smaller size or another port",
                        got, promised);
}

static void advise_measured(const struct measured *m, unsigned usb_mbit, struct findings *findings)
{
    advise_rate(m, usb_mbit, findings);
    if (m->stream.path == ZCS_PATH_COPIED)
        findings_advice(findings,
                        "each frame is copied by the CPU: see the paths above for what stands "
                        "against the shorter ones");
    if (m->stream.freshness == ZCS_FRESHNESS_STALE)
        findings_advice(findings, "write-combined memory showed old frames: --memory cached");
    if (m->stream.lost[ZCS_LOSS_DRIVER_GAP] > 0)
        findings_advice(findings,
                        "the driver lost frames: more buffers (--buffers 8), or less on the bus");
    if (m->stream.lost[ZCS_LOSS_ERROR] + m->stream.lost[ZCS_LOSS_SHORT] > 0)
        findings_advice(findings,
                        "frames came damaged: another cable or port, without a hub; 'dmesg' may "
                        "say more");
    if (m->stream.lost[ZCS_LOSS_STALE] > 0)
        findings_advice(findings, "the driver announced frames that it had not written");
    if (m->driver.because != NULL)
        findings_advice(findings,
                        "latency from the camera on cannot be told, nor can frames be matched "
                        "with other cameras' by time: %s",
                        m->driver.because);
}

static void report_measured(const struct measured *m, struct findings *findings)
{
    report_stream(findings, m);
    report_times(findings, m);
}

/* --- capture --- */

#define FIRST_NS INT64_C(5000000000) /* timeout for a camera's first frame */
#define MEASURE_NS INT64_C(2000000000)
#define NO_PATH "no capture path: " /* precedes the path's name, a colon, and the reason */

struct trial {
    const struct options *options;
    struct findings *findings;
    zcs_context *ctx;
    zcs_source *source;
    zcs_stream *stream;
    struct message message;
};

static int64_t now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

static void close_trial(struct trial *trial)
{
    zcs_stream_destroy(&trial->stream);
    zcs_source_close(&trial->source);
}

/* Opens the camera with this capture path and waits for a frame. NULL: with the shortest path. */
static zcs_status begin(struct trial *trial, const char *path)
{
    struct options options = *trial->options;
    const struct zcs_frame *frame = NULL;
    const struct zcs_stream_params params = {
        .stages = options.stages,
        .memory = (enum zcs_memory_policy)options.memory,
    };
    options.require_path = path;
    trial->message.text[0] = '\0';
    zcs_status status = input_open(&options, trial->ctx, &trial->source);
    if (status == ZCS_OK)
        status = zcs_stream_create(trial->ctx, trial->source, &params, &trial->stream);
    if (status == ZCS_OK)
        status = zcs_stream_next(trial->stream, FIRST_NS, &frame);
    zcs_frame_unref(&frame);
    return status;
}

/* The library's message without the prefix that the caller prints already. */
static const char *reason(const struct trial *trial, zcs_status status)
{
    const char *text = trial->message.text, *device = trial->options->input;
    const char *behind = strstr(text, NO_PATH);
    if (status == ZCS_AGAIN)
        return "no frame within 5 seconds";
    if (text[0] == '\0')
        return zcs_strerror(status);
    if (behind != NULL && strchr(behind + strlen(NO_PATH), ' ') != NULL)
        return strchr(behind + strlen(NO_PATH), ' ') + 1;
    const size_t length = strlen(device);
    return strncmp(text, device, length) == 0 && text[length] == ':' ? text + length + 2 : text;
}

/* Tries each path alone, to show the reason for each failure. Returns the number of working
 * paths. */
static unsigned try_paths(struct trial *trial)
{
    static const enum zcs_path paths[] = {ZCS_PATH_USERPTR, ZCS_PATH_DMABUF, ZCS_PATH_REGISTERED,
                                          ZCS_PATH_COPIED};
    unsigned works = 0;
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
        const char *name = zcs_path_name(paths[i]);
        const zcs_status status = begin(trial, name);
        close_trial(trial);
        works += status == ZCS_OK;
        if (status == ZCS_OK)
            findings_fact(trial->findings, "paths", "%s: works, %s", name,
                          paths[i] == ZCS_PATH_COPIED ? "one copy by the CPU" : "no copy");
        else
            findings_fact(trial->findings, "paths", "%s: %s", name, reason(trial, status));
    }
    return works;
}

/* Receives frames for two seconds. */
static zcs_status measure(struct trial *trial, struct measured *out)
{
    const struct zcs_frame *frame = NULL;
    const int64_t begin_ns = now_ns();
    int64_t last_ns = begin_ns;
    zcs_status status = ZCS_OK;
    *out = (struct measured){.frames = 0};
    while (status >= 0 && status != ZCS_EOF && now_ns() - begin_ns < MEASURE_NS) {
        status = zcs_stream_next(trial->stream, MEASURE_NS / 20, &frame);
        if (status != ZCS_OK)
            continue;
        out->frames++;
        out->flags = frame->flags;
        out->clock = frame->clock;
        last_ns = frame->captured_ns;
        zcs_frame_unref(&frame);
    }
    out->seconds = (double)(last_ns - begin_ns) / 1e9;
    zcs_source_info(trial->source, &out->source);
    zcs_stream_stats(trial->stream, &out->stream);
    zcs_stream_latency(trial->stream, ZCS_LATENCY_DRIVER_TO_CAPTURE, &out->driver);
    zcs_stream_latency(trial->stream, ZCS_LATENCY_CAPTURE_TO_RESULT, &out->result);
    return status < 0 ? status : ZCS_OK;
}

/* 1: automatic exposure may halve the frame rate in the dark. */
static int may_slow_down(zcs_source *source)
{
    static const char *const names[] = {"exposure_dynamic_framerate", "exposure_auto_priority"};
    zcs_camera *camera = zcs_source_camera(source);
    struct zcs_control control = {.id = 0};
    char value[32];
    while (camera != NULL && zcs_control_next(camera, control.id, &control) == ZCS_OK)
        for (size_t i = 0; i < sizeof names / sizeof *names; i++)
            if (strcmp(control.name, names[i]) == 0 &&
                zcs_control_get(camera, &control, value, sizeof value) == ZCS_OK)
                return strcmp(value, "0") != 0;
    return 0;
}

static int examine(struct trial *trial, unsigned usb_mbit)
{
    struct measured m;
    if (try_paths(trial) == 0) {
        findings_advice(trial->findings, "no capture path works: %s", trial->message.text);
        return ZCAPP_UNAVAILABLE;
    }
    zcs_status status = begin(trial, NULL);
    if (status == ZCS_OK)
        status = measure(trial, &m);
    if (status == ZCS_OK) {
        m.may_slow_down = may_slow_down(trial->source);
        report_measured(&m, trial->findings);
        advise_measured(&m, usb_mbit, trial->findings);
    } else {
        findings_fact(trial->findings, "measured", "ended early: %s", reason(trial, status));
        findings_advice(trial->findings, "frames stop coming: %s", reason(trial, status));
    }
    close_trial(trial);
    return status == ZCS_OK ? 0 : ZCAPP_FAILED;
}

static int capture(const struct options *options, unsigned usb_mbit, struct findings *findings)
{
    struct trial trial = {.options = options, .findings = findings};
    struct zcs_params params = {
        .backend = (enum zcs_backend)options->backend,
        .host_threads = (uint32_t)options->threads,
        .log = save_message,
        .log_user = &trial.message,
    };
    zcs_status opened = zcs_open(&params, &trial.ctx);
    if (opened != ZCS_OK && params.backend == ZCS_BACKEND_CUDA) { /* the GPU section reports this */
        params.backend = ZCS_BACKEND_HOST;
        trial.message.text[0] = '\0';
        opened = zcs_open(&params, &trial.ctx);
    }
    if (opened != ZCS_OK) {
        findings_advice(findings, "nothing can compute: %s", trial.message.text);
        return ZCAPP_UNAVAILABLE;
    }
    const int status = examine(&trial, usb_mbit);
    zcs_close(&trial.ctx);
    return status;
}

int doctor_camera(const struct options *options, struct findings *findings)
{
    const char *device = options->input;
    if (!device_node_check(device, findings))
        return ZCAPP_UNAVAILABLE;
    const unsigned holders = device_node_holders(device, findings);
    if (holders > 0)
        findings_advice(findings,
                        "another program has the camera open (see above): only one can capture");
    const unsigned usb_mbit = device_node_usb(device, findings);
    if (!query_driver(device, findings))
        return ZCAPP_UNAVAILABLE;
    return capture(options, usb_mbit, findings);
}
