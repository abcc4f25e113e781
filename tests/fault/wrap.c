/* SPDX-License-Identifier: MIT */
/* The wrapped functions: count, perhaps fail, else call the real one and note what it handed out. With
 * 64-bit file offsets the compiler may call open64 and its kin, so both names are wrapped. */
#include "fault/wrap.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/types.h>

struct epoll_event;
struct iovec;

static atomic_uint_fast64_t calls[WRAP_KIND_COUNT];
static atomic_uint_fast64_t failed;
static atomic_uint_fast64_t fail_from[WRAP_KIND_COUNT],
    fail_to[WRAP_KIND_COUNT]; /* first, last + 1 */
static atomic_int fail_error;
static atomic_int_fast64_t allocations, mappings, files;

void wrap_reset(void)
{
    for (int kind = 0; kind < WRAP_KIND_COUNT; kind++) {
        fail_from[kind] = fail_to[kind] = 0;
        calls[kind] = 0;
    }
    failed = 0;
}

void wrap_fail_nth(enum wrap_kind kind, uint64_t n, enum wrap_mode mode, int error)
{
    wrap_reset();
    fail_error = error;
    fail_to[kind] = mode == WRAP_ONCE ? n + 1 : UINT64_MAX;
    fail_from[kind] = n;
}

uint64_t wrap_calls(enum wrap_kind kind)
{
    return calls[kind];
}

uint64_t wrap_failed(void)
{
    return failed;
}

struct wrap_outstanding wrap_outstanding(void)
{
    return (struct wrap_outstanding){allocations, mappings, files};
}

int wrap_same(struct wrap_outstanding before, struct wrap_outstanding after)
{
    if (before.allocations == after.allocations && before.mappings == after.mappings &&
        before.files == after.files)
        return 1;
    fprintf(stderr,
            "outstanding: allocations %" PRId64 " -> %" PRId64 ", mappings %" PRId64 " -> %" PRId64
            ", files %" PRId64 " -> %" PRId64 "\n",
            before.allocations, after.allocations, before.mappings, after.mappings, before.files,
            after.files);
    return 0;
}

/* 0: go on; else the error to fail with, which is also put into errno. */
static int refuse(enum wrap_kind kind)
{
    const uint64_t call = atomic_fetch_add(&calls[kind], 1) + 1;
    if (call < fail_from[kind] || call >= fail_to[kind])
        return 0;
    failed++;
    errno = fail_error;
    return errno;
}

static void *allocated(void *memory)
{
    if (memory != NULL)
        allocations++;
    return memory;
}

static int opened(int fd)
{
    if (fd >= 0)
        files++;
    return fd;
}

#define REAL(type, name, ...)                                                                      \
    type __real_##name(__VA_ARGS__);                                                               \
    type __wrap_##name(__VA_ARGS__)

REAL(void *, malloc, size_t bytes);
REAL(void *, calloc, size_t count, size_t bytes);
REAL(void *, realloc, void *memory, size_t bytes);
REAL(void *, aligned_alloc, size_t alignment, size_t bytes);
REAL(int, posix_memalign, void **out, size_t alignment, size_t bytes);
REAL(void, free, void *memory);
REAL(void *, mmap, void *at, size_t bytes, int protection, int flags, int fd, off_t offset);
REAL(void *, mmap64, void *at, size_t bytes, int protection, int flags, int fd, off_t offset);
REAL(int, munmap, void *memory, size_t bytes);
REAL(int, open, const char *path, int flags, ...);
REAL(int, open64, const char *path, int flags, ...);
REAL(int, close, int fd);
REAL(int, fstat, int fd, struct stat *out);
REAL(int, fstat64, int fd, struct stat *out);
REAL(ssize_t, pread, int fd, void *out, size_t bytes, off_t offset);
REAL(ssize_t, pread64, int fd, void *out, size_t bytes, off_t offset);
REAL(ssize_t, read, int fd, void *out, size_t bytes);
REAL(off_t, lseek, int fd, off_t offset, int whence);
REAL(off_t, lseek64, int fd, off_t offset, int whence);
REAL(ssize_t, writev, int fd, const struct iovec *parts, int count);
REAL(int, ftruncate, int fd, off_t bytes);
REAL(int, ftruncate64, int fd, off_t bytes);
REAL(int, eventfd, unsigned count, int flags);
REAL(int, timerfd_create, int clock, int flags);
REAL(int, epoll_create1, int flags);
REAL(int, epoll_ctl, int epoll, int operation, int fd, struct epoll_event *event);
REAL(int, pthread_create, pthread_t *out, const pthread_attr_t *attributes, void *(*run)(void *),
     void *argument);

void *__wrap_malloc(size_t bytes)
{
    return refuse(WRAP_ALLOC) ? NULL : allocated(__real_malloc(bytes));
}

void *__wrap_calloc(size_t count, size_t bytes)
{
    return refuse(WRAP_ALLOC) ? NULL : allocated(__real_calloc(count, bytes));
}

void *__wrap_realloc(void *memory, size_t bytes)
{
    if (refuse(WRAP_ALLOC))
        return NULL;
    const int is_new = memory == NULL;
    void *moved = __real_realloc(memory, bytes);
    return is_new ? allocated(moved) : moved;
}

