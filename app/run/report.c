/* SPDX-License-Identifier: MIT */
/* The results of a run: the choices at its start, the summary line at its end, the JSON report. */
#include "app/run/report.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "zcstream/device.h"

#include "app/cli/status.h"
#include "app/run/controls.h"
#include "app/run/json.h"

#define FRAMES_FOR_FPS 10 /* a rate from fewer frames would mislead */

/* The summary: two paths and some words. */
struct line {
    char text[2 * 4096 + 512];
};

/* --- text --- */

static const char *const matrix_names[] = {
    [ZCS_MATRIX_AUTO] = "auto",
    [ZCS_MATRIX_BT601] = "bt601",
    [ZCS_MATRIX_BT709] = "bt709",
    [ZCS_MATRIX_BT2020] = "bt2020",
};
static const char *const range_names[] = {
    [ZCS_RANGE_AUTO] = "auto",
    [ZCS_RANGE_LIMITED] = "limited",
    [ZCS_RANGE_FULL] = "full",
};
static const char *const transfer_names[] = {
    [ZCS_TRANSFER_AUTO] = "auto",
    [ZCS_TRANSFER_SRGB] = "srgb",
    [ZCS_TRANSFER_LINEAR] = "linear",
    [ZCS_TRANSFER_POWER] = "power",
};

void report_choices(const struct report *report, struct console *console)
{
    const struct options *options = report->options;
    const struct zcs_color *color = &report->source.image.color;
    for (uint32_t i = 0; options->chain_count > 1 && i < options->chain_count; i++)
        console_labelled(console, ZCS_LOG_INFO, report->label, "chain %u: stages %s",
                         (unsigned)i + 1, options->chains[i]);
    if (options->chain_count < 2)
        console_labelled(console, ZCS_LOG_INFO, report->label, "stages %s%s", report->stages,
                         options->stages == NULL ? ", the default" : "");
    console_labelled(console, ZCS_LOG_INFO, report->label, "color matrix=%s,range=%s,transfer=%s",
                     matrix_names[color->matrix], range_names[color->range],
                     transfer_names[color->transfer]);
}

static double fps_of(const struct report *report)
{
    return report->seconds > 0 ? (double)report->stream.processed / report->seconds : 0;
}

/* Appends to the line. */
__attribute__((format(printf, 2, 3))) static void add(struct line *line, const char *format, ...)
{
    const size_t used = strlen(line->text);
    va_list args;
    va_start(args, format);
    vsnprintf(line->text + used, sizeof line->text - used, format, args);
    va_end(args);
}

static const struct writer_stats *files_of(const struct report *report)
{
    static const struct writer_stats none;
    return report->files != NULL ? report->files : &none;
}

static int is_limited(const struct report *report)
{
    return report->options->retention.files != 0 || report->options->retention.bytes != 0;
}

/* With --keep, which may have removed some files. */
static void add_left(struct line *line, const struct report *report, uint64_t made, uint64_t left)
{
    if (is_limited(report) && left < made)
        add(line, ", %" PRIu64 " of them left", left);
}

static uint64_t sum(const uint64_t *counts, unsigned count)
{
    uint64_t all = 0;
    for (unsigned i = 0; i < count; i++)
        all += counts[i];
    return all;
}

static void add_folders(struct line *line, const struct report *report)
{
    const struct options *options = report->options;
    const char *text = options->target.text, *slash = strrchr(text, '/');
    const int series = output_is_series(&options->target);
    const struct writer_stats *files = files_of(report);
    add(line, "; %" PRIu64 " %s%s in %.*schain-1 to chain-%u", files->written,
        series ? "picture" : "file", files->written == 1 ? "" : "s",
        slash != NULL ? (int)(slash - text) + 1 : 0, text, options->chain_count);
    if (!series)
        add_left(line, report, files->written, sum(files->chain_left, options->chain_count));
}

/* The path, or the number of parts. */
static void add_parts(struct line *line, const struct report *report, const char *path,
                      uint64_t parts, uint64_t left)
{
    if (parts > 1)
        add(line, "%" PRIu64 " parts of ", parts);
    add(line, "%s", path);
    if (parts > 1)
        add_left(line, report, parts, left);
}

static void add_series(struct line *line, const struct report *report)
{
    const struct output_target *target = &report->options->target;
    const struct writer_stats *files = files_of(report);
    add(line, files->written > 0 ? "; in " : "; nothing in ");
    if (target->to_stdout)
        add(line, "standard output");
    else
        add_parts(line, report, target->text, files->parts, files->chain_left[0]);
}

