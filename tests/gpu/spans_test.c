/* SPDX-License-Identifier: MIT */
/* The table of pinned memory, against a bitmap that says the same byte by byte. */
#include "check.h"

#include "backend/cuda/spans.h"

enum { BYTES = 4096, MOST = 300, ROUNDS = 20000 };

static uint8_t memory[BYTES];

/* Of each byte the span that has it. */
static struct zci_cuda_span *owner[BYTES];
static struct zci_cuda_span pool[MOST];

static struct zci_cuda_span *cover_in_bitmap(size_t first, size_t bytes)
{
    struct zci_cuda_span *span = owner[first];
    for (size_t i = first; i < first + bytes; i++)
        if (owner[i] != span)
            return NULL;
    return span;
}

/* Of the first that ends beyond the byte, the next one's; NULL: there is none. */
static struct zci_cuda_span *next_in_bitmap(size_t at)
{
    while (at < BYTES && owner[at] == NULL)
        at++;
    return at < BYTES ? owner[at] : NULL;
}

static void own(const struct zci_cuda_span *span, struct zci_cuda_span *by)
{
    for (size_t i = 0; i < span->bytes; i++)
        owner[span->memory - memory + (ptrdiff_t)i] = by;
}

static void compare(const struct zci_cuda_spans *spans, size_t at, size_t bytes)
{
    CHECK(zci_cuda_spans_cover(spans, memory + at, bytes) == cover_in_bitmap(at, bytes));
    const size_t place = zci_cuda_spans_place(spans, memory + at);
    CHECK(place <= spans->count);
    CHECK((place < spans->count ? spans->table[place] : NULL) == next_in_bitmap(at));
}

/* Comes, if nothing has a byte of it, or goes. */
static void change(struct zci_cuda_spans *spans, struct zci_cuda_span *span, size_t at,
                   size_t bytes)
{
    if (span->memory != NULL) {
        zci_cuda_spans_remove(spans, span);
        own(span, NULL);
        *span = (struct zci_cuda_span){.memory = NULL};
        return;
    }
    for (size_t i = at; i < at + bytes; i++)
        if (owner[i] != NULL)
            return;
    *span = (struct zci_cuda_span){.memory = memory + at, .bytes = bytes};
    CHECK_EQ(zci_cuda_spans_insert(spans, span), ZCS_OK);
    own(span, span);
}

static void against_bitmap(void)
{
    struct zci_cuda_spans spans = {.table = NULL};
    uint64_t seed = 6;
    size_t most = 0;
    for (int i = 0; i < ROUNDS; i++) {
        const size_t at = test_random(&seed) % BYTES;
        const size_t bytes = 1 + test_random(&seed) % 24;
        if (at + bytes > BYTES)
            continue;
        change(&spans, pool + test_random(&seed) % MOST, at, 1 + bytes / 3);
        compare(&spans, test_random(&seed) % BYTES, 1);
        compare(&spans, at, bytes);
        most = spans.count > most ? spans.count : most;
    }
    CHECK(most > 64); /* has grown twice */
    zci_cuda_spans_finish(&spans);
    CHECK(spans.table == NULL && spans.count == 0);
}

/* Neither an empty table nor a stranger, at an address that is there or not, is disturbed. */
static void strangers(void)
{
    struct zci_cuda_spans spans = {.table = NULL};
    struct zci_cuda_span one = {.memory = memory + 8, .bytes = 8}, same = one, none = {.bytes = 0};
    CHECK(zci_cuda_spans_cover(&spans, memory, 1) == NULL);
    zci_cuda_spans_remove(&spans, &one);
    CHECK_EQ(zci_cuda_spans_insert(&spans, &one), ZCS_OK);
    zci_cuda_spans_remove(&spans, &same);
    zci_cuda_spans_remove(&spans, &none);
    CHECK(zci_cuda_spans_cover(&spans, memory + 8, 8) == &one);
    CHECK(zci_cuda_spans_cover(&spans, memory + 9, SIZE_MAX) == NULL);
    zci_cuda_spans_remove(&spans, &one);
    CHECK(zci_cuda_spans_cover(&spans, memory + 8, 8) == NULL);
    zci_cuda_spans_finish(&spans);
}

/* A table that cannot grow keeps what it has. Sanitizers end a program that asks for so much. */
static void no_memory(void)
{
    struct zci_cuda_spans spans = {.count = SIZE_MAX / 64, .capacity = SIZE_MAX / 64};
    struct zci_cuda_span one = {.memory = memory, .bytes = 1};
    if (SANITIZED)
        return;
    CHECK_EQ(zci_cuda_spans_insert(&spans, &one), ZCS_ERR_NOMEM);
    CHECK(spans.table == NULL && spans.count == SIZE_MAX / 64 && spans.capacity == SIZE_MAX / 64);
}

int main(void)
{
    against_bitmap();
    strangers();
    no_memory();
    return 0;
}
