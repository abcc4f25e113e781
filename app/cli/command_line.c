/* SPDX-License-Identifier: MIT */
/* Parses the command line, and refuses one that contradicts itself. */
#include "app/cli/command_line.h"

#include <getopt.h>
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "zcstream/set.h"

#include "app/cli/number.h"
#include "app/cli/option_table.h"
#include "app/cli/status.h"
#include "app/run/input.h"

#define MAX_ROWS 64
#define LONG_BASE 256 /* getopt returns LONG_BASE + i for row i */
#define DEFAULT_OUTPUT "frames/frame-%06u.png"

/* --- options --- */

/* The table as getopt_long wants it. */
struct getopt_table {
    struct option longs[MAX_ROWS + 1];
    char shorts[2 * MAX_ROWS + 2];
};

static void fill_getopt_table(struct getopt_table *out)
{
    memset(out, 0, sizeof *out);
    struct option *next = out->longs;
    char *letter = out->shorts;
    *letter++ = ':'; /* getopt then returns ':' for a missing value */
    for (unsigned i = 0; i < option_row_count; i++) {
        const struct option_row *row = &option_rows[i];
        if (row->kind == OPTION_HEADING)
            continue;
        const int takes = row->arg != NULL ? required_argument : no_argument;
        *next++ = (struct option){row->name, takes, NULL, LONG_BASE + (int)i};
        if (row->letter == 0)
            continue;
        *letter++ = row->letter;
        if (takes == required_argument)
            *letter++ = ':';
    }
}

static const struct option_row *row_of(int value)
{
    if (value >= LONG_BASE)
        return &option_rows[value - LONG_BASE];
    for (unsigned i = 0; i < option_row_count; i++)
        if (option_rows[i].letter != 0 && option_rows[i].letter == value)
            return &option_rows[i];
    return NULL;
}

/* The index of `text` in "a|b|c"; -1: not in it. */
static int index_of(const char *words, const char *text)
{
    const size_t length = strlen(text);
    for (int index = 0;; index++) {
        const size_t word = strcspn(words, "|");
        if (word == length && strncmp(words, text, word) == 0)
            return index;
        if (words[word] == '\0')
            return -1;
        words += word + 1;
    }
}

static int apply(const struct option_row *row, struct options *options, const char *text, char *why,
                 size_t why_bytes)
{
    void *field = (char *)options + row->offset;
    int index;
    switch (row->kind) {
    case OPTION_FLAG:
        ++*(int *)field;
        return 0;
    case OPTION_ACTION:
        options->action = (enum action)row->min;
        return 0;
    case OPTION_TEXT:
        *(const char **)field = text;
        if (text[0] == '\0')
            snprintf(why, why_bytes, "a value is missing (%s)", row->arg);
        return text[0] != '\0' ? 0 : -1;
    case OPTION_READ:
        return row->read(options, text, why, why_bytes);
    case OPTION_NUMBER:
        if (row->given != 0)
            *(int *)((char *)options + row->given) = 1;
        if (number_parse(text, row->min, row->max, field) == 0)
            return 0;
        snprintf(why, why_bytes, "not a whole number from %" PRIu64 " to %" PRIu64, row->min,
                 row->max);
        return -1;
    case OPTION_CHOICE:
        index = index_of(row->arg, text);
        if (index >= 0)
            *(uint64_t *)field = (uint64_t)index;
        else
            snprintf(why, why_bytes, "not one of %s", row->arg);
        return index >= 0 ? 0 : -1;
    case OPTION_HEADING:
        break;
    }
    return -1;
}

/* True if `why` already begins with the whole value: "'TEXT': ...". */
static int quotes_all(const char *why, const char *text)
{
    const size_t bytes = strlen(text);
    return why[0] == '\'' && strncmp(why + 1, text, bytes) == 0 && why[bytes + 1] == '\'';
}

/* The option as the user wrote it: -n or --frames. */
struct given {
    char text[64];
};

static struct given given_as(int value)
{
    struct given out;
    const struct option_row *row = row_of(value);
    if (value < LONG_BASE)
        snprintf(out.text, sizeof out.text, "-%c", value);
    else
        snprintf(out.text, sizeof out.text, "--%s", row->name);
    return out;
}

/* `value` is from getopt. */
static int refuse(int value, const char *text, const char *why, struct console *console)
{
    const struct given given = given_as(value);
    if (text != NULL && quotes_all(why, text))
        console_error(console, "%s %s", given.text, why);
    else if (text == NULL)
        console_error(console, "%s: %s", given.text, why);
    else
        console_error(console, "%s '%s': %s", given.text, text, why);
    return ZCAPP_USAGE;
}

/* True if one letter was added, removed or replaced, or two letters were swapped. */
static int one_edit_away(const char *a, size_t a_bytes, const char *b)
{
    const size_t b_bytes = strlen(b);
    size_t head = 0, tail = 0;
    while (head < a_bytes && head < b_bytes && a[head] == b[head])
        head++;
    while (tail < a_bytes - head && tail < b_bytes - head &&
           a[a_bytes - 1 - tail] == b[b_bytes - 1 - tail])
        tail++;
    const size_t in_a = a_bytes - head - tail, in_b = b_bytes - head - tail;
    if (in_a == 2 && in_b == 2)
        return a[head] == b[head + 1] && a[head + 1] == b[head];
    return in_a <= 1 && in_b <= 1;
}

