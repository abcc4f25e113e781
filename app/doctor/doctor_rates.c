/* SPDX-License-Identifier: MIT */
/* zcapp doctor: rates of each kind of memory at a camera's frame sizes, and what they say. */
#include <stdio.h>
#include <string.h>

#include "app/doctor/doctor_link.h"
#include "app/doctor/doctor_sections.h"

struct size {
    const char *name;
    size_t bytes;
};
static const struct size sizes[] = {
    {"640x480", 614400},
    {"1920x1080", 4147200},
    {"3840x2160", DOCTOR_BYTES},
};
#define SIZES (sizeof sizes / sizeof *sizes)

struct measured {
    const char *name;
    enum zcs_benchmark benchmark;
};
static const struct measured ways[] = {
    {"copy_pageable", ZCS_BENCHMARK_IN_PAGEABLE},
    {"copy_pinned", ZCS_BENCHMARK_IN_PINNED},
    {"copy_write_combined", ZCS_BENCHMARK_IN_WC},
    {"kernel_reads_pinned", ZCS_BENCHMARK_READ_PINNED},
    {"kernel_reads_wc", ZCS_BENCHMARK_READ_WC},
    {"copy_back_pinned", ZCS_BENCHMARK_OUT_PINNED},
    {"memcpy", ZCS_BENCHMARK_CPU_COPY},
};
#define WAYS (sizeof ways / sizeof *ways)

static void advise_link(const struct doctor *doctor, struct doctor_sheet *sheet, double pinned)
{
    struct zcs_device_info info;
    if (zcs_device_info(doctor->ctx, 0, &info) != ZCS_OK)
        return;
    const struct doctor_link link = doctor_link(info.pci);
    const double could = doctor_link_rate(&link);
    if (could > 0 && pinned < 0.7 * could)
        doctor_advise(sheet,
                      "pinned copies run at %.1f GB/s, the link could do %.1f: other traffic, a "
                      "virtual machine, or memory of another NUMA node",
                      pinned, could);
}

static void advise(const struct doctor *doctor, struct doctor_sheet *sheet,
                   const double rates[WAYS])
{
    const double pageable = rates[0], pinned = rates[1], mapped = rates[3];
    if (pageable > 0 && pinned > 1.3 * pageable)
        doctor_say(sheet, "pinned_against_pageable", "%.1f times as fast", pinned / pageable);
    if (mapped > 0 && mapped < 0.7 * pinned)
        doctor_advise(sheet,
                      "kernels read host memory at %.1f GB/s, the copy engine at %.1f: routes "
                      "that copy are the better ones here; auto measures that",
                      mapped, pinned);
    advise_link(doctor, sheet, pinned);
}

static void say_wc(const struct doctor *doctor, struct doctor_sheet *sheet)
{
    const size_t bytes = sizes[1].bytes;
    const double cached = doctor_rate(doctor, ZCS_BENCHMARK_CPU_READ, bytes);
    const double wc = doctor_rate(doctor, ZCS_BENCHMARK_CPU_READ_WC, bytes);
    if (wc <= 0)
        return;
    doctor_number(sheet, "cpu_reads_pinned", cached, "GB/s");
    doctor_number(sheet, "cpu_reads_write_combined", wc, "GB/s");
    if (wc > 0.5 * cached)
        doctor_say(sheet, "write_combined",
                   "read by the CPU like other memory: this machine, perhaps "
                   "a virtual one, maps it cacheable");
    else
        doctor_advise(sheet,
                      "the CPU reads write-combined memory %.0f times as slowly as other: a "
                      "program that reads captured frames itself wants --memory cached",
                      cached / wc);
}

void doctor_rates(struct doctor *doctor, struct doctor_sheet *sheet)
{
    double rates[WAYS] = {0};
    for (size_t i = 0; i < SIZES; i++)
        for (size_t k = 0; k < WAYS; k++) {
            char name[48];
            rates[k] = doctor_rate(doctor, ways[k].benchmark, sizes[i].bytes);
            snprintf(name, sizeof name, "%s.%s", sizes[i].name, ways[k].name);
            if (rates[k] > 0)
                doctor_number(sheet, name, rates[k], "GB/s");
        }
    if (doctor->cuda_devices == 0) {
        doctor_say(sheet, "gpu", "not measured: there is none that CUDA can use");
        return;
    }
    advise(doctor, sheet, rates);
    say_wc(doctor, sheet);
}
