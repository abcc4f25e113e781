/* SPDX-License-Identifier: MIT */
/* The recorder: writes the header, then records in order, and the index at the end. */
#define _DEFAULT_SOURCE /* writev, flock, realpath */
#include "zcstream/record.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#include "os/clock.h"
#include "core/color.h"
#include "core/zcr.h"
#include "context/context.h"

#define ENTRIES_AT_ONCE 64u
#define ATTEMPTS 100

struct zcs_recorder {
    struct zci_log log;
    char *path;
    int fd;
    int earlier;  /* the earlier file of that name, locked until it is replaced; -1: none */
    char *real;   /* with an earlier file: its path without links ... */
    char *beside; /* ... and the name of the new file until its first frame is written */
    int created;  /* 1: `path` did not exist before */
    pid_t owner;  /* the process that created it; a forked child shares the file offset */
    struct zcs_image image;
    uint64_t end; /* of the last complete record; the next one starts here. 0: no header yet */
    struct zci_zcr_record *records; /* for the index */
    size_t count, capacity;
    uint8_t *page;     /* the page of a record header, then a page of zeros for padding */
    zcs_status broken; /* the first failure, after which nothing is written; else ZCS_OK */
};

static zcs_status set_broken(zcs_recorder *r, zcs_status status)
{
    if (r->broken == ZCS_OK)
        r->broken = status;
    return status;
}

/* Writes all of `parts`, which it changes. 0: errno has the reason. */
static int write_all(int fd, struct iovec *parts, int count)
{
    while (count > 0) {
        ssize_t n = writev(fd, parts, count);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return 0;
        for (; count > 0 && (size_t)n >= parts->iov_len; parts++, count--)
            n -= (ssize_t)parts->iov_len;
        if (count > 0) {
            parts->iov_base = (uint8_t *)parts->iov_base + n;
            parts->iov_len -= (size_t)n;
        }
    }
    return 1;
}

/* Truncates the file after the last complete record. Keeps errno. */
static void truncate_file(const zcs_recorder *r)
{
    const int saved = errno;
    if (ftruncate(r->fd, (off_t)r->end) == 0)
        (void)lseek(r->fd, (off_t)r->end, SEEK_SET);
    errno = saved;
}

static zcs_status fail_write(zcs_recorder *r, const char *what)
{
    const int error = errno;
    truncate_file(r);
    return set_broken(r, zci_fail(&r->log, ZCS_ERR_IO, "%s: %s; %s after %zu frames", r->path,
                                  strerror(error), what, r->count));
}

static int same_color(const struct zcs_color *a, const struct zcs_color *b)
{
    return a->matrix == b->matrix && a->range == b->range && a->transfer == b->transfer &&
           a->gamma_milli == b->gamma_milli;
}

/* Planes that the format does not have may hold anything. */
static int same_planes(const struct zcs_image *a, const struct zcs_image *b)
{
    for (uint32_t p = 0; p < a->planes; p++)
        if (a->stride_bytes[p] != b->stride_bytes[p] || a->offset_bytes[p] != b->offset_bytes[p])
            return 0;
    return 1;
}

static int same_layout(const struct zcs_image *a, const struct zcs_image *b)
{
    return a->format == b->format && a->width == b->width && a->height == b->height &&
           a->planes == b->planes && a->size_bytes == b->size_bytes && a->bits == b->bits &&
           a->shift == b->shift && same_color(&a->color, &b->color) && same_planes(a, b);
}

static zcs_status check_frame(const zcs_recorder *r, const struct zcs_frame *frame)
{
    struct zcs_image have = frame->image;
    const struct zcs_image *want = &r->image;
    have.color = zci_color_resolve(have.format, have.color);
    if (frame->host == NULL)
        return zci_fail(&r->log, ZCS_ERR_ARG, "%s: frame %" PRIu64 " has no host address", r->path,
                        frame->sequence);
    if ((unsigned)frame->clock > ZCS_CLOCK_UNKNOWN)
        return zci_fail(&r->log, ZCS_ERR_ARG, "%s: clock %d of frame %" PRIu64 " does not exist",
                        r->path, (int)frame->clock, frame->sequence);
    if (same_layout(&have, want))
        return ZCS_OK;
    const struct zcs_pixfmt_info *info = zcs_pixfmt_info(have.format);
    return zci_fail(&r->log, ZCS_ERR_ARG,
                    "%s: frame %" PRIu64 " is %s %" PRIu32 "x%" PRIu32 " in %zu bytes, the "
                    "recording %s %" PRIu32 "x%" PRIu32 " in %zu, laid out alike",
                    r->path, frame->sequence, info != NULL ? info->name : "of no format",
                    have.width, have.height, have.size_bytes, zcs_pixfmt_info(want->format)->name,
                    want->width, want->height, want->size_bytes);
}

