/* SPDX-License-Identifier: MIT */
/* The arguments of a pass, and how its kernel sees that the source has arrived.
 *
 *   host memory --loader blocks, a line at a time--> staging buffer --tiles--> output image
 *               \-copy engine, in chunks of rows--/
 *
 * Complete copy (route whole): the kernel follows the copy on the same stream and waits for
 * nothing.
 *
 * Per-chunk flags (routes mapped and staged): the kernel runs while the source arrives. On the
 * mapped route the first blocks to start are loaders; when they have stored a band of rows, each
 * adds 1 to its flag (band_flags). On the staged route the copy engine writes the frame's number
 * to a flag after each chunk (chunk_flags). All other blocks run tiles, in the order in which
 * their rows arrive; a tile waits for the flag of its last row. Flags only grow, so nothing is
 * reset between frames.
 *
 * Sentinel words (the same routes; sensor codes and Y'CbCr): the staging buffer is full of one
 * 32-bit value, the sentinel. A word with another value has arrived. So no flag is needed for
 * each chunk, which costs the copy engine some microseconds and is seen late, and words may
 * arrive in any order. If the source itself contains the sentinel, the reader waits for the last
 * flag: it says that all has arrived. Each kernel fills the staging buffer of the next frame.
 * The source is aligned to 16 bytes, and no word is split between copies, because a word must
 * appear as a whole.
 *
 * The last block to end finishes the reduction and, in the last pass, reports the frame to the
 * host. */
#ifndef ZCK_CUDA_PASS_H
#define ZCK_CUDA_PASS_H

#include "core/plan.h"
#include "kernels/inline.h"

