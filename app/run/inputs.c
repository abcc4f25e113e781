/* SPDX-License-Identifier: MIT */
/* Several inputs in one run: labels, folders, and the options of each. */
#include "app/run/inputs.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "zcstream/set.h"

#include "app/output/clash.h"
#include "app/run/input.h"
#include "app/cli/number.h"
#include "app/cli/status.h"

#define MAX_SYNC UINT64_C(3600000000) /* an hour, in us */
#define MAX_WRITERS 8

int inputs_read_sync(struct options *options, const char *text, char *why, size_t why_bytes)
{
    static const struct {
        const char *unit;
        uint64_t us;
    } units[] = {{"", 1000}, {"ms", 1000}, {"us", 1}, {"s", 1000000}};
    uint64_t number = 0;
    if (number_scan(&text, 0, MAX_SYNC, &number) == 0)
        for (size_t i = 0; i < sizeof units / sizeof *units; i++)
            if (strcmp(text, units[i].unit) == 0 && number <= MAX_SYNC / units[i].us) {
                options->sync = 1;
                options->sync_ns = (int64_t)(number * units[i].us * 1000);
                return 0;
            }
    snprintf(why, why_bytes, "not a time such as 5ms, 500us or 1s, up to an hour");
    return -1;
}

/* Files may be read twice; who reads a camera or standard input has it alone. */
static int is_same(const char *a, const char *b)
{
    struct stat first, second;
    if (strcmp(a, "-") == 0 || strcmp(b, "-") == 0)
        return strcmp(a, b) == 0;
    if (!input_is_camera(a) || !input_is_camera(b))
        return 0;
    return strcmp(a, b) == 0 ||
           (stat(a, &first) == 0 && stat(b, &second) == 0 && S_ISCHR(first.st_mode) &&
            S_ISCHR(second.st_mode) && first.st_rdev == second.st_rdev);
}

int inputs_check(const struct options *options, struct console *console)
{
    struct options one = *options;
    int status = 0;
    if (options->input_count > ZCS_MAX_MEMBERS) {
        console_error(console, "%u inputs: at most %d at a time", options->input_count,
                      ZCS_MAX_MEMBERS);
        return ZCAPP_USAGE;
    }
    if (options->input_count == 1 && options->sync) {
        console_error(console, "--sync: there is one INPUT only, '%s'", options->input);
        return ZCAPP_USAGE;
    }
    for (unsigned i = 0; i < options->input_count && status == 0; i++) {
        one.input = options->inputs[i];
        if (one.input[0] == '\0') {
            console_error(console, "INPUT '': a name is missing");
            return ZCAPP_USAGE;
        }
        status = input_check(&one, console);
        for (unsigned k = 0; k < i; k++)
            if (is_same(options->inputs[k], options->inputs[i])) {
                console_error(console, "'%s' and '%s': the same input twice", options->inputs[k],
                              options->inputs[i]);
                return ZCAPP_USAGE;
            }
    }
    return status;
}

/* The last part of its name, without its ending: video0 of /dev/video0, zone of pattern:zone, take of take.zcr. */
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
    /* No folder's name, also of "...raw". */
    const int nothing = last[0] == '\0' || strcmp(last, ".") == 0 || strcmp(last, "..") == 0;
    char *label = strdup(nothing ? "input" : last);
    free(copy);
    for (char *at = label; at != NULL && *at != '\0'; at++)
        *at = *at == '%' ? '_' : *at;
    return label;
}

char *inputs_with_label(const char *path, const char *label)
{
    const char *slash = strrchr(path, '/');
    const int folder = slash != NULL ? (int)(slash - path) + 1 : 0;
    const size_t bytes = strlen(path) + strlen(label) + 2;
    char *made = malloc(bytes);
    if (made != NULL)
        snprintf(made, bytes, "%.*s%s/%s", folder, path, label, path + folder);
    return made;
}

/* A file, perhaps the input itself, is where the folder for `path` would be. */
static int is_in_the_way(const char *path, const char *label)
{
    struct stat there;
    char *made = path != NULL ? inputs_with_label(path, label) : NULL;
    if (made == NULL)
        return 0;
    *strrchr(made, '/') = '\0';
    const int is = stat(made, &there) == 0 && !S_ISDIR(there.st_mode);
    free(made);
    return is;
}

