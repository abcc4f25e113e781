/* SPDX-License-Identifier: MIT */
/* A camera's device node: its permissions, the processes that have it open, its USB port. */
#ifndef ZCAPP_DOCTOR_DEVICE_NODE_H
#define ZCAPP_DOCTOR_DEVICE_NODE_H

#include "app/doctor/findings.h"

/* 1: the node exists and its permissions allow opening it. */
int device_node_check(const char *device, struct findings *findings);

/* Lists the other processes that have the node open, and returns their number. Only root sees those
 * of other users. */
unsigned device_node_holders(const char *device, struct findings *findings);

/* The speed of the node's USB port in Mbit/s; 0: it is not a USB device. */
unsigned device_node_usb(const char *device, struct findings *findings);

#endif