void *__wrap_aligned_alloc(size_t alignment, size_t bytes)
{
    return refuse(WRAP_ALLOC) ? NULL : allocated(__real_aligned_alloc(alignment, bytes));
}

int __wrap_posix_memalign(void **out, size_t alignment, size_t bytes)
{
    int error = refuse(WRAP_ALLOC);
    if (error == 0)
        error = __real_posix_memalign(out, alignment, bytes);
    if (error == 0)
        allocations++;
    return error;
}

void __wrap_free(void *memory)
{
    if (memory != NULL)
        allocations--;
    __real_free(memory);
}

static void *mapped(void *memory)
{
    if (memory != (void *)-1)
        mappings++;
    return memory;
}

void *__wrap_mmap(void *at, size_t bytes, int protection, int flags, int fd, off_t offset)
{
    if (refuse(WRAP_ALLOC))
        return (void *)-1;
    return mapped(__real_mmap(at, bytes, protection, flags, fd, offset));
}

void *__wrap_mmap64(void *at, size_t bytes, int protection, int flags, int fd, off_t offset)
{
    if (refuse(WRAP_ALLOC))
        return (void *)-1;
    return mapped(__real_mmap64(at, bytes, protection, flags, fd, offset));
}

int __wrap_munmap(void *memory, size_t bytes)
{
    const int result = __real_munmap(memory, bytes);
    if (result == 0)
        mappings--;
    return result;
}

/* open's third argument is there only with O_CREAT; passing it on when it is not is harmless. */
#define WRAP_OPEN(name)                                                                            \
    int __wrap_##name(const char *path, int flags, ...)                                            \
    {                                                                                              \
        mode_t mode = 0;                                                                           \
        if (flags & O_CREAT) {                                                                     \
            va_list args;                                                                          \
            va_start(args, flags);                                                                 \
            mode = va_arg(args, mode_t);                                                           \
            va_end(args);                                                                          \
        }                                                                                          \
        return refuse(WRAP_SYSTEM) ? -1 : opened(__real_##name(path, flags, mode));                \
    }
WRAP_OPEN(open)
WRAP_OPEN(open64)

int __wrap_close(int fd)
{
    const int result = __real_close(fd);
    if (result == 0)
        files--;
    return result;
}

int __wrap_fstat(int fd, struct stat *out)
{
    return refuse(WRAP_SYSTEM) ? -1 : __real_fstat(fd, out);
}

int __wrap_fstat64(int fd, struct stat *out)
{
    return refuse(WRAP_SYSTEM) ? -1 : __real_fstat64(fd, out);
}

ssize_t __wrap_pread(int fd, void *out, size_t bytes, off_t offset)
{
    return refuse(WRAP_SYSTEM) ? -1 : __real_pread(fd, out, bytes, offset);
}

ssize_t __wrap_pread64(int fd, void *out, size_t bytes, off_t offset)
{
    return refuse(WRAP_SYSTEM) ? -1 : __real_pread64(fd, out, bytes, offset);
}

ssize_t __wrap_read(int fd, void *out, size_t bytes)
{
    return refuse(WRAP_SYSTEM) ? -1 : __real_read(fd, out, bytes);
}

ssize_t __wrap_writev(int fd, const struct iovec *parts, int count)
{
    return refuse(WRAP_SYSTEM) ? -1 : __real_writev(fd, parts, count);
}

int __wrap_ftruncate(int fd, off_t bytes)
{
    return refuse(WRAP_SYSTEM) ? -1 : __real_ftruncate(fd, bytes);
}

int __wrap_ftruncate64(int fd, off_t bytes)
{
    return refuse(WRAP_SYSTEM) ? -1 : __real_ftruncate64(fd, bytes);
}

off_t __wrap_lseek(int fd, off_t offset, int whence)
{
    return refuse(WRAP_SYSTEM) ? -1 : __real_lseek(fd, offset, whence);
}

off_t __wrap_lseek64(int fd, off_t offset, int whence)
{
    return refuse(WRAP_SYSTEM) ? -1 : __real_lseek64(fd, offset, whence);
}

int __wrap_eventfd(unsigned count, int flags)
{
    return refuse(WRAP_SYSTEM) ? -1 : opened(__real_eventfd(count, flags));
}

int __wrap_timerfd_create(int clock, int flags)
{
    return refuse(WRAP_SYSTEM) ? -1 : opened(__real_timerfd_create(clock, flags));
}

int __wrap_epoll_create1(int flags)
{
    return refuse(WRAP_SYSTEM) ? -1 : opened(__real_epoll_create1(flags));
}

int __wrap_epoll_ctl(int epoll, int operation, int fd, struct epoll_event *event)
{
    return refuse(WRAP_SYSTEM) ? -1 : __real_epoll_ctl(epoll, operation, fd, event);
}

int __wrap_pthread_create(pthread_t *out, const pthread_attr_t *attributes, void *(*run)(void *),
                          void *argument)
{
    const int error = refuse(WRAP_SYSTEM);
    return error ? error : __real_pthread_create(out, attributes, run, argument);
}
