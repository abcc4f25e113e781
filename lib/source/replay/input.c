/* SPDX-License-Identifier: MIT */
/* The files of an input path: standard input, one file, a directory or a numbered series. */
#include "source/replay/input.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "source/replay/media.h"

/* Returns a copy to free, or NULL. */
static char *copy_text(const char *text)
{
    const size_t bytes = strlen(text) + 1;
    char *copy = malloc(bytes);
    return copy != NULL ? memcpy(copy, text, bytes) : NULL;
}

static int is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static size_t count_digits(const char *text)
{
    size_t count = 0;
    while (is_digit(text[count]))
        count++;
    return count;
}

static const char *skip_zeros(const char *text)
{
    while (*text == '0')
        text++;
    return text;
}

/* Compares the numbers at *a and *b, of any length, and moves both past them. */
static int compare_numbers(const char **a, const char **b)
{
    const char *x = skip_zeros(*a), *y = skip_zeros(*b);
    const size_t in_x = count_digits(x), in_y = count_digits(y);
    *a = x + in_x;
    *b = y + in_y;
    if (in_x != in_y)
        return in_x < in_y ? -1 : 1;
    return memcmp(x, y, in_x);
}

/* Like strcmp, but compares runs of digits by value: f2 before f10, and 1, 02, 003. Names that
 * differ only in leading zeros compare as with strcmp. */
static int compare_names(const char *a, const char *b)
{
    const char *x = a, *y = b;
    while (*x != '\0' && *y != '\0') {
        int order = 0;
        if (is_digit(*x) && is_digit(*y))
            order = compare_numbers(&x, &y);
        else
            order = (unsigned char)*x++ - (unsigned char)*y++;
        if (order != 0)
            return order;
    }
    if (*x != *y)
        return *x != '\0' ? 1 : -1;
    return strcmp(a, b);
}

#define NAME_LIMIT 255 /* bytes of a file name */

static void join(struct zci_input *input, const char *entry)
{
    snprintf(input->name, input->name_bytes, "%s/%s", input->path, entry);
}

static void dir_name(struct zci_input *input, uint64_t index)
{
    join(input, input->entries[index]);
}

static int is_wanted(struct zci_input *input, const char *entry)
{
    struct stat info;
    join(input, entry);
    return entry[0] != '.' && stat(input->name, &info) == 0 && S_ISREG(info.st_mode);
}

static zcs_status add_entry(struct zci_input *input, size_t *room, const char *entry)
{
    if (input->count == *room) {
        const size_t more = *room ? *room * 2 : 64;
        char **entries = realloc(input->entries, more * sizeof *entries);
        if (entries == NULL)
            return ZCS_ERR_NOMEM;
        input->entries = entries;
        *room = more;
    }
    input->entries[input->count] = copy_text(entry);
    if (input->entries[input->count] == NULL)
        return ZCS_ERR_NOMEM;
    input->count++;
    return ZCS_OK;
}

/* ZCS_ERR_IO: errno has the reason. */
static zcs_status read_entries(struct zci_input *input, DIR *dir)
{
    zcs_status status = ZCS_OK;
    size_t room = 0;
    while (status == ZCS_OK) {
        errno = 0;
        const struct dirent *entry = readdir(dir);
        if (entry == NULL)
            return errno == 0 ? ZCS_OK : ZCS_ERR_IO;
        if (is_wanted(input, entry->d_name))
            status = add_entry(input, &room, entry->d_name);
    }
    return status;
}

static int by_name(const void *a, const void *b)
{
    return compare_names(*(char *const *)a, *(char *const *)b);
}

/* The text behind the last dot; "" if there is none. */
static const char *extension_of(const char *name)
{
    const char *dot = strrchr(name, '.');
    return dot != NULL && dot != name ? dot + 1 : "";
}

/* Numbers are one extension: frame.0001, frame.0002. */
static int same_extension(const char *a, const char *b)
{
    const size_t in_a = count_digits(a), in_b = count_digits(b);
    const int numbers = in_a > 0 && in_b > 0 && a[in_a] == '\0' && b[in_b] == '\0';
    return numbers || strcasecmp(a, b) == 0;
}

