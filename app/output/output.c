/* SPDX-License-Identifier: MIT */
/* Output of results: to a file per frame, one file for all frames, or standard output. */
#include "app/output/output.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define REASON_BYTES 4600 /* a path and some words */

static int refuse_ending(char *why, size_t why_bytes)
{
    int used = snprintf(why, why_bytes, "the name must end in");
    for (unsigned i = 0; i < encoder_count; i++)
        if (used > 0 && (size_t)used < why_bytes)
            used += snprintf(why + used, why_bytes - (size_t)used, " %s", encoders[i].ending);
    if (used > 0 && (size_t)used < why_bytes)
        snprintf(why + used, why_bytes - (size_t)used, ", or be '-' or 'none'");
    return -1;
}

int output_parse(struct output_target *out, const char *text, char *why, size_t why_bytes)
{
    struct output_target target = {.text = text};
    if (strcmp(text, "-") == 0) {
        target.kind = encoder_of(".y4m");
        target.to_stdout = 1;
    } else if (strcmp(text, "none") != 0) {
        const char *slash = strrchr(text, '/');
        target.kind = encoder_of(slash != NULL ? slash + 1 : text);
        if (target.kind == NULL)
            return refuse_ending(why, why_bytes);
        if (outname_parse(&target.name, text, why, why_bytes) != 0)
            return -1;
    }
    *out = target;
    return 0;
}

void output_finish(struct output_target *target)
{
    outname_finish(&target->name);
    target->kind = NULL;
}

int output_is_series(const struct output_target *target)
{
    return target->kind != NULL && target->kind->series && !target->name.numbered &&
           !target->single;
}

int output_check(const struct output_target *target, const struct zcs_image *image, char *why,
                 size_t why_bytes)
{
    struct picture p;
    if (target->kind == NULL)
        return 0;
    if (picture_of_image(&p, image) != 0) {
        snprintf(why, why_bytes, "the results are no pictures");
        return -1;
    }
    const unsigned wanted = target->kind->channels;
    if (wanted == 0 || wanted == p.channels)
        return 0;
    snprintf(why, why_bytes, "a %s has %u channel%s, the results have %u%s", target->kind->name,
             wanted, wanted == 1 ? "" : "s", p.channels,
             wanted == 1 ? ": name it .ppm, or add the stage gray" : ": name it .pgm");
    return -1;
}

/* Writes the file header if the file begins here, then the frame. */
static int encode(const struct output *output, FILE *file, int begins,
                  const struct zcs_frame *frame, char *why, size_t why_bytes)
{
    const struct encoder *kind = output->target->kind;
    if (begins && kind->head != NULL &&
        kind->head(file, frame, &output->style, why, why_bytes) != 0)
        return -1;
    return kind->frame(file, frame, &output->style, why, why_bytes);
}

static int write_file(const struct output *output, const char *path, const struct zcs_frame *frame,
                      char *why, size_t why_bytes)
{
    struct outfile out;
    int result = -1;
    const int named = !output->target->name.numbered && !output->target->single;
    if (outfile_open(&out, path, named ? 0 : OUTFILE_GENERATED, why, why_bytes) != 0)
        return -1;
    char *buffer = malloc(OUTPUT_BUFFER_BYTES); /* optional: slower without it */
    if (buffer != NULL)
        setvbuf(out.file, buffer, _IOFBF, OUTPUT_BUFFER_BYTES);
    if (encode(output, out.file, 1, frame, why, why_bytes) != 0)
        outfile_abandon(&out);
    else
        result = outfile_commit(&out, why, why_bytes);
    free(buffer);
    return result;
}

static int open_series(struct output *output, char *why, size_t why_bytes)
{
    const int named = output->target->to_stdout || output->part.number == 1;
    int opened = 0;
    output->buffer = malloc(OUTPUT_BUFFER_BYTES);
    if (output->buffer == NULL || output->target->to_stdout) {
        opened = output->buffer == NULL ? -1 : outfile_open_standard(&output->series);
        if (opened != 0)
            snprintf(why, why_bytes, "%s", strerror(errno));
    } else {
        opened = outfile_open(&output->series, output->path,
                              OUTFILE_SINGLE | (named ? 0 : OUTFILE_GENERATED), why, why_bytes);
    }
    if (opened == 0)
        setvbuf(output->series.file, output->buffer, _IOFBF, OUTPUT_BUFFER_BYTES);
    return opened;
}

