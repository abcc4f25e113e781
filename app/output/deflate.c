/* SPDX-License-Identifier: MIT */
/* Deflate blocks (RFC 1951): literals and matches at distance 1, with Huffman codes per block. */
#include "app/output/deflate.h"

#include <stdlib.h>
#include <string.h>

#define END_OF_BLOCK 256
#define MAX_RUN 258
#define MIN_RUN 3
#define SEEN_RUN 8       /* shorter runs are ignored: noise has many, and they save little */
#define LITERAL_LIMIT 14 /* four codes and 7 bits left over fit in 64 bits */
#define LENGTH_CODES 19  /* the alphabet of code lengths */
#define LENGTH_LIMIT 7
#define MAX_STORED 65535u
#define TYPICAL_HEAD 80 /* bytes of a block's header with its code lengths */
#define MAX_HEAD 512

static const uint8_t length_order[LENGTH_CODES] = {16, 17, 18, 0, 8,  7, 9,  6, 10, 5,
                                                   11, 4,  12, 3, 13, 2, 14, 1, 15};

/* Run-length coded code lengths: repeats of the previous length, or of 0, are one symbol with
 * bits. */
struct length_list {
    uint8_t symbols[DEFLATE_LITERALS + 1], bits[DEFLATE_LITERALS + 1];
    unsigned count;
};

struct length_symbol {
    unsigned symbol, bits, value;
};

/* --- Huffman codes --- */

/* A leaf is a count with its symbol in the low bits, so that leaves of equal counts are ordered. */
static int compare_leaves(const void *a, const void *b)
{
    const uint64_t left = *(const uint64_t *)a, right = *(const uint64_t *)b;
    return (left > right) - (left < right);
}

static unsigned sorted_leaves(uint64_t *leaves, const uint32_t *counts, unsigned symbols)
{
    unsigned used = 0;
    for (unsigned s = 0; s < symbols; s++)
        if (counts[s] != 0)
            leaves[used++] = (uint64_t)counts[s] << 16 | s;
    qsort(leaves, used, sizeof *leaves, compare_leaves);
    return used;
}

/* Counts the leaves at each depth of the Huffman tree. Merged nodes are created in order of weight,
 * so the two lightest are always at the heads of two queues: leaves and nodes. */
static void tree_depths(unsigned *at_depth, const uint64_t *leaves, unsigned used, unsigned limit)
{
    uint64_t weights[2 * DEFLATE_LITERALS] = {0};
    uint16_t parents[2 * DEFLATE_LITERALS];
    uint16_t depths[2 * DEFLATE_LITERALS];
    unsigned leaf = 0, node = used, nodes = used;
    for (unsigned i = 0; i < used; i++)
        weights[i] = leaves[i] >> 16;
    for (; nodes < 2 * used - 1; nodes++) {
        for (int side = 0; side < 2; side++) {
            const int take_leaf = leaf < used && (node >= nodes || weights[leaf] <= weights[node]);
            const unsigned lightest = take_leaf ? leaf++ : node++;
            weights[nodes] += weights[lightest];
            parents[lightest] = (uint16_t)nodes;
        }
    }
    depths[nodes - 1] = 0;
    for (unsigned i = nodes - 1; i-- > 0;) {
        depths[i] = (uint16_t)(depths[parents[i]] + 1);
        if (i < used)
            at_depth[depths[i] < limit ? depths[i] : limit]++;
    }
}

/* Leaves that were too deep are at the limit now, more than fit there. Each round moves one of
 * them: it becomes the sibling of the deepest leaf above the limit. */
static void limit_depths(unsigned *at_depth, unsigned limit)
{
    uint32_t room = UINT32_C(1) << limit, taken = 0;
    for (unsigned d = 1; d <= limit; d++)
        taken += at_depth[d] << (limit - d);
    for (; taken > room; taken--) {
        unsigned d = limit - 1;
        while (at_depth[d] == 0)
            d--;
        at_depth[d]--;
        at_depth[d + 1] += 2;
        at_depth[limit]--;
    }
}

void huffman_lengths(uint8_t *lengths, const uint32_t *counts, unsigned symbols, unsigned limit)
{
    uint64_t leaves[DEFLATE_LITERALS];
    unsigned at_depth[HUFFMAN_LIMIT + 1] = {0};
    unsigned used = sorted_leaves(leaves, counts, symbols);
    for (unsigned s = 0; s < symbols; s++)
        lengths[s] = 0;
    if (used == 1)
        at_depth[1] = 1;
    else if (used > 1)
        tree_depths(at_depth, leaves, used, limit);
    limit_depths(at_depth, limit);
    for (unsigned d = 1; d <= limit; d++)
        for (unsigned i = 0; i < at_depth[d]; i++)
            lengths[leaves[--used] & 0xffff] = (uint8_t)d;
}

