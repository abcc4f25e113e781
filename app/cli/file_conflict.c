/* SPDX-License-Identifier: MIT */
/* Refuses a run that would destroy files: outputs that overwrite INPUT or each other. */
#define _XOPEN_SOURCE 700 /* realpath */
#include "app/cli/file_conflict.h"

#include <dirent.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "app/cli/status.h"
#include "app/output/outname.h"
#include "app/run/input.h"

#define MAX_OUTPUTS 5

/* A file that the run writes, and the option that names it. */
struct written {
    const char *option, *path;
};

struct check {
    const struct options *options;
    struct console *console;
    struct written written[MAX_OUTPUTS];
    unsigned count;
};

static const char *base_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash != NULL ? slash + 1 : path;
}

/* The folder of `path` with all links resolved, for free(); NULL: no such folder. */
static char *folder_of(const char *path)
{
    const size_t length = (size_t)(base_of(path) - path);
    char *folder = length > 0 ? strndup(path, length) : strdup(".");
    char *real = folder != NULL ? realpath(folder, NULL) : NULL;
    free(folder);
    return real;
}

/* Folders that do not exist yet will be created; they are the same if their names are. */
static int same_folder(const char *a, const char *b)
{
    char *first = folder_of(a), *second = folder_of(b);
    const size_t length = (size_t)(base_of(a) - a);
    const int alike = length == (size_t)(base_of(b) - b) && memcmp(a, b, length) == 0;
    const int same =
        first != NULL && second != NULL ? strcmp(first, second) == 0 : first == second && alike;
    free(first);
    free(second);
    return same;
}

/* Files are compared by device and inode; if one does not exist yet, by folder and name. A device
 * such as /dev/null may be named several times. */
static int same_file(const char *a, const char *b)
{
    struct stat first, second;
    const int have_first = stat(a, &first) == 0, have_second = stat(b, &second) == 0;
    if ((have_first && !S_ISREG(first.st_mode)) || (have_second && !S_ISREG(second.st_mode)))
        return 0;
    if (have_first && have_second)
        return first.st_dev == second.st_dev && first.st_ino == second.st_ino;
    return strcmp(base_of(a), base_of(b)) == 0 && same_folder(a, b);
}

/* True if `path` is one of the files of a numbered name. */
static int is_numbered(const struct outname *name, const char *path)
{
    uint64_t number = 0;
    if (outname_number(name, base_of(path), &number) != 0)
        return 0;
    char *made = outname_make(name, number);
    const int is = made != NULL && same_folder(made, path);
    free(made);
    return is;
}

static int refuse(const struct check *check, const char *option, const char *path, const char *what)
{
    console_error(check->console, "%s %s: that is %s", option, path, what);
    return ZCAPP_USAGE;
}

/* True if `path` is a later part of `first`. */
static int is_part(const char *first, const char *path)
{
    struct part part;
    if (first == NULL || part_init(&part, first) != 0)
        return 0;
    const int is = is_numbered(&part.name, path);
    part_finish(&part);
    return is;
}

/* True if --keep may delete `path` as a part of an earlier run. */
static int is_deleted(const struct options *options, const char *path)
{
    const struct output_target *target = &options->target;
    if (options->retention.files == 0 && options->retention.bytes == 0)
        return 0;
    char *first =
        output_is_series(target) && !target->to_stdout ? outname_make(&target->name, 0) : NULL;
    const int is = is_part(first, path) || is_part(options->record, path);
    free(first);
    return is;
}

static int is_standard_output(const char *path)
{
    struct stat out, there;
    return fstat(STDOUT_FILENO, &out) == 0 && S_ISREG(out.st_mode) && stat(path, &there) == 0 &&
           out.st_dev == there.st_dev && out.st_ino == there.st_ino;
}

/* The option that writes to standard output; NULL: none. */
static const char *stdout_option(const struct options *options)
{
    if (options->target.to_stdout)
        return "--output";
    return options->json != NULL && strcmp(options->json, "-") == 0 ? "--json" : NULL;
}

