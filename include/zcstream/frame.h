/* SPDX-License-Identifier: MIT */
/* A frame and what is known of it. */
#ifndef ZCSTREAM_FRAME_H
#define ZCSTREAM_FRAME_H

#include "zcstream/format.h"
#include "zcstream/memory.h"

#ifdef __cplusplus
extern "C" {
#endif

/* How a frame came into its slot. */
enum zcs_path {
    ZCS_PATH_NONE,
    ZCS_PATH_USERPTR,    /* V4L2: the driver wrote into the slot */
    ZCS_PATH_DMABUF,     /* V4L2: the driver wrote into the slot through a dma-buf */
    ZCS_PATH_REGISTERED, /* V4L2: the driver's own buffer, registered with the backend */
    ZCS_PATH_COPIED,     /* V4L2: the driver's own buffer, copied once by the CPU */
    ZCS_PATH_DIRECT,     /* file: O_DIRECT, the disk wrote into the slot */
    ZCS_PATH_READ,       /* file or pipe: the kernel copied from its page cache into the slot */
    ZCS_PATH_PUSH,       /* the caller's memory is the slot */
    ZCS_PATH_PATTERN,    /* drawn by the CPU into the slot */
};

/* How the first kernel reaches the slot. */
enum zcs_route {
    ZCS_ROUTE_AUTO,
    ZCS_ROUTE_MAPPED, /* it reads the slot itself */
    ZCS_ROUTE_STAGED, /* chunks of rows are copied to device memory while earlier ones are processed */
    ZCS_ROUTE_WHOLE, /* the whole slot is copied, then processed */
};

/* What time_ns counts from. */
enum zcs_clock {
    ZCS_CLOCK_NONE,      /* no time is known; time_ns is 0 */
    ZCS_CLOCK_MONOTONIC, /* CLOCK_MONOTONIC */
    ZCS_CLOCK_MEDIA,     /* the recording's or pattern's own start */
    ZCS_CLOCK_UNKNOWN,   /* the driver or the caller did not say */
};

/* The name that reports and options use, static storage: "direct", "mapped", "monotonic" ... */
const char *zcs_path_name(enum zcs_path path);
const char *zcs_route_name(enum zcs_route route);
const char *zcs_clock_name(enum zcs_clock clock);

enum zcs_frame_flag {
    ZCS_FRAME_DIGEST = 1u << 0, /* `digest` was computed (stage digest) */
    ZCS_FRAME_EXPOSURE_START =
        1u << 1, /* time_ns is when the exposure began; else when the frame ended */
    /* Of a broadcast: a chain before this one failed on the frame, whose results are not complete. */
    ZCS_FRAME_PARTIAL = 1u << 2,
};

/* Read-only for the application. Valid while a reference is held, also after the source, the stream and
 * the context it came from are gone. */
struct zcs_frame {
    struct zcs_image image;
    const void *host;  /* the image's first byte for the CPU; NULL if it is on a device only */
    void *device_data; /* the same for kernels of `device`; on the host backend equal to host */
    uint64_t sequence; /* the source's number; gaps are lost frames */
    int64_t time_ns;   /* of capture, on `clock` */
    enum zcs_clock clock;
    uint32_t flags; /* enum zcs_frame_flag */
    enum zcs_path path;
    enum zcs_route route;      /* of results; ZCS_ROUTE_AUTO on frames that no kernel has read */
    enum zcs_memory memory;    /* kind of the slot that was read */
    uint32_t device;           /* index of the device that made it, of several the first */
    uint64_t cpu_bytes_copied; /* by the CPU on this frame's way, the kernel's copies included */
    uint64_t controls;         /* the latest change of the camera's controls before it, see
                                  zcs_control_change; 0: none since the source was opened */
    uint64_t digest;           /* of the pixels, see docs/architecture.md */
    int64_t captured_ns;       /* CLOCK_MONOTONIC when the source had it complete */
    int64_t result_ns;         /* CLOCK_MONOTONIC when processing was seen complete; 0 before */
    uint32_t chain;            /* of a broadcast: which of its chains the result is of; else 0 */
};

/* Both: any thread. zcs_frame_ref returns its argument. zcs_frame_unref drops the caller's reference,
 * sets *frame to NULL and accepts NULL content; the last one sends the memory home. */
const struct zcs_frame *zcs_frame_ref(const struct zcs_frame *frame);
void zcs_frame_unref(const struct zcs_frame **frame);

#ifdef __cplusplus
}
#endif
#endif