static uint32_t reversed(uint32_t code, unsigned length)
{
    uint32_t out = 0;
    for (unsigned i = 0; i < length; i++)
        out |= (code >> i & 1) << (length - 1 - i);
    return out;
}

/* Codes of these lengths: code | length << 16, the first bit of the code lowest. */
static void huffman_codes(uint32_t *codes, const uint8_t *lengths, unsigned symbols)
{
    uint32_t next = 0;
    for (unsigned length = 1; length <= HUFFMAN_LIMIT; length++, next <<= 1)
        for (unsigned s = 0; s < symbols; s++)
            if (lengths[s] == length)
                codes[s] = reversed(next++, length) | length << 16;
    for (unsigned s = 0; s < symbols; s++)
        if (lengths[s] == 0)
            codes[s] = 0;
}

/* --- symbols --- */

static uint64_t load64(const uint8_t *data)
{
    uint64_t value;
    memcpy(&value, data, sizeof value);
    return value;
}

static int run_at(const uint8_t *data)
{
    return load64(data) == load64(data - 1);
}

/* The number of bytes from `at` that equal the byte before `at`. */
static size_t run_bytes(const uint8_t *data, size_t at, size_t bytes)
{
    size_t end = at + SEEN_RUN;
    while (end + 8 <= bytes && run_at(data + end))
        end += 8;
    while (end < bytes && data[end] == data[at])
        end++;
    return end - at;
}

static struct length_symbol length_symbol(unsigned length)
{
    unsigned over = length - MIN_RUN, bits = 0;
    if (length == MAX_RUN)
        return (struct length_symbol){285, 0, 0};
    while (over >> bits >= 8)
        bits++;
    return (struct length_symbol){257 + 4 * bits + (over >> bits), bits, over & ((1u << bits) - 1)};
}

static unsigned next_length(size_t run)
{
    return run < MAX_RUN ? (unsigned)run : MAX_RUN;
}

size_t deflate_bound(size_t bytes)
{
    return bytes + 5 * (bytes / MAX_STORED + 1) + MAX_HEAD + 16;
}

static uint32_t count_run(uint32_t *counts, size_t *run)
{
    uint32_t bits = 0;
    for (; *run >= MIN_RUN; *run -= next_length(*run)) {
        const struct length_symbol s = length_symbol(next_length(*run));
        counts[s.symbol]++;
        bits += s.bits + 1;
    }
    return bits;
}

/* Four tables: with one, equal bytes would make each addition wait for the previous one. */
uint32_t deflate_count(uint32_t counts[DEFLATE_LITERALS], const uint8_t *data, size_t bytes)
{
    uint32_t tables[4][256] = {{0}};
    uint32_t bits = 0;
    size_t i = 1;
    memset(counts, 0, DEFLATE_LITERALS * sizeof *counts);
    tables[0][data[0]]++;
    while (i + SEEN_RUN <= bytes) {
        if (run_at(data + i)) {
            const size_t run = run_bytes(data, i, bytes);
            size_t rest = run;
            bits += count_run(counts, &rest);
            i += run - rest;
            continue;
        }
        for (unsigned k = 0; k < 4; k++)
            tables[k][data[i + k]]++;
        i += 4;
    }
    for (; i < bytes; i++)
        tables[0][data[i]]++;
    for (unsigned s = 0; s < 256; s++)
        counts[s] = tables[0][s] + tables[1][s] + tables[2][s] + tables[3][s];
    counts[END_OF_BLOCK] = 1;
    return bits;
}

/* At most 56 bits between two calls of flush. */
static void put(struct deflate_out *out, uint32_t value, unsigned bits)
{
    out->bits |= (uint64_t)value << out->count;
    out->count += bits;
}

static void put_code(struct deflate_out *out, uint32_t code)
{
    put(out, code & 0xffff, code >> 16);
}

/* Stores eight bytes and advances by the complete ones. */
static void flush(struct deflate_out *out)
{
    for (unsigned i = 0; i < 8; i++)
        out->at[i] = (uint8_t)(out->bits >> 8 * i);
    out->at += out->count >> 3;
    out->bits >>= out->count & ~7u;
    out->count &= 7;
}

static void put_run(struct deflate_out *out, const uint32_t *codes, size_t *run)
{
    for (; *run >= MIN_RUN; *run -= next_length(*run)) {
        const struct length_symbol s = length_symbol(next_length(*run));
        put_code(out, codes[s.symbol]);
        put(out, s.value, s.bits);
        put(out, 0, 1); /* the only distance */
        flush(out);
    }
}

