/* SPDX-License-Identifier: MIT */
/* What a virtual camera is and does, read from a text file; docs/virtual-camera.md has the words.
 *
 * Nothing here changes while the program runs. */
#ifndef VCAM_SCRIPT_H
#define VCAM_SCRIPT_H

#include <stdint.h>
#include <stdio.h>

#define VCAM_CAMERAS 4
#define VCAM_MODES 16
#define VCAM_RATES 8
#define VCAM_RULES 32
#define VCAM_FAILS 16
#define VCAM_CONTROLS 16
#define VCAM_MENU 8
#define VCAM_ALWAYS UINT32_MAX

struct vcam_mode {
    uint32_t fourcc, width, height;
    uint32_t fps[VCAM_RATES];
    uint32_t fps_count;
};

enum vcam_action {
    VCAM_ERROR,     /* the error flag */
    VCAM_BYTES,     /* bytesused is `value` */
    VCAM_LOST,      /* its number passes without it */
    VCAM_UNWRITTEN, /* the buffer is as it was */
    VCAM_HALF,      /* only the lower half is written */
    VCAM_EIO,       /* DQBUF fails with EIO instead */
    VCAM_AGAIN,     /* poll says that there is one, DQBUF EAGAIN, once; then it is there */
    VCAM_SEQUENCE,  /* its number is `value`, and the next ones go on from there */
    VCAM_TIME,      /* its time is `value` microseconds */
    VCAM_FATAL,     /* the queue fails until STREAMOFF */
    VCAM_PAUSE,     /* nothing comes for `value` milliseconds, numbers stand still */
    VCAM_SILENCE,   /* nothing comes any more */
    VCAM_GONE,      /* unplugged; back after `value` milliseconds, 0: never */
    VCAM_SOURCE,    /* a source-change event comes before it */
    VCAM_EARLY, /* the next frame is written into its buffer `value` us after the program has it */
};

/* For frames first, first + every, ... to last, counted from the first one ever due. */
struct vcam_rule {
    uint64_t first, last, every;
    enum vcam_action action;
    int64_t value;
};

/* `request` fails `times` times, after it was let through `after` times. */
struct vcam_fail {
    uint32_t request; /* VIDIOC_..., or VCAM_OPEN */
    int error;
    uint32_t times, after;
};
#define VCAM_OPEN 1u

struct vcam_control {
    char name[32];
    uint32_t id, type; /* V4L2_CTRL_TYPE_... */
    int32_t min, max, step, default_value;
    char menu[VCAM_MENU][32];
    uint32_t flipped; /* the fourcc while it is not 0; 0: no effect on it */
};

/* A file that need not exist, such as one in /sys about the camera. */
struct vcam_file {
    char path[160], text[512];
};
#define VCAM_FILES 8

enum vcam_content {
    VCAM_NUMBER, /* the frame's number in every 64 bytes, see content.h */
    VCAM_FLOOD,  /* every byte is the frame's number */
    VCAM_HEX,    /* `hex`, again and again, in each row anew */
    VCAM_FILE,   /* the file's bytes, frame after frame, then from the start */
};

struct vcam_script {
    char path[64]; /* of the node; "/dev/video0" */
    char driver[16], card[32], bus[32];
    uint32_t caps, sibling_caps; /* device_caps; what the other nodes of the device have */
    int multi;                   /* the multi-planar API */
    int mmap, userptr, dmabuf;   /* kinds of memory it takes */
    int untold;                  /* REQBUFS tells no capabilities */
    int no_orphans;              /* REQBUFS(0) is EBUSY while buffers are mapped */
    uint32_t min_buffers, max_buffers;
    struct vcam_mode modes[VCAM_MODES]; /* the first is set at the start */
    uint32_t mode_count;
    int stubborn;          /* S_FMT and TRY_FMT change nothing */
    uint32_t stride, size; /* bytes; 0: as the format wants */
    int no_stride;         /* bytesperline is told as 0 */
    uint32_t field;        /* V4L2_FIELD_..., 0: none */
    uint32_t color[4];     /* colorspace, ycbcr_enc, quantization, xfer_func */
    int no_rate;           /* G_PARM and S_PARM are ENOTTY */
    uint32_t clock_flags;  /* V4L2_BUF_FLAG_TIMESTAMP_... and TSTAMP_SRC_... */
    enum vcam_content content;
    uint8_t hex[256];
    uint32_t hex_bytes;
    char file[256];
    int padding;  /* the byte behind each row's pixels; -1: as content has it */
    int drops;    /* a frame for which no buffer waits is lost; else it waits for one */
    int at_queue; /* buffers are filled when they are queued, not when their frame is due */
    int strict;   /* structs that are not clean fail the test */
    int guard;    /* so does memory that is unmapped while it is queued */
    struct vcam_control controls[VCAM_CONTROLS];
    uint32_t control_count;
    struct vcam_file files[VCAM_FILES];
    uint32_t file_count;
    struct vcam_rule rules[VCAM_RULES];
    uint32_t rule_count;
    struct vcam_fail fails[VCAM_FAILS];
    uint32_t fail_count;
};

/* Returns how many cameras the file describes; 0: `message` says in which line what is wrong. */
uint32_t vcam_script_read(FILE *file, const char *name, struct vcam_script cameras[VCAM_CAMERAS],
                          char *message, size_t message_bytes);

#endif
