/* SPDX-License-Identifier: MIT */
/* Memory kinds: whether CUDA registers them, whether the kernel pins them, and their rates. */
#define _GNU_SOURCE /* memfd_create, O_DIRECT, vmsplice */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <unistd.h>

#include "app/doctor/sections.h"

#define BYTES ((size_t)2 << 20) /* a huge page */
#define PROBE_BYTES ((size_t)65536)

/* A file for reads that bypass the page cache; fd < 0: no file system here supports them. */
struct direct_file {
    int fd;
    char folder[256];
};

static int fill_file(int fd)
{
    char *block = aligned_alloc(4096, PROBE_BYTES);
    int bad = block == NULL;
    if (!bad) {
        memset(block, 0x5c, PROBE_BYTES);
        bad = write(fd, block, PROBE_BYTES) != (ssize_t)PROBE_BYTES || fsync(fd) != 0 ||
              fcntl(fd, F_SETFL, O_DIRECT) != 0 ||
              pread(fd, block, PROBE_BYTES, 0) != (ssize_t)PROBE_BYTES;
    }
    free(block);
    return bad ? -1 : 0;
}

static struct direct_file open_direct(void)
{
    const char *own = getenv("TMPDIR");
    const char *const folders[] = {own != NULL ? own : ".", ".", "/var/tmp", "/tmp"};
    struct direct_file file = {.fd = -1};
    for (size_t i = 0; i < sizeof folders / sizeof *folders && file.fd < 0; i++) {
        char name[300];
        snprintf(file.folder, sizeof file.folder, "%s", folders[i]);
        snprintf(name, sizeof name, "%s/.zcapp-doctor-XXXXXX", file.folder);
        file.fd = mkstemp(name);
        if (file.fd >= 0)
            unlink(name);
        if (file.fd >= 0 && fill_file(file.fd) != 0) {
            close(file.fd);
            file.fd = -1;
        }
    }
    return file;
}

/* Makes the kernel pin `memory`: with a direct read into it if there is a file, or with vmsplice.
 * Returns the reason for a failure; "": success. */
static const char *pin(const struct direct_file *file, void *memory)
{
    int ends[2];
    if (file->fd >= 0) {
        memset(memory, 0, PROBE_BYTES);
        if (pread(file->fd, memory, PROBE_BYTES, 0) != (ssize_t)PROBE_BYTES)
            return strerror(errno);
        const unsigned char *byte = memory;
        return byte[0] == 0x5c && byte[PROBE_BYTES - 1] == 0x5c ? "" : "the data did not arrive";
    }
    if (pipe(ends) != 0)
        return strerror(errno);
    struct iovec piece = {.iov_base = memory, .iov_len = 4096};
    const char *why = vmsplice(ends[1], &piece, 1, 0) == 4096 ? "" : strerror(errno);
    close(ends[0]);
    close(ends[1]);
    return why;
}

/* Returns the reason for a failure; "": success; NULL: there is no CUDA device. */
static const char *try_register(struct doctor *doctor, void *memory)
{
    if (doctor->cuda_devices == 0)
        return NULL;
    doctor->muted = 1;
    zcs_status status = zcs_memory_register(doctor->ctx, memory, BYTES);
    if (status == ZCS_OK)
        status = zcs_memory_release(doctor->ctx, memory);
    doctor->muted = 0;
    return status == ZCS_OK ? "" : zcs_strerror(status);
}

static void say_memory(struct findings *findings, const char *name, const char *registered,
                       const char *pinned)
{
    findings_fact(findings, name, "%s%s%sthe kernel pins it: %s%s",
                  registered == NULL      ? ""
                  : registered[0] == '\0' ? "CUDA registers it: yes"
                                          : "CUDA registers it: no, ",
                  registered != NULL ? registered : "", registered != NULL ? "; " : "",
                  pinned[0] == '\0' ? "yes" : "no, ", pinned);
}

/* --- kinds --- */

static void *map(int fd, int flags)
{
    void *memory = mmap(NULL, BYTES, PROT_READ | PROT_WRITE,
                        fd < 0 ? MAP_PRIVATE | MAP_ANONYMOUS | flags : MAP_SHARED, fd, 0);
    return memory != MAP_FAILED ? memory : NULL;
}

static void *map_memfd(unsigned flags)
{
    const int fd = memfd_create("zcapp-doctor", MFD_CLOEXEC | flags);
    if (fd < 0)
        return NULL;
    void *memory = ftruncate(fd, (off_t)BYTES) == 0 ? map(fd, 0) : NULL;
    const int error = errno;
    close(fd);
    errno = error;
    return memory;
}

static void try_mapped(struct doctor *doctor, struct findings *findings,
                       const struct direct_file *file, const char *name, void *memory)
{
    if (memory == NULL) {
        findings_fact(findings, name, "not to be had: %s", strerror(errno));
        return;
    }
    const char *registered = try_register(doctor, memory);
    say_memory(findings, name, registered, pin(file, memory));
    munmap(memory, BYTES);
}

/* 1: the kernel pins it. */
static int try_role(struct doctor *doctor, struct findings *findings,
                    const struct direct_file *file, const char *name, enum zcs_role role)
{
    void *memory = NULL;
    if (zcs_memory_alloc(doctor->ctx, role, BYTES, &memory) != ZCS_OK) {
        findings_fact(findings, name, "not to be had");
        return 1;
    }
    const char *pinned = pin(file, memory);
    say_memory(findings, name, NULL, pinned);
    zcs_memory_free(doctor->ctx, &memory);
    return pinned[0] == '\0';
}