/* `path` is a file that INPUT reads: nothing may overwrite or delete it. */
static int check_read(const struct check *check, const char *path)
{
    const char *option = stdout_option(check->options);
    if (option != NULL && is_standard_output(path))
        return refuse(check, option, "-", "INPUT, because standard output is that file");
    for (unsigned i = 0; i < check->count; i++)
        if (same_file(check->written[i].path, path))
            return refuse(check, check->written[i].option, check->written[i].path, "INPUT");
    const struct output_target *target = &check->options->target;
    if (target->kind != NULL && is_numbered(&target->name, path)) {
        console_error(check->console, "--output '%s': would overwrite %s, which is INPUT",
                      target->text, path);
        return ZCAPP_USAGE;
    }
    if (!is_deleted(check->options, path))
        return 0;
    console_error(check->console, "--keep: would delete %s, which is INPUT", path);
    return ZCAPP_USAGE;
}

/* Checks the files of a folder: all of them, or with `name` only those of the series. */
static int check_folder(const struct check *check, const char *folder, const struct outname *name)
{
    DIR *dir = opendir(folder);
    int status = 0;
    if (dir == NULL)
        return 0; /* opening INPUT will report it */
    for (const struct dirent *entry; status == 0 && (entry = readdir(dir)) != NULL;) {
        char path[PATH_MAX];
        const int length = snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        struct stat there;
        if (length < 0 || (size_t)length >= sizeof path || stat(path, &there) != 0 ||
            !S_ISREG(there.st_mode))
            continue;
        if (name == NULL || is_numbered(name, path))
            status = check_read(check, path);
    }
    closedir(dir);
    return status;
}

static int check_series(const struct check *check, const char *input)
{
    char why[128];
    struct outname name = {0};
    int status = 0;
    char *folder = folder_of(input);
    if (folder != NULL && outname_parse(&name, input, why, sizeof why) == 0 && name.numbered)
        status = check_folder(check, folder, &name);
    outname_finish(&name);
    free(folder);
    return status;
}

static int check_input(const struct check *check)
{
    const char *input = check->options->input;
    struct stat there;
    if (input_is_pattern(input) || input_is_camera(input))
        return 0;
    if (strcmp(input, "-") == 0)
        return check_read(check, "/dev/stdin");
    if (stat(input, &there) != 0)
        return check_series(check, input);
    return S_ISDIR(there.st_mode) ? check_folder(check, input, NULL) : check_read(check, input);
}

static void add(struct check *check, const char *option, const char *path)
{
    if (path != NULL && strcmp(path, "-") != 0)
        check->written[check->count++] = (struct written){option, path};
}

static int check_outputs(const struct check *check)
{
    const struct output_target *target = &check->options->target;
    for (unsigned i = 0; i < check->count; i++) {
        const struct written *one = &check->written[i];
        if (target->kind != NULL && is_numbered(&target->name, one->path)) {
            console_error(check->console, "%s %s: is also one of the files of --output '%s'",
                          one->option, one->path, target->text);
            return ZCAPP_USAGE;
        }
        for (unsigned k = 0; k < i; k++)
            if (same_file(one->path, check->written[k].path)) {
                console_error(check->console, "%s %s: %s writes to the same file", one->option,
                              one->path, check->written[k].option);
                return ZCAPP_USAGE;
            }
    }
    return 0;
}

int file_conflict_check(const struct options *options, struct console *console)
{
    struct check check = {.options = options, .console = console};
    const struct output_target *target = &options->target;
    if (options->record != NULL && strcmp(options->record, "-") == 0) {
        console_error(console,
                      "--record -: a recording must be a file; only -o writes to standard output");
        return ZCAPP_USAGE;
    }
    if (target->kind != NULL && !target->name.numbered)
        add(&check, "--output", target->text);
    if (options->latest.kind != NULL)
        add(&check, "--latest", options->latest.text);
    add(&check, "--record", options->record);
    add(&check, "--json", options->json);
    add(&check, "--route-cache", options->route_cache);
    const int status = check_outputs(&check);
    return status != 0 ? status : check_input(&check);
}
