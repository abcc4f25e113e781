/* SPDX-License-Identifier: MIT */
/* The devices of a context: GPUs, or the host's cores as one device. */
#ifndef ZCSTREAM_DEVICE_H
#define ZCSTREAM_DEVICE_H

#include "zcstream/base.h"

#ifdef __cplusplus
extern "C" {
#endif

struct zcs_device_info {
    char name[128];
    enum zcs_backend backend;
    uint32_t units;        /* multiprocessors, or worker threads on the host */
    uint64_t memory_bytes; /* the device's own memory; 0 on the host */
    uint32_t driver;       /* the driver's CUDA version, 13000 for 13.0; 0 on the host */
    int integrated;        /* 1: shares the host's memory, so mapped memory costs no bus transfer */
    int can_map;           /* 1: kernels can read host memory */
    uint32_t toolkit;      /* the CUDA version of this build; 0 on the host */
    char pci[16];          /* PCI address: "0000:06:00.0"; "" on the host */
    int node;              /* its NUMA node; -1: unknown, or there is only one */
};

/* At least 1. Any thread. */
uint32_t zcs_device_count(const zcs_context *ctx);

/* ZCS_ERR_ARG: no such device. Any thread. */
zcs_status zcs_device_info(const zcs_context *ctx, uint32_t index,
                           struct zcs_device_info *out) ZCS_MUST_CHECK;

#ifdef __cplusplus
}
#endif
#endif
