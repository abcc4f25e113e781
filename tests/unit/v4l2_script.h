/* SPDX-License-Identifier: MIT */
/* A scripted V4L2 device behind the call table. It does what a test's script says, and fails the
 * test where a driver's rules are broken (structs not cleared, buffers queued twice, too short,
 * freed while queued, REQBUFS while streaming, formats set while buffers are allocated). */
#ifndef ZCS_TESTS_UNIT_V4L2_SCRIPT_H
#define ZCS_TESTS_UNIT_V4L2_SCRIPT_H

#define _GNU_SOURCE /* memfd_create, MAP_FIXED */
#include <errno.h>
#include <fcntl.h>
#include <linux/dma-buf.h>
#include <linux/udmabuf.h>
#include <linux/videodev2.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "check.h"
#include "source/v4l2/source.h"
#include "zcstream/zcstream.h"

#define SCRIPT_BUFFERS 32
#define SCRIPT_FULL UINT32_MAX

/* What one DQBUF gives. */
struct script_frame {
    int error; /* errno instead of a frame */
    uint32_t sequence;
    uint32_t flags;
    uint32_t bytes_used; /* SCRIPT_FULL: all */
    int unwritten;       /* reported, but not written */
    int64_t seconds, micro;
};

struct script_fault {
    unsigned long request; /* 0: open, 1: poll, 2: mmap */
    int error;
    int times; /* < 0: always */
};

struct script_buffer {
    int queued;
    uint8_t *at[3]; /* USERPTR: the address; MMAP: the device's own mapping */
    int fd[3];      /* DMABUF, MMAP */
    int64_t fd_offset[3];
    uint32_t length[3];
};

struct script {
    struct zci_v4l2_calls calls;
    /* The device. */
    const char *driver, *bus;
    uint32_t capabilities, device_caps;
    uint32_t fourccs[8];
    uint32_t fourcc_flags[8];
    int multi;
    uint32_t planes, plane_offset[3];
    struct v4l2_pix_format now; /* multi-planar: of plane 0 */
    uint32_t plane_stride[3], plane_size[3];
    int stubborn;    /* S_FMT changes nothing */
    int stride_zero; /* reports bytesperline 0 */
    struct v4l2_fract period, min_period;
    uint32_t memories; /* bits: 1 MMAP 2 USERPTR 4 DMABUF */
    int silent_caps;   /* REQBUFS reports no capabilities */
    int udmabuf;       /* /dev/udmabuf exists */
    uint32_t min_buffers;
    struct script_fault faults[8];
    uint32_t fault_after; /* faults[0]: this many calls of its request are answered before */
    uint32_t fail_at;     /* the n-th call of the table fails with fail_error; 0: none */
    int fail_error;
    /* Frames: first `frames`; then good ones if endless, else none. */
    const struct script_frame *frames;
    uint32_t frame_count;
    int endless;
    int revives;                      /* endless after a restart */
    const struct script_frame *bad;   /* endless frames are like this one ... */
    uint32_t bad_memories;            /* ... in memory of these kinds */
    int32_t exposure;                 /* exposure_time_absolute; 0: no such control */
    int fill_sequence;                /* frames hold their sequence in every byte; else 0x5a */
    const uint8_t *picture;           /* the data of frames of one plane, instead */
    int write_early;                  /* buffers are filled at QBUF, each with a new value */
    uint32_t keeps;                   /* buffers that it does not return until others are queued */
    int no_orphans;                   /* REQBUFS is EBUSY while buffers are mapped */
    short poll_events;                /* what poll returns at once */
    uint32_t poll_after, poll_times;  /* from which call on, and how often; 0: always */
    int broken_fd;                    /* the descriptor only reports EPOLLERR */
    const char *node;                 /* its path; NULL: any path */
    const char *serial, *place;       /* in sysfs; NULL: unknown */
    const char *other, *other_serial; /* another camera's node, and its serial number */
    int unplugged;                    /* for how many sysfs queries it is missing; < 0: always */
    /* State. */
    int fd, open_count, streaming, opened;
    uint32_t memory, count;
    struct script_buffer buffers[SCRIPT_BUFFERS];
    uint32_t queue[SCRIPT_BUFFERS], queue_count;
    uint32_t next_frame, sequence;
    int udmabuf_fd;
    struct {
        int fd;
        int64_t offset;
    } dmabufs[SCRIPT_BUFFERS * 3];
    int dmabuf_count;
    /* What happened. */
    int stream_on_count, stream_off_count, request_zero_count, rate_set_while_streaming,
        set_formats;
    uint32_t last_user_length;
    uint32_t calls_made;
    uint32_t early, polls, looks;
    int mapped;
};