static int begins(const char *name, size_t bytes, const char *option)
{
    return bytes > 0 && strncmp(name, option, bytes) == 0;
}

static int near(const char *name, size_t bytes, const char *option)
{
    return bytes > 2 && one_edit_away(name, bytes, option);
}

/* Appends the options for which `fits` is true to `out`; returns their number. */
static int append_fitting(int (*fits)(const char *, size_t, const char *), const char *name,
                          size_t bytes, char *out, size_t out_bytes)
{
    int count = 0;
    for (unsigned i = 0; i < option_row_count; i++) {
        const struct option_row *row = &option_rows[i];
        if (row->kind == OPTION_HEADING || !fits(name, bytes, row->name))
            continue;
        const size_t used = strlen(out);
        snprintf(out + used, out_bytes - used, "%s--%s", count++ ? ", " : "", row->name);
    }
    return count;
}

/* What to say about an unknown or ambiguous option: "--NAME" or "--NAME=VALUE". */
static void suggest(const char *given, char *out, size_t out_bytes)
{
    static const char ambiguous[] = "ambiguous; it can be ", wrong[] = "unknown option; there is ";
    const char *name = given + strspn(given, "-");
    const size_t bytes = strcspn(name, "=");
    snprintf(out, out_bytes, "%s", ambiguous);
    if (append_fitting(begins, name, bytes, out, out_bytes) > 0)
        return;
    snprintf(out, out_bytes, "%s", wrong);
    if (append_fitting(near, name, bytes, out, out_bytes) > 0)
        return;
    snprintf(out, out_bytes, "unknown option (see zcapp --help)");
}

/* getopt returned ':' or '?'. */
static int refuse_option(int value, char **argv, struct console *console)
{
    const struct option_row *row = row_of(optopt);
    char match[512];
    if (row != NULL && value == ':')
        console_error(console, "%s: a value is missing (%s)", given_as(optopt).text, row->arg);
    else if (row != NULL)
        console_error(console, "%s: takes no value", given_as(optopt).text);
    else if (optopt != 0)
        console_error(console, "-%c: unknown option (see zcapp --help)", optopt);
    else {
        suggest(argv[optind - 1], match, sizeof match);
        console_error(console, "%s: %s", argv[optind - 1], match);
    }
    return ZCAPP_USAGE;
}

static int parse_all(struct options *options, int argc, char **argv, struct console *console)
{
    struct getopt_table table;
    fill_getopt_table(&table);
    opterr = 0;
    for (;;) {
        const int value = getopt_long(argc, argv, table.shorts, table.longs, NULL);
        char why[1024] = "";
        if (value < 0)
            return 0;
        if (value == ':' || value == '?')
            return refuse_option(value, argv, console);
        const struct option_row *row = row_of(value);
        if (apply(row, options, optarg, why, sizeof why) != 0)
            return refuse(value, optarg, why, console);
    }
}

/* --- operands --- */

/* True for the same camera, or standard input twice. A file may be read by several inputs. */
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

