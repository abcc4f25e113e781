/* SPDX-License-Identifier: MIT */
/* Files in the report: how many of which names, and what is in them, for each chain. */
#include "app/run/report_files.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

void report_add(char *line, size_t bytes, const char *format, ...)
{
    const size_t used = strlen(line);
    va_list args;
    va_start(args, format);
    vsnprintf(line + used, bytes - used, format, args);
    va_end(args);
}

static int is_limited(const struct report *report)
{
    return report->options->keep.files != 0 || report->options->keep.bytes != 0;
}

/* Where --keep has removed some. */
static void add_left(char *line, size_t bytes, const struct report *report, uint64_t made,
                     uint64_t left)
{
    if (is_limited(report) && left < made)
        report_add(line, bytes, ", %" PRIu64 " of them left", left);
}

static uint64_t sum(const uint64_t *counts, unsigned count)
{
    uint64_t all = 0;
    for (unsigned i = 0; i < count; i++)
        all += counts[i];
    return all;
}

/* Of several chains. */
static void add_folders(char *line, size_t bytes, const struct report *report)
{
    const struct options *options = report->options;
    const char *text = options->target.text, *slash = strrchr(text, '/');
    const int series = output_is_series(&options->target);
    report_add(line, bytes, "; %" PRIu64 " %s%s in %.*schain-1 to chain-%u", report->written,
               series ? "picture" : "file", report->written == 1 ? "" : "s",
               slash != NULL ? (int)(slash - text) + 1 : 0, text, options->chain_count);
    if (report->files != NULL && !series)
        add_left(line, bytes, report, report->written,
                 sum(report->files->chain_left, options->chain_count));
}

/* The file, or how many parts it came to: the first may have been moved away or removed. */
static void add_parts(char *line, size_t bytes, const struct report *report, const char *path,
                      uint64_t parts, uint64_t left)
{
    if (parts > 1)
        report_add(line, bytes, "%" PRIu64 " parts of ", parts);
    report_add(line, bytes, "%s", path);
    if (parts > 1)
        add_left(line, bytes, report, parts, left);
}

static void add_series(char *line, size_t bytes, const struct report *report)
{
    const struct output_target *target = &report->options->target;
    report_add(line, bytes, report->written > 0 ? "; in " : "; nothing in ");
    if (target->to_stdout)
        report_add(line, bytes, "standard output");
    else
        add_parts(line, bytes, report, target->text, report->parts,
                  report->files != NULL ? report->files->chain_left[0] : 0);
}

void report_tell_files(char *line, size_t bytes, const struct report *report)
{
    const struct output_target *target = &report->options->target;
    if (target->kind == NULL)
        return;
    if (report->options->chain_count > 1) {
        add_folders(line, bytes, report);
        return;
    }
    if (output_is_series(target)) {
        add_series(line, bytes, report);
        return;
    }
    char *first = outname_make(&target->name, report->min);
    char *last = outname_make(&target->name, report->max);
    report_add(line, bytes, "; %" PRIu64 " file%s", report->written,
               report->written == 1 ? "" : "s");
    if (report->files != NULL)
        add_left(line, bytes, report, report->written, report->files->chain_left[0]);
    if (report->written > 0 && first != NULL && last != NULL) {
        const int one = report->min == report->max;
        report_add(line, bytes, "%s%s%s%s", one ? ", " : ", from ", first, one ? "" : " to ",
                   one ? "" : last);
    }
    free(first);
    free(last);
}

void report_tell_recording(char *line, size_t bytes, const struct report *report)
{
    if (report->options->record == NULL)
        return;
    report_add(line, bytes, "; %" PRIu64 " recorded in ", report->recorded);
    add_parts(line, bytes, report, report->options->record, report->recorded_parts,
              report->recorded_left);
}

/* --- JSON --- */

static unsigned chains_of(const struct report *report)
{
    return report->options->chain_count > 1 ? report->options->chain_count : 1;
}

static const char *files_of(const struct report *report, unsigned chain)
{
    const struct output_target *target = &report->options->target;
    if (report->chains != NULL && chain < report->chains->count)
        target = &report->chains->targets[chain];
    return target->kind != NULL ? target->text : NULL;
}

static void put_picture(struct json *json, const struct report *report, unsigned chain)
{
    const struct zcs_image *image = &report->images[chain];
    const struct zcs_pixfmt_info *info = zcs_pixfmt_info(image->format);
    json_string(json, "format", info != NULL ? info->name : NULL);
    json_uint(json, "width", image->width);
    json_uint(json, "height", image->height);
    json_uint(json, "depth", info != NULL ? info->bits : 0);
    json_uint(json, "significant_bits", image->bits);
    json_string(json, "files", files_of(report, chain));
}

static void put_chain(struct json *json, const struct report *report, unsigned chain)
{
    const struct options *options = report->options;
    json_begin(json, NULL, '{');
    json_string(json, "stages",
                chain < options->chain_count ? options->chains[chain] : report->stages);
    put_picture(json, report, chain);
    json_uint(json, "written", report->files != NULL ? report->files->chain_written[chain] : 0);
    if (is_limited(report) && report->files != NULL)
        json_uint(json, "files_left", report->files->chain_left[chain]);
    else
        json_null(json, "files_left");
    json_end(json, '}');
}

void report_put_outputs(struct json *json, const struct report *report)
{
    json_begin(json, "output", '{');
    put_picture(json, report, 0);
    json_end(json, '}');
    json_begin(json, "outputs", '[');
    for (unsigned i = 0; i < chains_of(report); i++)
        put_chain(json, report, i);
    json_end(json, ']');
}
