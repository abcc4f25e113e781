/* SPDX-License-Identifier: MIT */
/* Notes: a small ring in the context, under its lock. */
#include "context/route_cache.h"

#include "context/context.h"

int zci_route_cache_find(zcs_context *ctx, uint64_t key, struct zci_route_choice *out)
{
    int found = 0;
    pthread_mutex_lock(&ctx->lock);
    const uint32_t used =
        ctx->routes.count < ZCI_ROUTE_CACHE_ENTRIES ? ctx->routes.count : ZCI_ROUTE_CACHE_ENTRIES;
    for (uint32_t i = 0; i < used && !found; i++) {
        found = ctx->routes.routes[i].key == key;
        if (found)
            *out = ctx->routes.routes[i].choice;
    }
    pthread_mutex_unlock(&ctx->lock);
    return found;
}

void zci_route_cache_add(zcs_context *ctx, uint64_t key, const struct zci_route_choice *choice)
{
    pthread_mutex_lock(&ctx->lock);
    struct zci_route_cache *routes = &ctx->routes;
    const uint32_t used =
        routes->count < ZCI_ROUTE_CACHE_ENTRIES ? routes->count : ZCI_ROUTE_CACHE_ENTRIES;
    uint32_t at = 0;
    while (at < used && routes->routes[at].key != key)
        at++;
    if (at == used)
        at = routes->count++ % ZCI_ROUTE_CACHE_ENTRIES;
    routes->routes[at] = (struct zci_route_cache_entry){key, *choice};
    pthread_mutex_unlock(&ctx->lock);
}
