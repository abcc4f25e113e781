/* SPDX-License-Identifier: MIT */
/* GPUs, their driver compared with the toolkit, and their PCIe links. */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "app/doctor/machine.h"
#include "app/doctor/sections.h"

#define NVIDIA 0x10deu
/* Older drivers map pinned memory so that cameras cannot write into it. */
#define PINNABLE_FROM 545

/* --- PCIe --- */

/* A device's PCIe link, from the system's files. */
struct link {
    double speed, max_speed; /* GT/s; 0: unknown */
    unsigned width, max_width;
    int numa_node; /* -1: none, or unknown */
};

static int read_of(const char *pci, const char *name, char *line, size_t bytes)
{
    char path[512];
    snprintf(path, sizeof path, "/sys/bus/pci/devices/%s/%s", pci, name);
    return machine_read_line(path, line, bytes);
}

static double number_of(const char *pci, const char *name, double otherwise)
{
    char line[64];
    char *end;
    if (read_of(pci, name, line, sizeof line) != 0)
        return otherwise;
    const double number = strtod(line, &end);
    return end != line ? number : otherwise;
}

/* The kernel gives a width of 0 or 255 if it is unknown. */
static unsigned width_of(const char *pci, const char *name)
{
    const double width = number_of(pci, name, 0);
    return width >= 1 && width <= 64 ? (unsigned)width : 0;
}

static struct link link_of(const char *pci)
{
    return (struct link){
        .speed = number_of(pci, "current_link_speed", 0),
        .max_speed = number_of(pci, "max_link_speed", 0),
        .width = width_of(pci, "current_link_width"),
        .max_width = width_of(pci, "max_link_width"),
        .numa_node = (int)number_of(pci, "numa_node", -1),
    };
}

/* Up to 5 GT/s a byte takes 10 bits on the wire; from 8 GT/s on, 16 bytes take 130 bits. */
static double link_rate(const struct link *link)
{
    const double coding = link->speed < 6 ? 0.8 : 128.0 / 130.0;
    return link->speed * link->width / 8 * coding;
}

double doctor_link_rate(const char *pci)
{
    const struct link link = link_of(pci);
    return link_rate(&link);
}

/* The PCIe generation of a link speed; 0: unknown. */
static unsigned link_generation(double speed)
{
    static const double min[] = {2.4, 4.9, 7.9, 15.9, 31.9, 63.9};
    unsigned generation = 0;
    while (generation < sizeof min / sizeof *min && speed >= min[generation])
        generation++;
    return generation;
}

static unsigned long hex_of(const char *pci, const char *name)
{
    char line[64];
    return read_of(pci, name, line, sizeof line) == 0 ? strtoul(line, NULL, 16) : 0;
}

/* The address of a display or 3D controller of `vendor`. 0, or -1: there is none. */
static int find_pci(unsigned vendor, char *pci, unsigned bytes)
{
    const struct dirent *entry;
    DIR *folder = opendir("/sys/bus/pci/devices");
    int found = -1;
    while (folder != NULL && found != 0 && (entry = readdir(folder)) != NULL) {
        if (entry->d_name[0] == '.' || hex_of(entry->d_name, "vendor") != vendor ||
            hex_of(entry->d_name, "class") >> 16 != 3)
            continue;
        snprintf(pci, bytes, "%s", entry->d_name);
        found = 0;
    }
    if (folder != NULL)
        closedir(folder);
    return found;
}

/* --- GPUs --- */

static void say_version(struct findings *findings, const char *name, uint32_t version)
{
    findings_fact(findings, name, "%u.%u", version / 1000, version % 1000 / 10);
}

static void say_driver(struct findings *findings, const struct zcs_device_info *info)
{
    char line[64] = "";
    if (machine_read_line("/sys/module/nvidia/version", line, sizeof line) == 0)
        findings_fact(findings, "driver", "%s", line);
    say_version(findings, "driver_cuda", info->driver);
    say_version(findings, "built_with_cuda", info->toolkit);
    if (info->driver / 1000 < info->toolkit / 1000)
        findings_advice(findings,
                        "the driver knows CUDA %u.%u, this build is of CUDA %u.%u: update the "
                        "driver",
                        info->driver / 1000, info->driver % 1000 / 10, info->toolkit / 1000,
                        info->toolkit % 1000 / 10);
    if (line[0] != '\0' && atoi(line) < PINNABLE_FROM)
        findings_advice(findings,
                        "driver %s is old: before %d cameras could not write into pinned "
                        "memory; see whether direct I/O into it works below",
                        line, PINNABLE_FROM);
}

