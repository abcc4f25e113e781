/* SPDX-License-Identifier: MIT */
/* zcapp doctor: GPUs, their driver against the toolkit, and the links they hang on. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "app/doctor/doctor_link.h"
#include "app/doctor/doctor_sections.h"

#define NVIDIA 0x10deu
#define PINNABLE_FROM                                                                              \
    545 /* drivers before map pinned memory so that cameras cannot write into it */

static void say_version(struct doctor_sheet *sheet, const char *name, uint32_t version)
{
    doctor_say(sheet, name, "%u.%u", version / 1000, version % 1000 / 10);
}

static void say_driver(struct doctor_sheet *sheet, const struct zcs_device_info *info)
{
    char line[64] = "";
    if (doctor_read_line("/sys/module/nvidia/version", line, sizeof line) == 0)
        doctor_say(sheet, "driver", "%s", line);
    say_version(sheet, "driver_cuda", info->driver);
    say_version(sheet, "built_with_cuda", info->toolkit);
    if (info->driver / 1000 < info->toolkit / 1000)
        doctor_advise(sheet,
                      "the driver knows CUDA %u.%u, this build is of CUDA %u.%u: update the "
                      "driver",
                      info->driver / 1000, info->driver % 1000 / 10, info->toolkit / 1000,
                      info->toolkit % 1000 / 10);
    if (line[0] != '\0' && atoi(line) < PINNABLE_FROM)
        doctor_advise(sheet,
                      "driver %s is old: before %d cameras could not write into pinned "
                      "memory; see whether direct I/O into it works below",
                      line, PINNABLE_FROM);
}

/* An idle link may rest at a lower speed. */
static void wake(const struct doctor *doctor)
{
    for (int i = 0; i < 20; i++)
        (void)doctor_rate(doctor, ZCS_BENCHMARK_IN_PINNED, DOCTOR_BYTES);
}

static void say_link(const struct doctor *doctor, struct doctor_sheet *sheet, uint32_t index,
                     const struct zcs_device_info *info)
{
    char name[48];
    if (index == 0)
        wake(doctor);
    const struct doctor_link link = doctor_link(info->pci);
    snprintf(name, sizeof name, "gpu%u.link", index);
    if (link.speed <= 0 || link.width == 0) {
        doctor_say(sheet, name, "not told by the system");
        return;
    }
    doctor_say(sheet, name, "PCIe gen %u x%u (%.1f GT/s); it could be gen %u x%u",
               doctor_link_generation(link.speed), link.width, link.speed,
               doctor_link_generation(link.max_speed), link.max_width);
    snprintf(name, sizeof name, "gpu%u.link_gb_per_s", index);
    doctor_number(sheet, name, doctor_link_rate(&link), "GB/s");
    if (link.node >= 0) {
        snprintf(name, sizeof name, "gpu%u.numa_node", index);
        doctor_number(sheet, name, link.node, "");
    }
    if (link.width < link.max_width)
        doctor_advise(sheet,
                      "GPU %u hangs on %u of its %u lanes: frames arrive at %u/%u of the "
                      "rate; another slot may have them all",
                      index, link.width, link.max_width, link.width, link.max_width);
    if (index == 0 && link.speed < link.max_speed)
        doctor_advise(sheet,
                      "GPU 0's link runs at %.1f of %.1f GT/s while copying: an older slot or "
                      "board, a riser, or a setting of the firmware",
                      link.speed, link.max_speed);
}

static void say_gpu(const struct doctor *doctor, struct doctor_sheet *sheet, uint32_t index)
{
    struct zcs_device_info info;
    char name[48];
    if (zcs_device_info(doctor->ctx, index, &info) != ZCS_OK)
        return;
    if (index == 0)
        say_driver(sheet, &info);
    snprintf(name, sizeof name, "gpu%u.name", index);
    doctor_say(sheet, name, "%s, %u multiprocessors, %.1f GiB", info.name, info.units,
               (double)info.memory_bytes / (1 << 30));
    snprintf(name, sizeof name, "gpu%u.pci", index);
    doctor_say(sheet, name, "%s", info.pci);
    snprintf(name, sizeof name, "gpu%u.kind", index);
    doctor_say(sheet, name, "%s",
               info.integrated ? "integrated: shares the computer's memory"
                               : "with memory of its own");
    snprintf(name, sizeof name, "gpu%u.reads_host_memory", index);
    doctor_say(sheet, name, "%s", info.can_map ? "yes" : "no");
    if (!info.can_map)
        doctor_advise(sheet, "GPU %u's kernels cannot read host memory: every frame is copied",
                      index);
    if (!info.integrated)
        say_link(doctor, sheet, index, &info);
}

static void say_none(const struct doctor *doctor, struct doctor_sheet *sheet)
{
    char pci[64];
    const int there = doctor_find_pci(NVIDIA, pci, sizeof pci) == 0;
    doctor_say(sheet, "gpu", "none that CUDA can use%s%s",
               doctor->why_no_cuda[0] != '\0' ? ": " : "", doctor->why_no_cuda);
    if (doctor->options->backend == ZCS_BACKEND_CUDA)
        doctor_advise(sheet, "--backend cuda is not to be had: %s; what follows is the processor's",
                      doctor->why_no_cuda);
    if (!there)
        return;
    doctor_say(sheet, "gpu_on_bus", "an NVIDIA device at %s", pci);
    if (strstr(doctor->why_no_cuda, "not in this build") != NULL)
        doctor_advise(sheet,
                      "there is an NVIDIA GPU at %s, but this build is without CUDA: ./zc cuda "
                      "says how to get nvcc",
                      pci);
    else if (access("/dev/nvidiactl", F_OK) != 0)
        doctor_advise(sheet,
                      "there is an NVIDIA GPU at %s, but no /dev/nvidiactl: the driver is not "
                      "loaded, or this is a container that was started without --gpus all",
                      pci);
    else
        doctor_advise(sheet,
                      "there is an NVIDIA GPU at %s with a driver, but CUDA does not work: "
                      "nvidia-smi may say more",
                      pci);
}

void doctor_gpus(struct doctor *doctor, struct doctor_sheet *sheet)
{
    if (doctor->cuda_devices == 0)
        say_none(doctor, sheet);
    for (uint32_t i = 0; i < doctor->cuda_devices; i++)
        say_gpu(doctor, sheet, i);
}
