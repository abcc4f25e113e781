/* SPDX-License-Identifier: MIT */
/* The machine as the files of its system describe it. */
#ifndef ZCAPP_DOCTOR_MACHINE_H
#define ZCAPP_DOCTOR_MACHINE_H

#include <stddef.h>

/* Reads the first line of a file, without its newline. 0, or -1 with `line` "". */
int machine_read_line(const char *path, char *line, size_t bytes);

/* The sign that this is a container, whose device nodes must be passed in; NULL: no sign. */
const char *machine_container(void);

#endif
