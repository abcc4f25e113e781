/* SPDX-License-Identifier: MIT */
/* Measured routes as text, a line each: what a file of them holds.
 *
 *   route 2 KEY MAPPED STAGED WHOLE     KEY in 16 hexadecimal digits, then nanoseconds a frame, 0: none */
#ifndef ZCI_CORE_ROUTE_TEXT_H
#define ZCI_CORE_ROUTE_TEXT_H

#include <stddef.h>

#include "core/route.h"

#define ZCI_ROUTE_LINE_BYTES 96u /* longer than any line, its newline and 0 included */

/* Writes one line with its newline; returns its length. */
size_t zci_route_format(char out[ZCI_ROUTE_LINE_BYTES], uint64_t key, const int64_t ns[ZCI_ROUTES]);

/* Takes one line, which ends at `length` or before. 0: it is none, or says nothing that can be true. */
int zci_route_parse(const char *line, size_t length, uint64_t *key, int64_t ns[ZCI_ROUTES]);

#endif