static inline int script_fault_of(struct script *s, unsigned long request)
{
    if (s->unplugged != 0 && request > 2) {
        errno = ENODEV;
        return -1;
    }
    if (++s->calls_made == s->fail_at) {
        errno = s->fail_error;
        return -1;
    }
    for (int i = 0; i < 8; i++) {
        struct script_fault *fault = &s->faults[i];
        if (fault->error != 0 && fault->request == request && fault->times != 0) {
            if (i == 0 && s->fault_after > 0) {
                s->fault_after--;
                continue;
            }
            fault->times -= fault->times > 0;
            errno = fault->error;
            return -1;
        }
    }
    return 0;
}

static inline int script_error(int error)
{
    errno = error;
    return -1;
}

/* 1: DQBUF would return a frame or an error. */
static inline int script_ready(const struct script *s)
{
    if (!s->streaming)
        return 0;
    if (s->next_frame < s->frame_count && s->frames[s->next_frame].error != 0)
        return 1;
    return s->queue_count > s->keeps && (s->next_frame < s->frame_count || s->endless);
}

/* Makes the descriptor readable when the device is. */
static inline int script_update(struct script *s, int result)
{
    const int error = errno;
    uint64_t value = 1;
    if (s->broken_fd)
        return result;
    if (s->fd >= 0 && script_ready(s))
        CHECK(write(s->fd, &value, sizeof value) == sizeof value);
    else if (s->fd >= 0 && read(s->fd, &value, sizeof value) < 0)
        CHECK(errno == EAGAIN);
    errno = error;
    return result;
}

static inline int script_open(void *user, const char *path)
{
    struct script *s = user;
    if (strcmp(path, "/dev/udmabuf") == 0) {
        if (!s->udmabuf)
            return script_error(ENOENT);
        s->udmabuf_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
        return s->udmabuf_fd;
    }
    if (script_fault_of(s, 0) < 0)
        return -1;
    if (s->unplugged != 0 || (s->node != NULL && strcmp(path, s->node) != 0))
        return script_error(ENOENT);
    CHECK_EQ(s->open_count, 0); /* a node is never opened twice */
    s->open_count++;
    s->opened++;
    if (s->broken_fd) {
        int ends[2];
        CHECK(pipe(ends) == 0);
        close(ends[0]);
        s->fd = ends[1];
        return s->fd;
    }
    s->fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    return s->fd;
}

static inline void script_attach(void *user, int fd)
{
    const struct script *s = user;
    CHECK_EQ(fd, s->fd);
    CHECK(!s->multi);
}

static inline void script_free_buffers(struct script *s)
{
    for (uint32_t i = 0; i < s->count; i++)
        for (uint32_t p = 0; p < s->planes && s->memory == V4L2_MEMORY_MMAP; p++) {
            munmap(s->buffers[i].at[p], s->buffers[i].length[p]);
            close(s->buffers[i].fd[p]);
        }
    memset(s->buffers, 0, sizeof s->buffers);
    s->count = s->queue_count = 0;
}

static inline int script_close(void *user, int fd)
{
    struct script *s = user;
    if (fd == s->fd) {
        s->open_count--;
        s->fd = -1;
        s->streaming = 0;
        script_free_buffers(s);
    }
    return close(fd);
}

static inline uint8_t script_byte(const struct script *s, uint32_t sequence)
{
    return s->fill_sequence ? (uint8_t)(sequence | 1) : 0x5a;
}

static inline void script_write(struct script *s, uint32_t index, uint8_t value)
{
    struct script_buffer *buffer = &s->buffers[index];
    for (uint32_t p = 0; p < s->planes; p++) {
        if (s->memory != V4L2_MEMORY_DMABUF && s->picture != NULL && s->planes == 1) {
            memcpy(buffer->at[p], s->picture, s->plane_size[p]);
            continue;
        }
        if (s->memory != V4L2_MEMORY_DMABUF) {
            memset(buffer->at[p], value, s->plane_size[p]);
            continue;
        }
        if (s->picture != NULL && s->planes == 1) {
            CHECK(pwrite(buffer->fd[p], s->picture, s->plane_size[p], buffer->fd_offset[p]) ==
                  (ssize_t)s->plane_size[p]);
            continue;
        }
        uint8_t bytes[4096];
        memset(bytes, value, sizeof bytes);
        for (uint32_t done = 0; done < s->plane_size[p]; done += sizeof bytes)
            CHECK(pwrite(buffer->fd[p], bytes, sizeof bytes, buffer->fd_offset[p] + done) > 0);
    }
}

