/* SPDX-License-Identifier: MIT */
/* Reading frames into slots: with O_DIRECT in whole blocks, or through the page cache. */
#define _GNU_SOURCE /* O_DIRECT */
#include "source/replay/reader.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "source/wait.h"

static const char reason_direct[] = "the disk writes into the slot";
static const char reason_unaligned[] =
    "the frames of the file do not start at multiples of 128 bytes";
static const char reason_headers[] = "frames have headers between them";
static const char reason_refused[] = "the file system does not support O_DIRECT";
static const char reason_failed[] = "reads with O_DIRECT failed";
static const char reason_pipe[] = "a pipe has no O_DIRECT";

static uint64_t round_down(uint64_t bytes)
{
    return bytes & ~(uint64_t)(ZCI_DIRECT_ALIGN - 1);
}

size_t zci_reader_slot_bytes(size_t frame_bytes)
{
    return (size_t)round_down(frame_bytes + ZCI_DIRECT_ALIGN - 1) + 2 * ZCI_DIRECT_ALIGN;
}

static zcs_status fail_errno(const struct zci_reader *reader)
{
    return zci_fail(reader->log, ZCS_ERR_IO, "%s: %s", reader->name, strerror(errno));
}

static int set_direct(int fd, int on)
{
    const int flags = fcntl(fd, F_GETFL);
    return flags < 0 ? -1 : fcntl(fd, F_SETFL, on ? flags | O_DIRECT : flags & ~O_DIRECT);
}

void zci_reader_choose_path(struct zci_reader *reader, uint64_t first, uint64_t step,
                            uint64_t count)
{
    const int aligned =
        first % ZCI_CACHE_LINE_BYTES == 0 && (step % ZCI_CACHE_LINE_BYTES == 0 || count < 2);
    reader->is_direct = aligned && set_direct(reader->fd, 1) == 0;
    reader->reason = reader->is_direct ? reason_direct
                     : aligned         ? reason_refused
                                       : reason_unaligned;
    if (!reader->is_direct)
        (void)posix_fadvise(reader->fd, 0, 0, POSIX_FADV_SEQUENTIAL);
}

/* Opening /dev/stdin makes an open file of our own, so that its offset and O_DIRECT do not affect
 * other users of descriptor 0. */
