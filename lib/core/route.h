/* SPDX-License-Identifier: MIT */
/* Which route frames take, from measured times. */
#ifndef ZCI_CORE_ROUTE_H
#define ZCI_CORE_ROUTE_H

#include "zcstream/frame.h"

#define ZCI_ROUTES (ZCS_ROUTE_WHOLE + 1) /* AUTO's place among them stays empty */

struct zci_route_choice {
    enum zcs_route route;
    int64_t ns[ZCI_ROUTES]; /* that it was made from */
    char reason[256];       /* with the numbers, for reports */
};

/* `ns` has what a frame took on each route, 0 where it was not measured; at least one was. The fastest,
 * except that mapped wins where it is within 1 % of it: it needs no copy engine. */
void zci_route_choose(const int64_t ns[ZCI_ROUTES], struct zci_route_choice *out);

/* Adds to the reason what it could not know itself. */
void zci_route_remark(struct zci_route_choice *choice, const char *remark);

#endif
