/* SPDX-License-Identifier: MIT */
/* The command line. One table of options serves --help and the parser. */
#include "app/cli/options.h"

#include <getopt.h>
#include <inttypes.h>
#include <string.h>
#include <unistd.h>

#include "app/cli/chains.h"
#include "app/run/input.h"
#include "app/run/inputs.h"
#include "app/cli/number.h"
#include "app/cli/option_match.h"
#include "app/cli/option_table.h"
#include "app/cli/status.h"

#define MAX_ROWS 64
#define LONG_BASE 256 /* getopt's value of row i is LONG_BASE + i */
#define HELP_COLUMN 30
#define DEFAULT_OUTPUT "frames/frame-%06u.png"
#define DRAWN_FRAMES 100 /* patterns have no end of their own */

/* getopt's own forms of the table. */
struct spelling {
    struct option longs[MAX_ROWS + 1];
    char shorts[2 * MAX_ROWS + 2];
};

static void spell(struct spelling *out)
{
    memset(out, 0, sizeof *out);
    struct option *next = out->longs;
    char *letter = out->shorts;
    *letter++ = ':'; /* tells a missing value from an unknown option */
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

/* The place of `text` among "a|b|c", -1 if it is none of them. */
static int place_of(const char *words, const char *text)
{
    const size_t length = strlen(text);
    for (int place = 0;; place++) {
        const size_t word = strcspn(words, "|");
        if (word == length && strncmp(words, text, word) == 0)
            return place;
        if (words[word] == '\0')
            return -1;
        words += word + 1;
    }
}

static int apply(const struct option_row *row, struct options *options, const char *text, char *why,
                 size_t why_bytes)
{
    void *field = (char *)options + row->at;
    int place;
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
        if (number_parse(text, row->min, row->max, field) == 0)
            return 0;
        snprintf(why, why_bytes, "not a whole number from %" PRIu64 " to %" PRIu64, row->min,
                 row->max);
        return -1;
    case OPTION_CHOICE:
        place = place_of(row->arg, text);
        if (place >= 0)
            *(uint64_t *)field = (uint64_t)place;
        else
            snprintf(why, why_bytes, "not one of %s", row->arg);
        return place >= 0 ? 0 : -1;
    case OPTION_HEADING:
        break;
    }
    return -1;
}

/* "'TEXT': ...": a part of the value is at fault, and it is all of it. */
static int quotes_all(const char *why, const char *text)
{
    const size_t bytes = strlen(text);
    return why[0] == '\'' && strncmp(why + 1, text, bytes) == 0 && why[bytes + 1] == '\'';
}

/* As it was given: -n or --frames. */
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

/* Of getopt's `value`. */
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

/* getopt's ':' and '?'. */
static int refuse_spelling(int value, char **argv, struct console *console)
{
    const struct option_row *row = row_of(optopt);
    char match[512];
    if (row != NULL && value == ':')
        console_error(console, "%s: a value is missing (%s)", given_as(optopt).text, row->arg);
    else if (row != NULL)
        console_error(console, "%s: takes no value", given_as(optopt).text);
    else if (optopt != 0)
        console_error(console, "-%c: no such option (see zcapp --help)", optopt);
    else {
        option_match(argv[optind - 1], match, sizeof match);
        console_error(console, "%s: %s", argv[optind - 1], match);
    }
    return ZCAPP_USAGE;
}

static int parse_all(struct options *options, int argc, char **argv, struct console *console)
{
    struct spelling spelling;
    spell(&spelling);
    opterr = 0;
    for (;;) {
        const int value = getopt_long(argc, argv, spelling.shorts, spelling.longs, NULL);
        char why[1024] = "";
        if (value < 0)
            return 0;
        if (value == ':' || value == '?')
            return refuse_spelling(value, argv, console);
        const struct option_row *row = row_of(value);
        if (apply(row, options, optarg, why, sizeof why) != 0)
            return refuse(value, optarg, why, console);
    }
}

/* Lists of one camera. */
static int device_operand(struct options *options, int argc, char **argv, struct console *console)
{
    const char *list =
        options->action == ACTION_LIST_CONTROLS ? "--list-controls" : "--list-formats";
    if (argc == 0)
        console_error(console, "%s: a camera is missing, such as /dev/video0", list);
    else if (argc > 1)
        console_error(console, "%s: '%s' is a second INPUT; one camera at a time", list, argv[1]);
    else if (!input_is_camera(argv[0]))
        console_error(console, "%s: an INPUT beside %s is a camera (/dev/videoN)", argv[0], list);
    else
        options->input = argv[0];
    return options->input != NULL ? 0 : ZCAPP_USAGE;
}

/* Lists that are for people only. */
static int check_list(const struct options *options, struct console *console)
{
    static const struct {
        int action;
        const char *name;
    } lists[] = {{ACTION_LIST_FORMATS, "formats"},
                 {ACTION_LIST_CONTROLS, "controls"},
                 {ACTION_LIST_STAGES, "stages"}};
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
        if ((int)options->action == lists[i].action && options->json != NULL) {
            console_error(console, "--json: not with --list-%s", lists[i].name);
            return ZCAPP_USAGE;
        }
    return 0;
}

