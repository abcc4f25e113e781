/* SPDX-License-Identifier: MIT */
/* Files that appear complete or not at all: linked or renamed to their final name. */
#define _GNU_SOURCE /* O_TMPFILE, O_PATH */
#include "app/output/outfile.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "app/cli/signals.h"
#include "app/output/outname.h"

#define ATTEMPTS 100
#define READER_MS 10 /* how often a pipe without a reader is tried */

static const char *base_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash != NULL ? slash + 1 : path;
}

static int explain(char *why, size_t why_bytes)
{
    snprintf(why, why_bytes, "%s", strerror(errno));
    return -1;
}

/* --- folders --- */

static int make_folder(const char *folder)
{
    struct stat there;
    if (mkdir(folder, 0777) == 0)
        return 0;
    const int error = errno;
    if (stat(folder, &there) == 0 && S_ISDIR(there.st_mode))
        return 0;
    errno = error == EEXIST ? ENOTDIR : error;
    return -1;
}

int outfile_make_folders(const char *path, char *why, size_t why_bytes)
{
    char *folder = strdup(path);
    int result = folder != NULL ? 0 : explain(why, why_bytes);
    char *slash = folder != NULL && path[0] != '\0' ? strchr(folder + 1, '/') : NULL;
    for (; slash != NULL && result == 0; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        result = make_folder(folder);
        if (result != 0)
            snprintf(why, why_bytes, "the folder %s cannot be made: %s", folder, strerror(errno));
        *slash = '/';
    }
    free(folder);
    return result;
}

static int open_folder(const char *path)
{
    const size_t length = (size_t)(base_of(path) - path);
    char *folder = length > 0 ? strndup(path, length) : strdup(".");
    const int fd = folder != NULL ? open(folder, O_PATH | O_DIRECTORY | O_CLOEXEC) : -1;
    const int error = errno;
    free(folder);
    errno = error;
    return fd;
}

/* --- names --- */

/* Gives a nameless file a name, by its link in /proc. */
static int link_nameless(int fd, int folder, const char *name)
{
    char self[64];
    snprintf(self, sizeof self, "/proc/self/fd/%d", fd);
    return linkat(AT_FDCWD, self, folder, name, AT_SYMLINK_FOLLOW);
}

