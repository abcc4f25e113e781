/* SPDX-License-Identifier: MIT */
/* The route policy, and measured routes as lines of text. */
#include "core/route.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define MAX_NS INT64_C(60000000000) /* no frame takes longer */

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

static const char head[] = "route 2 ";

size_t zci_route_format(char out[ZCI_ROUTE_LINE_BYTES], uint64_t key, const int64_t ns[ZCI_ROUTES])
{
    const int length = snprintf(out, ZCI_ROUTE_LINE_BYTES,
                                "%s%016" PRIx64 " %" PRId64 " %" PRId64 " %" PRId64 "\n", head, key,
                                ns[ZCS_ROUTE_MAPPED], ns[ZCS_ROUTE_STAGED], ns[ZCS_ROUTE_WHOLE]);
    return (size_t)length;
}

static int take_key(const char **at, const char *end, uint64_t *out)
{
    static const char digits[] = "0123456789abcdef";
    uint64_t key = 0;
    for (int i = 0; i < 16; i++) {
        const char *digit = *at < end && **at != '\0' ? strchr(digits, **at) : NULL;
        if (digit == NULL)
            return 0;
        key = key << 4 | (uint64_t)(digit - digits);
        ++*at;
    }
    *out = key;
    return 1;
}

/* A space, then digits. */
static int take_ns(const char **at, const char *end, int64_t *out)
{
    int64_t ns = 0;
    if (end - *at < 2 || *(*at)++ != ' ' || **at < '0' || **at > '9')
        return 0;
    for (; *at < end && **at >= '0' && **at <= '9'; ++*at) {
        ns = ns * 10 + (**at - '0');
        if (ns > MAX_NS)
            return 0;
    }
    *out = ns;
    return 1;
}

int zci_route_parse(const char *line, size_t length, uint64_t *key, int64_t ns[ZCI_ROUTES])
{
    const char *at = line, *const end = line + length;
    int64_t read[ZCI_ROUTES] = {0};
    uint64_t of = 0;
    if (length < sizeof head || memcmp(line, head, sizeof head - 1) != 0)
        return 0;
    at += sizeof head - 1;
    if (!take_key(&at, end, &of))
        return 0;
    int measured = 0;
    for (int i = ZCS_ROUTE_MAPPED; i < (int)ZCI_ROUTES; i++) {
        if (!take_ns(&at, end, &read[i]))
            return 0;
        measured += read[i] > 0;
    }
    if (at != end || measured == 0)
        return 0;
    *key = of;
    memcpy(ns, read, sizeof read);
    return 1;
}
