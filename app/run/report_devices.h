/* SPDX-License-Identifier: MIT */
/* The report's part on devices: how frames were spread over them, and which failed. */
#ifndef ZCAPP_RUN_REPORT_DEVICES_H
#define ZCAPP_RUN_REPORT_DEVICES_H

#include "app/run/json.h"
#include "app/run/report.h"

/* "dispatch", "chains", "device_use" and "frames_redone". */
void report_put_devices(struct json *json, const struct report *report);

/* "; device 1 failed, 3 frames done again", or nothing. */
void report_tell_devices(char *text, size_t bytes, const struct zcs_stream_stats *stream);

#endif
