/* SPDX-License-Identifier: MIT */
/* zcapp doctor: the processor, its memory, limits, and whether this is a container. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "app/doctor/doctor_node.h"
#include "app/doctor/doctor_sections.h"

#define GIB (1024.0 * 1024 * 1024)

/* A word that is found in one of the system's files; 0: none of them has it. */
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

const char *doctor_container(void)
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

static void say_processor(struct doctor_sheet *sheet)
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
        doctor_say(sheet, "processor", "%s", colon + 2);
    }
    doctor_number(sheet, "cores", (double)sysconf(_SC_NPROCESSORS_ONLN), "");
    doctor_number(sheet, "memory",
                  (double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGESIZE) / GIB, "GiB");
}

static void say_locked(struct doctor_sheet *sheet)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_MEMLOCK, &limit) != 0)
        return;
    if (limit.rlim_cur == RLIM_INFINITY) {
        doctor_say(sheet, "locked_memory", "no limit");
        return;
    }
    doctor_say(sheet, "locked_memory", "at most %llu KiB",
               (unsigned long long)limit.rlim_cur / 1024);
    if (limit.rlim_cur < 1024 * 1024)
        doctor_advise(sheet,
                      "locked memory is limited to %llu KiB: pushed memory may not be kept "
                      "registered then; ulimit -l unlimited, docker run --ulimit memlock=-1",
                      (unsigned long long)limit.rlim_cur / 1024);
}

void doctor_system(struct doctor *doctor, struct doctor_sheet *sheet)
{
    struct utsname names;
    (void)doctor;
    say_processor(sheet);
    if (uname(&names) == 0)
        doctor_say(sheet, "kernel", "%s %s", names.sysname, names.release);
    doctor_say(sheet, "virtual_machine", "%s",
               file_has("/proc/cpuinfo", " hypervisor") ? "yes" : "no sign of one");
    const char *sign = doctor_container();
    doctor_say(sheet, "container", "%s%s", sign != NULL ? "yes: " : "no sign of one",
               sign != NULL ? sign : "");
    say_locked(sheet);
}