static zcs_status reserve_record(zcs_recorder *r)
{
    if (r->count < r->capacity)
        return ZCS_OK;
    const size_t capacity = r->capacity ? 2 * r->capacity : 256;
    struct zci_zcr_record *records = realloc(r->records, capacity * sizeof *records);
    if (records == NULL)
        return set_broken(r, zci_fail(&r->log, ZCS_ERR_NOMEM, "%s: no memory for its index of %zu",
                                      r->path, capacity));
    r->records = records;
    r->capacity = capacity;
    return ZCS_OK;
}

/* Gives the new file its name when its first frame is written. 0: errno has the reason. */
static int replace_earlier(zcs_recorder *r)
{
    if (r->beside == NULL)
        return 1;
    if (rename(r->beside, r->real) != 0)
        return 0;
    free(r->beside);
    r->beside = NULL;
    close(r->earlier);
    r->earlier = -1;
    return 1;
}

zcs_status zcs_recorder_write(zcs_recorder *recorder, const struct zcs_frame *frame)
{
    if (recorder == NULL || frame == NULL)
        return ZCS_ERR_ARG;
    zcs_recorder *r = recorder;
    if (getpid() != r->owner)
        return zci_fail(&r->log, ZCS_ERR_DEVICE,
                        "%s: a forked child cannot write its parent's recording", r->path);
    zcs_status status = r->broken != ZCS_OK ? r->broken : check_frame(r, frame);
    if (status == ZCS_OK)
        status = reserve_record(r);
    if (status != ZCS_OK)
        return status;
    const size_t bytes = r->image.size_bytes;
    const struct zci_zcr_record record = {.offset = r->end,
                                          .sequence = frame->sequence,
                                          .time_ns = frame->time_ns,
                                          .clock = frame->clock,
                                          .flags = frame->flags,
                                          .bytes = bytes};
    zci_zcr_put_record(r->page, &record);
    const size_t padding = (size_t)(zci_zcr_round_up(bytes) - bytes);
    struct iovec parts[] = {{r->page, ZCI_ZCR_PAGE},
                            {(void *)(uintptr_t)frame->host, bytes},
                            {r->page + ZCI_ZCR_PAGE, padding}};
    if (!write_all(r->fd, parts, padding ? 3 : 2) || !replace_earlier(r))
        return fail_write(r, "the recording ends");
    r->end += ZCI_ZCR_PAGE + bytes + padding;
    r->records[r->count++] = record;
    return ZCS_OK;
}

static int write_entries(zcs_recorder *r, uint32_t *crc)
{
    uint8_t entries[ENTRIES_AT_ONCE * ZCI_ZCR_ENTRY_BYTES];
    for (size_t i = 0; i < r->count;) {
        size_t bytes = 0;
        for (; i < r->count && bytes < sizeof entries; i++, bytes += ZCI_ZCR_ENTRY_BYTES)
            zci_zcr_put_entry(entries + bytes, &r->records[i]);
        *crc = zci_crc32(*crc, entries, bytes);
        struct iovec part = {entries, bytes};
        if (!write_all(r->fd, &part, 1))
            return 0;
    }
    return 1;
}

/* Without an index no frame is lost, but a reader has to scan for the records. */
static void write_index(zcs_recorder *r)
{
    uint8_t bytes[ZCI_ZCR_FOOTER_BYTES];
    struct zci_zcr_footer footer = {.index_offset = r->end, .count = r->count};
    int written = write_entries(r, &footer.entries_crc);
    zci_zcr_put_footer(bytes, &footer);
    struct iovec part = {bytes, sizeof bytes};
    written = written && write_all(r->fd, &part, 1);
    if (!written && r->broken == ZCS_OK)
        fail_write(r, "no index is written");
    else if (!written)
        truncate_file(r); /* the first failure was logged */
}

/* Removes a file without frames: one that has no header, or that would have replaced another. */
static void remove_unused(const zcs_recorder *r)
{
    if (r->beside != NULL)
        unlink(r->beside);
    else if (r->created && r->end == 0)
        unlink(r->path);
}

