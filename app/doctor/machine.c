/* SPDX-License-Identifier: MIT */
/* The machine as the files of its system describe it: processor, memory, limits, container. */
#include "app/doctor/machine.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "app/doctor/sections.h"

#define GIB (1024.0 * 1024 * 1024)

int machine_read_line(const char *path, char *line, size_t bytes)
{
    FILE *file = fopen(path, "re");
    line[0] = '\0';
    if (file == NULL)
        return -1;
    const int got = fgets(line, (int)bytes, file) != NULL;
    fclose(file);
    line[got ? strcspn(line, "\n") : 0] = '\0';
    return got ? 0 : -1;
}

/* 1: a line of the file contains `word`. */
static int file_has(const char *path, const char *word)
{
    char line[4096];
    FILE *file = fopen(path, "r");
    int found = 0;
    while (file != NULL && !found && fgets(line, sizeof line, file) != NULL)
        found = strstr(line, word) != NULL;
    if (file != NULL)
        fclose(file);
    return found;
}

const char *machine_container(void)
{
    static const char *const words[] = {"docker", "kubepods", "containerd", "lxc", "libpod"};
    if (access("/.dockerenv", F_OK) == 0)
        return "/.dockerenv";
    if (access("/run/.containerenv", F_OK) == 0)
        return "/run/.containerenv";
    if (access("/run/systemd/container", F_OK) == 0)
        return "/run/systemd/container";
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (file_has("/proc/1/cgroup", words[i]))
            return words[i];
    return NULL;
}

static void say_processor(struct findings *findings)
{
    char name[256] = "";
    FILE *file = fopen("/proc/cpuinfo", "r");
    while (file != NULL && fgets(name, sizeof name, file) != NULL &&
           strncmp(name, "model name", 10) != 0)
        continue;
    if (file != NULL)
        fclose(file);
    const char *colon = strstr(name, ": ");
    if (strncmp(name, "model name", 10) == 0 && colon != NULL) {
        name[strcspn(name, "\n")] = '\0';
        findings_fact(findings, "processor", "%s", colon + 2);
    }
    findings_number(findings, "cores", (double)sysconf(_SC_NPROCESSORS_ONLN), "");
    findings_number(findings, "memory",
                    (double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGESIZE) / GIB, "GiB");
}

static void say_locked(struct findings *findings)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_MEMLOCK, &limit) != 0)
        return;
    if (limit.rlim_cur == RLIM_INFINITY) {
        findings_fact(findings, "locked_memory", "no limit");
        return;
    }
    findings_fact(findings, "locked_memory", "at most %llu KiB",
                  (unsigned long long)limit.rlim_cur / 1024);
    if (limit.rlim_cur < 1024 * 1024)
        findings_advice(findings,
                        "locked memory is limited to %llu KiB: pushed memory may not be kept "
                        "registered then; ulimit -l unlimited, docker run --ulimit memlock=-1",
                        (unsigned long long)limit.rlim_cur / 1024);
}

void doctor_machine(struct doctor *doctor, struct findings *findings)
{
    struct utsname names;
    (void)doctor;
    say_processor(findings);
    if (uname(&names) == 0)
        findings_fact(findings, "kernel", "%s %s", names.sysname, names.release);
    findings_fact(findings, "virtual_machine", "%s",
                  file_has("/proc/cpuinfo", " hypervisor") ? "yes" : "no sign of one");
    const char *sign = machine_container();
    findings_fact(findings, "container", "%s%s", sign != NULL ? "yes: " : "no sign of one",
                  sign != NULL ? sign : "");
    say_locked(findings);
}
