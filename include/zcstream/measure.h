/* SPDX-License-Identifier: MIT */
/* Benchmarks of this machine, one run at a time, as zcapp bench and zcapp doctor use them. */
#ifndef ZCSTREAM_MEASURE_H
#define ZCSTREAM_MEASURE_H

#include "zcstream/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Memory is pageable, pinned (cached by the CPU) or wc (pinned and write-combined). The time is
 * wall-clock time from before the first call until the CPU knows the result. GPU benchmarks need
 * the CUDA backend. */
enum zcs_benchmark {
    ZCS_BENCHMARK_CPU_COPY,     /* memcpy, pageable to pageable, one thread */
    ZCS_BENCHMARK_CPU_WRITE,    /* memcpy, pageable to pinned */
    ZCS_BENCHMARK_CPU_WRITE_WC, /* memcpy, pageable to wc */
    ZCS_BENCHMARK_CPU_READ,     /* the CPU sums the words of pinned memory */
    ZCS_BENCHMARK_CPU_READ_WC,  /* the CPU sums the words of wc memory */
    /* Malvar-He-Cutler demosaic of 8-bit Bayer on one thread; bytes count the source. */
    ZCS_BENCHMARK_KERNEL_SCALAR, /* variant without vector instructions */
    ZCS_BENCHMARK_KERNEL_BASE,   /* variant for every processor of this architecture */
    ZCS_BENCHMARK_KERNEL_V3,     /* variant for x86-64-v3 */
    ZCS_BENCHMARK_SLOT,          /* take a slot from a pool and return it */
    ZCS_BENCHMARK_IN_PAGEABLE,   /* copy to the GPU from pageable memory, and synchronise */
    ZCS_BENCHMARK_IN_PINNED,     /* the same from pinned memory */
    ZCS_BENCHMARK_IN_WC,         /* the same from wc memory */
    ZCS_BENCHMARK_OUT_PAGEABLE,  /* copy from the GPU to pageable memory, and synchronise */
    ZCS_BENCHMARK_OUT_PINNED,    /* the same to pinned memory */
    ZCS_BENCHMARK_CALL_PAGEABLE, /* the asynchronous copy call to the GPU, until it returns */
    ZCS_BENCHMARK_CALL_PINNED,   /* the same from pinned memory */
    ZCS_BENCHMARK_READ_PINNED,   /* a kernel reads pinned memory over the bus */
    ZCS_BENCHMARK_READ_WC,       /* a kernel reads wc memory over the bus */
    ZCS_BENCHMARK_DOT_PAGEABLE,  /* copy two vectors (`bytes` together), dot product kernel */
    ZCS_BENCHMARK_DOT_PINNED,    /* the same from pinned memory */
    ZCS_BENCHMARK_DOT_MAPPED,    /* the same kernel reads the vectors in host memory */
    ZCS_BENCHMARK_ONE_STREAM,    /* copy in, kernel, copy out, in 8 pieces, on one CUDA stream */
    ZCS_BENCHMARK_FOUR_STREAMS,  /* the same on four CUDA streams */
    ZCS_BENCHMARK_REGISTER,      /* register (pin) pageable memory */
    ZCS_BENCHMARK_UNREGISTER,    /* unregister it */
    ZCS_BENCHMARK_KNOWN,         /* find registered memory in the cache, as a push does */
    /* Two copies of `bytes`, one to each of two GPUs: both are enqueued, then both synchronised. */
    ZCS_BENCHMARK_TWO_IN_PAGEABLE, /* from pageable memory */
    ZCS_BENCHMARK_TWO_IN_PINNED,   /* from pinned memory */
    ZCS_BENCHMARK_LAUNCH,          /* launch an empty kernel; `bytes` has no effect */
    ZCS_BENCHMARK_COUNT,
};

/* The memory of the benchmarks. Threads: one at a time. */
typedef struct zcs_measure zcs_measure;

/* For up to `max_bytes` per run, on `device`; benchmarks with two devices also use the next one.
 * ZCS_ERR_ARG: no such device, or 0 bytes. ZCS_ERR_NOMEM: logged. */
zcs_status zcs_measure_open(zcs_context *ctx, uint32_t device, size_t max_bytes,
                            zcs_measure **out) ZCS_MUST_CHECK;

/* Runs it once with `bytes` (at least 4096) of memory. ZCS_ERR_UNSUPPORTED: not on this backend or
 * machine; not logged. ZCS_ERR_ARG: no such benchmark, or more than max_bytes. */
zcs_status zcs_measure_run(zcs_measure *measure, enum zcs_benchmark benchmark, size_t bytes,
                           int64_t *ns) ZCS_MUST_CHECK;

/* Accepts NULL content, sets NULL. */
void zcs_measure_close(zcs_measure **measure);

#ifdef __cplusplus
}
#endif
#endif
