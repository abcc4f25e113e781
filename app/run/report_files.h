/* SPDX-License-Identifier: MIT */
/* Files in the report: how many of which names, and what is in them, for each chain. */
#ifndef ZCAPP_RUN_REPORT_FILES_H
#define ZCAPP_RUN_REPORT_FILES_H

#include "app/run/json.h"
#include "app/run/report.h"

/* Puts more behind what `line` has, of `bytes` in all. */
void report_add(char *line, size_t bytes, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Each is put behind what `line` has, of `bytes` in all: "; 3 files, from A to B", "; 3 recorded in C". */
void report_tell_files(char *line, size_t bytes, const struct report *report);
void report_tell_recording(char *line, size_t bytes, const struct report *report);

/* The members output, of the first chain, and outputs, of all. */
void report_put_outputs(struct json *json, const struct report *report);

#endif
