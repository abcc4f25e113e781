/* SPDX-License-Identifier: MIT */
/* One open file or pipe, and the way of its bytes into a slot. */
#ifndef ZCI_SOURCE_REPLAY_READER_H
#define ZCI_SOURCE_REPLAY_READER_H

#include "core/log.h"
#include "frame/pool.h"

/* Unbuffered reads begin and end at multiples of this, in the file and in memory. */
#define ZCI_DIRECT_ALIGN 4096u
/* The most that can be looked at ahead. */
#define ZCI_PEEK_BYTES 4096u
/* Kernels read whole lines of so many bytes: a frame may begin at any multiple of it in its slot. */
#define ZCI_CACHE_LINE_BYTES 128u

#define ZCI_STDIN_NAME "/dev/stdin"

struct zci_reader {
    const struct zci_log *log;
    const char *name; /* the input's, for messages */
    int fd;           /* -1: nothing is open */
    int is_pipe;
    int is_stdin; /* fd is the application's, not ours to close */
    int is_direct;
    const char *reason;        /* why the bytes take the way they take; static */
    uint64_t size_bytes;       /* of a regular file when it was opened */
    size_t got_bytes;          /* of the frame in hand */
    size_t ahead, ahead_bytes; /* of a pipe: read, but not taken: place and number in `peeked` */
    uint8_t peeked[ZCI_PEEK_BYTES];
};

/* Opens a regular file; `is_stdin`: the one that is standard input, anew, and `name` is for messages alone. Logged.
 * `name` stays the caller's and valid until close. */
zcs_status zci_reader_open_file(struct zci_reader *reader, const char *name, int is_stdin);

/* From now on reads unbuffered where the file system allows it and every frame (the first at `first`,
 * then one every `step` bytes, `count` in all) begins at a whole line of memory. */
void zci_reader_choose_path(struct zci_reader *reader, uint64_t first, uint64_t step,
                            uint64_t count);

/* Opens a pipe, device or standard input. */
zcs_status zci_reader_open_pipe(struct zci_reader *reader, const char *name, int is_stdin);

/* Accepts a reader with nothing open. */
void zci_reader_close(struct zci_reader *reader);

/* Nothing is in the file; of a pipe: it ended before the first byte that was peeked at. */
int zci_reader_is_empty(const struct zci_reader *reader);

/* Bytes a slot needs for frames of `frame_bytes`, wherever they begin. */
size_t zci_reader_slot_bytes(size_t frame_bytes);

/* The bytes at `offset` (of a pipe: those that come next), without taking them: `want` of them, at most
 * ZCI_PEEK_BYTES, or fewer where the input ends before. Valid until the next call. Not for files that
 * are read unbuffered. ZCS_AGAIN as below; ZCS_ERR_IO: logged. */
zcs_status zci_reader_peek(struct zci_reader *reader, uint64_t offset, size_t want,
                           int64_t deadline_ns, const uint8_t **data, size_t *bytes);

/* Passes over bytes of a pipe that were peeked at. */
void zci_reader_take(struct zci_reader *reader, size_t bytes);

/* Reads `bytes` at `offset` (ignored for pipes, which go on) and fills the frame's host, device_data,
 * path and cpu_bytes_copied. ZCS_AGAIN: the deadline passed or a signal came; to be called again with the
 * same arguments. ZCS_EOF: only got_bytes of them are there. ZCS_ERR_IO: logged. */
zcs_status zci_reader_read(struct zci_reader *reader, uint64_t offset, size_t bytes,
                           int64_t deadline_ns, struct zci_slot *slot);

/* A descriptor that poll and epoll can wait for, or -1: reading does not wait. */
int zci_reader_poll_fd(const struct zci_reader *reader);

#endif
