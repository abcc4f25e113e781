/* SPDX-License-Identifier: MIT */
/* What a CUDA kernel gets to run one pass of a plan, and how the source's bytes reach it.
 *
 *   host memory --loader blocks, a line at a time--> staging image --tiles of rows--> output image
 *               \-copy engine, in chunks of rows---/
 *
 * The first blocks to start are the loaders (mapped route); all others run tiles from the top of the
 * source on, each as soon as the rows it needs are announced in `bands` or `chunks`. These only ever grow,
 * so that nothing is reset between frames. The last block to end finishes the reduction and, in the last
 * pass, tells the host.
 *
 * Announcing costs the copy engine microseconds a chunk, and loaders a microsecond until it is heard of. Where
 * words are waited for, all comes, by loaders or in one copy or one of each plane, into memory that was filled
 * with one word: whoever reads a word that differs has what was brought, in whatever order that comes. One that
 * does not may be of a source with that word: it is believed when the last counter says that all is there.
 * Each frame fills the memory for the next one. */
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
#define ZCK_CUDA_LINE 128u         /* bytes that one request over the bus takes */
#define ZCK_CUDA_PIECE 8192u       /* bytes that a loader moves at once */
#define ZCK_CUDA_STAGES 5u         /* pieces that a loader has room for */
#define ZCK_CUDA_LOADERS 8u        /* blocks that saturate a bus with bulk copies ... */
#define ZCK_CUDA_PLAIN_LOADERS 32u /* ... and without */
#define ZCK_CUDA_CHUNKS 5u         /* most chunks of the staged route */

#define ZCK_CUDA_COPY_TIMEOUT                                                                      \
    (INT64_C(1) << 25) /* clocks, some 20 ms, and one a byte: see cuda_persistent.h */

enum zck_cuda_wait {
    ZCK_CUDA_WAIT_NONE,        /* the input is complete */
    ZCK_CUDA_WAIT_BAND_FLAGS,  /* loader blocks bring it */
    ZCK_CUDA_WAIT_CHUNK_FLAGS, /* the copy engine brings it */
    ZCK_CUDA_WAIT_HYBRID, /* the copy engine brings the rows before `first_band`, loaders the rest */
    /* Of these, each word shows that it is there: */
    ZCK_CUDA_WAIT_SENTINEL,         /* as CHUNKS, in one copy */
    ZCK_CUDA_WAIT_SENTINEL_LOADERS, /* as BANDS */
    ZCK_CUDA_WAIT_SENTINEL_HYBRID,  /* as BOTH */
};

/* One plane of the source, counted from `lines`. */
struct zck_cuda_plane {
    uint64_t begin_bytes, stride_bytes;
    uint32_t rows, vsub;
};

struct zck_cuda_transfer {
    const uint8_t *lines;  /* the source's first byte, rounded down to a line; for kernels */
    uint8_t *staging;      /* where these lines go */
    uint32_t *band_flags;  /* a counter each, of the loaders that are done with it */
    uint32_t *chunk_flags; /* a counter each, which the copy engine writes */
    uint32_t band_target;  /* complete for this frame when the counter has it */
    uint32_t chunk_target;
    uint32_t wait;    /* enum zck_cuda_wait */
    uint32_t loaders; /* blocks; 0: none brings undefined_value */
    uint32_t alone;   /* 1: a multiprocessor with a loader does nothing else */
    uint32_t band_rows, band_count;
    uint32_t first_band;                              /* that loaders bring */
    uint32_t after_chunk;                             /* 0, or they wait for so many chunks ... */
    uint32_t wait_band;                               /* ... before they bring this band */
    uint32_t chunk_count, chunk_end[ZCK_CUDA_CHUNKS]; /* source rows, ascending */
    uint32_t first_row; /* of the source: where bands, chunks and planes begin */
    uint32_t plane_count;
    struct zck_cuda_plane planes[ZCS_MAX_PLANES];
    uint64_t end_bytes;    /* of the source, counted from `lines`, rounded up to a line */
    uint32_t eager;        /* 1: whoever waits does not sleep in between */
    int64_t start_clock;   /* the multiprocessor's, of a persistent kernel at the frame's order */
    uint32_t sentinel;     /* what a word of the staging image is until it is brought */
    uint8_t *next_staging; /* NULL, or memory to fill with blank words, for a later frame ... */
    uint64_t fill_begin;   /* ... from there on, ... */
    uint64_t fill_bytes;   /* ... so much of it; multiples of 16 */
};

