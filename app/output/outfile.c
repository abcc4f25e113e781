/* SPDX-License-Identifier: MIT */
/* Files that appear whole or not at all: linked or renamed into their place. */
#define _GNU_SOURCE /* O_TMPFILE */
#include "app/output/outfile.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define ATTEMPTS 100

/* Makes the folders of `path`; what is wrong with them shows when the file is opened. */
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

/* Names a file that has none; the kernel finds it by /proc. */
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

/* A file that vanishes with the process that writes it, where the file system has such. */
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

/* "FOLDER/.NAME.PID.N.tmp", NAME cut so that the whole stays within what file systems allow. `make`
 * is tried with such names until one is free; what it gave, or -1. */
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

/* Not made by us: must not be removed by us. */
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

/* Gives the file of `fd` its name. A link replaces nothing: where the name is taken, by another one
 * and a renaming. */
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

/* The file outlives its stream by this. -1: there is no need, or errno. */
static int hold(const struct outfile *out)
{
    return out->nameless ? fcntl(fileno(out->file), F_DUPFD_CLOEXEC, STDERR_FILENO + 1) : -1;
}

static void let_go(int fd)
{
    if (fd >= 0)
        close(fd);
}

int outfile_commit(struct outfile *out)
{
    int bad = fflush(out->file) != 0 || ferror(out->file);
    int saved = errno;
    const int fd = hold(out);
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
    let_go(fd);
    errno = saved;
    return bad ? -1 : 0;
}

void outfile_keep(struct outfile *out, off_t bytes)
{
    const int saved = errno;
    const int fd = hold(out);
    fclose(out->file); /* may write what is cut off here */
    out->file = NULL;
    if (bytes > 0 && (fd >= 0 ? ftruncate(fd, bytes) == 0
                              : out->temporary != NULL && truncate(out->temporary, bytes) == 0))
        name_file(out, fd);
    let_go(fd);
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
