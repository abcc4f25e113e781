/* SPDX-License-Identifier: MIT */
/* What a run came to: the line at the end and the JSON report. */
#include "app/run/report.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "zcstream/device.h"

#include "app/cli/color_name.h"
#include "app/run/controls.h"
#include "app/run/json.h"
#include "app/output/outfile.h"
#include "app/run/report_devices.h"
#include "app/run/report_files.h"

#define FRAMES_FOR_FPS 10 /* fewer say little of a rate */

static double fps_of(const struct report *report)
{
    return report->seconds > 0 ? (double)report->stream.processed / report->seconds : 0;
}

static void add_losses(char *line, size_t bytes, const uint64_t lost[ZCS_LOSS_COUNT])
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
        report_add(line, bytes, "%s%" PRIu64 " %s", any ? ", " : "; lost: ", lost[i], words[i]);
        any = 1;
    }
    if (!any)
        report_add(line, bytes, "; none lost");
}

void report_summary(const struct report *report, struct console *console)
{
    char line[2 * 4096 + 512], part[64]; /* two paths */
    const uint64_t frames = report->stream.processed;
    snprintf(line, sizeof line, "%" PRIu64 " frame%s", frames, frames == 1 ? "" : "s");
    if (frames >= FRAMES_FOR_FPS)
        report_add(line, sizeof line, ", %.1f fps", fps_of(report));
    report_tell_files(line, sizeof line, report);
    report_tell_recording(line, sizeof line, report);
    add_losses(line, sizeof line, report->stream.lost);
    report_tell_devices(part, sizeof part, &report->stream);
    report_add(line, sizeof line, "%s", part);
    delays_tell(&report->delays, report->label, console);
    if (report->label != NULL)
        console_note(console, "%s: %s", report->label, line);
    else
        console_note(console, "%s", line);
}

static void put_devices(struct json *json, const struct report *report)
{
    const struct options *options = report->options;
    const uint32_t all = report->ctx != NULL ? zcs_device_count(report->ctx) : 0;
    const uint32_t count = options->device_count != 0 && all != 0 ? options->device_count : all;
    struct zcs_device_info info;
    json_begin(json, "devices", '[');
    for (uint32_t i = 0; i < count; i++)
        if (zcs_device_info(report->ctx, options->device_count != 0 ? options->devices[i] : i,
                            &info) == ZCS_OK)
            json_string(json, NULL, info.name);
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
    json_string(json, "matrix", color_matrix_name(color->matrix));
    json_string(json, "range", color_range_name(color->range));
    json_string(json, "transfer", color_transfer_name(color->transfer));
    json_end(json, '}');
}

static void put_frames(struct json *json, const struct report *report)
{
    json_begin(json, "frames", '{');
    json_uint(json, "captured", report->stream.captured);
    json_uint(json, "processed", report->stream.processed);
    json_uint(json, "written", report->written);
    json_uint(json, "recorded", report->recorded);
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

static void put_freshness(struct json *json, const struct zcs_stream_stats *stream)
{
    json_begin(json, "freshness", '{');
    json_string(json, "state", zcs_freshness_name(stream->freshness));
    json_uint(json, "frames", stream->fresh_frames);
    json_real(json, "cost_us", (double)stream->fresh_ns / 1000.0, 1);
    json_end(json, '}');
}

static const char *outcome_of(int status, int interrupted)
{
    return status != 0 ? "failed" : interrupted ? "interrupted" : "done";
}

static void put_all(struct json *json, const struct report *report)
{
    const struct zcs_stream_stats *stream = &report->stream;
    json_begin(json, NULL, '{');
    json_string(json, "version", zcs_version());
    json_string(json, "input", report->options->input);
    json_string(json, "recorded_from", report->source.recorded_from);
    json_string(json, "recorded_text", report->source.recorded_text);
    json_string(json, "backend", backend_of(report));
    put_devices(json, report);
    report_put_devices(json, report);
    json_string(json, "path", zcs_path_name(stream->path));
    json_string(json, "path_reason", report->source.path_reason);
    json_string(json, "memory", zcs_memory_name(stream->memory));
    put_freshness(json, stream);
    json_string(json, "route", zcs_route_name(stream->route));
    json_string(json, "route_reason", stream->route_reason);
    put_low_latency(json, report);
    json_string(json, "format", format_of(&report->source.image));
    json_uint(json, "width", report->source.image.width);
    json_uint(json, "height", report->source.image.height);
    put_color(json, report);
    json_string(json, "stages", report->stages);
    controls_put(json, "controls", report->controls);
    report_put_outputs(json, report);
    put_frames(json, report);
    json_real(json, "fps", fps_of(report), 3);
    delays_put(json, &report->delays);
    json_uint(json, "cpu_bytes_copied_per_frame", report->copied_per_frame);
    put_digest(json, report);
    json_string(json, "outcome", outcome_of(report->status, report->interrupted));
    json_uint(json, "status", (uint64_t)report->status);
    json_end(json, '}');
}

static int refuse(struct console *console, const char *path)
{
    console_error(console, "--json %s: %s", path, strerror(errno));
    return -1;
}

/* Of one input, or of several. */
struct content {
    const struct report *report; /* NULL: several */
    const struct report_several *several;
};

static void put_several(struct json *json, const struct report_several *several)
{
    const struct options *options = several->options;
    json_begin(json, NULL, '{');
    json_string(json, "version", zcs_version());
    json_begin(json, "inputs", '[');
    for (unsigned i = 0; i < options->input_count; i++)
        put_all(json, &several->inputs[i]);
    json_end(json, ']');
    if (options->sync) {
        json_begin(json, "sync", '{');
        json_real(json, "tolerance_us", (double)options->sync_ns / 1000, 0);
        json_uint(json, "matches", several->matches);
        json_begin(json, "unmatched", '[');
        for (unsigned i = 0; i < options->input_count; i++)
            json_uint(json, NULL, several->unmatched[i]);
        json_end(json, ']');
        json_end(json, '}');
    } else {
        json_null(json, "sync");
    }
    json_string(json, "outcome", outcome_of(several->status, several->interrupted));
    json_uint(json, "status", (uint64_t)several->status);
    json_end(json, '}');
}

static void put(FILE *file, const struct content *content)
{
    struct json json = {.file = file};
    if (content->report != NULL)
        put_all(&json, content->report);
    else
        put_several(&json, content->several);
}

static int write_content(const struct content *content, const char *path, struct console *console)
{
    struct outfile out;
    if (strcmp(path, "-") == 0) {
        put(stdout, content);
        return fflush(stdout) == 0 && !ferror(stdout) ? 0 : refuse(console, "- (standard output)");
    }
    if (outfile_open(&out, path) != 0)
        return refuse(console, path);
    put(out.file, content);
    return outfile_commit(&out) == 0 ? 0 : refuse(console, path);
}

int report_write(const struct report *report, struct console *console)
{
    const struct content content = {.report = report};
    return write_content(&content, report->options->json, console);
}

int report_write_several(const struct report_several *several, struct console *console)
{
    const struct content content = {.several = several};
    return write_content(&content, several->options->json, console);
}
