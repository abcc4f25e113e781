/* SPDX-License-Identifier: MIT */
/* What `auto` chooses for INPUT, or for a synthetic Bayer frame, and why. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/doctor/sections.h"
#include "app/run/input.h"
#include "app/cli/signals.h"
#include "app/cli/status.h"

#define FRAMES 24
#define TIMEOUT_NS 10000000000

int doctor_auto_applies(const struct doctor *doctor)
{
    return doctor->options->input == NULL || !input_is_camera(doctor->options->input);
}

/* The library's error line is more specific than the status. */
static const char *why(const struct doctor *doctor, zcs_status status)
{
    return doctor->last_error[0] != '\0' ? doctor->last_error : zcs_strerror(status);
}

/* An earlier failure, such as a missing GPU, remains the exit status. */
static void fail(struct doctor *doctor)
{
    if (doctor->failed == 0)
        doctor->failed = ZCAPP_FAILED;
}

static zcs_status open_source(const struct doctor *doctor, zcs_source **out)
{
    const struct zcs_pattern_params drawn = {.name = "zone",
                                             .format = ZCS_PIXFMT_SRGGB10,
                                             .width = 1920,
                                             .height = 1080,
                                             .frames = FRAMES};
    if (doctor->options->input != NULL)
        return input_open(doctor->options, doctor->ctx, out);
    return zcs_source_open_pattern(doctor->ctx, &drawn, out);
}

/* Times from the capture of each frame to its result. */
struct taken {
    int64_t ns[FRAMES];
    unsigned count;
    struct zcs_frame last;
};

static int order(const void *a, const void *b)
{
    const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

static zcs_status take_frames(zcs_stream *stream, struct taken *taken)
{
    zcs_status status = ZCS_OK;
    while (taken->count < FRAMES && status == ZCS_OK && !signals_stop()) {
        const struct zcs_frame *frame = NULL;
        status = zcs_stream_next(stream, TIMEOUT_NS, &frame);
        if (status != ZCS_OK)
            break;
        taken->ns[taken->count++] = frame->result_ns - frame->captured_ns;
        taken->last = *frame;
        zcs_frame_unref(&frame);
    }
    qsort(taken->ns, taken->count, sizeof *taken->ns, order);
    return status;
}

static void say_format(struct findings *findings, const char *name, const struct zcs_image *image)
{
    findings_fact(findings, name, "%s %" PRIu32 "x%" PRIu32 ", %u bits",
                  zcs_pixfmt_info(image->format)->name, image->width, image->height, image->bits);
}

static void say_result(struct findings *findings, zcs_source *source, zcs_stream *stream,
                       const struct taken *taken)
{
    struct zcs_source_info info;
    struct zcs_stream_stats stats;
    zcs_source_info(source, &info);
    zcs_stream_stats(stream, &stats);
    say_format(findings, "result", &stats.image);
    findings_fact(findings, "path", "%s%s%s", zcs_path_name(taken->last.path),
                  info.path_reason != NULL && info.path_reason[0] != '\0' ? ": " : "",
                  info.path_reason != NULL ? info.path_reason : "");
    findings_fact(findings, "slots", "%s", zcs_memory_name(stats.memory));
    findings_fact(findings, "route", "%s%s%s", zcs_route_name(stats.route),
                  stats.route_reason != NULL ? ": " : "",
                  stats.route_reason != NULL ? stats.route_reason : "");
    findings_number(findings, "frames_looked_at", taken->count, "");
    const unsigned middle = taken->count / 2;
    findings_number(findings, "capture_to_result", (double)taken->ns[middle] / 1e3, "us");
    findings_number(findings, "cpu_bytes_copied_per_frame", (double)taken->last.cpu_bytes_copied,
                    "");
    if (taken->last.path == ZCS_PATH_READ)
        findings_advice(findings,
                        "frames come through the page cache, with a copy by the CPU each: %s",
                        info.path_reason != NULL && info.path_reason[0] != '\0'
                            ? info.path_reason
                            : "a file system with direct reads, and .zcr recordings, go without");
}

static void examine(struct doctor *doctor, struct findings *findings, zcs_source *source)
{
    const struct options *options = doctor->options;
    const struct zcs_stream_params params = {
        .stages = options->stages,
        .depth = (enum zcs_depth)(8 * options->depth),
        .route = (enum zcs_route)options->route,
        .memory = (enum zcs_memory_policy)options->memory,
        .device_count = 1,
        .devices = {options->device_count > 0 ? options->devices[0] : 0},
    };
    struct taken taken = {.count = 0};
    struct zcs_image image;
    zcs_stream *stream = NULL;
    zcs_source_image(source, &image);
    say_format(findings, "frames", &image);
    findings_fact(findings, "stages", "%s",
                  options->stages != NULL ? options->stages : zcs_stage_default(image.format));
    zcs_status status = zcs_stream_create(doctor->ctx, source, &params, &stream);
    if (status == ZCS_OK)
        status = take_frames(stream, &taken);
    if (taken.count > 0)
        say_result(findings, source, stream, &taken);
    if (status < 0 || taken.count == 0) {
        fail(doctor);
        findings_advice(findings, "no further than %u frames: %s", taken.count,
                        status < 0 ? why(doctor, status) : "none came");
    }
    zcs_stream_destroy(&stream);
}

void doctor_auto(struct doctor *doctor, struct findings *findings)
{
    zcs_source *source = NULL;
    findings_fact(findings, "input", "%s",
                  doctor->options->input != NULL ? doctor->options->input : "a drawn pattern");
    doctor->last_error[0] = '\0'; /* errors in other sections were facts */
    const zcs_status status = open_source(doctor, &source);
    if (status == ZCS_OK) {
        examine(doctor, findings, source);
    } else {
        fail(doctor);
        findings_advice(findings, "it cannot be opened: %s", why(doctor, status));
    }
    zcs_source_close(&source);
}
