/* SPDX-License-Identifier: MIT */
/* The memory that a context gave to the application. */
#ifndef ZCI_FRAME_MEMORY_H
#define ZCI_FRAME_MEMORY_H

#include "frame/context.h"

/* Frees what the application did not, with a warning. Part of closing the context. */
void zci_allocations_finish(zcs_context *ctx);

#endif