/* An idle link may run at a lower speed. */
static void wake(const struct doctor *doctor)
{
    for (int i = 0; i < 20; i++)
        (void)doctor_rate(doctor, ZCS_BENCHMARK_IN_PINNED, DOCTOR_BYTES);
}

static void say_link(const struct doctor *doctor, struct findings *findings, uint32_t index,
                     const struct zcs_device_info *info)
{
    char name[48];
    if (index == 0)
        wake(doctor);
    const struct link link = link_of(info->pci);
    snprintf(name, sizeof name, "gpu%u.link", index);
    if (link.speed <= 0 || link.width == 0) {
        findings_fact(findings, name, "not reported by the system");
        return;
    }
    findings_fact(findings, name, "PCIe gen %u x%u (%.1f GT/s); it could be gen %u x%u",
                  link_generation(link.speed), link.width, link.speed,
                  link_generation(link.max_speed), link.max_width);
    snprintf(name, sizeof name, "gpu%u.link_gb_per_s", index);
    findings_number(findings, name, link_rate(&link), "GB/s");
    if (link.numa_node >= 0) {
        snprintf(name, sizeof name, "gpu%u.numa_node", index);
        findings_number(findings, name, link.numa_node, "");
    }
    if (link.width < link.max_width)
        findings_advice(findings,
                        "GPU %u's link is x%u of x%u wide: frames arrive at %u/%u of the rate; "
                        "another slot may have the full width",
                        index, link.width, link.max_width, link.width, link.max_width);
    if (index == 0 && link.speed < link.max_speed)
        findings_advice(findings,
                        "GPU 0's link runs at %.1f of %.1f GT/s while copying: an older slot or "
                        "board, a riser, or a setting of the firmware",
                        link.speed, link.max_speed);
}

static void say_gpu(const struct doctor *doctor, struct findings *findings, uint32_t index)
{
    struct zcs_device_info info;
    char name[48];
    if (zcs_device_info(doctor->ctx, index, &info) != ZCS_OK)
        return;
    if (index == 0)
        say_driver(findings, &info);
    snprintf(name, sizeof name, "gpu%u.name", index);
    findings_fact(findings, name, "%s, %u multiprocessors, %.1f GiB", info.name, info.units,
                  (double)info.memory_bytes / (1 << 30));
    snprintf(name, sizeof name, "gpu%u.pci", index);
    findings_fact(findings, name, "%s", info.pci);
    snprintf(name, sizeof name, "gpu%u.kind", index);
    findings_fact(findings, name, "%s",
                  info.integrated ? "integrated: shares the computer's memory"
                                  : "with memory of its own");
    snprintf(name, sizeof name, "gpu%u.reads_host_memory", index);
    findings_fact(findings, name, "%s", info.can_map ? "yes" : "no");
    if (!info.can_map)
        findings_advice(findings, "GPU %u's kernels cannot read host memory: every frame is copied",
                        index);
    if (!info.integrated)
        say_link(doctor, findings, index, &info);
}

static void say_none(const struct doctor *doctor, struct findings *findings)
{
    char pci[256];
    const int there = find_pci(NVIDIA, pci, sizeof pci) == 0;
    findings_fact(findings, "gpu", "none that CUDA can use%s%s",
                  doctor->why_no_cuda[0] != '\0' ? ": " : "", doctor->why_no_cuda);
    if (doctor->options->backend == ZCS_BACKEND_CUDA)
        findings_advice(findings,
                        "--backend cuda is not to be had: %s; what follows is the processor's",
                        doctor->why_no_cuda);
    if (!there)
        return;
    findings_fact(findings, "gpu_on_bus", "an NVIDIA device at %s", pci);
    if (strstr(doctor->why_no_cuda, "not in this build") != NULL)
        findings_advice(findings,
                        "there is an NVIDIA GPU at %s, but this build has no CUDA: ./zc cuda "
                        "says how to get nvcc",
                        pci);
    else if (access("/dev/nvidiactl", F_OK) != 0)
        findings_advice(findings,
                        "there is an NVIDIA GPU at %s, but no /dev/nvidiactl: the driver is not "
                        "loaded, or this is a container that was started without --gpus all",
                        pci);
    else
        findings_advice(findings,
                        "there is an NVIDIA GPU at %s with a driver, but CUDA does not work: "
                        "nvidia-smi may say more",
                        pci);
}

void doctor_gpus(struct doctor *doctor, struct findings *findings)
{
    if (doctor->cuda_devices == 0)
        say_none(doctor, findings);
    for (uint32_t i = 0; i < doctor->cuda_devices; i++)
        say_gpu(doctor, findings, i);
}
