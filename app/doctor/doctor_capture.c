/* SPDX-License-Identifier: MIT */
/* A camera on trial: which ways its frames can come, and two seconds of them. */
#include "app/doctor/doctor_capture.h"

#include <string.h>
#include <time.h>

#include "zcstream/camera.h"

#include "app/doctor/doctor_measured.h"
#include "app/run/input.h"
#include "app/cli/status.h"

#define FIRST_NS INT64_C(5000000000) /* for a camera's first frame */
#define MEASURE_NS INT64_C(2000000000)
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

/* From a frame to the last one within two seconds. */
static zcs_status measure(struct trial *trial, struct doctor_measured *out)
{
    const struct zcs_frame *frame = NULL;
    const int64_t begin_ns = now_ns();
    int64_t last_ns = begin_ns;
    zcs_status status = ZCS_OK;
    *out = (struct doctor_measured){.frames = 0};
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

static int examine(struct trial *trial, unsigned usb_mbit)
{
    struct doctor_measured m;
    if (try_paths(trial) == 0) {
        findings_advice(trial->findings, "no way to get a frame: %s", trial->complaint.text);
        return ZCAPP_UNAVAILABLE;
    }
    zcs_status status = begin(trial, NULL);
    if (status == ZCS_OK)
        status = measure(trial, &m);
    if (status == ZCS_OK) {
        m.may_slow_down = may_slow_down(trial->source);
        doctor_measured_tell(&m, trial->findings);
        doctor_measured_advise(&m, usb_mbit, trial->findings);
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
    struct zcs_params params = {
        .backend = (enum zcs_backend)options->backend,
        .host_threads = (uint32_t)options->threads,
        .log = keep_line,
        .log_user = &trial.complaint,
    };
    zcs_status opened = zcs_open(&params, &trial.ctx);
    if (opened != ZCS_OK && params.backend == ZCS_BACKEND_CUDA) { /* a finding of the GPUs' */
        params.backend = ZCS_BACKEND_HOST;
        trial.complaint.text[0] = '\0';
        opened = zcs_open(&params, &trial.ctx);
    }
    if (opened != ZCS_OK) {
        findings_advice(findings, "nothing can compute: %s", trial.complaint.text);
        return ZCAPP_UNAVAILABLE;
    }
    const int status = examine(&trial, usb_mbit);
    zcs_close(&trial.ctx);
    return status;
}