static inline int script_querycap(struct script *s, struct v4l2_capability *cap)
{
    memset(cap, 0, sizeof *cap);
    snprintf((char *)cap->driver, sizeof cap->driver, "%s", s->driver);
    snprintf((char *)cap->card, sizeof cap->card, "Scripted");
    snprintf((char *)cap->bus_info, sizeof cap->bus_info, "%s", s->bus);
    cap->capabilities = s->capabilities;
    cap->device_caps = s->device_caps;
    return 0;
}

static inline int script_enum_format(struct script *s, struct v4l2_fmtdesc *desc)
{
    if (desc->index >= 8 || s->fourccs[desc->index] == 0)
        return script_error(EINVAL);
    desc->pixelformat = s->fourccs[desc->index];
    desc->flags = s->fourcc_flags[desc->index];
    return 0;
}

/* The usual answer for the present format: minimum strides unless a larger one was asked for. */
static inline void script_lay_out(struct script *s, uint32_t stride)
{
    struct zcs_image image;
    const enum zcs_pixfmt pixfmt = zcs_pixfmt_from_fourcc(s->now.pixelformat);
    const struct zcs_pixfmt_info *info = zcs_pixfmt_info(pixfmt);
    if (zcs_image_init(&image, pixfmt, s->now.width, s->now.height, 0) != ZCS_OK)
        return;
    if (stride > image.stride_bytes[0])
        CHECK_EQ(zcs_image_init(&image, pixfmt, s->now.width, s->now.height, stride), ZCS_OK);
    s->planes = info->buffers;
    s->now.bytesperline = (uint32_t)image.stride_bytes[0];
    s->now.sizeimage = (uint32_t)image.size_bytes;
    for (uint32_t p = 0; p < s->planes; p++) {
        const size_t end = p + 1 < s->planes ? image.offset_bytes[p + 1] : image.size_bytes;
        s->plane_stride[p] = (uint32_t)image.stride_bytes[p];
        s->plane_size[p] =
            (uint32_t)(end - (s->planes > 1 ? image.offset_bytes[p] : 0)) + s->plane_offset[p];
    }
}

static inline int script_get_format(struct script *s, struct v4l2_format *format)
{
    CHECK_EQ(format->type,
             s->multi ? V4L2_BUF_TYPE_VIDEO_CAPTURE_MPLANE : V4L2_BUF_TYPE_VIDEO_CAPTURE);
    if (!s->multi) {
        format->fmt.pix = s->now;
        format->fmt.pix.sizeimage = s->plane_size[0];
        if (s->stride_zero)
            format->fmt.pix.bytesperline = 0;
        return 0;
    }
    struct v4l2_pix_format_mplane *pix = &format->fmt.pix_mp;
    memset(pix, 0, sizeof *pix);
    pix->pixelformat = s->now.pixelformat;
    pix->width = s->now.width;
    pix->height = s->now.height;
    pix->field = s->now.field;
    pix->num_planes = (uint8_t)s->planes;
    for (uint32_t p = 0; p < s->planes; p++) {
        pix->plane_fmt[p].bytesperline = s->plane_stride[p];
        pix->plane_fmt[p].sizeimage = s->plane_size[p];
    }
    return 0;
}

static inline int script_offers(const struct script *s, uint32_t fourcc)
{
    for (int i = 0; i < 8; i++)
        if (s->fourccs[i] == fourcc)
            return 1;
    return 0;
}

static inline int script_set_format(struct script *s, struct v4l2_format *format)
{
    if (s->count > 0)
        return script_error(EBUSY);
    s->set_formats++;
    if (!s->stubborn) {
        const struct v4l2_pix_format *pix = &format->fmt.pix;
        const struct v4l2_pix_format_mplane *multi = &format->fmt.pix_mp;
        const uint32_t fourcc = s->multi ? multi->pixelformat : pix->pixelformat;
        if (script_offers(s, fourcc))
            s->now.pixelformat = fourcc;
        s->now.width = s->multi ? multi->width : pix->width;
        s->now.height = s->multi ? multi->height : pix->height;
        script_lay_out(s, s->multi ? multi->plane_fmt[0].bytesperline : pix->bytesperline);
    }
    return script_get_format(s, format);
}

