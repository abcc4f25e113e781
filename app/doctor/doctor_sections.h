/* SPDX-License-Identifier: MIT */
/* The sections of zcapp doctor, a file each. */
#ifndef ZCAPP_DOCTOR_DOCTOR_SECTIONS_H
#define ZCAPP_DOCTOR_DOCTOR_SECTIONS_H

#include "app/doctor/doctor.h"

/* The processor, its memory, limits, containers. */
void doctor_system(struct doctor *doctor, struct doctor_sheet *sheet);
/* GPUs, drivers, links. */
void doctor_gpus(struct doctor *doctor, struct doctor_sheet *sheet);
/* Which memory CUDA registers, and which the kernel pins for a device to write. */
void doctor_memory(struct doctor *doctor, struct doctor_sheet *sheet);
/* Copies and reads of camera frames. */
void doctor_rates(struct doctor *doctor, struct doctor_sheet *sheet);
/* What `auto` comes to: of INPUT, or of a drawn Bayer frame. */
void doctor_auto(struct doctor *doctor, struct doctor_sheet *sheet);

/* 0 where INPUT is a camera, which has a section of its own. */
int doctor_auto_applies(const struct doctor *doctor);

#endif
