/* SPDX-License-Identifier: MIT */
/* A folder of files for each of several inputs, and for each chain of a broadcast. */
#include "app/run/folders.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "app/cli/file_conflict.h"
#include "app/cli/status.h"
#include "app/run/input.h"

#define MAX_WRITERS 8

/* --- inputs --- */

/* The last part of the name without its ending: video0 for /dev/video0, zone for pattern:zone, take
 * for take.zcr. */
static char *make_label(const char *input)
{
    char *copy = strdup(strncmp(input, "pattern:", 8) == 0 ? input + 8
                        : strcmp(input, "-") == 0          ? "stdin"
                                                           : input);
    if (copy == NULL)
        return NULL;
    for (size_t length = strlen(copy); length > 1 && copy[length - 1] == '/'; length--)
        copy[length - 1] = '\0';
    char *slash = strrchr(copy, '/');
    char *last = slash != NULL ? slash + 1 : copy;
    char *dot = strrchr(last, '.');
    if (dot != NULL && dot != last)
        *dot = '\0';
    /* Not a valid name of a folder; "...raw" becomes "..". */
    const int invalid = last[0] == '\0' || strcmp(last, ".") == 0 || strcmp(last, "..") == 0;
    char *label = strdup(invalid ? "input" : last);
    free(copy);
    for (char *at = label; at != NULL && *at != '\0'; at++)
        *at = *at == '%' ? '_' : *at;
    return label;
}

/* For free(); NULL: no memory. */
static char *path_with_label(const char *path, const char *label)
{
    const char *slash = strrchr(path, '/');
    const int folder = slash != NULL ? (int)(slash - path) + 1 : 0;
    const size_t bytes = strlen(path) + strlen(label) + 2;
    char *made = malloc(bytes);
    if (made != NULL)
        snprintf(made, bytes, "%.*s%s/%s", folder, path, label, path + folder);
    return made;
}

/* True if the folder for `path` cannot be made: a file has its name, perhaps the input itself. */
static int is_blocked(const char *path, const char *label)
{
    struct stat there;
    char *made = path != NULL ? path_with_label(path, label) : NULL;
    if (made == NULL)
        return 0;
    *strrchr(made, '/') = '\0';
    const int is = stat(made, &there) == 0 && !S_ISDIR(there.st_mode);
    free(made);
    return is;
}

static int is_taken(const struct input_options *inputs, unsigned count, const char *label)
{
    const struct options *options = &inputs[count].options;
    for (unsigned i = 0; i < count; i++)
        if (strcmp(inputs[i].label, label) == 0)
            return 1;
    return is_blocked(options->target.kind != NULL ? options->target.text : NULL, label) ||
           is_blocked(options->latest.kind != NULL ? options->latest.text : NULL, label) ||
           is_blocked(options->record, label);
}

/* The second input with the same label gets a number after it. */
static char *unique_label(const struct input_options *inputs, unsigned at, const char *input)
{
    char *label = make_label(input);
    const size_t bytes = label != NULL ? strlen(label) + 16 : 0;
    char *numbered = label != NULL ? malloc(bytes) : NULL;
    if (numbered != NULL)
        snprintf(numbered, bytes, "%s", label);
    for (unsigned n = 2; numbered != NULL && is_taken(inputs, at, numbered); n++)
        snprintf(numbered, bytes, "%s-%u", label, n);
    free(label);
    return numbered;
}

/* Changes the target to the folder `label`; *text is for free(). */
static int move_target(struct output_target *target, char **text, const char *label,
                       struct console *console)
{
    char why[256];
    const char *given = target->text;
    const int single = target->single;
    *text = path_with_label(given, label);
    *target = (struct output_target){0};
    if (*text != NULL && output_parse(target, *text, why, sizeof why) == 0) {
        target->single = single;
        return 0;
    }
    console_error(console, "'%s': %s", given, *text != NULL ? why : strerror(ENOMEM));
    return ZCAPP_FAILED;
}