static void recorder_free(zcs_recorder *r)
{
    if (r->earlier >= 0)
        close(r->earlier);
    free(r->real);
    free(r->beside);
    free(r->records);
    free(r->page);
    free(r->path);
    free(r);
}

zcs_status zcs_recorder_finish(zcs_recorder **recorder)
{
    if (recorder == NULL || *recorder == NULL)
        return ZCS_OK;
    zcs_recorder *r = *recorder;
    *recorder = NULL;
    if (getpid() == r->owner) {
        if (r->end > 0 && r->beside == NULL)
            write_index(r);
        remove_unused(r);
        if (r->fd >= 0)
            (void)flock(r->fd, LOCK_UN); /* a forked child may still have the file open */
    }
    if (r->fd >= 0 && close(r->fd) != 0 && r->broken == ZCS_OK)
        set_broken(r, zci_fail(&r->log, ZCS_ERR_IO, "%s: %s", r->path, strerror(errno)));
    const zcs_status status = r->broken;
    recorder_free(r);
    return status;
}

static uint32_t text_bytes(const char *text)
{
    const size_t bytes = text != NULL ? strlen(text) : 0;
    return bytes < ZCI_ZCR_TEXT_LIMIT ? (uint32_t)bytes : ZCI_ZCR_TEXT_LIMIT + 1;
}

static int64_t realtime_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_REALTIME, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static zcs_status write_header(zcs_recorder *r, const struct zcs_recorder_params *params)
{
    const struct zci_zcr_header header = {.image = r->image,
                                          .fps_num = params->fps_num,
                                          .fps_den = params->fps_den,
                                          .realtime_ns = realtime_ns(),
                                          .monotonic_ns = zci_now_ns(),
                                          .source_bytes = text_bytes(params->source),
                                          .text_bytes = text_bytes(params->text)};
    if (header.source_bytes > ZCI_ZCR_TEXT_LIMIT || header.text_bytes > ZCI_ZCR_TEXT_LIMIT)
        return zci_fail(&r->log, ZCS_ERR_ARG, "%s: a text of more than %u bytes", r->path,
                        ZCI_ZCR_TEXT_LIMIT);
    const size_t bytes = zci_zcr_header_bytes(&header);
    uint8_t *data = malloc(bytes);
    if (data == NULL)
        return zci_fail(&r->log, ZCS_ERR_NOMEM, "%s: no memory for its header", r->path);
    zci_zcr_put_header(data, &header, params->source, params->text);
    struct iovec part = {data, bytes};
    const int written = write_all(r->fd, &part, 1);
    free(data);
    if (!written)
        return fail_write(r, "no header is written");
    r->end = bytes;
    return ZCS_OK;
}

/* --- the file --- */

/* Reserves the file for this recorder. 0: another one has it. A file system without locks reserves
 * nothing. */
