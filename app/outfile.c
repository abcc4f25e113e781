/* SPDX-License-Identifier: MIT */
/* Files that appear whole or not at all: written beside their place, then renamed into it. */
#include "app/outfile.h"

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

/* "FOLDER/.NAME.PID.N.tmp", NAME cut so that the whole stays within what file systems allow. */
static int open_temporary(struct outfile *out)
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
        const int fd = open(out->temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (fd >= 0 || errno != EEXIST)
            return fd;
    }
    return -1;
}

static int open_beside(struct outfile *out)
{
    int fd = open_temporary(out);
    if (fd < 0 && errno == ENOENT) {
        free(out->temporary);
        make_folders(out->path);
        fd = open_temporary(out);
    }
    if (fd < 0) { /* not made by us: must not be removed by us */
        free(out->temporary);
        out->temporary = NULL;
    }
    return fd;
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

int outfile_commit(struct outfile *out)
{
    const int flushed = fflush(out->file);
    const int failed = ferror(out->file);
    const int saved = errno;
    const int closed = fclose(out->file);
    out->file = NULL;
    if (flushed != 0 || failed)
        errno = saved;
    if (flushed != 0 || failed || closed != 0 ||
        (out->temporary != NULL && rename(out->temporary, out->path) != 0)) {
        outfile_abandon(out);
        return -1;
    }
    free(out->temporary);
    out->temporary = NULL;
    return 0;
}

void outfile_keep(struct outfile *out, off_t bytes)
{
    const int saved = errno;
    fclose(out->file); /* may write what is cut off here */
    out->file = NULL;
    if (bytes > 0 && out->temporary != NULL && truncate(out->temporary, bytes) == 0 &&
        rename(out->temporary, out->path) == 0) {
        free(out->temporary);
        out->temporary = NULL;
    }
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