static int split_one(struct input_options *input, const struct options *options,
                     struct console *console)
{
    struct options *own = &input->options;
    int status = 0;
    own->json = NULL;
    if (input->label == NULL) {
        console_error(console, "'%s': no memory for its name", own->input);
        return ZCAPP_FAILED;
    }
    const int counts_matches = options->sync && options->frames_given;
    own->frames = counts_matches ? 0 : input_frame_limit(own);
    if (own->target.kind != NULL)
        status = move_target(&own->target, &input->output, input->label, console);
    if (status == 0 && own->latest.kind != NULL)
        status = move_target(&own->latest, &input->latest, input->label, console);
    if (own->record != NULL) {
        input->record = path_with_label(own->record, input->label);
        own->record = input->record;
    }
    const long cores = sysconf(_SC_NPROCESSORS_ONLN);
    const uint64_t all = cores > 0 && cores < MAX_WRITERS ? (uint64_t)cores : MAX_WRITERS;
    if (own->writers == 0)
        own->writers = all > options->input_count ? all / options->input_count : 1;
    return status;
}

/* Checks the files of one input against all inputs. */
static int check_files(const struct input_options *inputs, unsigned at,
                       const struct options *options, struct console *console)
{
    int status = 0;
    for (unsigned i = 0; i < options->input_count && status == 0; i++) {
        struct options pair = inputs[at].options;
        pair.input = options->inputs[i];
        pair.json = options->json;
        status = file_conflict_check(&pair, console);
    }
    return status;
}

int folders_split_inputs(const struct options *options, struct console *console,
                         struct input_options **out)
{
    int status = 0;
    struct input_options *inputs = calloc(options->input_count, sizeof *inputs);
    *out = inputs;
    if (inputs == NULL) {
        console_error(console, "%u inputs: no memory", options->input_count);
        return ZCAPP_FAILED;
    }
    if (options->target.to_stdout) {
        console_error(console, "--output '-': standard output takes one INPUT, there are %u",
                      options->input_count);
        return ZCAPP_USAGE;
    }
    for (unsigned i = 0; i < options->input_count && status == 0; i++) {
        inputs[i].options = *options;
        inputs[i].options.input = options->inputs[i];
        inputs[i].label = unique_label(inputs, i, options->inputs[i]);
        status = split_one(&inputs[i], options, console);
        if (status == 0)
            status = check_files(inputs, i, options, console);
    }
    return status;
}

void folders_finish_inputs(struct input_options **inputs, unsigned count)
{
    for (unsigned i = 0; *inputs != NULL && i < count; i++) {
        struct input_options *input = &(*inputs)[i];
        if (input->output != NULL)
            output_finish(&input->options.target);
        if (input->latest != NULL)
            output_finish(&input->options.latest);
        free(input->label);
        free(input->output);
        free(input->latest);
        free(input->record);
    }
    free(*inputs);
    *inputs = NULL;
}

/* --- chains --- */

static int split_chain(const struct options *options, struct console *console,
                       struct chain_targets *out)
{
    char label[32], why[256];
    const unsigned i = out->count;
    struct options own = *options;
    snprintf(label, sizeof label, "chain-%u", i + 1);
    out->texts[i] = path_with_label(options->target.text, label);
    if (out->texts[i] == NULL ||
        output_parse(&out->targets[i], out->texts[i], why, sizeof why) != 0) {
        console_error(console, "--output '%s': %s", options->target.text,
                      out->texts[i] != NULL ? why : "no memory");
        free(out->texts[i]);
        return ZCAPP_FAILED;
    }
    out->count++;
    own.target = out->targets[i];
    return file_conflict_check(&own, console);
}

int folders_split_chains(const struct options *options, struct console *console,
                         struct chain_targets *out)
{
    int status = 0;
    *out = (struct chain_targets){.count = 0};
    if (options->chain_count < 2 || options->target.kind == NULL)
        return 0;
    out->targets = calloc(options->chain_count, sizeof *out->targets);
    out->texts = calloc(options->chain_count, sizeof *out->texts);
    if (out->targets == NULL || out->texts == NULL) {
        console_error(console, "%u chains: no memory", options->chain_count);
        return ZCAPP_FAILED;
    }
    for (unsigned i = 0; i < options->chain_count && status == 0; i++)
        status = split_chain(options, console, out);
    return status;
}

void folders_finish_chains(struct chain_targets *targets)
{
    for (unsigned i = 0; i < targets->count; i++) {
        output_finish(&targets->targets[i]);
        free(targets->texts[i]);
    }
    free(targets->targets);
    free(targets->texts);
    *targets = (struct chain_targets){.count = 0};
}