static void add_files(struct line *line, const struct report *report)
{
    const struct output_target *target = &report->options->target;
    const struct writer_stats *files = files_of(report);
    if (target->kind == NULL)
        return;
    if (report->options->chain_count > 1) {
        add_folders(line, report);
        return;
    }
    if (output_is_series(target)) {
        add_series(line, report);
        return;
    }
    char *first = outname_make(&target->name, files->min);
    char *last = outname_make(&target->name, files->max);
    add(line, "; %" PRIu64 " file%s", files->written, files->written == 1 ? "" : "s");
    add_left(line, report, files->written, files->chain_left[0]);
    if (files->written > 0 && first != NULL && last != NULL) {
        const int one = files->min == files->max;
        add(line, "%s%s%s%s", one ? ", " : ", from ", first, one ? "" : " to ", one ? "" : last);
    }
    free(first);
    free(last);
}

static void add_recording(struct line *line, const struct report *report)
{
    if (report->options->record == NULL)
        return;
    add(line, "; %" PRIu64 " recorded in ", report->recording.written);
    add_parts(line, report, report->options->record, report->recording.parts,
              report->recording.left);
}

static void add_losses(struct line *line, const uint64_t lost[ZCS_LOSS_COUNT])
{
    static const char *const words[ZCS_LOSS_COUNT] = {
        [ZCS_LOSS_DRIVER_GAP] = "not sent by the driver",
        [ZCS_LOSS_ERROR] = "faulty",
        [ZCS_LOSS_SHORT] = "incomplete",
        [ZCS_LOSS_STALE] = "not filled",
        [ZCS_LOSS_POLICY] = "not processed",
        [ZCS_LOSS_WRITER] = "not written",
        [ZCS_LOSS_AWAY] = "missed while the camera was away",
    };
    int any = 0;
    for (int i = 0; i < ZCS_LOSS_COUNT; i++) {
        if (lost[i] == 0)
            continue;
        add(line, "%s%" PRIu64 " %s", any ? ", " : "; lost: ", lost[i], words[i]);
        any = 1;
    }
    if (!any)
        add(line, "; none lost");
}

static void add_failed_devices(struct line *line, const struct zcs_stream_stats *stream)
{
    int any = 0;
    for (uint32_t i = 0; i < stream->device_count; i++) {
        if (!stream->devices[i].lost)
            continue;
        add(line, "%s %u", any ? "," : "; failed: device", stream->devices[i].index);
        any = 1;
    }
    if (any)
        add(line, ", %" PRIu64 " frame%s done again", stream->redone,
            stream->redone == 1 ? "" : "s");
}

void report_summary(const struct report *report, struct console *console)
{
    struct line line;
    const uint64_t frames = report->stream.processed;
    snprintf(line.text, sizeof line.text, "%" PRIu64 " frame%s", frames, frames == 1 ? "" : "s");
    if (frames >= FRAMES_FOR_FPS)
        add(&line, ", %.1f fps", fps_of(report));
    add_files(&line, report);
    add_recording(&line, report);
    add_losses(&line, report->stream.lost);
    add_failed_devices(&line, &report->stream);
    latency_log(&report->latency, report->label, console);
    if (report->label != NULL)
        console_note(console, "%s: %s", report->label, line.text);
    else
        console_note(console, "%s", line.text);
}

/* --- JSON --- */

static void put_devices(struct json *json, const struct report *report)
{
    const struct options *options = report->options;
    const uint32_t all = report->ctx != NULL ? zcs_device_count(report->ctx) : 0;
    const uint32_t count = options->device_count != 0 && all != 0 ? options->device_count : all;
    struct zcs_device_info info;
    json_begin(json, "devices", '[');
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t index = options->device_count != 0 ? options->devices[i] : i;
        if (index < all && zcs_device_info(report->ctx, index, &info) == ZCS_OK)
            json_string(json, NULL, info.name);
    }
    json_end(json, ']');
}

static const char *backend_of(const struct report *report)
{
    struct zcs_device_info info;
    if (report->ctx == NULL || zcs_device_info(report->ctx, 0, &info) != ZCS_OK)
        return NULL;
    return info.backend == ZCS_BACKEND_CUDA ? "cuda" : "host";
}

static const char *format_of(const struct zcs_image *image)
{
    const struct zcs_pixfmt_info *info = zcs_pixfmt_info(image->format);
    return info != NULL ? info->name : NULL;
}

static void put_low_latency(struct json *json, const struct report *report)
{
    if (!report->options->low_latency) {
        json_null(json, "low_latency");
        return;
    }
    json_begin(json, "low_latency", '{');
    json_uint(json, "held_units", report->stream.reserved_sms);
    json_string(json, "reason", report->stream.low_latency_reason);
    json_end(json, '}');
}