static inline int script_parm(struct script *s, struct v4l2_streamparm *parm, int set)
{
    struct v4l2_fract *period = &parm->parm.capture.timeperframe;
    if (set && s->streaming) {
        s->rate_set_while_streaming = 1;
        return script_error(EBUSY);
    }
    if (set)
        s->period = *period;
    if (set && (uint64_t)s->period.numerator * s->min_period.denominator <
                   (uint64_t)s->min_period.numerator * s->period.denominator)
        s->period = s->min_period;
    parm->parm.capture.capability = V4L2_CAP_TIMEPERFRAME;
    *period = s->period;
    return 0;
}

static inline uint32_t script_memory_bit(uint32_t memory)
{
    return memory == V4L2_MEMORY_MMAP ? 1 : memory == V4L2_MEMORY_USERPTR ? 2 : 4;
}

static inline int script_request(struct script *s, struct v4l2_requestbuffers *request)
{
    CHECK_EQ(request->reserved[0], 0);
    if (!s->silent_caps)
        request->capabilities = (s->memories & 1 ? V4L2_BUF_CAP_SUPPORTS_MMAP : 0) |
                                (s->memories & 2 ? V4L2_BUF_CAP_SUPPORTS_USERPTR : 0) |
                                (s->memories & 4 ? V4L2_BUF_CAP_SUPPORTS_DMABUF : 0);
    if (!(s->memories & script_memory_bit(request->memory)))
        return script_error(EINVAL);
    if (s->streaming && s->fail_error != 0) /* its STREAMOFF was made to fail */
        return script_error(EBUSY);
    CHECK(!s->streaming);
    if (s->no_orphans && s->mapped > 0)
        return script_error(EBUSY);
    if (request->count == 0)
        s->request_zero_count++;
    else if (s->fail_error == 0 && !s->no_orphans) /* REQBUFS(0) may have failed */
        CHECK_EQ(s->count, 0);                     /* memory that changed goes through REQBUFS(0) */
    script_free_buffers(s);
    s->memory = request->memory;
    if (request->count > 0 && request->count < s->min_buffers)
        request->count = s->min_buffers;
    s->count = request->count < SCRIPT_BUFFERS ? request->count : SCRIPT_BUFFERS;
    request->count = s->count;
    for (uint32_t i = 0; i < s->count && s->memory == V4L2_MEMORY_MMAP; i++)
        for (uint32_t p = 0; p < s->planes; p++) {
            struct script_buffer *buffer = &s->buffers[i];
            buffer->length[p] = (s->plane_size[p] + 4095u) / 4096u * 4096u;
            buffer->fd[p] = memfd_create("script", MFD_CLOEXEC);
            CHECK(ftruncate(buffer->fd[p], buffer->length[p]) == 0);
            buffer->at[p] = MAP_FAILED;
            /* Again: a fault test may have aimed at the library. */
            for (int again = 0; again < 2 && buffer->at[p] == MAP_FAILED; again++)
                buffer->at[p] = mmap(NULL, buffer->length[p], PROT_READ | PROT_WRITE, MAP_SHARED,
                                     buffer->fd[p], 0);
            CHECK(buffer->at[p] != MAP_FAILED);
        }
    return 0;
}

static inline void script_check_clean(const struct script *s, const struct v4l2_buffer *buffer)
{
    CHECK_EQ(buffer->type,
             s->multi ? V4L2_BUF_TYPE_VIDEO_CAPTURE_MPLANE : V4L2_BUF_TYPE_VIDEO_CAPTURE);
    CHECK_EQ(buffer->reserved, 0);
    CHECK_EQ(buffer->reserved2, 0);
    CHECK_EQ(buffer->flags, 0);
    CHECK_EQ(buffer->memory, s->memory);
}

