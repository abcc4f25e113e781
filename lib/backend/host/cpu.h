/* SPDX-License-Identifier: MIT */
/* The processor's name. */
#ifndef ZCI_BACKEND_HOST_CPU_H
#define ZCI_BACKEND_HOST_CPU_H

#include <stddef.h>

/* As the kernel tells it, "host" where it does not. */
void zci_cpu_name(char *out, size_t bytes);

#endif
