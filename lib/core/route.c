/* SPDX-License-Identifier: MIT */
/* The route policy: compares times, and says them. */
#include "core/route.h"

#include <stdio.h>
#include <string.h>

static void describe(const int64_t ns[ZCI_ROUTES], struct zci_route_choice *out)
{
    size_t used = 0;
    out->reason[0] = '\0';
    for (int i = 0; i < (int)ZCI_ROUTES && used < sizeof out->reason; i++)
        if (ns[i] > 0)
            used += (size_t)snprintf(out->reason + used, sizeof out->reason - used, "%s%s %.1f us",
                                     used ? ", " : "measured a frame: ",
                                     zcs_route_name((enum zcs_route)i), (double)ns[i] / 1000.0);
}

void zci_route_choose(const int64_t ns[ZCI_ROUTES], struct zci_route_choice *out)
{
    int best = ZCS_ROUTE_AUTO;
    for (int i = ZCS_ROUTE_MAPPED; i < (int)ZCI_ROUTES; i++)
        if (ns[i] > 0 && (best == ZCS_ROUTE_AUTO || ns[i] < ns[best]))
            best = i;
    const int preferred = best != ZCS_ROUTE_MAPPED && ns[ZCS_ROUTE_MAPPED] > 0 &&
                          ns[ZCS_ROUTE_MAPPED] <= ns[best] + ns[best] / 100;
    out->route = preferred ? ZCS_ROUTE_MAPPED : (enum zcs_route)best;
    memcpy(out->ns, ns, sizeof out->ns);
    describe(ns, out);
    if (preferred)
        zci_route_remark(out, "mapped is near, and needs no copy engine");
}

void zci_route_remark(struct zci_route_choice *choice, const char *remark)
{
    const size_t used = strlen(choice->reason);
    snprintf(choice->reason + used, sizeof choice->reason - used, "; %s", remark);
}