static int operands(struct options *options, int argc, char **argv, struct console *console)
{
    if (options->action == ACTION_LIST_CONTROLS ||
        (options->action == ACTION_LIST_FORMATS && argc > 0))
        return device_operand(options, argc, argv, console);
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
        console_error(console, "%s: an INPUT beside --help, --version or a list", argv[0]);
        return ZCAPP_USAGE;
    }
    if (argc < 1) {
        console_error(console,
                      "INPUT is missing: %sa file, a directory, a numbered pattern "
                      "(in-%%06u.raw), '-' or pattern:NAME (see zcapp --help)",
                      ZCAPP_CAMERAS ? "a camera (/dev/videoN), " : "");
        return ZCAPP_USAGE;
    }
    options->input = argv[0];
    if (strcmp(argv[0], "bench") == 0) {
        console_error(console,
                      "bench comes before all options: zcapp bench [NAME...] [--json FILE] "
                      "(a file of that name: ./bench)");
        return ZCAPP_USAGE;
    }
    if (options->action == ACTION_DOCTOR && argc > 1) {
        console_error(console, "doctor: '%s' is a second one beside '%s'; one INPUT at a time",
                      argv[1], argv[0]);
        return ZCAPP_USAGE;
    }
    options->inputs = argv;
    options->input_count = (unsigned)argc;
    if (argc == 1)
        options->frames = options_frames(options, argv[0]);
    return inputs_check(options, console);
}

uint64_t options_frames(const struct options *options, const char *input)
{
    return input_is_pattern(input) && !options->frames_given ? DRAWN_FRAMES : options->frames;
}

/* Files that stay for ever where the limit was asked for would fill the disk. */
static int check_keep(const struct options *options, struct console *console)
{
    const struct output_target *target = &options->target;
    const char *why = NULL;
    if (options->keep.files == 0 && options->keep.bytes == 0)
        return 0;
    if (target->to_stdout || (target->kind == NULL && options->record == NULL))
        why = "there are no files to remove";
    else if (target->kind != NULL &&
             strchr(target->name.numbered ? target->name.tail : "", '/') != NULL)
        why = "the number must be in the files' names, not in a folder's";
    if (why != NULL)
        console_error(console, "--keep: %s", why);
    return why != NULL ? ZCAPP_USAGE : 0;
}

static int check_output(const struct options *options, struct console *console)
{
    const struct output_target *target = &options->target;
    const char *why = NULL;
    if (target->to_stdout && options->json != NULL && strcmp(options->json, "-") == 0)
        why = "--json has standard output";
    else if (target->to_stdout && isatty(STDOUT_FILENO))
        why = "standard output is a terminal; for example: zcapp -o - INPUT | ffplay -";
    if (why != NULL)
        console_error(console, "--output '%s': %s", target->text, why);
    return why != NULL ? ZCAPP_USAGE : check_keep(options, console);
}

int options_parse(struct options *options, int argc, char **argv, struct console *console)
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
        status = chains_check(options, console);
    return status != 0 ? status : check_output(options, console);
}

void options_finish(struct options *options)
{
    output_finish(&options->target);
    output_finish(&options->latest);
}

static void help_row(FILE *file, const struct option_row *row)
{
    char left[64];
    if (row->letter != 0)
        snprintf(left, sizeof left, "  -%c, --%s %s", row->letter, row->name,
                 row->arg != NULL ? row->arg : "");
    else
        snprintf(left, sizeof left, "      --%s %s", row->name, row->arg != NULL ? row->arg : "");
    const char *line = row->help;
    if (strlen(left) + 2 > HELP_COLUMN) {
        fprintf(file, "%s\n", left);
        left[0] = '\0';
    }
    for (;; line++) {
        const size_t bytes = strcspn(line, "\n");
        fprintf(file, "%-*s%.*s\n", HELP_COLUMN, left, (int)bytes, line);
        line += bytes;
        left[0] = '\0';
        if (*line == '\0')
            break;
    }
}

void options_help(FILE *file)
{
    fprintf(
        file,
        "usage: zcapp [OPTIONS] INPUT...\n"
        "       zcapp doctor [OPTIONS] [INPUT]        what is good here, what could be better, and "
        "why\n"
        "       zcapp bench [NAME...] [--json FILE]   what this machine does, measured\n"
        "Camera frames from INPUT, processed, as pictures or video.\n\n"
        "INPUT is %sa file of frames (a recording, Y4M,\n"
        "PGM, PPM, PNG, v4l2-ctl's, or raw ones back to back), a directory of such files (in\n"
        "the order of their names, numbers by value), a numbered pattern of them\n"
        "(in-%%06u.raw), '-' for standard input, or a drawn pattern:\n",
        ZCAPP_CAMERAS ? "a camera (/dev/videoN), " : "");
    for (const char *const *name = zcs_pattern_names(); *name != NULL; name++)
        fprintf(file, "pattern:%s%s", *name, name[1] != NULL ? ", " : ".\n");
    fputs("Of several INPUTs at once each has a folder for its files: -o out/%06u.png makes\n"
          "out/video0/000000.png and out/video2/000000.png. One that fails does not stop the\n"
          "others.\n",
          file);
    for (unsigned i = 0; i < option_row_count; i++)
        if (option_rows[i].kind == OPTION_HEADING)
            fprintf(file, "\n%s:\n", option_rows[i].help);
        else
            help_row(file, &option_rows[i]);
    if (!ZCAPP_CAMERAS)
        fputs("\nNot in this build: cameras (/dev/videoN).\n", file);
    fputs("\nExit status: 0 done, 1 failed while running, 2 usage, 3 a required path, backend or\n"
          "device was not to be had, or this build does not read such input. SIGINT and SIGTERM\n"
          "end with the frames in flight and status 0; a second one ends at once. SIGHUP, sent\n"
          "to a run without a terminal, begins another part of a single output file and of a\n"
          "recording: take-2.y4m; numbered files go on. A picture, and a single output file\n"
          "(.y4m, .ppm, .pgm, .raw), has its name only when it is whole.\n",
          file);
}
