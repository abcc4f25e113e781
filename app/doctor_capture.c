/* SPDX-License-Identifier: MIT */
/* A camera on trial: which ways its frames can come, and two seconds of them. */
#include "app/doctor_capture.h"

#include <inttypes.h>
#include <string.h>
#include <time.h>

#include "zcstream/camera.h"
#include "zcstream/latency.h"

#include "app/input.h"
#include "app/status.h"

#define FIRST_NS INT64_C(5000000000) /* for a camera's first frame */
#define MEASURE_NS INT64_C(2000000000)
#define ISOCHRONOUS_BYTES 24576000u /* a second: what one high-speed endpoint carries at most */
#define LOG_BYTES 1024
#define NO_PATH "no capture path: " /* then the path's name, a colon, and why not */

/* The library's last complaint. */
struct complaint {
    char text[LOG_BYTES];
};

static void keep_line(void *user, enum zcs_log_level level, const char *line)
{
    struct complaint *complaint = user;
    if (level == ZCS_LOG_ERROR || (level == ZCS_LOG_WARNING && complaint->text[0] == '\0'))
        snprintf(complaint->text, sizeof complaint->text, "%s", line);
}

struct trial {
    const struct options *options;
    struct findings *findings;
    zcs_context *ctx;
    zcs_source *source;
    zcs_stream *stream;
    struct complaint complaint;
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

/* Opens the camera by `path`, NULL: by the shortest, and waits for a frame. */
static zcs_status begin(struct trial *trial, const char *path)
{
    struct options options = *trial->options;
    const struct zcs_frame *frame = NULL;
    const struct zcs_stream_params params = {
        .stages = options.stages,
        .memory = (enum zcs_memory_policy)options.memory,
    };
    options.require_path = path;
    trial->complaint.text[0] = '\0';
    zcs_status status = input_open(&options, trial->ctx, &trial->source);
    if (status == ZCS_OK)
        status = zcs_stream_create(trial->ctx, trial->source, &params, &trial->stream);
    if (status == ZCS_OK)
        status = zcs_stream_next(trial->stream, FIRST_NS, &frame);
    zcs_frame_unref(&frame);
    return status;
}

/* The library's complaint, less the words that stand before it here already. */
static const char *reason(const struct trial *trial, zcs_status status)
{
    const char *text = trial->complaint.text, *device = trial->options->input;
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

/* Every path alone, so that each refusal shows. Returns how many work. */
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

struct measured {
    double seconds;
    uint64_t frames;
    struct zcs_source_info source;
    struct zcs_stream_stats stream;
    struct zcs_latency driver, result;
    uint32_t flags;
    enum zcs_clock clock;
};

/* From a frame to the last one within two seconds. */
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

static double nominal(const struct zcs_source_info *source)
{
    return source->fps_den != 0 ? (double)source->fps_num / source->fps_den : 0;
}

static void tell_stream(struct findings *findings, const struct measured *m)
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

static void tell_times(struct findings *findings, const struct measured *m)
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

/* Automatic exposure that may halve the rate in the dark. */
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

static void advise_rate(struct trial *trial, const struct measured *m, unsigned usb_mbit)
{
    const double promised = nominal(&m->source);
    const double got = m->seconds > 0 ? (double)m->frames / m->seconds : 0;
    const double needs = promised * (double)m->source.image.size_bytes;
    if (usb_mbit == 480 && needs > ISOCHRONOUS_BYTES)
        findings_advice(trial->findings,
                        "%.1f MB/s are promised over USB 2.0, whose endpoints carry 24.6 at most: "
                        "a smaller size, a lower rate, or a USB 3 port",
                        needs / 1e6);
    const double lost = m->seconds > 0 ? (double)all_lost(&m->stream) / m->seconds : 0;
    if (promised <= 0 || got + lost >= 0.95 * promised) /* lost ones have their own advice */
        return;
    if (may_slow_down(trial->source))
        findings_advice(trial->findings,
                        "%.2f frames a second of %.4g: automatic exposure may lower the rate in "
                        "the dark: --set exposure_dynamic_framerate=0 (or more light)",
                        got, promised);
    else
        findings_advice(trial->findings,
                        "%.2f frames a second of %.4g: exposure longer than the frame, or too "
                        "little bandwidth: try a smaller size or another port",
                        got, promised);
}

static void advise(struct trial *trial, const struct measured *m, unsigned usb_mbit)
{
    struct findings *findings = trial->findings;
    advise_rate(trial, m, usb_mbit);
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

static int examine(struct trial *trial, unsigned usb_mbit)
{
    struct measured m;
    if (try_paths(trial) == 0) {
        findings_advice(trial->findings, "no way to get a frame: %s", trial->complaint.text);
        return ZCAPP_UNAVAILABLE;
    }
    zcs_status status = begin(trial, NULL);
    if (status == ZCS_OK)
        status = measure(trial, &m);
    if (status == ZCS_OK) {
        tell_stream(trial->findings, &m);
        tell_times(trial->findings, &m);
        advise(trial, &m, usb_mbit);
    } else {
        findings_fact(trial->findings, "measured", "ended early: %s", reason(trial, status));
        findings_advice(trial->findings, "frames stop coming: %s", reason(trial, status));
    }
    close_trial(trial);
    return status == ZCS_OK ? 0 : ZCAPP_FAILED;
}

int doctor_capture(const struct options *options, unsigned usb_mbit, struct findings *findings)
{
    struct trial trial = {.options = options, .findings = findings};
    const struct zcs_params params = {
        .backend = (enum zcs_backend)options->backend,
        .host_threads = (uint32_t)options->threads,
        .log = keep_line,
        .log_user = &trial.complaint,
    };
    if (zcs_open(&params, &trial.ctx) != ZCS_OK) {
        findings_advice(findings, "nothing can compute: %s", trial.complaint.text);
        return ZCAPP_UNAVAILABLE;
    }
    const int status = examine(&trial, usb_mbit);
    zcs_close(&trial.ctx);
    return status;
}
