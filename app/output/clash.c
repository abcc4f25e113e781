/* SPDX-License-Identifier: MIT */
/* Which files a run reads and writes, compared by device and inode, or by folder and name. */
#define _XOPEN_SOURCE 700 /* realpath */
#include "app/output/clash.h"

#include <dirent.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "app/run/input.h"
#include "app/output/outname.h"
#include "app/run/part.h"
#include "app/cli/status.h"

#define MAX_OUTPUTS 5

/* A file that is written: by which option, under which name. */
struct written {
    const char *option, *path;
};

struct clash {
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

/* The folder that `path` is in, without links; NULL where there is none. For free(). */
static char *folder_of(const char *path)
{
    const size_t length = (size_t)(base_of(path) - path);
    char *folder = length > 0 ? strndup(path, length) : strdup(".");
    char *real = folder != NULL ? realpath(folder, NULL) : NULL;
    free(folder);
    return real;
}

/* Folders that are not there yet are made, and are the same where they are written alike. */
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

/* Devices such as /dev/null may be named as often as one likes. */
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

/* Whether `path` is one of the files that a numbered name makes. */
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

static int refuse(const struct clash *clash, const char *option, const char *path, const char *what)
{
    console_error(clash->console, "%s %s: that is %s", option, path, what);
    return ZCAPP_USAGE;
}

/* Whether `path` is a further part of `first`. */
static int is_part(const char *first, const char *path)
{
    struct part part;
    if (first == NULL || part_init(&part, first) != 0)
        return 0;
    const int is = is_numbered(&part.name, path);
    part_finish(&part);
    return is;
}

/* Parts of earlier runs go as new ones come. */
static int is_removed(const struct options *options, const char *path)
{
    const struct output_target *target = &options->target;
    if (options->keep.files == 0 && options->keep.bytes == 0)
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
static const char *standard_option(const struct options *options)
{
    if (options->target.to_stdout)
        return "--output";
    return options->json != NULL && strcmp(options->json, "-") == 0 ? "--json" : NULL;
}

/* `path` is a file that INPUT reads. */
static int check_read(const struct clash *clash, const char *path)
{
    const char *standard = standard_option(clash->options);
    if (standard != NULL && is_standard_output(path))
        return refuse(clash, standard, "-", "INPUT, as standard output is");
    for (unsigned i = 0; i < clash->count; i++)
        if (same_file(clash->written[i].path, path))
            return refuse(clash, clash->written[i].option, clash->written[i].path, "INPUT");
    const struct output_target *target = &clash->options->target;
    if (target->kind != NULL && is_numbered(&target->name, path)) {
        console_error(clash->console, "--output '%s': would write over %s, which is INPUT",
                      target->text, path);
        return ZCAPP_USAGE;
    }
    if (!is_removed(clash->options, path))
        return 0;
    console_error(clash->console, "--keep: would remove %s, which is INPUT", path);
    return ZCAPP_USAGE;
}

/* The files of a folder, all of them or those with a numbered name. */
static int check_folder(const struct clash *clash, const char *folder, const struct outname *name)
{
    DIR *dir = opendir(folder);
    int status = 0;
    if (dir == NULL)
        return 0; /* opening INPUT will say so */
    for (const struct dirent *entry; status == 0 && (entry = readdir(dir)) != NULL;) {
        char path[PATH_MAX];
        const int length = snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        struct stat there;
        if (length < 0 || (size_t)length >= sizeof path || stat(path, &there) != 0 ||
            !S_ISREG(there.st_mode))
            continue;
        if (name == NULL || is_numbered(name, path))
            status = check_read(clash, path);
    }
    closedir(dir);
    return status;
}

static int check_series(const struct clash *clash, const char *input)
{
    char why[128];
    struct outname name = {0};
    int status = 0;
    char *folder = folder_of(input);
    if (folder != NULL && outname_parse(&name, input, why, sizeof why) == 0 && name.numbered)
        status = check_folder(clash, folder, &name);
    outname_finish(&name);
    free(folder);
    return status;
}

static int check_input(const struct clash *clash)
{
    const char *input = clash->options->input;
    struct stat there;
    if (input_is_pattern(input) || input_is_camera(input))
        return 0;
    if (strcmp(input, "-") == 0)
        return check_read(clash, "/dev/stdin");
    if (stat(input, &there) != 0)
        return check_series(clash, input);
    return S_ISDIR(there.st_mode) ? check_folder(clash, input, NULL) : check_read(clash, input);
}

static void add(struct clash *clash, const char *option, const char *path)
{
    if (path != NULL && strcmp(path, "-") != 0)
        clash->written[clash->count++] = (struct written){option, path};
}

static int check_outputs(const struct clash *clash)
{
    const struct output_target *target = &clash->options->target;
    for (unsigned i = 0; i < clash->count; i++) {
        const struct written *one = &clash->written[i];
        if (target->kind != NULL && is_numbered(&target->name, one->path)) {
            console_error(clash->console, "%s %s: is one of the files of --output '%s'",
                          one->option, one->path, target->text);
            return ZCAPP_USAGE;
        }
        for (unsigned k = 0; k < i; k++)
            if (same_file(one->path, clash->written[k].path)) {
                console_error(clash->console, "%s %s: %s writes there as well", one->option,
                              one->path, clash->written[k].option);
                return ZCAPP_USAGE;
            }
    }
    return 0;
}

int clash_check(const struct options *options, struct console *console)
{
    struct clash clash = {.options = options, .console = console};
    const struct output_target *target = &options->target;
    if (options->record != NULL && strcmp(options->record, "-") == 0) {
        console_error(console, "--record -: a recording is a file; standard output takes -o -");
        return ZCAPP_USAGE;
    }
    if (target->kind != NULL && !target->name.numbered)
        add(&clash, "--output", target->text);
    if (options->latest.kind != NULL)
        add(&clash, "--latest", options->latest.text);
    add(&clash, "--record", options->record);
    add(&clash, "--json", options->json);
    add(&clash, "--route-cache", options->route_cache);
    const int status = check_outputs(&clash);
    return status != 0 ? status : check_input(&clash);
}