/* Extensions of what stands beside frames: texts, tables and what file managers leave. */
static int is_side_extension(const char *extension)
{
    static const char *const known[] = {"db",  "ini",  "txt", "json", "csv", "log",
                                        "xml", "yaml", "yml", "md",   "html"};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (strcasecmp(extension, known[i]) == 0)
            return 1;
    return 0;
}

#define EXTENSIONS_LIMIT 64 /* different ones that are counted */

/* The most frequent extension, without side extensions. NULL: none, or not one alone. `*files`: how
 * many files have no side extension. */
static const char *majority_extension(const struct zci_input *input, uint64_t *files)
{
    struct {
        const char *text;
        uint64_t files;
    } found[EXTENSIONS_LIMIT];
    size_t count = 0, best = 0, ties = 0;
    *files = 0;
    for (uint64_t i = 0; i < input->count; i++) {
        const char *extension = extension_of(input->entries[i]);
        size_t at = 0;
        if (is_side_extension(extension))
            continue;
        ++*files;
        if (extension[0] == '\0')
            continue;
        while (at < count && !same_extension(found[at].text, extension))
            at++;
        if (at == EXTENSIONS_LIMIT)
            continue;
        if (at == count) {
            found[count].text = extension;
            found[count++].files = 0;
        }
        found[at].files++;
    }
    for (size_t at = 1; at < count; at++)
        best = found[at].files > found[best].files ? at : best;
    for (size_t at = 0; at < count; at++)
        ties += found[at].files == found[best].files;
    return ties == 1 ? found[best].text : NULL;
}

/* Whether the file states itself to be a type that can be replayed. */
static int states_frames(struct zci_input *input, uint64_t index)
{
    uint8_t data[ZCI_PROBE_BYTES];
    dir_name(input, index);
    const int fd = open(input->name, O_RDONLY | O_CLOEXEC);
    const ssize_t got = fd >= 0 ? read(fd, data, sizeof data) : 0;
    if (fd >= 0)
        close(fd);
    return got > 0 && zci_media_is_known(data, (size_t)got);
}

/* Leaves out files that can be no frames by extension and by content, and names them. A file
 * without an extension stays, and all files of a folder of side extensions only. */
static void leave_out_side_files(struct zci_input *input, const struct zci_log *log)
{
    char names[200] = "";
    uint64_t files, kept = 0;
    const char *majority = majority_extension(input, &files);
    char wanted[NAME_LIMIT + 1] = "";
    if (majority != NULL) /* its entry may be freed */
        snprintf(wanted, sizeof wanted, "%s", majority);
    for (uint64_t i = 0; files > 0 && i < input->count; i++) {
        char *entry = input->entries[i];
        const char *extension = extension_of(entry);
        const int differs =
            is_side_extension(extension) ||
            (majority != NULL && extension[0] != '\0' && !same_extension(extension, wanted));
        if (!differs || states_frames(input, i)) {
            input->entries[kept++] = entry;
            continue;
        }
        const size_t used = strlen(names);
        snprintf(names + used, sizeof names - used, "%s%s", used > 0 ? ", " : "", entry);
        free(entry);
    }
    if (files == 0 || kept == input->count)
        return;
    zci_log(log, ZCS_LOG_WARNING,
            "%s: %" PRIu64 " of %" PRIu64 " files are left out as no frames: %s%s", input->path,
            input->count - kept, input->count, names,
            strlen(names) == sizeof names - 1 ? " ..." : "");
    input->count = kept;
}

/* Lists the regular files of directory input->path, without hidden ones, sorted by name.
 * ZCS_ERR_FORMAT: there is none. Logged. */
static zcs_status dir_init(struct zci_input *input, const struct zci_log *log)
{
    input->name_bytes = strlen(input->path) + NAME_LIMIT + 2;
    input->name = malloc(input->name_bytes);
    if (input->name == NULL)
        return zci_fail(log, ZCS_ERR_NOMEM, "%s: no memory for its names", input->path);
    DIR *dir = opendir(input->path);
    if (dir == NULL)
        return zci_fail(log, ZCS_ERR_IO, "%s: %s", input->path, strerror(errno));
    const zcs_status status = read_entries(input, dir);
    if (status == ZCS_ERR_NOMEM)
        zci_fail(log, status, "%s: no memory for its names", input->path);
    else if (status != ZCS_OK)
        zci_fail(log, status, "%s: %s", input->path, strerror(errno));
    closedir(dir);
    if (status == ZCS_OK && input->count == 0)
        return zci_fail(log, ZCS_ERR_FORMAT, "%s: the directory has no files", input->path);
    if (input->count > 0)
        qsort(input->entries, input->count, sizeof *input->entries, by_name);
    if (status == ZCS_OK)
        leave_out_side_files(input, log);
    return status;
}