#ifdef __cplusplus
extern "C" {
#endif

#define ZCK_CUDA_THREADS 256u
#define ZCK_CUDA_TILE_WIDTH 128u   /* pixels: four for each lane of a warp */
#define ZCK_CUDA_TILE_HEIGHT 16u   /* rows: two for each warp */
#define ZCK_CUDA_LINE 128u         /* bytes of one request over the bus */
#define ZCK_CUDA_PIECE 8192u       /* bytes that a loader moves at a time */
#define ZCK_CUDA_STAGES 5u         /* pieces in a loader's ring in shared memory */
#define ZCK_CUDA_LOADERS 8u        /* blocks that saturate the bus with bulk copies */
#define ZCK_CUDA_PLAIN_LOADERS 32u /* blocks that saturate it with plain loads */
#define ZCK_CUDA_CHUNKS 5u         /* the maximal number of chunks of a staged frame */

#define ZCK_CUDA_COPY_TIMEOUT                                                                      \
    (INT64_C(1) << 25) /* in clocks, about 20 ms; one clock a byte is added: see persistent.h */

enum zck_cuda_wait {
    ZCK_CUDA_WAIT_NONE,        /* complete copy: the input is there before the kernel starts */
    ZCK_CUDA_WAIT_BAND_FLAGS,  /* flags of the bands, written by loaders */
    ZCK_CUDA_WAIT_CHUNK_FLAGS, /* flags of the chunks, written by the copy engine */
    /* the copy engine copies the bands before `first_band`, loaders load the rest */
    ZCK_CUDA_WAIT_HYBRID,
    /* Sentinel words; the source arrives */
    ZCK_CUDA_WAIT_SENTINEL,         /* in one copy, or one a plane, */
    ZCK_CUDA_WAIT_SENTINEL_LOADERS, /* by loaders, */
    ZCK_CUDA_WAIT_SENTINEL_HYBRID,  /* as in HYBRID. */
};

/* One plane of the source, counted from `lines`. */
struct zck_cuda_plane {
    uint64_t begin_bytes, stride_bytes;
    uint32_t rows, vsub;
};

struct zck_cuda_transfer {
    const uint8_t *lines;  /* the source's first byte, rounded down to a line */
    uint8_t *staging;      /* the staging buffer: where these lines go */
    uint32_t *band_flags;  /* one a band: counts the loaders that are done with it */
    uint32_t *chunk_flags; /* one a chunk: the copy engine writes the frame's number */
    uint32_t band_target;  /* the value of a flag that is complete for this frame */
    uint32_t chunk_target;
    uint32_t wait;    /* enum zck_cuda_wait */
    uint32_t loaders; /* loader blocks; 0: none */
    uint32_t alone;   /* 1: an SM with a loader runs no tiles */
    uint32_t band_rows, band_count;
    uint32_t first_band;  /* the first band that loaders load */
    uint32_t after_chunk; /* loaders wait for the first `after_chunk` chunks */
    uint32_t wait_band;   /* before they load this band; after_chunk 0: they do not wait */
    uint32_t chunk_count, chunk_end[ZCK_CUDA_CHUNKS]; /* source rows, ascending */
    uint32_t first_row; /* of the source: where bands, chunks and planes begin */
    uint32_t plane_count;
    struct zck_cuda_plane planes[ZCS_MAX_PLANES];
    uint64_t end_bytes;    /* of the source, counted from `lines`, rounded up to a line */
    uint32_t eager;        /* 1: waiting threads do not sleep between polls */
    int64_t start_clock;   /* of the SM, when the persistent kernel got the command */
    uint32_t sentinel;     /* the value of a word of the staging buffer that has not arrived */
    uint8_t *next_staging; /* filled with the sentinel by this kernel; NULL: not */
    uint64_t fill_begin;   /* the range to fill, from its begin: */
    uint64_t fill_bytes;   /* multiples of 16 */
};

/* Device memory that outlives a frame. All counters are 0 between kernels. */
struct zck_cuda_device_state {
    uint32_t tickets, done;
    uint32_t loader_sms[8]; /* a bit for each SM that has a loader block */
    struct zci_sums sums;   /* neutral between kernels */
    struct zci_dynamic states[ZCI_MAX_STATES];
    struct zci_sums
        /* of this device's rows, to be combined with those of other devices */
        partial_sums[ZCI_MAX_STATES];
};

/* Mapped host memory. `frame` is written last. */
struct zck_cuda_report {
    uint64_t digest;
    uint32_t frame;
};

struct zck_cuda_finish {
    struct zck_cuda_device_state *state;
    struct zck_cuda_report *report; /* NULL: this is not the last pass */
    int32_t digest_state;           /* -1: none */
    uint32_t frame;                 /* the number to report */
    uint32_t to_host;               /* 1: the result goes to host memory */
    uint32_t partial;               /* 1: the reduction's sums go to state->partial_sums */
};

struct zck_cuda_pass {
    const uint8_t *in; /* the source in device memory, or an image */
    uint8_t *out;      /* NULL: the pass only reduces */
    uint64_t in_stride, out_stride;
    uint32_t width, height; /* of the output */
    uint32_t tiles_x, tiles;
    uint32_t first_row;           /* of the tiles; a multiple of the tile height */
    uint32_t sum_first, sum_last; /* rows that are added to the reduction: whole tiles */
    struct zci_load load;         /* unpack NONE: `in` is an image of `loaded` pixels */
    struct zci_pixel loaded, pixel;
    struct zci_window window;
    uint32_t stencil;             /* enum zci_stencil */
    uint32_t stencil_max;         /* the greatest sample that the stencil reads and makes */
    uint32_t finished;            /* 1: the stencil makes RGBA8 pixels, and no ops follow */
    uint32_t pre_count, op_count; /* ops[0 .. pre_count) come before the stencil */
    const struct zci_op *ops;     /* device memory */
    struct zci_reduce reduce;
    const void *tables[ZCI_MAX_TABLES]; /* device addresses */
    struct zck_cuda_transfer transfer;
    struct zck_cuda_finish finish;
};

/* 1: kernels of this format can use sentinel words. */
ZCK_INLINE int zck_cuda_reads_sentinel(uint32_t unpack)
{
    return unpack >= ZCI_UNPACK_U8 && unpack <= ZCI_UNPACK_PLANAR16;
}

/* The kernel for a source format (enum zci_unpack), with or without a stencil. Argument: one
 * `struct zck_cuda_pass`; ZCK_CUDA_THREADS a block. */
const void *zck_cuda_kernel(uint32_t unpack, int stencil);

/* Ends a frame whose last step is not a pass. Argument: one `struct zck_cuda_finish`; one
 * thread. */
const void *zck_cuda_signal_kernel(void);

struct zck_cuda_combine {
    struct zck_cuda_device_state *state; /* receives the combined result */
    const struct zci_sums *parts;        /* one of each device, in the memory of this device */
    uint32_t count;
    struct zci_reduce reduce;
};

/* Combines the partial sums of several devices; the order does not matter. Argument: one `struct
 * zck_cuda_combine`; one warp. */
const void *zck_cuda_combine_kernel(void);

/* zck_cuda_kernel for some formats; NULL for the others. */
const void *zck_cuda_sensor_kernel(uint32_t unpack, int stencil);
const void *zck_cuda_color_kernel(uint32_t unpack);

#ifdef __cplusplus
}
#endif
#endif
