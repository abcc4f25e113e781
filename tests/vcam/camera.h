/* SPDX-License-Identifier: MIT */
/* A virtual camera while the program runs: its node's open files, format, buffers and frames.
 *
 *     buffer:  IDLE --QBUF--> QUEUED --its frame is due--> DONE --DQBUF--> IDLE
 *                   (STREAMOFF: all become IDLE)
 *
 * Functions return 0 or a negative errno, as the calls that they answer. One thread. */
#ifndef VCAM_CAMERA_H
#define VCAM_CAMERA_H

#include <linux/videodev2.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "vcam/script.h"

#define VCAM_HANDLES 120
#define VCAM_BUFFERS 32
#define VCAM_PLANES 3
#define VCAM_WAITS 1 /* the call is answered later */
#define VCAM_NEVER INT64_MAX

struct vcam_camera;

/* An open file of a node. */
struct vcam_handle {
    struct vcam_camera *camera; /* NULL: this handle is free */
    int ours;                   /* the other end of what the program has, see ready.h */
    uint64_t inode;             /* of the program's end */
    pid_t pid;                  /* who used it last ... */
    int fd;                     /* ... and under which number */
    int held;          /* the program's end, while buffers' memory stands at its place; or -1 */
    unsigned shown;    /* VCAM_READY_... */
    uint32_t priority; /* V4L2_PRIORITY_...; 0: as at the start */
    int control_events, source_events, own_events; /* subscribed to */
    struct v4l2_event events[4];
    uint32_t event_count, event_sequence;
};

/* One call of the program's that waits for its answer. */
struct vcam_call {
    uint64_t id; /* of the notification */
    pid_t tid, pid;
    int fd;     /* the program's number ... */
    int theirs; /* ... and a copy of ours of the same file */
    uint32_t request;
    uint64_t argument;
};

enum vcam_buffer_state { VCAM_IDLE, VCAM_QUEUED, VCAM_DONE };

struct vcam_buffer {
    enum vcam_buffer_state state;
    int prepared;
    uint64_t address[VCAM_PLANES]; /* USERPTR, in `pid` */
    uint32_t length[VCAM_PLANES];
    uint8_t *dmabuf[VCAM_PLANES]; /* DMABUF: mapped here ... */
    uint64_t dmabuf_inode[VCAM_PLANES];
    uint32_t bytes_used[VCAM_PLANES];
    uint32_t flags, sequence;
    struct timeval time;
    int64_t early_ns;       /* when the next frame is written into it too early; VCAM_NEVER */
    int64_t early_after_ns; /* the same, counted from DQBUF; -1: not */
};

struct vcam_format {
    uint32_t fourcc, width, height, planes, stride;
    uint32_t stride_of[VCAM_PLANES], size[VCAM_PLANES];
};

struct vcam_camera {
    const struct vcam_script *script;
    struct vcam_format format;
    const struct vcam_mode *signal; /* the only mode since a source of another size; NULL: all */
    uint32_t fps;
    int32_t control[VCAM_CONTROLS];
    uint32_t failed[VCAM_FAILS]; /* how often each of the script's failures was met */
    int gone;
    int64_t back_ns; /* when it is plugged in again */

    struct vcam_handle *owner; /* of the buffers */
    uint32_t memory, count;    /* V4L2_MEMORY_... */
    struct vcam_buffer buffers[VCAM_BUFFERS];
    pid_t pid;       /* whose memory USERPTR buffers are */
    int store;       /* MMAP: their memory, a memfd; -1: none */
    uint8_t *mapped; /* the same here */
    size_t store_bytes;
    uint64_t store_inode;

    int streaming, broken, ever_queued;
    uint32_t queued[VCAM_BUFFERS], queued_count; /* in order */
    uint32_t done[VCAM_BUFFERS], done_count;
    uint32_t sequence; /* of the next frame */
    uint64_t due;      /* frames that were due so far */
    int64_t due_ns;    /* the next one's time; VCAM_NEVER */
    int eio, again;    /* what DQBUF says before the next frame */
    int waits;         /* a DQBUF that waits: */
    struct vcam_call waiting;
    uint8_t *picture; /* one frame, its planes back to back */
    int violations;   /* rules that the program broke */
};

/* Puts the camera into the state in which it is plugged in. 0: no memory. */
int vcam_camera_init(struct vcam_camera *camera, const struct vcam_script *script);
void vcam_camera_finish(struct vcam_camera *camera);

/* The script's failure of this request, if one is due: its errno, else 0. */
int vcam_camera_fails(struct vcam_camera *camera, uint32_t request);
/* A rule of V4L2's that the program broke: told on standard error, and vcam's status will be 98. */
void vcam_camera_complain(struct vcam_camera *camera, const char *what);
/* An ioctl, its argument here; what is returned stands in it. */
int vcam_camera_ioctl(struct vcam_camera *camera, struct vcam_handle *handle,
                      struct vcam_call *call, void *argument);
/* The last user of a handle has closed it. */
void vcam_camera_release(struct vcam_handle *handle);
/* Makes poll say what is so now; for each handle of the camera. */
void vcam_camera_show(struct vcam_camera *camera);
void vcam_camera_unplug(struct vcam_camera *camera);
/* All handles there are; VCAM_HANDLES of them. */
struct vcam_handle *vcam_handles(void);

int64_t vcam_now_ns(void);

#endif
