/* SPDX-License-Identifier: MIT */
/* What every other header needs: status codes, the log, and the context which owns a backend. */
#ifndef ZCSTREAM_BASE_H
#define ZCSTREAM_BASE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define ZCS_API 1 /* glued to zcs_open's symbol: header and archive that differ fail at link */

#if defined(__GNUC__) || defined(__clang__)
#define ZCS_MUST_CHECK __attribute__((warn_unused_result))
#else
#define ZCS_MUST_CHECK
#endif

/* >= 0 is flow, < 0 is failure. Results come through a last `out` parameter, written on ZCS_OK only. */
typedef enum zcs_status {
    ZCS_OK = 0,
    ZCS_AGAIN = 1,            /* nothing yet: the timeout passed, or something must be given back */
    ZCS_EOF = 2,              /* the source has ended and everything in flight was delivered */
    ZCS_ERR_ARG = -1,         /* the caller's arguments contradict each other or the contract */
    ZCS_ERR_NOMEM = -2,       /* host or device memory could not be had */
    ZCS_ERR_UNSUPPORTED = -3, /* right in itself, but not in this build or on this machine */
    ZCS_ERR_FORMAT = -4,      /* the data, or a text, is not what it should be */
    ZCS_ERR_IO = -5,          /* a system call failed; terminal for the object */
    ZCS_ERR_BUSY = -6,        /* another process, or another call, holds it */
    ZCS_ERR_GONE = -7,        /* the camera or file went away; terminal for the object */
    ZCS_ERR_DEVICE = -8,      /* a GPU or a custom stage failed; terminal for the object */
} zcs_status;

/* One short English phrase, static storage; never NULL. Any thread. */
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

/* Receives one formatted line without newline, valid during the call. May be called on any thread
 * that is inside a library call, and on the host backend's workers, several at once. */
typedef void (*zcs_log_fn)(void *user, enum zcs_log_level level, const char *line);

enum zcs_backend {
    ZCS_BACKEND_AUTO, /* cuda where it is built in and a device answers, else host */
    ZCS_BACKEND_HOST,
    ZCS_BACKEND_CUDA,
};

/* {0} is the sensible default everywhere. */
struct zcs_params {
    enum zcs_backend backend;
    uint32_t host_threads; /* workers of the host backend; 0: one for each core */
    zcs_log_fn log;        /* NULL: nothing is logged */
    void *log_user;
    /* The most detailed level wanted; ZCS_LOG_NONE with a log function set means ZCS_LOG_WARNING. */
    enum zcs_log_level log_level;
    /* A file in which routes that were measured are kept, so that the next run need not; it is read here
     * and replaced after a measurement. Copied. NULL: they are kept as long as the context. */
    const char *route_cache;
    /* How much pushed memory a GPU backend keeps registered that the application did not register itself
     * (see memory.h): ranges, and bytes of them all. 0: 256, and a quarter of the machine's memory. */
    uint32_t cached_ranges;
    uint64_t cached_bytes;
};

/* A context owns a backend (its devices, memory and workers). Threads: any; it must outlive the
 * sources and streams made with it, not their frames. Not for use after fork: in the child, frames fail with
 * ZCS_ERR_DEVICE, and destroying gives memory back, no more. */
typedef struct zcs_context zcs_context;

#define ZCS_GLUE2_(name, api) name##_api##api
#define ZCS_GLUE_(name, api) ZCS_GLUE2_(name, api)
#define zcs_open ZCS_GLUE_(zcs_open, ZCS_API)

/* `params` may be NULL. ZCS_ERR_UNSUPPORTED: the backend asked for is not built in or has no device. */
zcs_status zcs_open(const struct zcs_params *params, zcs_context **out) ZCS_MUST_CHECK;

/* Accepts NULL content, sets NULL. Frames that are still referenced stay valid. */
void zcs_close(zcs_context **ctx);

#ifdef __cplusplus
}
#endif
#endif
