/* SPDX-License-Identifier: MIT */
/* Which route frames take, from measured times. */
#ifndef ZCI_CORE_ROUTE_H
#define ZCI_CORE_ROUTE_H

#include <stddef.h>

#include "zcstream/frame.h"

#define ZCI_ROUTES (ZCS_ROUTE_WHOLE + 1) /* AUTO's entry stays 0 */

struct zci_route_choice {
    enum zcs_route route;
    int64_t ns[ZCI_ROUTES]; /* the times that it is based on */
    char reason[256];       /* with the numbers, for reports */
};

/* `ns` has what a frame took on each route, 0 where it was not measured; at least one was. The
 * fastest, except that mapped wins where it is within 1 % of it: it needs no copy engine. */
void zci_route_choose(const int64_t ns[ZCI_ROUTES], struct zci_route_choice *out);

/* Appends a remark to the reason. */
void zci_route_remark(struct zci_route_choice *choice, const char *remark);

/* A measured route as text is one line of a file:
 *
 *   route 2 KEY MAPPED STAGED WHOLE
 *
 * KEY has 16 hexadecimal digits; the others are nanoseconds a frame, 0 where not measured. */
#define ZCI_ROUTE_LINE_BYTES 96u /* longer than any line, its newline and 0 included */

/* Writes one line with its newline; returns its length. */
size_t zci_route_format(char out[ZCI_ROUTE_LINE_BYTES], uint64_t key, const int64_t ns[ZCI_ROUTES]);

/* Takes one line, of `length` bytes at most. 0: it is malformed, or its values are impossible. */
int zci_route_parse(const char *line, size_t length, uint64_t *key, int64_t ns[ZCI_ROUTES]);

#endif