static inline int script_query_buffer(struct script *s, struct v4l2_buffer *out)
{
    script_check_clean(s, out);
    if (out->index >= s->count)
        return script_error(EINVAL);
    for (uint32_t p = 0; p < s->planes && s->multi; p++) {
        out->m.planes[p].length = s->buffers[out->index].length[p];
        out->m.planes[p].m.mem_offset = (out->index * 4 + p) << 12;
        out->m.planes[p].data_offset = s->plane_offset[p];
    }
    if (s->multi) {
        out->length = s->planes;
    } else {
        out->length = s->buffers[out->index].length[0];
        out->m.offset = (out->index * 4) << 12;
    }
    return 0;
}

static inline int script_take_memory(struct script *s, struct script_buffer *buffer, uint32_t p,
                                     unsigned long address, int fd, uint32_t length)
{
    if (s->memory == V4L2_MEMORY_MMAP)
        return 0;
    buffer->length[p] = length;
    if (length < s->plane_size[p] || length % 4096 != 0)
        return script_error(EINVAL);
    if (s->memory == V4L2_MEMORY_USERPTR) {
        CHECK_EQ(address % 4096, 0);
        s->last_user_length = length;
        buffer->at[p] = (uint8_t *)address;
        return 0;
    }
    for (int i = 0; i < s->dmabuf_count; i++)
        if (s->dmabufs[i].fd == fd) {
            buffer->fd[p] = fd;
            buffer->fd_offset[p] = s->dmabufs[i].offset;
            return 0;
        }
    return script_error(EINVAL);
}

static inline int script_queue(struct script *s, const struct v4l2_buffer *in)
{
    script_check_clean(s, in);
    CHECK(in->index < s->count);
    struct script_buffer *buffer = &s->buffers[in->index];
    CHECK(!buffer->queued);
    if (s->multi)
        CHECK_EQ(in->length, s->planes);
    for (uint32_t p = 0; p < s->planes; p++) {
        const unsigned long address = s->multi ? in->m.planes[p].m.userptr : in->m.userptr;
        const int fd = s->multi ? in->m.planes[p].m.fd : in->m.fd;
        const uint32_t length = s->multi ? in->m.planes[p].length : in->length;
        if (script_take_memory(s, buffer, p, address, fd, length) < 0)
            return -1;
    }
    buffer->queued = 1;
    if (s->write_early)
        script_write(s, in->index, (uint8_t)(++s->early % 200 + 1));
    s->queue[s->queue_count++] = in->index;
    return 0;
}

static inline void script_fill(struct script *s, const struct script_frame *frame,
                               struct v4l2_buffer *out)
{
    const uint32_t index = s->queue[0];
    memmove(s->queue, s->queue + 1, --s->queue_count * sizeof s->queue[0]);
    s->buffers[index].queued = 0;
    if (!frame->unwritten && !s->write_early)
        script_write(s, index, script_byte(s, frame->sequence));
    out->index = index;
    out->sequence = frame->sequence;
    out->flags = frame->flags;
    out->timestamp.tv_sec = (time_t)frame->seconds;
    out->timestamp.tv_usec = (suseconds_t)frame->micro;
    for (uint32_t p = 0; p < s->planes; p++) {
        const uint32_t used =
            frame->bytes_used == SCRIPT_FULL ? s->plane_size[p] : frame->bytes_used;
        if (s->multi) {
            out->m.planes[p].bytesused = used;
            out->m.planes[p].data_offset = s->plane_offset[p];
            out->m.planes[p].length = s->buffers[index].length[p];
        } else {
            out->bytesused = used;
            out->length = s->buffers[index].length[0];
        }
    }
    if (s->multi)
        out->length = s->planes;
}

static inline int script_dequeue(struct script *s, struct v4l2_buffer *out)
{
    script_check_clean(s, out);
    if (!s->streaming)
        return script_error(EINVAL);
    if (!script_ready(s))
        return script_error(EAGAIN);
    struct script_frame frame = {.sequence = s->sequence,
                                 .bytes_used = SCRIPT_FULL,
                                 .flags = V4L2_BUF_FLAG_TIMESTAMP_MONOTONIC,
                                 .seconds = 100,
                                 .micro = 500000};
    if (s->bad != NULL && s->bad_memories & script_memory_bit(s->memory)) {
        frame = *s->bad;
        frame.sequence = s->sequence;
    }
    if (s->next_frame < s->frame_count)
        frame = s->frames[s->next_frame++];
    if (frame.error != 0)
        return script_error(frame.error);
    s->sequence = frame.sequence + 1;
    script_fill(s, &frame, out);
    return 0;
}

