/* SPDX-License-Identifier: MIT */
/* The names of the public enums in reports and options, status codes in words, and the version. */
#include "zcstream/base.h"
#include "zcstream/frame.h"
#include "zcstream/memory.h"
#include "zcstream/stream.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))

static const char *name_of(const char *const *names, size_t count, unsigned value)
{
    return value < count ? names[value] : "unknown";
}

const char *zcs_memory_name(enum zcs_memory memory)
{
    static const char *const names[] = {
        [ZCS_MEMORY_NONE] = "none",     [ZCS_MEMORY_PAGEABLE] = "pageable",
        [ZCS_MEMORY_CACHED] = "cached", [ZCS_MEMORY_WC] = "wc",
        [ZCS_MEMORY_DEVICE] = "device", [ZCS_MEMORY_USER] = "user",
    };
    return name_of(names, COUNT(names), (unsigned)memory);
}

const char *zcs_path_name(enum zcs_path path)
{
    static const char *const names[] = {
        [ZCS_PATH_NONE] = "none",       [ZCS_PATH_USERPTR] = "userptr",
        [ZCS_PATH_DMABUF] = "dmabuf",   [ZCS_PATH_REGISTERED] = "registered",
        [ZCS_PATH_COPIED] = "copied",   [ZCS_PATH_DIRECT] = "direct",
        [ZCS_PATH_READ] = "read",       [ZCS_PATH_PUSH] = "push",
        [ZCS_PATH_PATTERN] = "pattern",
    };
    return name_of(names, COUNT(names), (unsigned)path);
}

const char *zcs_route_name(enum zcs_route route)
{
    static const char *const names[] = {
        [ZCS_ROUTE_AUTO] = "auto",
        [ZCS_ROUTE_MAPPED] = "mapped",
        [ZCS_ROUTE_STAGED] = "staged",
        [ZCS_ROUTE_WHOLE] = "whole",
    };
    return name_of(names, COUNT(names), (unsigned)route);
}

const char *zcs_clock_name(enum zcs_clock clock)
{
    static const char *const names[] = {
        [ZCS_CLOCK_NONE] = "none",
        [ZCS_CLOCK_MONOTONIC] = "monotonic",
        [ZCS_CLOCK_MEDIA] = "media",
        [ZCS_CLOCK_UNKNOWN] = "unknown",
    };
    return name_of(names, COUNT(names), (unsigned)clock);
}

const char *zcs_loss_name(enum zcs_loss loss)
{
    static const char *const names[ZCS_LOSS_COUNT] = {
        [ZCS_LOSS_DRIVER_GAP] = "driver_gap",
        [ZCS_LOSS_ERROR] = "error",
        [ZCS_LOSS_SHORT] = "short",
        [ZCS_LOSS_STALE] = "stale",
        [ZCS_LOSS_POLICY] = "policy",
        [ZCS_LOSS_WRITER] = "writer",
        [ZCS_LOSS_AWAY] = "away",
    };
    return name_of(names, COUNT(names), (unsigned)loss);
}

const char *zcs_freshness_name(enum zcs_freshness freshness)
{
    static const char *const names[] = {
        [ZCS_FRESHNESS_NOT_NEEDED] = "not_needed", [ZCS_FRESHNESS_CHECKING] = "checking",
        [ZCS_FRESHNESS_FRESH] = "fresh",           [ZCS_FRESHNESS_STALE] = "stale",
        [ZCS_FRESHNESS_UNKNOWN] = "unknown",
    };
    return name_of(names, COUNT(names), (unsigned)freshness);
}

const char *zcs_strerror(zcs_status status)
{
    switch (status) {
    case ZCS_OK:
        return "success";
    case ZCS_AGAIN:
        return "nothing yet, try again";
    case ZCS_EOF:
        return "end of the source";
    case ZCS_ERR_ARG:
        return "invalid argument";
    case ZCS_ERR_NOMEM:
        return "out of memory";
    case ZCS_ERR_UNSUPPORTED:
        return "not supported here";
    case ZCS_ERR_FORMAT:
        return "malformed or mismatched data";
    case ZCS_ERR_IO:
        return "input/output error";
    case ZCS_ERR_BUSY:
        return "in use elsewhere";
    case ZCS_ERR_GONE:
        return "the camera or file is gone";
    case ZCS_ERR_DEVICE:
        return "processing device failed";
    }
    return "unknown status";
}

const char *zcs_version(void)
{
    return ZCS_VERSION; /* the build defines it from the project's */
}
