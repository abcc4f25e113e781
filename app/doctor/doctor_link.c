/* SPDX-License-Identifier: MIT */
/* A device's PCIe link, as the system's files tell it. */
#include "app/doctor/doctor_link.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>

#include "app/doctor/doctor.h"

static int read_of(const char *pci, const char *name, char *line, size_t bytes)
{
    char path[512];
    snprintf(path, sizeof path, "/sys/bus/pci/devices/%s/%s", pci, name);
    return doctor_read_line(path, line, bytes);
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

/* Widths of 0 and 255 are the kernel's words for not known. */
static unsigned width_of(const char *pci, const char *name)
{
    const double width = number_of(pci, name, 0);
    return width >= 1 && width <= 64 ? (unsigned)width : 0;
}

struct doctor_link doctor_link(const char *pci)
{
    return (struct doctor_link){
        .speed = number_of(pci, "current_link_speed", 0),
        .max_speed = number_of(pci, "max_link_speed", 0),
        .width = width_of(pci, "current_link_width"),
        .max_width = width_of(pci, "max_link_width"),
        .node = (int)number_of(pci, "numa_node", -1),
    };
}

/* Up to 5 GT/s a byte is ten bits on the wire, from 8 on 16 bytes are 130. */
double doctor_link_rate(const struct doctor_link *link)
{
    const double coding = link->speed < 6 ? 0.8 : 128.0 / 130.0;
    return link->speed * link->width / 8 * coding;
}

unsigned doctor_link_generation(double speed)
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

int doctor_find_pci(unsigned vendor, char *pci, unsigned bytes)
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
