/* SPDX-License-Identifier: MIT */
/* A device's PCIe link, as the system's files tell it. */
#ifndef ZCAPP_DOCTOR_DOCTOR_LINK_H
#define ZCAPP_DOCTOR_DOCTOR_LINK_H

struct doctor_link {
    double speed, max_speed; /* GT/s of a frame context; 0: not known */
    unsigned width, max_width;
    int node; /* of NUMA; -1: there is none, or it is not known */
};

/* `pci` as zcs_device_info has it; unknown members where the system does not tell. */
struct doctor_link doctor_link(const char *pci);

/* What the link carries one way, in GB/s, before packets' heads; 0: not known. */
double doctor_link_rate(const struct doctor_link *link);

/* The generation of PCIe that a frame context's speed belongs to; 0: not known. */
unsigned doctor_link_generation(double speed);

/* The address of a PCI device of `vendor` that is a display or 3D controller. 0, or -1: there is none. */
int doctor_find_pci(unsigned vendor, char *pci, unsigned bytes);

#endif