static int create(int fd, int folder, const char *name)
{
    (void)fd;
    return openat(folder, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
}

/* Forgets a file that this process did not create, and so must not remove. */
static void forget_temporary(struct outfile *out)
{
    free(out->temporary);
    out->temporary = NULL;
}

/* Calls `make` with names ".NAME.PID.N.tmp" until one is unused; NAME is truncated to the length
 * limit of file systems. Returns the result of `make`, or -1. */
static int with_temporary(struct outfile *out, int (*make)(int fd, int folder, const char *name),
                          int fd)
{
    const char *name = base_of(out->path);
    const size_t bytes = strlen(name) + 64;
    int made = -1;
    out->temporary = malloc(bytes);
    for (int i = 0; out->temporary != NULL && i < ATTEMPTS; i++) {
        snprintf(out->temporary, bytes, ".%.200s.%ld.%d.tmp", name, (long)getpid(), i);
        made = make(fd, out->folder, out->temporary);
        if (made >= 0 || errno != EEXIST)
            break;
    }
    if (made < 0) {
        const int error = errno;
        forget_temporary(out);
        errno = error;
    }
    return made;
}

/* Gives the file of `fd` its final name. A link cannot replace a file: if the name is taken, links
 * a temporary name and renames it. */
static int name_file(struct outfile *out, int fd)
{
    const char *name = base_of(out->path);
    if (out->nameless) {
        if (link_nameless(fd, out->folder, name) == 0)
            return 0;
        if (errno != EEXIST || with_temporary(out, link_nameless, fd) != 0)
            return -1;
    }
    if (renameat(out->folder, out->temporary, out->folder, name) != 0)
        return -1;
    forget_temporary(out);
    return 0;
}

/* --- another place --- */

static void tell_place(int folder, const char *name, char *why, size_t why_bytes)
{
    char self[64], place[PATH_MAX];
    snprintf(self, sizeof self, "/proc/self/fd/%d", folder);
    const ssize_t length = readlink(self, place, sizeof place - 1);
    place[length > 0 ? length : 0] = '\0';
    snprintf(why, why_bytes, "what was written is in %s%s%s", place, length > 0 ? "/" : "", name);
}

/* Gives the file a name that no other has, in `folder`. */
static int link_as(struct outfile *out, int fd, int folder, const char *name)
{
    if (out->temporary == NULL)
        return link_nameless(fd, folder, name);
    if (linkat(out->folder, out->temporary, folder, name, 0) != 0)
        return -1;
    unlinkat(out->folder, out->temporary, 0);
    forget_temporary(out);
    return 0;
}

/* Names the file NAME, NAME-2, ... in `folder`. 0, or -1 with errno. */
static int keep_in(struct outfile *out, int fd, int folder, char *why, size_t why_bytes)
{
    struct part part;
    int result = -1;
    if (folder < 0 || part_init(&part, base_of(out->path)) != 0)
        return -1;
    for (; part.number <= ATTEMPTS && result != 0; part.number++) {
        char *name = part_path(&part);
        result = name != NULL ? link_as(out, fd, folder, name) : -1;
        if (result == 0)
            tell_place(folder, name, why, why_bytes);
        free(name);
        if (result != 0 && errno != EEXIST)
            break;
    }
    part_finish(&part);
    return result;
}

/* The file cannot have its name: it gets another one in its folder; in the folder of that name, if
 * its own was removed; or in the current folder. 0, or -1. */
static int keep_elsewhere(struct outfile *out, int fd, char *why, size_t why_bytes)
{
    char reason[64];
    int result = keep_in(out, fd, out->folder, why, why_bytes);
    for (int i = 0; result != 0 && i < 2; i++) {
        if (i == 0)
            outfile_make_folders(out->path, reason, sizeof reason);
        const int folder = open_folder(i == 0 ? out->path : ".");
        result = keep_in(out, fd, folder, why, why_bytes);
        if (folder >= 0)
            close(folder);
    }
    return result;
}

/* True if the file of `fd` is not where `path` leads to. */
static int is_elsewhere(const struct outfile *out, int fd)
{
    struct stat file, there;
    return fd >= 0 && fstat(fd, &file) == 0 &&
           (stat(out->path, &there) != 0 || there.st_dev != file.st_dev ||
            there.st_ino != file.st_ino);
}

/* As outfile_commit, for a file whose content is complete. */
static int place_file(struct outfile *out, int fd, char *why, size_t why_bytes)
{
    char place[PATH_MAX + NAME_MAX + 64], reason[128];
    if (!out->beside)
        return 0;
    if (name_file(out, fd) == 0) {
        if ((out->flags & OUTFILE_SINGLE) == 0 || !is_elsewhere(out, fd))
            return 0;
        tell_place(out->folder, base_of(out->path), place, sizeof place);
        snprintf(why, why_bytes, "the folder was moved or removed; %s", place);
        return 1;
    }
    explain(reason, sizeof reason);
    snprintf(why, why_bytes, "%s", reason);
    if ((out->flags & OUTFILE_SINGLE) == 0 || keep_elsewhere(out, fd, place, sizeof place) != 0)
        return -1;
    if (!is_elsewhere(out, fd))
        return 0;
    snprintf(why, why_bytes, "%s; %s", reason, place);
    return 1;
}

/* --- opening --- */

/* Opens a file without a name, which disappears with the process, if the file system supports
 * it. */
static int open_nameless(struct outfile *out)
{
    if (access("/proc/self/fd", X_OK) != 0)
        return -1;
    const int fd = openat(out->folder, ".", O_WRONLY | O_TMPFILE | O_CLOEXEC, 0666);
    out->nameless = fd >= 0;
    return fd;
}

static int open_beside(struct outfile *out, char *why, size_t why_bytes)
{
    out->folder = open_folder(out->path);
    if (out->folder < 0 && (errno == ENOENT || errno == ENOTDIR)) {
        if (outfile_make_folders(out->path, why, why_bytes) != 0)
            return -1;
        out->folder = open_folder(out->path);
    }
    if (out->folder < 0)
        return explain(why, why_bytes);
    out->beside = 1;
    int fd = open_nameless(out);
    if (fd < 0)
        fd = with_temporary(out, create, -1);
    return fd >= 0 ? fd : explain(why, why_bytes);
}

/* Opens a pipe or a device. -1 with errno: EINTR after a request to end. */
static int open_in_place(const char *path)
{
    struct stat there;
    int fd = -1;
    while ((fd = open(path, O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)) < 0) {
        const int waits = errno == ENXIO && stat(path, &there) == 0 && S_ISFIFO(there.st_mode);
        if (waits && !signals_stop()) {
            poll(NULL, 0, READER_MS);
            continue;
        }
        errno = waits ? EINTR : errno;
        return -1;
    }
    const int mode = fcntl(fd, F_GETFL);
    if (mode >= 0 && fcntl(fd, F_SETFL, mode & ~O_NONBLOCK) == 0 && fstat(fd, &there) == 0 &&
        !S_ISREG(there.st_mode))
        return fd;
    close(fd);
    errno = EBUSY; /* it was replaced meanwhile */
    return -1;
}

int outfile_hold_pipe(const char *path, int *fd)
{
    struct stat there;
    const int is_pipe = stat(path, &there) == 0 && S_ISFIFO(there.st_mode);
    *fd = is_pipe ? open_in_place(path) : -1;
    return is_pipe && *fd < 0 ? -1 : 0;
}

/* What a file may not replace. */
static int is_refused(const struct outfile *out, const struct stat *there, char *why,
                      size_t why_bytes)
{
    const int device = S_ISCHR(there->st_mode) || S_ISBLK(there->st_mode);
    if (S_ISDIR(there->st_mode))
        snprintf(why, why_bytes, "%s", strerror(EISDIR));
    else if (device && (out->flags & OUTFILE_GENERATED) != 0)
        snprintf(why, why_bytes, "is a device");
    else
        return 0;
    return 1;
}

int outfile_open(struct outfile *out, const char *path, unsigned flags, char *why, size_t why_bytes)
{
    struct stat there;
    int fd = -1;
    *out = (struct outfile){.path = path, .flags = flags};
    const int generated = (flags & OUTFILE_GENERATED) != 0;
    const int exists = (generated ? lstat(path, &there) : stat(path, &there)) == 0;
    if (exists && is_refused(out, &there, why, why_bytes))
        return -1;
    if (exists && !generated && !S_ISREG(there.st_mode)) {
        fd = open_in_place(path);
        if (fd < 0)
            return explain(why, why_bytes);
    } else {
        fd = open_beside(out, why, why_bytes);
    }
    if (fd >= 0)
        out->file = fdopen(fd, "wb");
    if (out->file != NULL)
        return 0;
    if (fd >= 0) {
        explain(why, why_bytes);
        close(fd);
    }
    outfile_abandon(out);
    return -1;
}

int outfile_open_standard(struct outfile *out)
{
    *out = (struct outfile){0};
    const int mode = fcntl(STDOUT_FILENO, F_GETFL);
    if (mode >= 0 && (mode & O_ACCMODE) == O_RDONLY) /* it was closed: see main.c */
        errno = EBADF;
    const int fd = mode < 0 || (mode & O_ACCMODE) == O_RDONLY
                       ? -1
                       : fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
    if (fd < 0)
        return -1;
    out->file = fdopen(fd, "wb");
    if (out->file != NULL)
        return 0;
    close(fd);
    return -1;
}

/* --- closing --- */

/* Duplicates the descriptor, so that a nameless file survives fclose. -1: no need, or errno. */
static int keep_open(const struct outfile *out)
{
    return out->beside ? fcntl(fileno(out->file), F_DUPFD_CLOEXEC, STDERR_FILENO + 1) : -1;
}

static void close_kept(int fd)
{
    if (fd >= 0)
        close(fd);
}

int outfile_commit(struct outfile *out, char *why, size_t why_bytes)
{
    int bad = fflush(out->file) != 0 || ferror(out->file);
    int saved = errno;
    const int fd = keep_open(out);
    if (!bad && out->nameless && fd < 0) {
        bad = 1;
        saved = errno;
    }
    if (fclose(out->file) != 0 && !bad) {
        bad = 1;
        saved = errno;
    }
    out->file = NULL;
    errno = saved;
    const int result = bad ? explain(why, why_bytes) : place_file(out, fd, why, why_bytes);
    outfile_abandon(out);
    close_kept(fd);
    return result;
}

void outfile_commit_prefix(struct outfile *out, off_t bytes, char *why, size_t why_bytes)
{
    const int saved = errno;
    char place[PATH_MAX + NAME_MAX + 256] = "";
    const int fd = keep_open(out);
    fclose(out->file); /* may still write; ftruncate removes that */
    out->file = NULL;
    why[0] = '\0';
    if (bytes > 0 && fd >= 0 && ftruncate(fd, bytes) == 0 &&
        place_file(out, fd, place, sizeof place) == 1)
        snprintf(why, why_bytes, "%s", place);
    close_kept(fd);
    outfile_abandon(out);
    errno = saved;
}

void outfile_abandon(struct outfile *out)
{
    const int saved = errno;
    if (out->file != NULL)
        fclose(out->file);
    if (out->temporary != NULL)
        unlinkat(out->folder, out->temporary, 0);
    if (out->beside)
        close(out->folder);
    free(out->temporary);
    out->file = NULL;
    out->temporary = NULL;
    out->beside = 0;
    errno = saved;
}