static inline int script_stream_on(struct script *s)
{
    s->endless |= s->stream_on_count++ > 0 && s->revives;
    CHECK(s->queue_count > 0);
    s->streaming = 1;
    return 0;
}

/* A driver may write up to this point: memory that was freed while queued crashes the test. */
static inline int script_stream_off(struct script *s)
{
    s->stream_off_count++;
    for (uint32_t i = 0; i < s->queue_count; i++)
        script_write(s, s->queue[i], 0xee);
    for (uint32_t i = 0; i < s->count; i++)
        s->buffers[i].queued = 0;
    s->queue_count = 0;
    s->streaming = 0;
    return 0;
}

static inline int script_get_control(const struct script *s, struct v4l2_control *control)
{
    if (control->id != V4L2_CID_EXPOSURE_ABSOLUTE || s->exposure == 0)
        return script_error(EINVAL);
    control->value = s->exposure;
    return 0;
}

static inline int script_udmabuf(struct script *s, const struct udmabuf_create *create)
{
    CHECK_EQ(create->offset % 4096, 0);
    CHECK_EQ(create->size % 4096, 0);
    CHECK(fcntl((int)create->memfd, F_GET_SEALS) & F_SEAL_SHRINK);
    const int fd = fcntl((int)create->memfd, F_DUPFD_CLOEXEC, 3);
    s->dmabufs[s->dmabuf_count].fd = fd;
    s->dmabufs[s->dmabuf_count++].offset = (int64_t)create->offset;
    return fd;
}

static inline int script_dispatch(struct script *s, unsigned long request, void *argument)
{
    switch (request) {
    case VIDIOC_QUERYCAP:
        return script_querycap(s, argument);
    case VIDIOC_ENUM_FMT:
        return script_enum_format(s, argument);
    case VIDIOC_G_FMT:
        return script_get_format(s, argument);
    case VIDIOC_S_FMT:
        return script_set_format(s, argument);
    case VIDIOC_G_PARM:
        return script_parm(s, argument, 0);
    case VIDIOC_S_PARM:
        return script_parm(s, argument, 1);
    case VIDIOC_REQBUFS:
        return script_request(s, argument);
    case VIDIOC_QUERYBUF:
        return script_query_buffer(s, argument);
    case VIDIOC_PREPARE_BUF:
        return s->multi ? 0 : script_error(ENOTTY);
    case VIDIOC_QBUF:
        return script_queue(s, argument);
    case VIDIOC_DQBUF:
        return script_dequeue(s, argument);
    case VIDIOC_STREAMON:
        return script_stream_on(s);
    case VIDIOC_STREAMOFF:
        return script_stream_off(s);
    case VIDIOC_G_CTRL:
        return script_get_control(s, argument);
    default:
        return script_error(ENOTTY);
    }
}

static inline int script_ioctl(void *user, int fd, unsigned long request, void *argument)
{
    struct script *s = user;
    if (script_fault_of(s, request) < 0)
        return -1;
    if (request == UDMABUF_CREATE)
        return script_udmabuf(s, argument);
    if (request == DMA_BUF_IOCTL_SYNC)
        return 0;
    CHECK_EQ(fd, s->fd);
    return script_update(s, script_dispatch(s, request, argument));
}

static inline void *script_mmap(void *user, void *at, size_t bytes, int fd, int64_t offset)
{
    struct script *s = user;
    CHECK_EQ(fd, s->fd);
    if (script_fault_of(s, 2) < 0)
        return MAP_FAILED;
    const struct script_buffer *buffer = &s->buffers[offset >> 14];
    s->mapped++;
    return mmap(at, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | (at ? MAP_FIXED : 0),
                buffer->fd[offset >> 12 & 3], 0);
}

static inline int script_munmap(void *user, void *at, size_t bytes)
{
    struct script *s = user;
    s->mapped -= s->mapped > 0;
    return munmap(at, bytes);
}

static inline int script_poll(void *user, struct pollfd *fd, int timeout_ms)
{
    struct script *s = user;
    if (script_fault_of(s, 1) < 0)
        return -1;
    CHECK_EQ(fd->fd, s->fd);
    s->polls++;
    fd->revents = s->poll_events;
    if (s->poll_events != 0 && s->polls > s->poll_after &&
        (s->poll_times == 0 || s->polls <= s->poll_after + s->poll_times))
        return 1;
    return poll(fd, 1, timeout_ms);
}

