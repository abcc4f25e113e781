/* SPDX-License-Identifier: MIT */
/* The processor's name, from /proc/cpuinfo. */
#include "backend/host/cpu.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* The first processor's entry comes first and is shorter than this. */
#define ENTRY_BYTES 4096

static void read_entry(char *text)
{
    ssize_t used = 0;
    const int fd = open("/proc/cpuinfo", O_RDONLY | O_CLOEXEC);
    if (fd >= 0) {
        used = read(fd, text, ENTRY_BYTES - 1);
        close(fd);
    }
    text[used > 0 ? used : 0] = '\0';
}

void zci_cpu_name(char *out, size_t bytes)
{
    char text[ENTRY_BYTES];
    read_entry(text);
    const char *key = strstr(text, "model name");
    const char *name = key != NULL ? strchr(key, ':') : NULL;
    if (name == NULL)
        name = ": host\n";
    name += 1 + strspn(name + 1, " \t");
    snprintf(out, bytes, "%.*s", (int)strcspn(name, "\n"), name);
}
