/* SPDX-License-Identifier: MIT */
/* Timing one thing once, on this machine: what zcapp bench and doctor compare, and applications may. */
#ifndef ZCSTREAM_MEASURE_H
#define ZCSTREAM_MEASURE_H

#include "zcstream/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Memory is pageable (ordinary), pinned (and cached by the CPU) or wc (pinned, write-combined). Times are
 * from before the first call until the CPU knows the result. The ways of a GPU need the CUDA backend. */
enum zcs_benchmark {
    ZCS_BENCHMARK_CPU_COPY,     /* memcpy, pageable to pageable; one thread */
    ZCS_BENCHMARK_CPU_WRITE,    /* memcpy from pageable to pinned ... */
    ZCS_BENCHMARK_CPU_WRITE_WC, /* ... to wc */
    ZCS_BENCHMARK_CPU_READ,     /* the CPU adds up the words of pinned memory ... */
    ZCS_BENCHMARK_CPU_READ_WC,  /* ... of wc */
    ZCS_BENCHMARK_KERNEL_SCALAR, /* Malvar-He-Cutler of 8-bit Bayer by the row kernels' variants: not ... */
    ZCS_BENCHMARK_KERNEL_BASE,   /* ... vectorised, for any processor of this kind, ... */
    ZCS_BENCHMARK_KERNEL_V3,     /* ... and for x86-64-v3; bytes are of source, one thread */
    ZCS_BENCHMARK_SLOT,          /* taking a slot from a pool and giving it back */
    ZCS_BENCHMARK_IN_PAGEABLE,   /* copy to the GPU, waited for */
    ZCS_BENCHMARK_IN_PINNED,     /* */
    ZCS_BENCHMARK_IN_WC,         /* */
    ZCS_BENCHMARK_OUT_PAGEABLE,  /* copy from the GPU, waited for */
    ZCS_BENCHMARK_OUT_PINNED,    /* */
    ZCS_BENCHMARK_CALL_PAGEABLE, /* the asynchronous copy call to the GPU, until it returns */
    ZCS_BENCHMARK_CALL_PINNED,   /* */
    ZCS_BENCHMARK_READ_PINNED,   /* a kernel reads host memory over the bus, in place */
    ZCS_BENCHMARK_READ_WC,       /* */
    ZCS_BENCHMARK_DOT_PAGEABLE, /* copy of two vectors, `bytes` together, and the kernel of their product */
    ZCS_BENCHMARK_DOT_PINNED,   /* */
    ZCS_BENCHMARK_DOT_MAPPED,   /* the same kernel reads them where they are */
    ZCS_BENCHMARK_ONE_STREAM,   /* copy in, kernel, copy out in 8 pieces, on one stream ... */
    ZCS_BENCHMARK_FOUR_STREAMS, /* ... on four */
    ZCS_BENCHMARK_REGISTER,     /* pinning pageable memory */
    ZCS_BENCHMARK_UNREGISTER,   /* undoing that */
    ZCS_BENCHMARK_KNOWN,        /* finding memory that is registered, as a push does */
    ZCS_BENCHMARK_TWO_IN_PAGEABLE, /* a copy of `bytes` to each of two GPUs, issued one behind the other, ... */
    ZCS_BENCHMARK_TWO_IN_PINNED, /* ... waited for together */
    ZCS_BENCHMARK_LAUNCH,        /* an empty kernel; bytes do not matter */
    ZCS_BENCHMARK_COUNT,
};

/* The memory that ways need. Threads: one at a time. */
typedef struct zcs_measure zcs_measure;

/* For up to `max_bytes` at a time, on `device` and, where two are needed, the next one. ZCS_ERR_ARG: no
 * such device, 0 bytes. ZCS_ERR_NOMEM, logged. */
zcs_status zcs_measure_open(zcs_context *ctx, uint32_t device, size_t max_bytes,
                            zcs_measure **out) ZCS_MUST_CHECK;

/* Does it once, with `bytes` (at least 4096) of memory. ZCS_ERR_UNSUPPORTED, not logged: not on this
 * backend or machine. ZCS_ERR_ARG: no such way, or more bytes than were announced. */
zcs_status zcs_measure_run(zcs_measure *measure, enum zcs_benchmark way, size_t bytes,
                           int64_t *ns) ZCS_MUST_CHECK;

/* Accepts NULL content, sets NULL. */
void zcs_measure_close(zcs_measure **measure);

#ifdef __cplusplus
}
#endif
#endif
