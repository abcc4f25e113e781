/* SPDX-License-Identifier: MIT */
/* The persistent kernel: it stays on the device and gets its frames through mapped memory,
 * without launches.
 *
 *   host: mailbox --mapped memory--> leader (block 0): copies it to the barrier --> all blocks
 *   host: completion <--mapped memory-- the block that ends last
 *
 * The first blocks are loaders; the others run the tiles, each block its fixed share. After each
 * pass all blocks meet at the barrier. Only the leader decides to end: when the host commands
 * it, after idle_ns without a command, or life_ns after the launch, but never within a frame. So
 * calls that wait for the device, such as cudaFree, are not delayed for longer. The leader
 * writes the launch's number to `closed`. A command that came too late stays in the mailbox for
 * the next launch.
 *
 * The host writes a frame's command before it enqueues the copies. If another thread's cudaFree
 * blocks these calls until this kernel ends, the copies cannot come; so after
 * ZCK_CUDA_COPY_TIMEOUT the loaders load those rows themselves, and `late` names the frame. */
#ifndef ZCK_CUDA_PERSISTENT_H
#define ZCK_CUDA_PERSISTENT_H

#include "kernels/cuda/pass.h"
#include "kernels/inline.h"

#ifdef __cplusplus
extern "C" {
#endif

#ifndef ZCK_CUDA_THREAD_GROUPS    /* tests/gpu/run.sh builds with 1 */
#define ZCK_CUDA_THREAD_GROUPS 3u /* of ZCK_CUDA_THREADS each in a block; an SM has one block */
#endif
#define ZCK_CUDA_PERSISTENT_PASSES 4u

/* The low 48 bits of a word are an address; the high 16 bits are the frame's number, so a reader
 * sees that the word belongs to the frame. The lowest bits of the address are flags: the result
 * is aligned to a line, the source to 16 bytes. */
struct zck_cuda_command {
    uint64_t source, result;
};

#define ZCK_COMMAND_SECOND_BUFFER 1u /* source: it goes to the second staging buffer */
#define ZCK_COMMAND_SENTINEL 2u      /* source: the frame uses sentinel words */
#define ZCK_COMMAND_SOURCE_FLAGS 15u

#define ZCK_COMMAND_HYBRID 1u  /* result: the copy engine copies a part; see `hybrid` */
#define ZCK_COMMAND_TO_HOST 2u /* result: it is in host memory */
#define ZCK_COMMAND_STOP 4u    /* result: no frame; the kernel ends */
/* result: times the launch's number, 0 to 15; only in the barrier's copy */
#define ZCK_COMMAND_LAUNCH 8u
#define ZCK_COMMAND_FLAGS 127u

ZCK_INLINE uint64_t zck_command_word(uint64_t address, uint32_t frame)
{
    return address | (uint64_t)(frame & 65535u) << 48;
}

/* Mapped host memory, written by the host. */
struct zck_cuda_mailbox {
    struct zck_cuda_command command;
};

/* Mapped host memory, written by the device. */
struct zck_cuda_completion {
    struct zck_cuda_report report;
    uint32_t closed; /* the launch that accepts no more commands */
    uint32_t late;   /* the frame that did not wait for its copies; they may still be running */
};

/* Device memory, shared by all blocks. */
struct zck_cuda_barrier {
    struct zck_cuda_command command;
    uint32_t passed;  /* grows by 1 with each pass that all blocks have completed */
    uint32_t late;    /* as in the completion */
    uint32_t helpers; /* loaders that have loaded their part of late copies */
};

struct zck_cuda_hybrid {
    uint32_t first_band, after_chunk, wait_band, wait; /* as in the transfer descriptor */
    uint32_t sentinel_first_band;                      /* used with ZCK_COMMAND_SENTINEL */
};

/* The argument of a launch: what does not change from frame to frame. */
struct zck_cuda_persistent {
    const struct zck_cuda_mailbox *mailbox;
    struct zck_cuda_completion *completion;
    struct zck_cuda_barrier *barrier;
    uint32_t served; /* frames before this launch */
    uint32_t launch; /* the number of this launch */
    int64_t idle_ns, life_ns;
    uint64_t source_bytes;
    /* from the first staging buffer to the second; 0: there is none */
    int64_t second_buffer_offset;
    struct zck_cuda_hybrid hybrid;
    uint32_t loaders;
    uint32_t pass_count;
    struct zck_cuda_pass
        /* the command has the last pass's `out`; the first pass's `in` is in the staging buffer */
        passes[ZCK_CUDA_PERSISTENT_PASSES];
};

/* By enum zci_unpack of the source. Argument: one `struct zck_cuda_persistent`;
 * ZCK_CUDA_THREAD_GROUPS * ZCK_CUDA_THREADS threads a block, and more blocks than loaders. */
const void *zck_cuda_persistent_kernel(uint32_t unpack);

/* zck_cuda_persistent_kernel for some formats; NULL for the others. */
const void *zck_cuda_persistent_sensor_kernel(uint32_t unpack);
const void *zck_cuda_persistent_color_kernel(uint32_t unpack);

#ifdef __cplusplus
}
#endif
#endif