#define DIGITS_LIMIT 20 /* decimal digits of a 64-bit number */

static int is_series(const char *path)
{
    return strchr(path, '%') != NULL;
}

/* Parses [0]N and u or d after a percent sign. Returns the text after it; NULL: malformed. */
static const char *take_number(struct zci_input *input, const char *text)
{
    input->series_zeros = *text == '0';
    while (*text >= '0' && *text <= '9' && input->series_digits <= DIGITS_LIMIT)
        input->series_digits = input->series_digits * 10 + (*text++ - '0');
    const int fits = input->series_digits <= DIGITS_LIMIT && (*text == 'u' || *text == 'd');
    return fits ? text + 1 : NULL;
}

/* Splits the pattern at its number into input->series, and unescapes "%%". 0: it has not exactly
 * one number. */
static int split_series(struct zci_input *input)
{
    char *to = input->series;
    for (const char *from = input->path; *from;) {
        if (*from != '%') {
            *to++ = *from++;
        } else if (from[1] == '%') {
            *to++ = '%';
            from += 2;
        } else {
            from = input->series_tail == NULL ? take_number(input, from + 1) : NULL;
            if (from == NULL)
                return 0;
            *to++ = '\0';
            input->series_tail = to;
        }
    }
    *to = '\0';
    return input->series_tail != NULL;
}

static void series_name(struct zci_input *input, uint64_t index)
{
    const uint64_t number = input->series_first + index;
    snprintf(input->name, input->name_bytes,
             input->series_zeros ? "%s%0*" PRIu64 "%s" : "%s%*" PRIu64 "%s", input->series,
             input->series_digits, number, input->series_tail);
}

static int number_exists(struct zci_input *input, uint64_t index)
{
    struct stat info;
    series_name(input, index);
    return stat(input->name, &info) == 0;
}

/* Gets the number from a file name without its directory. 0: the name is not of this series. */
static int number_of(struct zci_input *input, const char *base, const char *file, uint64_t *number)
{
    const size_t head = strlen(base);
    if (strncmp(file, base, head) != 0)
        return 0;
    char *end = NULL;
    errno = 0;
    *number = strtoull(file + head, &end, 10);
    if (errno != 0 || end == file + head || strcmp(end, input->series_tail) != 0)
        return 0;
    series_name(input, *number - input->series_first);
    const char *slash = strrchr(input->name, '/');
    return strcmp(slash ? slash + 1 : input->name, file) == 0;
}

/* Writes the directory of the series to input->name. Returns the prefix of its file names. */
static const char *directory_of(struct zci_input *input)
{
    const char *slash = strrchr(input->series, '/');
    const size_t length = slash ? (size_t)(slash - input->series) + 1 : 0;
    snprintf(input->name, input->name_bytes, "%.*s", (int)length, length ? input->series : "");
    if (length == 0)
        snprintf(input->name, input->name_bytes, ".");
    return input->series + length;
}

/* Finds the lowest and the highest number. 0: no file of the series exists. */
static int find_range(struct zci_input *input, uint64_t *min, uint64_t *max)
{
    const char *base = directory_of(input);
    DIR *directory = opendir(input->name);
    if (directory == NULL)
        return 0;
    int found = 0;
    uint64_t number;
    for (const struct dirent *entry; (entry = readdir(directory)) != NULL;) {
        if (!number_of(input, base, entry->d_name, &number))
            continue;
        *min = !found || number < *min ? number : *min;
        *max = !found || number > *max ? number : *max;
        found = 1;
    }
    closedir(directory);
    return found;
}

/* Counts files up to the first gap. Warns if there are files after it. */
static void count_files(struct zci_input *input, uint64_t max, const struct zci_log *log)
{
    input->count = 1;
    while (number_exists(input, input->count))
        input->count++;
    if (input->series_first + input->count <= max)
        zci_log(log, ZCS_LOG_WARNING,
                "%s is missing: the series ends before it, though there are files up to %" PRIu64,
                input->name, max);
}