zcs_status zci_reader_open_file(struct zci_reader *reader, const char *name, int is_stdin)
{
    struct stat info;
    reader->name = name;
    reader->got_bytes = 0;
    reader->is_direct = 0;
    reader->reason = reason_headers;
    /* O_NONBLOCK: a pipe that took the place of a file must not block; it is refused below. */
    reader->fd = open(is_stdin ? ZCI_STDIN_NAME : name, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (reader->fd < 0 || fstat(reader->fd, &info) != 0)
        return fail_errno(reader);
    if (!S_ISREG(info.st_mode))
        return zci_fail(reader->log, ZCS_ERR_IO, "%s: no longer a regular file", name);
    reader->size_bytes = (uint64_t)info.st_size;
    return ZCS_OK;
}

zcs_status zci_reader_open_pipe(struct zci_reader *reader, const char *name, int is_stdin)
{
    reader->name = name;
    reader->got_bytes = 0;
    reader->is_pipe = 1;
    reader->is_stdin = is_stdin;
    reader->is_direct = 0;
    reader->reason = reason_pipe;
    /* O_NONBLOCK: opening does not wait for a writer; reading polls first. */
    reader->fd = is_stdin ? STDIN_FILENO : open(name, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    return reader->fd < 0 ? fail_errno(reader) : ZCS_OK;
}

void zci_reader_close(struct zci_reader *reader)
{
    if (reader->fd >= 0 && !reader->is_stdin)
        close(reader->fd);
    reader->fd = -1;
}

int zci_reader_is_empty(const struct zci_reader *reader)
{
    return (reader->is_pipe ? reader->ahead_bytes : reader->size_bytes) == 0;
}

/* Reads until `peeked` has `want` bytes, or the pipe ends. */
static zcs_status peek_pipe(struct zci_reader *reader, size_t want, int64_t deadline_ns)
{
    memmove(reader->peeked, reader->peeked + reader->ahead, reader->ahead_bytes);
    reader->ahead = 0;
    while (reader->ahead_bytes < want) {
        const zcs_status status = zci_wait_readable(reader->fd, deadline_ns);
        if (status != ZCS_OK)
            return status == ZCS_ERR_IO ? fail_errno(reader) : status;
        const ssize_t n = read(reader->fd, reader->peeked + reader->ahead_bytes,
                               sizeof reader->peeked - reader->ahead_bytes);
        if (n < 0 && errno == EAGAIN)
            continue;
        if (n <= 0)
            return n == 0 ? ZCS_OK : errno == EINTR ? ZCS_AGAIN : fail_errno(reader);
        reader->ahead_bytes += (size_t)n;
    }
    return ZCS_OK;
}

static zcs_status peek_file(struct zci_reader *reader, uint64_t offset, size_t want, size_t *bytes)
{
    size_t got = 0;
    while (got < want) {
        const ssize_t n =
            pread(reader->fd, reader->peeked + got, want - got, (off_t)(offset + got));
        if (n == 0)
            break;
        if (n < 0 && errno != EINTR)
            return fail_errno(reader);
        got += n > 0 ? (size_t)n : 0;
    }
    *bytes = got;
    return ZCS_OK;
}

zcs_status zci_reader_peek(struct zci_reader *reader, uint64_t offset, size_t want,
                           int64_t deadline_ns, const uint8_t **data, size_t *bytes)
{
    const zcs_status status = reader->is_pipe ? peek_pipe(reader, want, deadline_ns)
                                              : peek_file(reader, offset, want, bytes);
    if (reader->is_pipe)
        *bytes = reader->ahead_bytes;
    *data = reader->peeked;
    return status;
}

void zci_reader_take(struct zci_reader *reader, size_t bytes)
{
    reader->ahead += bytes;
    reader->ahead_bytes -= bytes;
}

/* Regular files and some devices are always ready, and epoll refuses them. */
int zci_reader_poll_fd(const struct zci_reader *reader)
{
    struct stat info;
    if (!reader->is_pipe || fstat(reader->fd, &info) != 0)
        return -1;
    const int waits = S_ISFIFO(info.st_mode) || S_ISSOCK(info.st_mode) || isatty(reader->fd);
    return waits ? reader->fd : -1;
}

static void complete(const struct zci_reader *reader, struct zci_slot *slot, size_t begin,
                     size_t bytes)
{
    struct zcs_frame *frame = &slot->frame;
    frame->device_data = (uint8_t *)slot->memory.host + begin;
    frame->host = frame->device_data;
    frame->path = reader->is_direct ? ZCS_PATH_DIRECT : ZCS_PATH_READ;
    frame->cpu_bytes_copied = reader->is_direct ? 0 : bytes;
}

/* The status after a read that returned no bytes. */
static zcs_status read_status(const struct zci_reader *reader, ssize_t n)
{
    if (n == 0)
        return ZCS_EOF;
    return errno == EINTR ? ZCS_AGAIN : fail_errno(reader);
}

static zcs_status read_buffered(struct zci_reader *reader, uint64_t offset, size_t bytes,
                                struct zci_slot *slot)
{
    uint8_t *const to = slot->memory.host;
    while (reader->got_bytes < bytes) {
        const size_t got = reader->got_bytes;
        const ssize_t n = pread(reader->fd, to + got, bytes - got, (off_t)(offset + got));
        if (n <= 0)
            return read_status(reader, n);
        reader->got_bytes += (size_t)n;
    }
    complete(reader, slot, 0, bytes);
    return ZCS_OK;
}

/* Some file systems accept O_DIRECT but fail the reads. */
static int disable_direct(struct zci_reader *reader)
{
    if (set_direct(reader->fd, 0) != 0)
        return 0;
    reader->is_direct = 0;
    reader->reason = reason_failed;
    reader->got_bytes = 0;
    zci_log(reader->log, ZCS_LOG_INFO, "%s: %s: reading through the page cache", reader->name,
            reader->reason);
    return 1;
}

static zcs_status read_direct(struct zci_reader *reader, uint64_t offset, size_t bytes,
                              struct zci_slot *slot)
{
    uint8_t *const to = slot->memory.host;
    const uint64_t first = round_down(offset);
    const size_t begin = (size_t)(offset - first);
    const size_t whole = (size_t)round_down(begin + bytes + ZCI_DIRECT_ALIGN - 1);
    while (reader->got_bytes < bytes) {
        /* After a read that ended inside a block, repeat from the start of the block. */
        const size_t have = reader->got_bytes ? begin + reader->got_bytes : 0;
        const size_t at = (size_t)round_down(have);
        const ssize_t n = pread(reader->fd, to + at, whole - at, (off_t)(first + at));
        if (n < 0 && errno == EINVAL && disable_direct(reader))
            return read_buffered(reader, offset, bytes, slot);
        if (n < 0)
            return read_status(reader, n);
        const size_t end = at + (size_t)n;
        if (end <= have || end <= begin)
            return ZCS_EOF;
        reader->got_bytes = end - begin;
    }
    complete(reader, slot, begin, bytes);
    return ZCS_OK;
}

static zcs_status read_pipe(struct zci_reader *reader, size_t bytes, int64_t deadline_ns,
                            struct zci_slot *slot)
{
    uint8_t *const to = slot->memory.host;
    const size_t left = bytes - reader->got_bytes;
    const size_t have = reader->ahead_bytes < left ? reader->ahead_bytes : left;
    memcpy(to + reader->got_bytes, reader->peeked + reader->ahead, have);
    reader->got_bytes += have;
    zci_reader_take(reader, have);
    while (reader->got_bytes < bytes) {
        const zcs_status status = zci_wait_readable(reader->fd, deadline_ns);
        if (status != ZCS_OK)
            return status == ZCS_ERR_IO ? fail_errno(reader) : status;
        const ssize_t n = read(reader->fd, to + reader->got_bytes, bytes - reader->got_bytes);
        if (n < 0 && errno == EAGAIN)
            continue;
        if (n <= 0)
            return read_status(reader, n);
        reader->got_bytes += (size_t)n;
    }
    complete(reader, slot, 0, bytes);
    return ZCS_OK;
}

zcs_status zci_reader_read(struct zci_reader *reader, uint64_t offset, size_t bytes,
                           int64_t deadline_ns, struct zci_slot *slot)
{
    zcs_status status = ZCS_OK;
    if (reader->is_pipe)
        status = read_pipe(reader, bytes, deadline_ns, slot);
    else if (reader->is_direct)
        status = read_direct(reader, offset, bytes, slot);
    else
        status = read_buffered(reader, offset, bytes, slot);
    if (status == ZCS_OK)
        reader->got_bytes = 0;
    return status;
}
