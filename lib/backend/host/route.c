/* SPDX-License-Identifier: MIT */
/* The copying routes' chunks: how the source is cut, and what each piece makes ready. */
#include "backend/host/route.h"

#include <string.h>

#include "core/format.h"

/* Pieces of 2-4 MB keep a copy engine at its full rate and fit a processor's cache. */
#define CHUNK_BYTES ((size_t)2 << 20)
#define STENCIL_REACH 2u

struct zci_chunks zci_chunks_make(const struct zci_plan *plan)
{
    const uint32_t height = plan->load.height;
    const size_t row_bytes = plan->source.size_bytes / height + 1;
    const size_t wanted = (CHUNK_BYTES / row_bytes + 2) / 2 * 2;
    const uint32_t rows = wanted < height ? (uint32_t)wanted : height + height % 2;
    return (struct zci_chunks){
        .rows = rows,
        .count = (height + rows - 1) / rows,
        .upwards = plan->passes[0].window.flip_v,
    };
}

/* The first source row of the index-th chunk from the top. */
static uint32_t chunk_first(const struct zci_chunks *chunks, uint32_t height, uint32_t index)
{
    const uint64_t row = (uint64_t)index * chunks->rows;
    return row < height ? (uint32_t)row : height;
}

static uint64_t copy_rows(const struct zci_plan *plan, uint32_t plane, const uint8_t *from,
                          uint8_t *to, uint32_t first, uint32_t last)
{
    const struct zcs_image *image = &plan->source;
    const size_t stride = image->stride_bytes[plane];
    const size_t bytes = zci_image_row_bytes(image, plane);
    size_t at = image->offset_bytes[plane] + first * stride;
    for (uint32_t y = first; y < last; y++, at += stride)
        memcpy(to + at, from + at, bytes);
    return (uint64_t)bytes * (last - first);
}

uint64_t zci_chunk_copy(const struct zci_chunks *chunks, const struct zci_plan *plan,
                        const uint8_t *from, uint8_t *to, uint32_t index)
{
    const uint32_t height = plan->load.height;
    const uint32_t from_top = chunks->upwards ? chunks->count - 1 - index : index;
    const uint32_t first = chunk_first(chunks, height, from_top);
    const uint32_t last = chunk_first(chunks, height, from_top + 1);
    uint64_t bytes = copy_rows(plan, 0, from, to, first, last);
    const uint32_t vsub = plan->load.vsub;
    for (uint32_t plane = 1; plane < plan->source.planes; plane++)
        bytes += copy_rows(plan, plane, from, to, first / vsub, (last + vsub - 1) / vsub);
    return bytes;
}

uint32_t zci_chunks_ready(const struct zci_chunks *chunks, const struct zci_plan *plan,
                          const struct zci_pass *pass, uint32_t copied)
{
    if (pass->in != ZCI_IMAGE_SOURCE || copied == chunks->count)
        return pass->height;
    const struct zci_window *window = &pass->window;
    if (window->flip_v != chunks->upwards)
        return 0;
    const uint32_t height = plan->load.height;
    int64_t rows;
    if (chunks->upwards)
        rows = (int64_t)window->y + window->height -
               chunk_first(chunks, height, chunks->count - copied);
    else
        rows = (int64_t)chunk_first(chunks, height, copied) - window->y;
    if (rows >= pass->height)
        return pass->height;
    rows -= pass->stencil == ZCI_STENCIL_NONE ? 0 : STENCIL_REACH;
    return rows > 0 ? (uint32_t)rows / 2 * 2 : 0;
}
