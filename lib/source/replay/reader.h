/* SPDX-License-Identifier: MIT */
/* One open file or pipe: reading its bytes into a slot, with O_DIRECT where possible. */
#ifndef ZCI_SOURCE_REPLAY_READER_H
#define ZCI_SOURCE_REPLAY_READER_H

#include "core/log.h"
#include "frame/pool.h"

/* O_DIRECT reads start and end at multiples of this, in the file and in memory. */
#define ZCI_DIRECT_ALIGN 4096u
/* The maximum that can be peeked at. */
#define ZCI_PEEK_BYTES 4096u
/* GPU kernels read whole cache lines: a frame may start at any multiple of this in its slot. */
#define ZCI_CACHE_LINE_BYTES 128u

#define ZCI_STDIN_NAME "/dev/stdin"

struct zci_reader {
    const struct zci_log *log;
    const char *name; /* the input's, for messages */
    int fd;           /* -1: nothing is open */
    int is_pipe;
    int is_stdin; /* fd belongs to the application and is not closed */
    int is_direct;
    const char *reason;        /* why this read path is used; static */
    uint64_t size_bytes;       /* of a regular file when it was opened */
    size_t got_bytes;          /* of the current frame */
    size_t ahead, ahead_bytes; /* of a pipe: offset in `peeked`, and count of the bytes there */
    uint8_t peeked[ZCI_PEEK_BYTES];
};

/* Opens a regular file. The caller keeps `name` until close. `is_stdin`: opens standard input anew,
 * and `name` is for messages only. Logged. */
zcs_status zci_reader_open_file(struct zci_reader *reader, const char *name, int is_stdin);

/* Uses O_DIRECT from now on if the file system allows it and each of `count` frames, the first at
 * offset `first` and one every `step` bytes, starts at a multiple of a cache line. */
void zci_reader_choose_path(struct zci_reader *reader, uint64_t first, uint64_t step,
                            uint64_t count);

/* Opens a pipe, device or standard input. */
zcs_status zci_reader_open_pipe(struct zci_reader *reader, const char *name, int is_stdin);

/* Accepts a reader with nothing open. */
void zci_reader_close(struct zci_reader *reader);

/* The file is empty; of a pipe: it ended before the first byte that was peeked at. */
int zci_reader_is_empty(const struct zci_reader *reader);

/* The size of a slot for frames of `frame_bytes` at any file offset. */
size_t zci_reader_slot_bytes(size_t frame_bytes);

/* Returns `want` bytes at `offset`, at most ZCI_PEEK_BYTES, or fewer if the input ends before; of a
 * pipe the next ones, without consuming them. Valid until the next call. Not for files read with
 * O_DIRECT. ZCS_AGAIN: as for zci_reader_read; ZCS_ERR_IO: logged. */
zcs_status zci_reader_peek(struct zci_reader *reader, uint64_t offset, size_t want,
                           int64_t deadline_ns, const uint8_t **data, size_t *bytes);

/* Consumes bytes of a pipe that were peeked at. */
void zci_reader_take(struct zci_reader *reader, size_t bytes);

/* Reads `bytes` at `offset` (of a pipe: the next ones) into the slot, and sets the frame's host,
 * device_data, path and cpu_bytes_copied. ZCS_AGAIN: the deadline passed or a signal came; call
 * again with the same arguments. ZCS_EOF: the input ended after got_bytes. ZCS_ERR_IO: logged. */
zcs_status zci_reader_read(struct zci_reader *reader, uint64_t offset, size_t bytes,
                           int64_t deadline_ns, struct zci_slot *slot);

/* A descriptor for poll and epoll; -1: reading does not block. */
int zci_reader_poll_fd(const struct zci_reader *reader);

#endif