static int lock_file(int fd)
{
    return flock(fd, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK;
}

static zcs_status fail_open(const zcs_recorder *r)
{
    return zci_fail(&r->log, ZCS_ERR_IO, "%s: %s", r->path, strerror(errno));
}

static zcs_status fail_lock(const zcs_recorder *r)
{
    return zci_fail(&r->log, ZCS_ERR_IO, "%s: is being recorded by another recorder", r->path);
}

/* True if `path` still leads to the file of `there`. */
static int is_same_file(const char *path, const struct stat *there)
{
    struct stat now;
    return stat(path, &now) == 0 && now.st_dev == there->st_dev && now.st_ino == there->st_ino;
}

/* Creates "FOLDER/.NAME.PID.N.tmp" beside r->real. NAME is truncated to the length limit of file
 * systems. Returns the descriptor, or -1. */
static int create_beside(zcs_recorder *r)
{
    const char *slash = strrchr(r->real, '/'); /* the path is absolute */
    const size_t bytes = strlen(r->real) + 64;
    int fd = -1;
    r->beside = malloc(bytes);
    for (int i = 0; r->beside != NULL && i < ATTEMPTS; i++) {
        snprintf(r->beside, bytes, "%.*s/.%.200s.%ld.%d.tmp", (int)(slash - r->real), r->real,
                 slash + 1, (long)r->owner, i);
        fd = open(r->beside, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (fd >= 0 || errno != EEXIST)
            break;
    }
    if (fd < 0) {
        free(r->beside);
        r->beside = NULL;
    }
    return fd;
}

/* The path has an earlier file, r->earlier: it stays until the first frame of the new one is
 * written. An empty file, and one in a folder that refuses new files, is written in place. */
static zcs_status open_beside(zcs_recorder *r, const struct stat *there)
{
    if (there->st_size > 0) {
        r->real = malloc(PATH_MAX);
        if (r->real != NULL && realpath(r->path, r->real) != NULL)
            r->fd = create_beside(r);
    }
    if (r->fd >= 0) {
        (void)fchmod(r->fd, there->st_mode & 0777);
        return lock_file(r->fd) ? ZCS_OK : fail_lock(r);
    }
    if (there->st_size > 0 && errno != EACCES && errno != EPERM)
        return fail_open(r);
    r->fd = r->earlier;
    r->earlier = -1;
    return ftruncate(r->fd, 0) == 0 ? ZCS_OK : fail_open(r);
}

/* Opens a path that exists. ZCS_AGAIN: it was replaced meanwhile. */
static zcs_status open_existing(zcs_recorder *r)
{
    struct stat there;
    const int fd = open(r->path, O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
    if (fd < 0)
        return fail_open(r);
    r->fd = fd;
    if (fstat(fd, &there) != 0)
        return fail_open(r);
    if (!S_ISREG(there.st_mode)) /* a device or a pipe is written as it is */
        return ZCS_OK;
    if (!lock_file(fd))
        return fail_lock(r);
    r->fd = -1;
    if (!is_same_file(r->path, &there)) {
        close(fd);
        return ZCS_AGAIN;
    }
    r->earlier = fd;
    return open_beside(r, &there);
}

static zcs_status open_file(zcs_recorder *r)
{
    zcs_status status = ZCS_AGAIN;
    for (int i = 0; i < ATTEMPTS && status == ZCS_AGAIN; i++) {
        r->fd = open(r->path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (r->fd >= 0) {
            const int locked = lock_file(r->fd);
            r->created = locked;
            return locked ? ZCS_OK : fail_lock(r);
        }
        status = errno == EEXIST ? open_existing(r) : fail_open(r);
    }
    return status == ZCS_AGAIN ? fail_lock(r) : status;
}

static zcs_status set_up(zcs_recorder *r, const struct zcs_recorder_params *params)
{
    const size_t path_bytes = strlen(params->path) + 1;
    r->path = malloc(path_bytes);
    r->page = calloc(2, ZCI_ZCR_PAGE);
    if (r->path == NULL || r->page == NULL)
        return zci_fail(&r->log, ZCS_ERR_NOMEM, "%s: no memory for a recording", params->path);
    memcpy(r->path, params->path, path_bytes);
    r->image = params->image;
    if (zci_color_in_range(&r->image.color))
        r->image.color = zci_color_resolve(r->image.format, r->image.color);
    const char *wrong = zci_zcr_layout(&r->image, &r->image);
    if (wrong != NULL)
        return zci_fail(&r->log, ZCS_ERR_ARG, "%s: cannot be recorded: %s", r->path, wrong);
    if ((params->fps_num == 0) != (params->fps_den == 0))
        return zci_fail(&r->log, ZCS_ERR_ARG,
                        "%s: %" PRIu32 "/%" PRIu32 " frames a second is no "
                        "rate",
                        r->path, params->fps_num, params->fps_den);
    const zcs_status status = open_file(r);
    return status == ZCS_OK ? write_header(r, params) : status;
}

zcs_status zcs_recorder_create(zcs_context *ctx, const struct zcs_recorder_params *params,
                               zcs_recorder **out)
{
    if (ctx == NULL)
        return ZCS_ERR_ARG;
    if (params == NULL || params->path == NULL || out == NULL)
        return zci_fail(&ctx->log, ZCS_ERR_ARG, "a recording: %s is NULL",
                        params == NULL         ? "params"
                        : params->path == NULL ? "params->path"
                                               : "out");
    zcs_recorder *r = calloc(1, sizeof *r);
    if (r == NULL)
        return zci_fail(&ctx->log, ZCS_ERR_NOMEM, "%s: no memory for a recording", params->path);
    r->log = ctx->log;
    r->fd = r->earlier = -1;
    r->owner = getpid();
    r->broken = set_up(r, params);
    if (r->broken != ZCS_OK)
        return zcs_recorder_finish(&r);
    *out = r;
    return ZCS_OK;
}