void doctor_memory(struct doctor *doctor, struct findings *findings)
{
    const struct direct_file file = open_direct();
    findings_fact(findings, "pinned_by", "%s%s",
                  file.fd >= 0 ? "a direct read (O_DIRECT) of a file in " : "vmsplice",
                  file.fd >= 0 ? file.folder : "; no file system here has direct reads");
    if (file.fd < 0)
        findings_advice(findings,
                        "no file system of the folder, /var/tmp and /tmp has direct reads: "
                        "recordings there are read by way of the page cache, with a copy");
    try_mapped(doctor, findings, &file, "anonymous", map(-1, 0));
    try_mapped(doctor, findings, &file, "memfd", map_memfd(0));
    try_mapped(doctor, findings, &file, "memfd_huge_page", map_memfd(MFD_HUGETLB));
    if (doctor->cuda_devices > 0) {
        const int cached = try_role(doctor, findings, &file, "pinned", ZCS_ROLE_INGEST_CACHED);
        const int wc = try_role(doctor, findings, &file, "write_combined", ZCS_ROLE_INGEST);
        if (!cached || !wc)
            findings_advice(findings,
                            "the kernel cannot pin CUDA's %s memory: cameras and disks do not "
                            "write into it, and frames are copied once; NVIDIA drivers from "
                            "545 on allow it",
                            cached ? "write-combined" : "pinned");
    }
    if (access("/dev/udmabuf", F_OK) == 0)
        findings_fact(findings, "udmabuf", "there");
    else
        findings_fact(findings, "udmabuf",
                      "no /dev/udmabuf: cameras cannot import memory as dma-bufs");
    if (file.fd >= 0)
        close(file.fd);
}

/* --- rates --- */

#define TRIES 7

double doctor_rate(const struct doctor *doctor, enum zcs_benchmark benchmark, size_t bytes)
{
    int64_t min = INT64_MAX, ns = 0;
    for (int i = 0; i < TRIES; i++) {
        if (zcs_measure_run(doctor->measure, benchmark, bytes, &ns) != ZCS_OK)
            return -1;
        min = ns < min ? ns : min;
    }
    return (double)bytes / (double)(min > 0 ? min : 1);
}

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
static const struct measured measured[] = {
    {"copy_pageable", ZCS_BENCHMARK_IN_PAGEABLE},
    {"copy_pinned", ZCS_BENCHMARK_IN_PINNED},
    {"copy_write_combined", ZCS_BENCHMARK_IN_WC},
    {"kernel_reads_pinned", ZCS_BENCHMARK_READ_PINNED},
    {"kernel_reads_wc", ZCS_BENCHMARK_READ_WC},
    {"copy_back_pinned", ZCS_BENCHMARK_OUT_PINNED},
    {"memcpy", ZCS_BENCHMARK_CPU_COPY},
};
#define MEASURED (sizeof measured / sizeof *measured)

static void advise_link(const struct doctor *doctor, struct findings *findings, double pinned)
{
    struct zcs_device_info info;
    if (zcs_device_info(doctor->ctx, 0, &info) != ZCS_OK)
        return;
    const double link = doctor_link_rate(info.pci);
    if (link > 0 && pinned < 0.7 * link)
        findings_advice(findings,
                        "pinned copies run at %.1f GB/s, the link could do %.1f: other traffic, a "
                        "virtual machine, or memory of another NUMA node",
                        pinned, link);
}

static void advise(const struct doctor *doctor, struct findings *findings,
                   const double rates[MEASURED])
{
    const double pageable = rates[0], pinned = rates[1], mapped = rates[3];
    if (pageable > 0 && pinned > 1.3 * pageable)
        findings_fact(findings, "pinned_against_pageable", "%.1f times as fast", pinned / pageable);
    if (mapped > 0 && mapped < 0.7 * pinned)
        findings_advice(findings,
                        "kernels read host memory at %.1f GB/s, the copy engine at %.1f: routes "
                        "that copy are the better ones here; auto measures that",
                        mapped, pinned);
    advise_link(doctor, findings, pinned);
}

static void say_wc(const struct doctor *doctor, struct findings *findings)
{
    const size_t bytes = sizes[1].bytes;
    const double cached = doctor_rate(doctor, ZCS_BENCHMARK_CPU_READ, bytes);
    const double wc = doctor_rate(doctor, ZCS_BENCHMARK_CPU_READ_WC, bytes);
    if (wc <= 0)
        return;
    findings_number(findings, "cpu_reads_pinned", cached, "GB/s");
    findings_number(findings, "cpu_reads_write_combined", wc, "GB/s");
    if (wc > 0.5 * cached)
        findings_fact(findings, "write_combined",
                      "read by the CPU like other memory: this machine, perhaps "
                      "a virtual one, maps it cacheable");
    else
        findings_advice(findings,
                        "the CPU reads write-combined memory %.0f times as slowly as other: a "
                        "program that reads captured frames itself wants --memory cached",
                        cached / wc);
}

void doctor_rates(struct doctor *doctor, struct findings *findings)
{
    double rates[MEASURED] = {0};
    for (size_t i = 0; i < SIZES; i++)
        for (size_t k = 0; k < MEASURED; k++) {
            char name[48];
            rates[k] = doctor_rate(doctor, measured[k].benchmark, sizes[i].bytes);
            snprintf(name, sizeof name, "%s.%s", sizes[i].name, measured[k].name);
            if (rates[k] > 0)
                findings_number(findings, name, rates[k], "GB/s");
        }
    if (doctor->cuda_devices == 0) {
        findings_fact(findings, "gpu", "not measured: there is none that CUDA can use");
        return;
    }
    advise(doctor, findings, rates);
    say_wc(doctor, findings);
}
