/* SPDX-License-Identifier: MIT */
/* The sections of zcapp doctor, and the state that they share. */
#ifndef ZCAPP_DOCTOR_SECTIONS_H
#define ZCAPP_DOCTOR_SECTIONS_H

#include "zcstream/zcstream.h"

#include "app/cli/console.h"
#include "app/cli/options.h"
#include "app/doctor/findings.h"

#define DOCTOR_BYTES ((size_t)16588800) /* 3840x2160 YUYV */

struct doctor {
    const struct options *options; /* its input may be NULL */
    struct console *console;
    zcs_context *ctx;
    uint32_t cuda_devices; /* 0: ctx uses the host backend */
    char why_no_cuda[256]; /* "" if there is a CUDA device */
    char last_error[200];  /* the library's last error line; "" before the first */
    int muted;             /* 1: do not show the library's lines: failures are facts now */
    int failed;            /* the exit status; 0: INPUT and the backend were available */
    zcs_measure *measure;  /* on device 0, for DOCTOR_BYTES */
};

/* The processor, its memory, limits, containers. */
void doctor_machine(struct doctor *doctor, struct findings *findings);
/* GPUs, drivers, PCIe links. */
void doctor_gpus(struct doctor *doctor, struct findings *findings);
/* Memory kinds: whether CUDA registers them, and whether the kernel pins them for a device's
 * writes. */
void doctor_memory(struct doctor *doctor, struct findings *findings);
/* Copy and read rates of camera frames. */
void doctor_rates(struct doctor *doctor, struct findings *findings);
/* What `auto` chooses for INPUT, or for a synthetic Bayer frame. */
void doctor_auto(struct doctor *doctor, struct findings *findings);

/* 0 if INPUT is a camera, which has its own section. */
int doctor_auto_applies(const struct doctor *doctor);

/* The fastest of several runs, in GB/s; < 0: not supported on this machine. */
double doctor_rate(const struct doctor *doctor, enum zcs_benchmark benchmark, size_t bytes);

/* The bandwidth of a PCI device's link in one direction, in GB/s, including packet headers; 0:
 * unknown. `pci` is an address as in zcs_device_info. */
double doctor_link_rate(const char *pci);

#endif