/* Parses a name like "frame-%06u.raw", and finds its first file and how many follow without a gap.
 * ZCS_ERR_FORMAT: malformed; ZCS_ERR_IO: no such file. Logged. */
static zcs_status series_init(struct zci_input *input, const struct zci_log *log)
{
    const size_t bytes = strlen(input->path) + 2;
    input->series = malloc(bytes);
    if (input->series == NULL)
        return zci_fail(log, ZCS_ERR_NOMEM, "%s: no memory for its name", input->path);
    if (!split_series(input) || strchr(input->series_tail, '/') != NULL)
        return zci_fail(log, ZCS_ERR_FORMAT,
                        "%s: a numbered name has exactly one %%u, %%d or %%0Nu, in the file's own "
                        "name, and %%%% for %%",
                        input->path);
    input->name_bytes = bytes + DIGITS_LIMIT;
    input->name = malloc(input->name_bytes);
    if (input->name == NULL)
        return zci_fail(log, ZCS_ERR_NOMEM, "%s: no memory for its name", input->path);
    uint64_t max = 0;
    if (!find_range(input, &input->series_first, &max))
        return zci_fail(log, ZCS_ERR_IO, "%s: no such file", input->path);
    count_files(input, max, log);
    return ZCS_OK;
}

static zcs_status init_stdin(struct zci_input *input, const struct zci_log *log)
{
    struct stat info;
    if (fstat(STDIN_FILENO, &info) != 0)
        return zci_fail(log, ZCS_ERR_IO, "%s: %s", input->path, strerror(errno));
    const int flags = fcntl(STDIN_FILENO, F_GETFL);
    if (flags >= 0 && (flags & O_ACCMODE) == O_WRONLY)
        return zci_fail(log, ZCS_ERR_IO, "%s: open for writing only", input->path);
    /* If standard input was closed, its descriptor may have become anything, such as an eventfd. */
    if (!S_ISREG(info.st_mode) && !S_ISFIFO(info.st_mode) && !S_ISSOCK(info.st_mode) &&
        !S_ISCHR(info.st_mode) && !S_ISBLK(info.st_mode))
        return zci_fail(log, ZCS_ERR_IO, "%s: not readable", input->path);
    input->is_stdin = 1;
    input->is_pipe = 1;
    input->count = 1;
    return ZCS_OK;
}

void zci_input_reopen_stdin(struct zci_input *input)
{
    struct stat info;
    if (input->is_stdin && fstat(STDIN_FILENO, &info) == 0 && S_ISREG(info.st_mode) &&
        lseek(STDIN_FILENO, 0, SEEK_CUR) == 0 && access(ZCI_STDIN_NAME, R_OK) == 0)
        input->is_pipe = 0;
}

static zcs_status init_named(struct zci_input *input, const struct zci_log *log)
{
    struct stat info;
    if (stat(input->path, &info) != 0)
        return is_series(input->path)
                   ? series_init(input, log)
                   : zci_fail(log, ZCS_ERR_IO, "%s: %s", input->path, strerror(errno));
    if (S_ISDIR(info.st_mode))
        return dir_init(input, log);
    input->is_pipe = !S_ISREG(info.st_mode);
    input->count = 1;
    return ZCS_OK;
}

zcs_status zci_input_init(struct zci_input *input, const char *path, const struct zci_log *log)
{
    const int is_stdin = strcmp(path, "-") == 0;
    *input = (struct zci_input){.path = copy_text(is_stdin ? "standard input" : path)};
    if (input->path == NULL)
        return zci_fail(log, ZCS_ERR_NOMEM, "%s: no memory for its name", path);
    return is_stdin ? init_stdin(input, log) : init_named(input, log);
}

void zci_input_finish(struct zci_input *input)
{
    for (uint64_t i = 0; input->entries != NULL && i < input->count; i++)
        free(input->entries[i]);
    free(input->entries);
    free(input->series);
    free(input->name);
    free(input->path);
    *input = (struct zci_input){0};
}

const char *zci_input_name(struct zci_input *input, uint64_t index)
{
    if (input->entries != NULL)
        dir_name(input, index);
    else if (input->series != NULL)
        series_name(input, index);
    else
        return input->path;
    return input->name;
}
