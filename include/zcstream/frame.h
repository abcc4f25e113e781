/* SPDX-License-Identifier: MIT */
/* A frame and its metadata. */
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
    ZCS_PATH_REGISTERED, /* V4L2: the slot is the driver's buffer, registered with the backend */
    ZCS_PATH_COPIED,     /* V4L2: the CPU copied the driver's buffer into the slot */
    ZCS_PATH_DIRECT,     /* file: the disk wrote into the slot (O_DIRECT) */
    ZCS_PATH_READ,       /* file or pipe: the kernel copied from its page cache into the slot */
    ZCS_PATH_PUSH,       /* the slot is the caller's memory */
    ZCS_PATH_PATTERN,    /* the CPU drew into the slot */
};

/* How the first kernel gets the bytes of the slot. */
enum zcs_route {
    ZCS_ROUTE_AUTO,
    ZCS_ROUTE_MAPPED, /* the kernel reads the slot over the bus */
    ZCS_ROUTE_STAGED, /* the copy engine copies to device memory while the kernel runs */
    ZCS_ROUTE_WHOLE,  /* the copy engine copies the whole slot, then the kernel runs */
};

/* The clock of time_ns. */
enum zcs_clock {
    ZCS_CLOCK_NONE,      /* no time; time_ns is 0 */
    ZCS_CLOCK_MONOTONIC, /* CLOCK_MONOTONIC */
    ZCS_CLOCK_MEDIA,     /* from the start of the recording or pattern */
    ZCS_CLOCK_UNKNOWN,   /* the driver or the caller did not say */
};

/* The names in reports and options: "direct", "mapped", "monotonic" ... Static storage. */
const char *zcs_path_name(enum zcs_path path);
const char *zcs_route_name(enum zcs_route route);
const char *zcs_clock_name(enum zcs_clock clock);

enum zcs_frame_flag {
    ZCS_FRAME_DIGEST = 1u << 0,         /* `digest` is valid (stage digest) */
    ZCS_FRAME_EXPOSURE_START = 1u << 1, /* time_ns: start of the exposure, else end of the frame */
    /* Broadcast: an earlier chain failed on this frame, so its set of results is incomplete. */
    ZCS_FRAME_PARTIAL = 1u << 2,
};

/* Read-only for the application. Valid while a reference is held. It may outlive its source, its
 * stream and its context. */
struct zcs_frame {
    struct zcs_image image;
    const void *host;          /* first byte, for the CPU; NULL: in device memory only */
    void *device_data;         /* first byte, for kernels of `device`; host backend: equals host */
    uint64_t sequence;         /* the source's number; a gap is a lost frame */
    int64_t time_ns;           /* capture time, on `clock` */
    enum zcs_clock clock;      /* clock of time_ns */
    uint32_t flags;            /* enum zcs_frame_flag */
    enum zcs_path path;        /* how it came into the slot */
    enum zcs_route route;      /* of results; ZCS_ROUTE_AUTO: no kernel has read this frame */
    enum zcs_memory memory;    /* kind of the input slot */
    uint32_t device;           /* index of the device that computed it; of a group, the first */
    uint64_t cpu_bytes_copied; /* copied by the CPU for this frame, kernel copies included */
    uint64_t controls;         /* latest control change before it (zcs_control_change); 0: none */
    uint64_t digest;           /* of the pixels; docs/architecture.md defines it */
    int64_t captured_ns;       /* CLOCK_MONOTONIC: the source had the complete frame */
    int64_t result_ns; /* CLOCK_MONOTONIC: the library saw the complete result; 0: no result */
    uint32_t chain;    /* broadcast: the chain that made this result; else 0 */
};

/* zcs_frame_ref adds a reference and returns its argument. zcs_frame_unref drops one, sets *frame
 * to NULL and accepts NULL content. The last reference returns the memory to its pool. Both: any
 * thread. */
const struct zcs_frame *zcs_frame_ref(const struct zcs_frame *frame);
void zcs_frame_unref(const struct zcs_frame **frame);

#ifdef __cplusplus
}
#endif
#endif