static int check_inputs(const struct options *options, struct console *console)
{
    struct options one = *options;
    int status = 0;
    if (options->input_count > ZCS_MAX_MEMBERS) {
        console_error(console, "%u inputs: at most %d are possible", options->input_count,
                      ZCS_MAX_MEMBERS);
        return ZCAPP_USAGE;
    }
    if (options->input_count == 1 && options->sync) {
        console_error(console, "--sync: needs several INPUTs, there is only '%s'", options->input);
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

/* The name of the option that selects the action, such as "list-formats". */
static const char *action_name(enum action action)
{
    const struct option_row *row = option_rows;
    while (row->kind != OPTION_ACTION || row->min != (uint64_t)action)
        row++;
    return row->name;
}

/* The INPUT of --list-formats or --list-controls. */
static int camera_operand(struct options *options, int argc, char **argv, struct console *console)
{
    const char *list = action_name(options->action);
    if (argc == 0)
        console_error(console, "--%s: a camera is missing, such as /dev/video0", list);
    else if (argc > 1)
        console_error(console, "--%s: '%s' is a second INPUT; only one camera is possible", list,
                      argv[1]);
    else if (!input_is_camera(argv[0]))
        console_error(console, "%s: the INPUT of --%s must be a camera (/dev/videoN)", argv[0],
                      list);
    else
        options->input = argv[0];
    return options->input != NULL ? 0 : ZCAPP_USAGE;
}

/* Only --list-devices has a JSON form. */
static int check_list(const struct options *options, struct console *console)
{
    const enum action action = options->action;
    if (options->json == NULL || (action != ACTION_LIST_FORMATS && action != ACTION_LIST_CONTROLS &&
                                  action != ACTION_LIST_STAGES))
        return 0;
    console_error(console, "--json: not with --%s", action_name(action));
    return ZCAPP_USAGE;
}

static int operands(struct options *options, int argc, char **argv, struct console *console)
{
    if (options->action == ACTION_LIST_CONTROLS ||
        (options->action == ACTION_LIST_FORMATS && argc > 0))
        return camera_operand(options, argc, argv, console);
    if (options->action == ACTION_RUN && argc > 0 && strcmp(argv[0], "doctor") == 0) {
        options->action = ACTION_DOCTOR;
        argc--;
        argv++;
    }
    if (options->action == ACTION_DOCTOR && argc == 0)
        return 0;
    if (options->action == ACTION_HELP && argc > 0 && strcmp(argv[0], "doctor") == 0) {
        options->action = ACTION_DOCTOR_HELP;
        return 0;
    }
    if (options->action != ACTION_RUN && options->action != ACTION_DOCTOR) {
        if (argc == 0)
            return 0;
        console_error(console, "--%s: takes no INPUT, but there is '%s'",
                      action_name(options->action), argv[0]);
        return ZCAPP_USAGE;
    }
    if (argc < 1) {
        console_error(console,
                      "INPUT is missing: %sa file, a folder, a numbered series "
                      "(in-%%06u.raw), '-' or pattern:NAME (see zcapp --help)",
                      ZCAPP_CAMERAS ? "a camera (/dev/videoN), " : "");
        return ZCAPP_USAGE;
    }
    options->input = argv[0];
    if (strcmp(argv[0], "bench") == 0) {
        console_error(console, "bench must be the first word: zcapp bench [NAME...] [--json FILE] "
                               "(a file of that name: ./bench)");
        return ZCAPP_USAGE;
    }
    if (options->action == ACTION_DOCTOR && argc > 1) {
        console_error(console, "doctor: '%s' and '%s': only one INPUT is possible", argv[0],
                      argv[1]);
        return ZCAPP_USAGE;
    }
    options->inputs = argv;
    options->input_count = (unsigned)argc;
    if (argc == 1)
        options->frames = input_frame_limit(options);
    return check_inputs(options, console);
}

/* --- contradictions between options --- */

static int check_chains(const struct options *options, struct console *console)
{
    const int broadcast = options->dispatch == ZCS_DISPATCH_BROADCAST;
    if (options->chain_count > 1 && !broadcast)
        console_error(console,
                      "--stages is given %u times: several chains need --dispatch broadcast",
                      options->chain_count);
    else if (options->chain_count > 1 && options->target.to_stdout)
        console_error(console, "--output '-': standard output takes one chain, there are %u",
                      options->chain_count);
    else if (broadcast && options->sync)
        console_error(console, "--sync: not possible with --dispatch broadcast");
    else
        return 0;
    return ZCAPP_USAGE;
}

/* Refuses a limit that would have no effect: the disk would fill up. */
static int check_keep(const struct options *options, struct console *console)
{
    const struct output_target *target = &options->target;
    const char *why = NULL;
    if (options->retention.files == 0 && options->retention.bytes == 0)
        return 0;
    if (target->to_stdout || (target->kind == NULL && options->record == NULL))
        why = "there are no output files";
    else if (target->kind != NULL &&
             strchr(target->name.numbered ? target->name.tail : "", '/') != NULL)
        why = "the number must be in the name of the file, not of a folder";
    if (why != NULL)
        console_error(console, "--keep: %s", why);
    return why != NULL ? ZCAPP_USAGE : 0;
}

static int check_output(const struct options *options, struct console *console)
{
    const struct output_target *target = &options->target;
    const char *why = NULL;
    if (target->to_stdout && options->json != NULL && strcmp(options->json, "-") == 0)
        why = "--json also uses standard output";
    else if (target->to_stdout && isatty(STDOUT_FILENO))
        why = "standard output is a terminal; for example: zcapp -o - INPUT | ffplay -";
    if (why != NULL)
        console_error(console, "--output '%s': %s", target->text, why);
    return why != NULL ? ZCAPP_USAGE : check_keep(options, console);
}

int command_line_parse(struct options *options, int argc, char **argv, struct console *console)
{
    char why[256];
    *options = (struct options){.png_level = 1, .every = 1};
    if (output_parse(&options->target, DEFAULT_OUTPUT, why, sizeof why) != 0) {
        console_error(console, "%s", why);
        return ZCAPP_FAILED;
    }
    int status = parse_all(options, argc, argv, console);
    console->level = options->quiet         ? ZCS_LOG_ERROR
                     : options->verbose > 1 ? ZCS_LOG_DEBUG
                     : options->verbose     ? ZCS_LOG_INFO
                                            : ZCS_LOG_WARNING;
    if (status == 0)
        status = check_list(options, console);
    if (status == 0)
        status = operands(options, argc - optind, argv + optind, console);
    if (status == 0)
        status = check_chains(options, console);
    return status != 0 ? status : check_output(options, console);
}

void command_line_finish(struct options *options)
{
    output_finish(&options->target);
    output_finish(&options->latest);
}
