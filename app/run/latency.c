/* SPDX-License-Identifier: MIT */
/* Latencies of frames, from the driver's time to the finished file: measured, reported, logged. */
#include "app/run/latency.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define ROWS 6

void file_latency_add(struct file_latency *latency, const struct zcs_frame *frame, int live,
                      int64_t now_ns)
{
    zcs_histogram_add(&latency->capture, now_ns - frame->captured_ns);
    zcs_histogram_add(&latency->result, now_ns - frame->result_ns);
    if (zcs_frame_time_refused(frame, live) == NULL)
        zcs_histogram_add(&latency->driver, now_ns - frame->time_ns);
}

static struct zcs_latency percentiles(const struct zcs_histogram *histogram)
{
    return (struct zcs_latency){
        .count = histogram->count,
        .p50_ns = zcs_histogram_percentile(histogram, 50),
        .p95_ns = zcs_histogram_percentile(histogram, 95),
        .p99_ns = zcs_histogram_percentile(histogram, 99),
        .max_ns = histogram->max_ns,
    };
}

void stream_latency_add(struct stream_latency *latency, const zcs_stream *stream)
{
    struct zcs_latency driver;
    for (int leg = 0; leg < ZCS_LATENCY_LEGS; leg++)
        zcs_histogram_merge(&latency->legs[leg],
                            zcs_stream_histogram(stream, (enum zcs_latency_leg)leg));
    zcs_stream_latency(stream, ZCS_LATENCY_DRIVER_TO_CAPTURE, &driver);
    latency->without += driver.without;
    if (driver.because != NULL)
        latency->because = driver.because;
}

void stream_latency_legs(const struct stream_latency *before, const zcs_stream *stream,
                         struct zcs_latency legs[ZCS_LATENCY_LEGS])
{
    struct stream_latency all = *before;
    if (stream != NULL)
        stream_latency_add(&all, stream);
    for (int leg = 0; leg < ZCS_LATENCY_LEGS; leg++) {
        legs[leg] = percentiles(&all.legs[leg]);
        if (leg == ZCS_LATENCY_CAPTURE_TO_RESULT)
            continue;
        legs[leg].without = all.without;
        legs[leg].because = all.because;
    }
}

struct row {
    const char *key;   /* in the report */
    const char *words; /* in the log */
    struct zcs_latency latency;
};

static void rows_of(const struct latency_summary *summary, struct row rows[ROWS])
{
    static const struct file_latency none = {.capture = {.count = 0}};
    const struct file_latency *files = summary->files != NULL ? summary->files : &none;
    const struct zcs_latency *legs = summary->legs;
    const struct row all[ROWS] = {
        {"capture_to_result", "frame in hand to result", legs[ZCS_LATENCY_CAPTURE_TO_RESULT]},
        {"capture_to_file", "frame in hand to file", percentiles(&files->capture)},
        {"driver_to_capture", "driver's time to frame in hand",
         legs[ZCS_LATENCY_DRIVER_TO_CAPTURE]},
        {"driver_to_result", "driver's time to result", legs[ZCS_LATENCY_DRIVER_TO_RESULT]},
        {"driver_to_file", "driver's time to file", percentiles(&files->driver)},
        {"result_to_file", "result to file", percentiles(&files->result)},
    };
    for (int i = 0; i < ROWS; i++)
        rows[i] = all[i];
}

static void put_point(struct json *json, const char *key, const struct zcs_latency *latency,
                      uint64_t ns)
{
    if (latency->count == 0)
        json_null(json, key);
    else
        json_real(json, key, (double)ns / 1000, 1);
}

/* The moment of a frame's time; NULL: it is no time of a camera. */
static const char *moment(const struct latency_summary *summary)
{
    if (summary->clock == ZCS_CLOCK_NONE || summary->clock == ZCS_CLOCK_MEDIA)
        return NULL;
    return summary->exposure_start ? "start of exposure" : "end of frame";
}

void latency_put(struct json *json, const struct latency_summary *summary)
{
    struct row rows[ROWS];
    rows_of(summary, rows);
    json_begin(json, "latency_us", '{');
    for (int i = 0; i < ROWS; i++) {
        const struct zcs_latency *latency = &rows[i].latency;
        json_begin(json, rows[i].key, '{');
        put_point(json, "p50", latency, latency->p50_ns);
        put_point(json, "p95", latency, latency->p95_ns);
        put_point(json, "p99", latency, latency->p99_ns);
        put_point(json, "max", latency, latency->max_ns);
        json_end(json, '}');
    }
    json_end(json, '}');
    const struct zcs_latency *driver = &summary->legs[ZCS_LATENCY_DRIVER_TO_CAPTURE];
    json_begin(json, "timestamps", '{');
    json_string(json, "clock", zcs_clock_name(summary->clock));
    json_string(json, "of", moment(summary));
    json_uint(json, "compared", driver->count);
    json_uint(json, "not_compared", driver->without);
    json_string(json, "because", driver->because);
    json_end(json, '}');
}

/* Logs which moment the driver's time is, or why it cannot be used. */
static void log_moment(const struct latency_summary *summary, const char *label,
                       struct console *console)
{
    const struct zcs_latency *driver = &summary->legs[ZCS_LATENCY_DRIVER_TO_CAPTURE];
    char line[200] = "";
    if (driver->count == 0 && driver->because != NULL)
        snprintf(line, sizeof line, "no latency from the driver's time on: %s", driver->because);
    else if (driver->count > 0)
        snprintf(line, sizeof line, "the driver's time is of the %s, clock %s", moment(summary),
                 zcs_clock_name(summary->clock));
    const size_t used = strlen(line);
    if (driver->count > 0 && driver->without > 0)
        snprintf(line + used, sizeof line - used, "; %" PRIu64 " frames are not in that: %s",
                 driver->without, driver->because);
    if (line[0] != '\0')
        console_labelled(console, ZCS_LOG_INFO, label, "%s", line);
}

void latency_log(const struct latency_summary *summary, const char *label, struct console *console)
{
    struct row rows[ROWS];
    rows_of(summary, rows);
    for (int i = 0; i < ROWS; i++) {
        const struct zcs_latency *latency = &rows[i].latency;
        if (latency->count == 0)
            continue;
        console_labelled(console, ZCS_LOG_INFO, label,
                         "%s: p50 %.2f, p95 %.2f, p99 %.2f, max %.2f ms", rows[i].words,
                         (double)latency->p50_ns / 1e6, (double)latency->p95_ns / 1e6,
                         (double)latency->p99_ns / 1e6, (double)latency->max_ns / 1e6);
    }
    log_moment(summary, label, console);
}