static void put_color(struct json *json, const struct report *report)
{
    const struct zcs_color *color = &report->source.image.color;
    if (report->source.kind == NULL) {
        json_null(json, "color");
        return;
    }
    json_begin(json, "color", '{');
    json_string(json, "matrix", matrix_names[color->matrix]);
    json_string(json, "range", range_names[color->range]);
    json_string(json, "transfer", transfer_names[color->transfer]);
    json_end(json, '}');
}

static void put_frames(struct json *json, const struct report *report)
{
    json_begin(json, "frames", '{');
    json_uint(json, "captured", report->stream.captured);
    json_uint(json, "processed", report->stream.processed);
    json_uint(json, "written", files_of(report)->written);
    json_uint(json, "recorded", report->recording.written);
    json_begin(json, "lost", '{');
    for (int i = 0; i < ZCS_LOSS_COUNT; i++)
        json_uint(json, zcs_loss_name((enum zcs_loss)i), report->stream.lost[i]);
    json_end(json, '}');
    json_uint(json, "skipped", report->stream.skipped);
    json_end(json, '}');
}

static void put_digest(struct json *json, const struct report *report)
{
    char text[32];
    snprintf(text, sizeof text, "%016" PRIx64, report->digest);
    json_string(json, "digest", report->digested ? text : NULL);
}

static void put_freshness(struct json *json, const struct report *report)
{
    const struct zcs_stream_stats *stream = &report->stream;
    json_begin(json, "freshness", '{');
    json_string(json, "state", report->streamed ? zcs_freshness_name(stream->freshness) : NULL);
    json_uint(json, "frames", stream->fresh_frames);
    json_real(json, "cost_us", (double)stream->fresh_ns / 1000.0, 1);
    json_end(json, '}');
}

/* The work of each device, in the order of --devices. */
static void put_dispatch(struct json *json, const struct report *report)
{
    static const char *const names[] = {"frames", "bands", "relay", "broadcast"};
    const struct zcs_stream_stats *stream = &report->stream;
    const struct options *options = report->options;
    json_string(json, "dispatch", names[options->dispatch]);
    json_begin(json, "chains", '[');
    for (uint32_t i = 0; i < options->chain_count; i++)
        json_string(json, NULL, options->chains[i]);
    json_end(json, ']');
    json_begin(json, "device_use", '[');
    for (uint32_t i = 0; i < stream->device_count; i++) {
        struct zcs_device_info info = {.name = ""};
        if (zcs_device_info(report->ctx, stream->devices[i].index, &info) != ZCS_OK)
            info = (struct zcs_device_info){.node = -1};
        json_begin(json, NULL, '{');
        json_uint(json, "index", stream->devices[i].index);
        json_string(json, "name", info.name);
        json_uint(json, "frames", stream->devices[i].frames);
        if (info.node >= 0)
            json_uint(json, "node", (uint64_t)info.node);
        else
            json_null(json, "node");
        json_string(json, "state", stream->devices[i].lost ? "failed" : "working");
        json_end(json, '}');
    }
    json_end(json, ']');
    json_uint(json, "frames_redone", stream->redone);
}

static unsigned chains_of(const struct report *report)
{
    return report->options->chain_count > 1 ? report->options->chain_count : 1;
}

static const char *pattern_of(const struct report *report, unsigned chain)
{
    const struct output_target *target = &report->options->target;
    if (report->chains != NULL && chain < report->chains->count)
        target = &report->chains->targets[chain];
    return target->kind != NULL ? target->text : NULL;
}

/* 0 means that the value is not known. */
static void put_known(struct json *json, const char *key, uint64_t value)
{
    if (value != 0)
        json_uint(json, key, value);
    else
        json_null(json, key);
}

static void put_picture(struct json *json, const struct report *report, unsigned chain)
{
    const struct zcs_image *image = &report->images[chain];
    const struct zcs_pixfmt_info *info = zcs_pixfmt_info(image->format);
    json_string(json, "format", info != NULL ? info->name : NULL);
    put_known(json, "width", image->width);
    put_known(json, "height", image->height);
    put_known(json, "depth", info != NULL ? info->bits : 0);
    put_known(json, "significant_bits", image->bits);
    json_string(json, "files", pattern_of(report, chain));
}

static void put_chain(struct json *json, const struct report *report, unsigned chain)
{
    const struct options *options = report->options;
    json_begin(json, NULL, '{');
    json_string(json, "stages",
                chain < options->chain_count ? options->chains[chain] : report->stages);
    put_picture(json, report, chain);
    json_uint(json, "written", files_of(report)->chain_written[chain]);
    if (is_limited(report) && report->files != NULL)
        json_uint(json, "files_left", report->files->chain_left[chain]);
    else
        json_null(json, "files_left");
    json_end(json, '}');
}