/* Iterates as deflate_count does. */
static void put_data(struct deflate_out *to, const uint32_t *codes, const uint8_t *data,
                     size_t bytes)
{
    struct deflate_out out = *to; /* a copy that stays in registers */
    size_t i = 1;
    put_code(&out, codes[data[0]]);
    flush(&out);
    while (i + SEEN_RUN <= bytes) {
        if (run_at(data + i)) {
            const size_t run = run_bytes(data, i, bytes);
            size_t rest = run;
            put_run(&out, codes, &rest);
            i += run - rest;
            continue;
        }
        for (unsigned k = 0; k < 4; k++)
            put_code(&out, codes[data[i + k]]);
        flush(&out);
        i += 4;
    }
    for (; i < bytes; i++) {
        put_code(&out, codes[data[i]]);
        flush(&out);
    }
    put_code(&out, codes[END_OF_BLOCK]);
    flush(&out);
    *to = out;
}

static void add_symbol(struct length_list *list, unsigned symbol, unsigned bits)
{
    list->symbols[list->count] = (uint8_t)symbol;
    list->bits[list->count++] = (uint8_t)bits;
}

/* Adds a run of `same` equal lengths. */
static void add_lengths(struct length_list *list, unsigned length, unsigned same)
{
    const unsigned min = 3;
    if (length != 0 && same > 0) {
        add_symbol(list, length, 0);
        same--;
    }
    while (same >= min) {
        const unsigned max = length != 0 ? 6 : same > 10 ? 138 : 10;
        const unsigned now = same < max ? same : max;
        add_symbol(list, length != 0 ? 16 : max == 10 ? 17 : 18, now - (max == 138 ? 11 : 3));
        same -= now;
    }
    while (same-- > 0)
        add_symbol(list, length, 0);
}

static unsigned extra_bits(unsigned symbol)
{
    return symbol == 16 ? 2 : symbol == 17 ? 3 : symbol == 18 ? 7 : 0;
}

/* The block's header: the lengths of the `literals` codes and of the distance code. */
static void put_head(struct deflate_out *out, const uint8_t *lengths, unsigned literals, int last)
{
    struct length_list list = {.count = 0};
    uint32_t counts[LENGTH_CODES] = {0}, codes[LENGTH_CODES];
    uint8_t code_lengths[LENGTH_CODES];
    unsigned ordered = LENGTH_CODES;
    for (unsigned i = 0, same = 1; i < literals; i += same, same = 1) {
        while (i + same < literals && lengths[i + same] == lengths[i])
            same++;
        add_lengths(&list, lengths[i], same);
    }
    add_symbol(&list, 1, 0);
    for (unsigned i = 0; i < list.count; i++)
        counts[list.symbols[i]]++;
    huffman_lengths(code_lengths, counts, LENGTH_CODES, LENGTH_LIMIT);
    huffman_codes(codes, code_lengths, LENGTH_CODES);
    while (ordered > 4 && code_lengths[length_order[ordered - 1]] == 0)
        ordered--;
    put(out, (uint32_t)(last != 0) | 2u << 1, 3);
    put(out, literals - 257, 5);
    put(out, 0, 5);
    put(out, ordered - 4, 4);
    flush(out);
    for (unsigned i = 0; i < ordered; i++) {
        put(out, code_lengths[length_order[i]], 3);
        flush(out);
    }
    for (unsigned i = 0; i < list.count; i++) {
        put_code(out, codes[list.symbols[i]]);
        put(out, list.bits[i], extra_bits(list.symbols[i]));
        flush(out);
    }
}

static void put_stored(struct deflate_out *out, const uint8_t *data, size_t bytes, int last)
{
    while (bytes > 0) {
        const uint32_t now = bytes < MAX_STORED ? (uint32_t)bytes : MAX_STORED;
        put(out, last && now == bytes, 3);
        put(out, 0, (8 - out->count) & 7);
        put(out, now | (now ^ 0xffff) << 16, 32);
        flush(out);
        memcpy(out->at, data, now);
        out->at += now;
        data += now;
        bytes -= now;
    }
}

void deflate_block(struct deflate_out *out, const uint8_t *data, size_t bytes, int last)
{
    uint32_t counts[DEFLATE_LITERALS], codes[DEFLATE_LITERALS];
    uint8_t lengths[DEFLATE_LITERALS];
    uint64_t bits = deflate_count(counts, data, bytes);
    unsigned literals = DEFLATE_LITERALS;
    huffman_lengths(lengths, counts, DEFLATE_LITERALS, LITERAL_LIMIT);
    for (unsigned s = 0; s < DEFLATE_LITERALS; s++)
        bits += (uint64_t)counts[s] * lengths[s];
    while (literals > 257 && lengths[literals - 1] == 0)
        literals--;
    if (bits / 8 + TYPICAL_HEAD < bytes) {
        huffman_codes(codes, lengths, DEFLATE_LITERALS);
        put_head(out, lengths, literals, last);
        put_data(out, codes, data, bytes);
    } else {
        put_stored(out, data, bytes, last);
    }
    if (last && out->count > 0) {
        out->count = 8;
        flush(out);
    }
}