static int write_series(struct output *output, const struct zcs_frame *frame, char *why,
                        size_t why_bytes)
{
    const int begins = output->series.file == NULL;
    if (begins && open_series(output, why, why_bytes) != 0)
        return -1;
    if (encode(output, output->series.file, begins, frame, why, why_bytes) != 0)
        return -1;
    if (fflush(output->series.file) != 0) {
        snprintf(why, why_bytes, "%s", strerror(errno));
        return -1;
    }
    if (output->series.beside)
        output->whole_bytes = ftello(output->series.file);
    return 0;
}

/* "PATH: WHY" */
static int explain(const char *path, const char *reason, char *why, size_t why_bytes)
{
    snprintf(why, why_bytes, "%s: %s", path, reason);
    return -1;
}

/* Prepares the names of all parts. */
static int name_parts(struct output *output)
{
    if (output->first != NULL)
        return 0;
    output->first = outname_make(&output->target->name, 0);
    if (output->first != NULL && part_init(&output->part, output->first) == 0)
        return 0;
    free(output->first);
    output->first = NULL;
    return -1;
}

static int name_series(struct output *output)
{
    if (output->target->to_stdout)
        output->path = strdup("standard output");
    else if (name_parts(output) == 0)
        output->path = part_path(&output->part);
    return output->path != NULL ? 0 : -1;
}

int output_set_retention(struct output *output, struct retention_limit limit,
                         struct console *console)
{
    if (output->target->name.numbered) {
        output->retention = retention_create(&output->target->name, NULL, limit, console);
        return output->retention != NULL ? 0 : -1;
    }
    if (name_parts(output) == 0)
        output->retention = retention_create(&output->part.name, output->first, limit, console);
    return output->retention != NULL ? 0 : -1;
}

static int write_to_series(struct output *output, const struct zcs_frame *frame, char *why,
                           size_t why_bytes)
{
    char reason[REASON_BYTES] = "", place[REASON_BYTES] = "";
    if (output->path == NULL && name_series(output) != 0)
        return explain(output->target->text, "no memory", why, why_bytes);
    if (write_series(output, frame, reason, sizeof reason) == 0)
        return 0;
    if (output->series.file != NULL)
        outfile_commit_prefix(&output->series, output->whole_bytes, place, sizeof place);
    snprintf(why, why_bytes, "%s: %s%s%s", output->path, reason, place[0] != '\0' ? "; " : "",
             place);
    return -1;
}

static int write_own_file(const struct output *output, uint64_t number,
                          const struct zcs_frame *frame, char *why, size_t why_bytes)
{
    char reason[REASON_BYTES] = "";
    char *path = outname_make(&output->target->name, number);
    if (path == NULL)
        return explain(output->target->text, "no memory for a file's name", why, why_bytes);
    int result = write_file(output, path, frame, reason, sizeof reason);
    if (result != 0)
        result = explain(path, reason, why, why_bytes);
    else if (output->retention != NULL)
        retention_add(output->retention, number);
    free(path);
    return result;
}

int output_write(struct output *output, uint64_t number, const struct zcs_frame *frame, char *why,
                 size_t why_bytes)
{
    if (!output_is_series(output->target))
        return write_own_file(output, number, frame, why, why_bytes);
    return write_to_series(output, frame, why, why_bytes);
}

static int end_series(struct output *output, char *why, size_t why_bytes)
{
    char reason[REASON_BYTES] = "";
    int result = 0;
    if (output->series.file != NULL) {
        result = outfile_commit(&output->series, reason, sizeof reason);
        if (result != 0)
            explain(output->path, reason, why, why_bytes);
        else if (output->retention != NULL)
            retention_add(output->retention, output->part.number);
    }
    free(output->buffer);
    free(output->path);
    output->buffer = output->path = NULL;
    output->whole_bytes = 0;
    return result;
}

int output_part(struct output *output, char *why, size_t why_bytes)
{
    if (output->target->to_stdout || output->series.file == NULL)
        return 0;
    const int result = end_series(output, why, why_bytes);
    if (result >= 0 && part_next(&output->part, output->retention == NULL) != 0)
        return explain(output->first, "no memory for the next part's name", why, why_bytes);
    return result;
}

int output_close(struct output *output, char *why, size_t why_bytes)
{
    const int result = end_series(output, why, why_bytes);
    if (output->retention != NULL)
        output->left = retention_left(output->retention);
    retention_destroy(&output->retention);
    part_finish(&output->part);
    free(output->first);
    output->first = NULL;
    return result;
}