/* "output" is the first chain, "outputs" has all of them. */
static void put_outputs(struct json *json, const struct report *report)
{
    json_begin(json, "output", '{');
    put_picture(json, report, 0);
    json_end(json, '}');
    json_begin(json, "outputs", '[');
    for (unsigned i = 0; i < chains_of(report); i++)
        put_chain(json, report, i);
    json_end(json, ']');
}

static const char *outcome_of(int status, int interrupted)
{
    return status != 0 ? "failed" : interrupted ? "interrupted" : "done";
}

/* In UTC, as in RFC 3339. */
static void put_time(struct json *json, const char *key, int64_t ns)
{
    char text[64];
    struct tm utc;
    const time_t seconds = (time_t)(ns / 1000000000);
    if (ns <= 0 || gmtime_r(&seconds, &utc) == NULL) {
        json_null(json, key);
        return;
    }
    const size_t used = strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%S", &utc);
    snprintf(text + used, sizeof text - used, ".%03dZ", (int)(ns / 1000000 % 1000));
    json_string(json, key, text);
}

static void put_end(struct json *json, int64_t start_ns, int64_t end_ns, int status,
                    int interrupted, const char *error)
{
    static const char *const codes[] = {
        [ZCAPP_FAILED] = "failed", [ZCAPP_USAGE] = "usage", [ZCAPP_UNAVAILABLE] = "unavailable"};
    put_time(json, "start", start_ns);
    put_time(json, "end", end_ns);
    json_string(json, "outcome", outcome_of(status, interrupted));
    json_uint(json, "status", (uint64_t)status);
    if (status == 0) {
        json_null(json, "error");
        return;
    }
    json_begin(json, "error", '{');
    json_string(json, "code", codes[status]);
    json_string(json, "text", error != NULL && error[0] != '\0' ? error : NULL);
    json_end(json, '}');
}

static void put_report(struct json *json, const void *what)
{
    const struct report *report = what;
    const struct zcs_stream_stats *stream = &report->stream;
    json_begin(json, NULL, '{');
    json_string(json, "version", zcs_version());
    json_string(json, "input", report->options->input);
    json_string(json, "recorded_from", report->source.recorded_from);
    json_string(json, "recorded_text", report->source.recorded_text);
    json_string(json, "backend", backend_of(report));
    put_devices(json, report);
    put_dispatch(json, report);
    json_string(json, "path", stream->path != ZCS_PATH_NONE ? zcs_path_name(stream->path) : NULL);
    json_string(json, "path_reason", report->source.path_reason);
    json_string(json, "memory", report->streamed ? zcs_memory_name(stream->memory) : NULL);
    put_freshness(json, report);
    json_string(json, "route", report->streamed ? zcs_route_name(stream->route) : NULL);
    json_string(json, "route_reason", stream->route_reason);
    put_low_latency(json, report);
    json_string(json, "format", format_of(&report->source.image));
    put_known(json, "width", report->source.image.width);
    put_known(json, "height", report->source.image.height);
    put_color(json, report);
    json_string(json, "stages", report->stages);
    controls_put(json, "controls", report->controls);
    put_outputs(json, report);
    put_frames(json, report);
    json_real(json, "fps", report->seconds > 0 ? fps_of(report) : NAN, 3); /* NAN: null */
    latency_put(json, &report->latency);
    if (stream->processed > 0)
        json_uint(json, "cpu_bytes_copied_per_frame", report->copied_per_frame);
    else
        json_null(json, "cpu_bytes_copied_per_frame");
    put_digest(json, report);
    put_end(json, report->start_ns, report->end_ns, report->status, report->interrupted,
            report->error);
    json_end(json, '}');
}

static void put_multi(struct json *json, const void *what)
{
    const struct multi_report *multi = what;
    const struct options *options = multi->options;
    json_begin(json, NULL, '{');
    json_string(json, "version", zcs_version());
    json_begin(json, "inputs", '[');
    for (unsigned i = 0; i < options->input_count; i++)
        put_report(json, &multi->inputs[i]);
    json_end(json, ']');
    if (options->sync) {
        json_begin(json, "sync", '{');
        json_real(json, "tolerance_us", (double)options->sync_ns / 1000, 0);
        json_uint(json, "matches", multi->matches);
        json_begin(json, "unmatched", '[');
        for (unsigned i = 0; i < options->input_count; i++)
            json_uint(json, NULL, multi->unmatched[i]);
        json_end(json, ']');
        json_end(json, '}');
    } else {
        json_null(json, "sync");
    }
    put_end(json, multi->start_ns, multi->end_ns, multi->status, multi->interrupted, multi->error);
    json_end(json, '}');
}

int report_write(const struct report *report, struct console *console)
{
    return jsonfile_write(report->options->json, put_report, report, console);
}

int report_write_multi(const struct multi_report *multi, struct console *console)
{
    return jsonfile_write(multi->options->json, put_multi, multi, console);
}