static int is_taken(const struct input *inputs, unsigned count, const char *label)
{
    const struct options *options = &inputs[count].options;
    for (unsigned i = 0; i < count; i++)
        if (strcmp(inputs[i].label, label) == 0)
            return 1;
    return is_in_the_way(options->target.kind != NULL ? options->target.text : NULL, label) ||
           is_in_the_way(options->latest.kind != NULL ? options->latest.text : NULL, label) ||
           is_in_the_way(options->record, label);
}

/* A second one of the same name gets a number behind it. */
static char *unique_label(const struct input *inputs, unsigned at, const char *input)
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

static int own_target(struct output_target *target, char **text, const char *label,
                      struct console *console)
{
    char why[256];
    const char *given = target->text;
    const int single = target->single;
    *text = inputs_with_label(given, label);
    *target = (struct output_target){0};
    if (*text != NULL && output_parse(target, *text, why, sizeof why) == 0) {
        target->single = single;
        return 0;
    }
    console_error(console, "'%s': %s", given, *text != NULL ? why : strerror(ENOMEM));
    return ZCAPP_FAILED;
}

static int make_one(struct input *input, const struct options *options, struct console *console)
{
    struct options *own = &input->options;
    int status = 0;
    own->json = NULL;
    if (input->label == NULL) {
        console_error(console, "'%s': no memory for its name", own->input);
        return ZCAPP_FAILED;
    }
    if (options->sync && options->frames_given)
        own->frames = 0; /* it is a number of matches */
    else if (input_is_pattern(own->input))
        own->frames = options_frames(options, own->input);
    if (own->target.kind != NULL)
        status = own_target(&own->target, &input->output, input->label, console);
    if (status == 0 && own->latest.kind != NULL)
        status = own_target(&own->latest, &input->latest, input->label, console);
    if (own->record != NULL) {
        input->record = inputs_with_label(own->record, input->label);
        own->record = input->record;
    }
    const long cores = sysconf(_SC_NPROCESSORS_ONLN);
    const uint64_t all = cores > 0 && cores < MAX_WRITERS ? (uint64_t)cores : MAX_WRITERS;
    if (own->writers == 0)
        own->writers = all > options->input_count ? all / options->input_count : 1;
    return status;
}

/* What one writes against what all read. */
static int check_files(const struct input *inputs, unsigned at, const struct options *options,
                       struct console *console)
{
    int status = 0;
    for (unsigned i = 0; i < options->input_count && status == 0; i++) {
        struct options pair = inputs[at].options;
        pair.input = options->inputs[i];
        pair.json = options->json;
        status = clash_check(&pair, console);
    }
    return status;
}

void inputs_make_folder(const char *path)
{
    char *folder = strdup(path);
    if (folder != NULL) {
        *strrchr(folder, '/') = '\0';
        mkdir(folder, 0777); /* what is wrong with it shows when the recording is opened */
    }
    free(folder);
}

int inputs_split(const struct options *options, struct console *console, struct input **out)
{
    int status = 0;
    struct input *inputs = calloc(options->input_count, sizeof *inputs);
    *out = inputs;
    if (inputs == NULL) {
        console_error(console, "%u inputs: no memory", options->input_count);
        return ZCAPP_FAILED;
    }
    if (options->target.to_stdout) {
        console_error(console, "--output '-': standard output is for one INPUT, here are %u",
                      options->input_count);
        return ZCAPP_USAGE;
    }
    for (unsigned i = 0; i < options->input_count && status == 0; i++) {
        inputs[i].options = *options;
        inputs[i].options.input = options->inputs[i];
        inputs[i].label = unique_label(inputs, i, options->inputs[i]);
        status = make_one(&inputs[i], options, console);
        if (status == 0)
            status = check_files(inputs, i, options, console);
    }
    return status;
}

void inputs_finish(struct input **inputs, unsigned count)
{
    for (unsigned i = 0; *inputs != NULL && i < count; i++) {
        struct input *input = &(*inputs)[i];
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
