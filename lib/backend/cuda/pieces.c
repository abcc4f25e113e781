/* SPDX-License-Identifier: MIT */
/* The table of the backend's own pinned memory: sorted by address, searched by halves. */
#include "backend/cuda/pieces.h"

#include <stdlib.h>
#include <string.h>

#define FIRST_CAPACITY 32u

/* Of the first that ends beyond `memory`. */
static size_t place_of(const struct zci_cuda_pieces *pieces, const uint8_t *memory)
{
    size_t low = 0, high = pieces->count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        const struct zci_cuda_piece *piece = pieces->table[middle];
        if (piece->memory + piece->bytes <= memory)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static zcs_status grow(struct zci_cuda_pieces *pieces)
{
    const size_t capacity = pieces->capacity ? 2 * pieces->capacity : FIRST_CAPACITY;
    if (pieces->count < pieces->capacity)
        return ZCS_OK;
    struct zci_cuda_piece **table = realloc(pieces->table, capacity * sizeof(*table));
    if (table == NULL)
        return ZCS_ERR_NOMEM;
    pieces->table = table;
    pieces->capacity = capacity;
    return ZCS_OK;
}

zcs_status zci_cuda_pieces_insert(struct zci_cuda_pieces *pieces, struct zci_cuda_piece *piece)
{
    const zcs_status status = grow(pieces);
    if (status != ZCS_OK)
        return status;
    const size_t place = place_of(pieces, piece->memory);
    struct zci_cuda_piece **at = pieces->table + place;
    memmove(at + 1, at, (pieces->count - place) * sizeof *at);
    *at = piece;
    pieces->count++;
    return ZCS_OK;
}

void zci_cuda_pieces_remove(struct zci_cuda_pieces *pieces, const struct zci_cuda_piece *piece)
{
    const size_t place = place_of(pieces, piece->memory);
    if (place == pieces->count || pieces->table[place] != piece)
        return;
    struct zci_cuda_piece **at = pieces->table + place;
    pieces->count--;
    memmove(at, at + 1, (pieces->count - place) * sizeof *at);
}

const struct zci_cuda_piece *zci_cuda_pieces_cover(const struct zci_cuda_pieces *pieces,
                                                   const void *memory, size_t bytes)
{
    const uint8_t *at = memory;
    const size_t place = place_of(pieces, at);
    if (place == pieces->count)
        return NULL;
    const struct zci_cuda_piece *piece = pieces->table[place];
    if (at < piece->memory || piece->bytes - (size_t)(at - piece->memory) < bytes)
        return NULL;
    return piece;
}
