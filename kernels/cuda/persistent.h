/* SPDX-License-Identifier: MIT */
/* The persistent kernel: it stays on the device and is told of frames through mapped memory, which saves
 * launching and its way to the device.
 *
 *   host: order --mapped--> leader (block 0): copies it to the meeting --device memory--> all blocks
 *   host: report <--mapped-- the block that ends last
 *
 * All blocks but the loaders run their shares of the tiles; nothing is handed out. The leader alone decides
 * to end: when the host says so, when none came for idle_ns, or life_ns after the launch, so that calls that
 * wait for the device are not held up for longer. It says so in `closed`; an order that came too late is
 * still there for the next launch.
 *
 * A frame's order is ahead of its copies, which the kernel does without if they do not come for
 * ZCK_CUDA_COPY_TIMEOUT: calls of another thread's that wait for the kernel's end may hold them up. */
#ifndef ZCK_CUDA_PERSISTENT_H
#define ZCK_CUDA_PERSISTENT_H

#include "kernels/cuda/pass.h"
#include "kernels/inline.h"

#ifdef __cplusplus
extern "C" {
#endif

#ifndef ZCK_CUDA_THREAD_GROUPS /* tests/gpu/run.sh has a build with one */
#define ZCK_CUDA_THREAD_GROUPS                                                                     \
    3u /* of ZCK_CUDA_THREADS in a block, of which a multiprocessor has one */
#endif
#define ZCK_CUDA_PERSISTENT_PASSES 4u

/* Addresses in the low 48 bits, above them the frame's number, so that a reader sees that a word is the
 * frame's. The low bits are flags: of `result`, whose address is that of a line, and of `source`, whose is a
 * multiple of 16. */
struct zck_cuda_command {
    uint64_t source, result;
};

#define ZCK_COMMAND_SECOND_BUFFER 1u /* source: the image's place is the other one */
#define ZCK_COMMAND_SENTINEL 2u      /* ... and each word that comes shows that it is there */
#define ZCK_COMMAND_SOURCE_FLAGS 15u

#define ZCK_COMMAND_HYBRID 1u  /* the copy engine brings a part: persistent.hybrid */
#define ZCK_COMMAND_TO_HOST 2u /* the result goes to host memory */
#define ZCK_COMMAND_STOP 4u    /* no frame: end */
#define ZCK_COMMAND_LAUNCH 8u  /* times the launch's number, 0 to 15; the meeting's only */
#define ZCK_COMMAND_FLAGS 127u

ZCK_INLINE uint64_t zck_command_word(uint64_t address, uint32_t frame)
{
    return address | (uint64_t)(frame & 65535u) << 48;
}

/* Mapped host memory: written by the host ... */
struct zck_cuda_mailbox {
    struct zck_cuda_command command;
};

/* ... and by the device. */
struct zck_cuda_completion {
    struct zck_cuda_report report;
    uint32_t closed; /* the launch that takes no more orders */
    uint32_t late;   /* the frame whose copies it did without: they may still be under way */
};

/* Device memory. */
struct zck_cuda_barrier {
    struct zck_cuda_command command;
    uint32_t passed;  /* grows with each pass that all blocks are done with */
    uint32_t late;    /* as the answer's */
    uint32_t helpers; /* loaders that are done with what should have been copied */
};

struct zck_cuda_hybrid {
    uint32_t first_band, after_chunk, wait_band, wait; /* as in the flow */
    uint32_t sentinel_first_band;                      /* with ZCK_COMMAND_SENTINEL */
};

/* What does not change from frame to frame. */
struct zck_cuda_persistent {
    const struct zck_cuda_mailbox *mailbox;
    struct zck_cuda_completion *completion;
    struct zck_cuda_barrier *barrier;
    uint32_t served; /* frames before this launch */
    uint32_t launch; /* its number */
    int64_t idle_ns, life_ns;
    uint64_t source_bytes;
    int64_t second_buffer_offset; /* from the image's place to the other one */
    struct zck_cuda_hybrid hybrid;
    uint32_t loaders;
    uint32_t pass_count;
    struct zck_cuda_pass
        passes[ZCK_CUDA_PERSISTENT_PASSES]; /* the last one's `out` comes with the order;
                                                              `in` is the flow's `staging` */
};

/* For launching with one `struct zck_cuda_persistent`, ZCK_CUDA_THREAD_GROUPS * ZCK_CUDA_THREADS threads and more
 * blocks than loaders; by enum zci_unpack of the source. */
const void *zck_cuda_persistent_kernel(uint32_t unpack);

/* Its rows, NULL for unpack kinds that they do not have. */
const void *zck_cuda_persistent_sensor_kernel(uint32_t unpack);
const void *zck_cuda_persistent_color_kernel(uint32_t unpack);

#ifdef __cplusplus
}
#endif
#endif