/* Device memory that outlives a frame. All counters are 0 between kernels. */
struct zck_cuda_device_state {
    uint32_t tickets, done;
    uint32_t loader_sms[8]; /* a bit for each multiprocessor that has a loader block */
    struct zci_sums sums;   /* neutral between kernels */
    struct zci_dynamic states[ZCI_MAX_STATES];
    struct zci_sums
        partial_sums[ZCI_MAX_STATES]; /* of the device's share, to be combined with others' */
};

/* Mapped host memory: `frame` is written last. */
struct zck_cuda_report {
    uint64_t digest;
    uint32_t frame;
};

struct zck_cuda_finish {
    struct zck_cuda_device_state *state;
    struct zck_cuda_report *report; /* NULL: not the last pass */
    int32_t digest_state;           /* -1: none */
    uint32_t frame;                 /* what to report */
    uint32_t to_host;               /* 1: results go to host memory */
    uint32_t partial;               /* 1: a reduction ends in the board's parts */
};

struct zck_cuda_pass {
    const uint8_t *in; /* the source in device memory, or an image */
    uint8_t *out;      /* NULL: the pass only reduces */
    uint64_t in_stride, out_stride;
    uint32_t width, height; /* of the output */
    uint32_t tiles_x, tiles;
    uint32_t first_row;           /* of the tiles: a multiple of their height */
    uint32_t sum_first, sum_last; /* rows that the reduction adds up: whole tiles */
    struct zci_load load;         /* unpack NONE: `in` is an image of `loaded` pixels */
    struct zci_pixel loaded, pixel;
    struct zci_window window;
    uint32_t stencil;             /* enum zci_stencil */
    uint32_t stencil_max;         /* the greatest sample that it reads and makes */
    uint32_t finished;            /* 1: it makes RGBA8 pixels, and nothing is done to them */
    uint32_t pre_count, op_count; /* ops[0 .. pre_count) come before the stencil */
    const struct zci_op *ops;     /* device memory */
    struct zci_reduce reduce;
    const void *tables[ZCI_MAX_TABLES]; /* device addresses */
    struct zck_cuda_transfer transfer;
    struct zck_cuda_finish finish;
};

/* 1: its kernels look at the words of the source. */
ZCK_INLINE int zck_cuda_reads_sentinel(uint32_t unpack)
{
    return unpack >= ZCI_UNPACK_U8 && unpack <= ZCI_UNPACK_PLANAR16;
}

/* The kernel, for launching with one `struct zck_cuda_pass` and ZCK_CUDA_THREADS; by enum zci_unpack and
 * whether there is a stencil. */
const void *zck_cuda_kernel(uint32_t unpack, int stencil);

/* One thread with one `struct zck_cuda_finish`: ends a frame whose last step is not a pass. */
const void *zck_cuda_signal_kernel(void);

struct zck_cuda_combine {
    struct zck_cuda_device_state *state; /* whose state is made */
    const struct zci_sums *parts;        /* one of each device, on this one */
    uint32_t count;
    struct zci_reduce reduce;
};

/* One warp with one `struct zck_cuda_combine`. */
const void *zck_cuda_combine_kernel(void);

/* The rows of zck_cuda_kernel, each NULL for unpack kinds that it does not have. */
const void *zck_cuda_sensor_kernel(uint32_t unpack, int stencil);
const void *zck_cuda_color_kernel(uint32_t unpack);

#ifdef __cplusplus
}
#endif
#endif