/* Each query of the camera's node while it is unplugged counts down to its return. */
static inline int script_identify(void *user, const char *path, struct zci_v4l2_identity *out)
{
    struct script *s = user;
    memset(out, 0, sizeof *out);
    const int other = s->other != NULL && strcmp(path, s->other) == 0;
    const int own = s->node == NULL || strcmp(path, s->node) == 0;
    s->looks += own;
    if (own && s->unplugged != 0) {
        s->unplugged -= s->unplugged > 0;
        return -1;
    }
    if (!own && !other)
        return -1;
    const char *serial = own ? s->serial : s->other_serial, *place = own ? s->place : "/other";
    snprintf(out->serial, sizeof out->serial, "%s", serial != NULL ? serial : "");
    snprintf(out->sysfs_path, sizeof out->sysfs_path, "%s", place != NULL ? place : "");
    return 0;
}

/* A webcam with 64x48 YUYV at 30 frames per second that supports every kind of memory. */
static inline void script_init(struct script *s)
{
    *s = (struct script){
        .driver = "script",
        .bus = "platform:script",
        .capabilities = 0x84a00001,
        .device_caps = V4L2_CAP_VIDEO_CAPTURE | V4L2_CAP_STREAMING,
        .fourccs = {V4L2_PIX_FMT_YUYV, V4L2_PIX_FMT_NV12, V4L2_PIX_FMT_GREY},
        .now = {.width = 64,
                .height = 48,
                .pixelformat = V4L2_PIX_FMT_YUYV,
                .field = V4L2_FIELD_NONE,
                .colorspace = V4L2_COLORSPACE_SRGB},
        .period = {1, 30},
        .min_period = {1, 1000},
        .memories = 7,
        .endless = 1,
        .fd = -1,
    };
    s->calls = (struct zci_v4l2_calls){.user = s,
                                       .open = script_open,
                                       .attach = script_attach,
                                       .close = script_close,
                                       .ioctl = script_ioctl,
                                       .mmap = script_mmap,
                                       .munmap = script_munmap,
                                       .poll = script_poll,
                                       .identify = script_identify};
    script_lay_out(s, 0);
}

static inline void script_init_multi(struct script *s, uint32_t fourcc)
{
    script_init(s);
    s->multi = 1;
    s->device_caps = V4L2_CAP_VIDEO_CAPTURE_MPLANE | V4L2_CAP_STREAMING;
    s->fourccs[0] = s->now.pixelformat = fourcc;
    s->fourccs[1] = s->fourccs[2] = 0;
    script_lay_out(s, 0);
}

/* What the library logged. */
struct script_log {
    char text[16384];
};

static inline void script_log(void *user, enum zcs_log_level level, const char *line)
{
    struct script_log *log = user;
    (void)level;
    const size_t length = strlen(log->text);
    snprintf(log->text + length, sizeof log->text - length, "%s\n", line);
}

static inline int script_logged(const struct script_log *log, const char *text)
{
    if (strstr(log->text, text) != NULL)
        return 1;
    fprintf(stderr, "'%s' is not in:\n%s", text, log->text);
    return 0;
}

static inline zcs_context *script_context(struct script_log *log)
{
    const struct zcs_params params = {.backend = ZCS_BACKEND_HOST,
                                      .host_threads = 1,
                                      .log = script_log,
                                      .log_user = log,
                                      .log_level = ZCS_LOG_INFO};
    zcs_context *ctx = NULL;
    log->text[0] = '\0';
    CHECK_EQ(zcs_open(&params, &ctx), ZCS_OK);
    return ctx;
}

/* Opens the scripted camera only: for tests of the result of opening. */
static inline zcs_status script_try_open(struct script *s, const struct zcs_v4l2_params *wanted,
                                         struct script_log *log, struct zcs_source_info *info)
{
    struct zcs_v4l2_params params = wanted != NULL ? *wanted : (struct zcs_v4l2_params){0};
    params.device = "/dev/video7";
    zcs_context *ctx = script_context(log);
    zcs_source *source = NULL;
    const zcs_status status = zci_v4l2_open(ctx, &params, &s->calls, &source);
    if (status == ZCS_OK && info != NULL)
        zcs_source_info(source, info);
    zcs_source_close(&source);
    zcs_close(&ctx);
    CHECK_EQ(s->open_count, 0);
    return status;
}

#endif
