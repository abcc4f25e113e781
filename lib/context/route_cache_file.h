/* SPDX-License-Identifier: MIT */
/* The notes in a file that the caller named, so that the next run need not measure. */
#ifndef ZCI_CONTEXT_ROUTE_CACHE_FILE_H
#define ZCI_CONTEXT_ROUTE_CACHE_FILE_H

#include "context/route_cache.h"

/* Takes what can be read; a file that is not there, or lines that are no notes, do not matter. */
void zci_route_cache_read(zcs_context *ctx);

/* Replaces the file as a whole; one that cannot be written is a warning. Both: where no file was named
 * they do nothing. */
void zci_route_cache_write(zcs_context *ctx);

#endif
