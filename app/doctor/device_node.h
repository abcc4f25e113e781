/* SPDX-License-Identifier: MIT */
/* A camera's node as the system has it: who may open it, who has it open, and where it is plugged
 * in. */
#ifndef ZCAPP_DOCTOR_DEVICE_NODE_H
#define ZCAPP_DOCTOR_DEVICE_NODE_H

#include "app/doctor/findings.h"

/* 1: the node is there and may be opened. */
int device_node(const char *device, struct findings *findings);

/* Processes that have it open, besides this one; those of other users show to root only. Returns
 * how many. */
unsigned device_node_holders(const char *device, struct findings *findings);

/* The USB device behind it, in Mbit/s; 0: none. */
unsigned device_node_usb(const char *device, struct findings *findings);

#endif
