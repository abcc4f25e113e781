/* SPDX-License-Identifier: MIT */
/* Notes: a small ring in the context, under its lock. */
#include "frame/notes.h"

#include "frame/context.h"

int zci_notes_find(zcs_context *ctx, uint64_t key, struct zci_route_choice *out)
{
    int found = 0;
    pthread_mutex_lock(&ctx->lock);
    const uint32_t used = ctx->notes.count < ZCI_NOTES ? ctx->notes.count : ZCI_NOTES;
    for (uint32_t i = 0; i < used && !found; i++) {
        found = ctx->notes.notes[i].key == key;
        if (found)
            *out = ctx->notes.notes[i].choice;
    }
    pthread_mutex_unlock(&ctx->lock);
    return found;
}

void zci_notes_add(zcs_context *ctx, uint64_t key, const struct zci_route_choice *choice)
{
    pthread_mutex_lock(&ctx->lock);
    struct zci_notes *notes = &ctx->notes;
    const uint32_t used = notes->count < ZCI_NOTES ? notes->count : ZCI_NOTES;
    uint32_t at = 0;
    while (at < used && notes->notes[at].key != key)
        at++;
    if (at == used)
        at = notes->count++ % ZCI_NOTES;
    notes->notes[at] = (struct zci_note){key, *choice};
    pthread_mutex_unlock(&ctx->lock);
}
