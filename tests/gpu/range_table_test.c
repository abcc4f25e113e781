/* SPDX-License-Identifier: MIT */
/* The table of pinned memory, against a bitmap that says the same byte by byte. */
#include "check.h"

#include "backend/cuda/range_table.h"

enum { BYTES = 4096, MAX = 300, ROUNDS = 20000 };

static uint8_t memory[BYTES];

/* Of each byte the span that has it. */
static struct zci_cuda_mapping *owner[BYTES];
static struct zci_cuda_mapping pool[MAX];

static struct zci_cuda_mapping *cover_in_bitmap(size_t first, size_t bytes)
{
    struct zci_cuda_mapping *mapping = owner[first];
    for (size_t i = first; i < first + bytes; i++)
        if (owner[i] != mapping)
            return NULL;
    return mapping;
}

/* Of the first that ends beyond the byte, the next one's; NULL: there is none. */
static struct zci_cuda_mapping *next_in_bitmap(size_t at)
{
    while (at < BYTES && owner[at] == NULL)
        at++;
    return at < BYTES ? owner[at] : NULL;
}

static void own(const struct zci_cuda_mapping *mapping, struct zci_cuda_mapping *by)
{
    for (size_t i = 0; i < mapping->bytes; i++)
        owner[mapping->memory - memory + (ptrdiff_t)i] = by;
}

static void compare(const struct zci_cuda_range_table *table, size_t at, size_t bytes)
{
    CHECK(zci_cuda_range_table_cover(table, memory + at, bytes) == cover_in_bitmap(at, bytes));
    const size_t place = zci_cuda_range_table_index(table, memory + at);
    CHECK(place <= table->count);
    CHECK((place < table->count ? table->table[place] : NULL) == next_in_bitmap(at));
}

/* Comes, if nothing has a byte of it, or goes. */
static void change(struct zci_cuda_range_table *table, struct zci_cuda_mapping *mapping, size_t at,
                   size_t bytes)
{
    if (mapping->memory != NULL) {
        zci_cuda_range_table_remove(table, mapping);
        own(mapping, NULL);
        *mapping = (struct zci_cuda_mapping){.memory = NULL};
        return;
    }
    for (size_t i = at; i < at + bytes; i++)
        if (owner[i] != NULL)
            return;
    *mapping = (struct zci_cuda_mapping){.memory = memory + at, .bytes = bytes};
    CHECK_EQ(zci_cuda_range_table_insert(table, mapping), ZCS_OK);
    own(mapping, mapping);
}

static void against_bitmap(void)
{
    struct zci_cuda_range_table table = {.table = NULL};
    uint64_t seed = 6;
    size_t max = 0;
    for (int i = 0; i < ROUNDS; i++) {
        const size_t at = test_random(&seed) % BYTES;
        const size_t bytes = 1 + test_random(&seed) % 24;
        if (at + bytes > BYTES)
            continue;
        change(&table, pool + test_random(&seed) % MAX, at, 1 + bytes / 3);
        compare(&table, test_random(&seed) % BYTES, 1);
        compare(&table, at, bytes);
        max = table.count > max ? table.count : max;
    }
    CHECK(max > 64); /* has grown twice */
    zci_cuda_range_table_finish(&table);
    CHECK(table.table == NULL && table.count == 0);
}

/* Neither an empty table nor a stranger, at an address that is there or not, is disturbed. */
static void strangers(void)
{
    struct zci_cuda_range_table table = {.table = NULL};
    struct zci_cuda_mapping one = {.memory = memory + 8, .bytes = 8}, same = one,
                            none = {.bytes = 0};
    CHECK(zci_cuda_range_table_cover(&table, memory, 1) == NULL);
    zci_cuda_range_table_remove(&table, &one);
    CHECK_EQ(zci_cuda_range_table_insert(&table, &one), ZCS_OK);
    zci_cuda_range_table_remove(&table, &same);
    zci_cuda_range_table_remove(&table, &none);
    CHECK(zci_cuda_range_table_cover(&table, memory + 8, 8) == &one);
    CHECK(zci_cuda_range_table_cover(&table, memory + 9, SIZE_MAX) == NULL);
    zci_cuda_range_table_remove(&table, &one);
    CHECK(zci_cuda_range_table_cover(&table, memory + 8, 8) == NULL);
    zci_cuda_range_table_finish(&table);
}

/* A table that cannot grow keeps what it has. Sanitizers end a program that asks for so much. */
static void no_memory(void)
{
    struct zci_cuda_range_table table = {.count = SIZE_MAX / 64, .capacity = SIZE_MAX / 64};
    struct zci_cuda_mapping one = {.memory = memory, .bytes = 1};
    if (SANITIZED)
        return;
    CHECK_EQ(zci_cuda_range_table_insert(&table, &one), ZCS_ERR_NOMEM);
    CHECK(table.table == NULL && table.count == SIZE_MAX / 64 && table.capacity == SIZE_MAX / 64);
}

int main(void)
{
    against_bitmap();
    strangers();
    no_memory();
    return 0;
}
