/* SPDX-License-Identifier: MIT */
/* What every other header needs: status codes, the log, and the context, which owns a backend. */
#ifndef ZCSTREAM_BASE_H
#define ZCSTREAM_BASE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* zcs_open's symbol carries this number: a header and a library that differ do not link. */
#define ZCS_API 1

#if defined(__GNUC__) || defined(__clang__)
#define ZCS_MUST_CHECK __attribute__((warn_unused_result))
#else
#define ZCS_MUST_CHECK
#endif

/* >= 0: control flow. < 0: failure. A function writes its last parameter, `out`, on ZCS_OK only. */
typedef enum zcs_status {
    ZCS_OK = 0,
    ZCS_AGAIN = 1,    /* no result yet: the timeout passed, or the caller must release something */
    ZCS_EOF = 2,      /* the source ended, and all frames in flight were delivered */
    ZCS_ERR_ARG = -1, /* the caller's arguments contradict each other or the contract */
    ZCS_ERR_NOMEM = -2,       /* host or device memory could not be allocated */
    ZCS_ERR_UNSUPPORTED = -3, /* valid, but not in this build or on this machine */
    ZCS_ERR_FORMAT = -4,      /* the data or a text is malformed, or does not match */
    ZCS_ERR_IO = -5,          /* a system call failed; terminal for the object */
    ZCS_ERR_BUSY = -6,        /* another process or another call uses it */
    ZCS_ERR_GONE = -7,        /* the camera or file disappeared; terminal for the object */
    ZCS_ERR_DEVICE = -8,      /* a GPU or a custom stage failed; terminal for the object */
} zcs_status;

/* One short English phrase; static storage, never NULL. Any thread. */
const char *zcs_strerror(zcs_status status);

/* "MAJOR.MINOR.PATCH", static storage. Any thread. */
const char *zcs_version(void);

enum zcs_log_level {
    ZCS_LOG_NONE,
    ZCS_LOG_ERROR,
    ZCS_LOG_WARNING,
    ZCS_LOG_INFO,
    ZCS_LOG_DEBUG,
};

/* Receives one formatted line without a newline. The line is valid during the call. The library
 * calls this function on any thread that is inside a library call and on the host backend's
 * workers. Several threads may call it at the same time. */
typedef void (*zcs_log_fn)(void *user, enum zcs_log_level level, const char *line);

enum zcs_backend {
    ZCS_BACKEND_AUTO, /* CUDA if this build has it and a device answers, else host */
    ZCS_BACKEND_HOST,
    ZCS_BACKEND_CUDA,
};

/* {0} selects the defaults, here and in all parameter structs. */
struct zcs_params {
    enum zcs_backend backend;
    uint32_t host_threads; /* worker threads of the host backend; 0: one per core */
    zcs_log_fn log;        /* NULL: no log */
    void *log_user;
    /* The most detailed level to log. ZCS_LOG_NONE with a log function means ZCS_LOG_WARNING. */
    enum zcs_log_level log_level;
    /* The route cache: a file of measured routes, so that the next run need not measure them.
     * zcs_open reads it; each measurement replaces it. The string is copied. NULL: measured routes
     * live as long as the context. */
    const char *route_cache;
    /* Limits of the registration cache (see memory.h): ranges that the library registered by
     * itself, and their bytes in total. 0: 256 ranges, and a quarter of the machine's memory. */
    uint32_t cached_ranges;
    uint64_t cached_bytes;
};

/* A context owns a backend: its devices, memory and workers. Any thread. It must outlive the
 * sources and streams that were created with it. Frames may outlive it. Do not use it after fork:
 * in the child process, frames fail with ZCS_ERR_DEVICE, and the destructors only free memory. */
typedef struct zcs_context zcs_context;

#define ZCS_GLUE2_(name, api) name##_api##api
#define ZCS_GLUE_(name, api) ZCS_GLUE2_(name, api)
#define zcs_open ZCS_GLUE_(zcs_open, ZCS_API)

/* `params` may be NULL. ZCS_ERR_UNSUPPORTED: this build lacks the requested backend, or it has no
 * device. */
zcs_status zcs_open(const struct zcs_params *params, zcs_context **out) ZCS_MUST_CHECK;

/* Accepts NULL content, sets NULL. Referenced frames stay valid. */
void zcs_close(zcs_context **ctx);

#ifdef __cplusplus
}
#endif
#endif
