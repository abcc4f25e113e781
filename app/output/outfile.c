/* SPDX-License-Identifier: MIT */
/* Files that appear complete or not at all: linked or renamed to their final name. */
#define _GNU_SOURCE /* O_TMPFILE */
#include "app/output/outfile.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define ATTEMPTS 100

/* Creates the folders of `path`. Opening the file reports any error. */
static void make_folders(const char *path)
{
    char *folder = strdup(path);
    if (folder == NULL)
        return;
    for (char *slash = strchr(folder + 1, '/'); slash != NULL; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        mkdir(folder, 0777);
        *slash = '/';
    }
    free(folder);
}

/* Gives a nameless file a name, by its link in /proc. */
static int link_nameless(int fd, const char *name)
{
    char self[64];
    snprintf(self, sizeof self, "/proc/self/fd/%d", fd);
    return linkat(AT_FDCWD, self, AT_FDCWD, name, AT_SYMLINK_FOLLOW);
}

static int open_folder(const char *path)
{
    const char *slash = strrchr(path, '/');
    char *folder = slash == NULL ? strdup(".") : strndup(path, (size_t)(slash - path) + 1);
    const int fd = folder != NULL ? open(folder, O_WRONLY | O_TMPFILE | O_CLOEXEC, 0666) : -1;
    free(folder);
    return fd;
}

/* Opens a file without a name, which disappears with the process, if the file system supports
 * it. */
static int open_nameless(struct outfile *out)
{
    if (access("/proc/self/fd", X_OK) != 0)
        return -1;
    int fd = open_folder(out->path);
    if (fd < 0 && errno == ENOENT) {
        make_folders(out->path);
        fd = open_folder(out->path);
    }
    out->nameless = fd >= 0;
    return fd;
}

/* Calls `make` with names "FOLDER/.NAME.PID.N.tmp" until one is unused; NAME is truncated to the
 * length limit of file systems. Returns the result of `make`, or -1. */
static int with_temporary(struct outfile *out, int (*make)(int fd, const char *name), int fd)
{
    const char *slash = strrchr(out->path, '/');
    const char *name = slash != NULL ? slash + 1 : out->path;
    const int folder_bytes = (int)(name - out->path);
    const size_t bytes = strlen(out->path) + 64;
    out->temporary = malloc(bytes);
    if (out->temporary == NULL)
        return -1;
    for (int i = 0; i < ATTEMPTS; i++) {
        snprintf(out->temporary, bytes, "%.*s.%.200s.%ld.%d.tmp", folder_bytes, out->path, name,
                 (long)getpid(), i);
        const int made = make(fd, out->temporary);
        if (made >= 0 || errno != EEXIST)
            return made;
    }
    return -1;
}

static int create(int fd, const char *name)
{
    (void)fd;
    return open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
}

/* Forgets a file that this process did not create, and so must not remove. */
static void forget_temporary(struct outfile *out)
{
    free(out->temporary);
    out->temporary = NULL;
}

static int open_beside(struct outfile *out)
{
    int fd = open_nameless(out);
    if (fd >= 0)
        return fd;
    fd = with_temporary(out, create, -1);
    if (fd < 0 && errno == ENOENT) {
        forget_temporary(out);
        make_folders(out->path);
        fd = with_temporary(out, create, -1);
    }
    if (fd < 0)
        forget_temporary(out);
    return fd;
}

/* Gives the file of `fd` its final name. A link cannot replace a file: if the name is taken, links
 * a temporary name and renames it. */
static int name_file(struct outfile *out, int fd)
{
    if (out->nameless) {
        if (link_nameless(fd, out->path) == 0)
            return 0;
        if (errno != EEXIST)
            return -1;
        if (with_temporary(out, link_nameless, fd) != 0) {
            forget_temporary(out);
            return -1;
        }
    }
    if (out->temporary != NULL && rename(out->temporary, out->path) != 0)
        return -1;
    forget_temporary(out);
    return 0;
}

int outfile_open(struct outfile *out, const char *path)
{
    struct stat there;
    *out = (struct outfile){.path = path};
    const int exists = stat(path, &there) == 0;
    if (exists && S_ISDIR(there.st_mode)) {
        errno = EISDIR;
        return -1;
    }
    const int in_place = exists && !S_ISREG(there.st_mode);
    const int fd = in_place ? open(path, O_WRONLY | O_CLOEXEC) : open_beside(out);
    if (fd < 0)
        return -1;
    out->file = fdopen(fd, "wb");
    if (out->file != NULL)
        return 0;
    close(fd);
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

/* Duplicates the descriptor, so that a nameless file survives fclose. -1: no need, or errno. */
static int keep_open(const struct outfile *out)
{
    return out->nameless ? fcntl(fileno(out->file), F_DUPFD_CLOEXEC, STDERR_FILENO + 1) : -1;
}

static void close_kept(int fd)
{
    if (fd >= 0)
        close(fd);
}

int outfile_commit(struct outfile *out)
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
    if (!bad && name_file(out, fd) != 0) {
        bad = 1;
        saved = errno;
    }
    if (bad)
        outfile_abandon(out);
    close_kept(fd);
    errno = saved;
    return bad ? -1 : 0;
}

void outfile_commit_prefix(struct outfile *out, off_t bytes)
{
    const int saved = errno;
    const int fd = keep_open(out);
    fclose(out->file); /* may still write; ftruncate removes that */
    out->file = NULL;
    if (bytes > 0 && (fd >= 0 ? ftruncate(fd, bytes) == 0
                              : out->temporary != NULL && truncate(out->temporary, bytes) == 0))
        name_file(out, fd);
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
        unlink(out->temporary);
    free(out->temporary);
    out->file = NULL;
    out->temporary = NULL;
    errno = saved;
}
