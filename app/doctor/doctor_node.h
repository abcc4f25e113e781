/* SPDX-License-Identifier: MIT */
/* A camera's node as the system has it: who may open it, who has it open, and where it is plugged in. */
#ifndef ZCAPP_DOCTOR_DOCTOR_NODE_H
#define ZCAPP_DOCTOR_DOCTOR_NODE_H

#include "app/doctor/findings.h"

/* 1: the node is there and may be opened. */
int doctor_node(const char *device, struct findings *findings);

/* What gives away that this is a container, whose nodes are those that it was given; NULL: nothing does. */
const char *doctor_container(void);

/* Processes that have it open, besides this one; those of other users show to root only. Returns how many. */
unsigned doctor_holders(const char *device, struct findings *findings);

/* The USB device behind it, in Mbit/s; 0: none. */
unsigned doctor_usb(const char *device, struct findings *findings);

#endif
