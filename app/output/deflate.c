/* SPDX-License-Identifier: MIT */
/* Blocks of deflate (RFC 1951): literals, and matches at distance 1, under a code of the block's own. */
#include "app/output/deflate.h"

#include <string.h>

#include "app/output/huffman.h"

#define END_OF_BLOCK 256
#define MAX_RUN 258
#define MIN_RUN 3
#define SEEN_RUN 8 /* shorter runs are looked for nowhere: noise makes many, and they save little */
#define LITERAL_LIMIT 14 /* four codes and 7 bits left over fit in 64 bits */
#define LENGTH_CODES 19  /* the alphabet in which lengths of codes are told */
#define LENGTH_LIMIT 7
#define MAX_STORED 65535u
#define USUAL_HEAD 80 /* bytes of a block's head with the lengths of its codes */
#define MAX_HEAD 512

static const uint8_t length_order[LENGTH_CODES] = {16, 17, 18, 0, 8,  7, 9,  6, 10, 5,
                                                   11, 4,  12, 3, 13, 2, 14, 1, 15};

/* Lengths of codes as they are told: repeats of the one before, or of 0, are one symbol with bits. */
struct told {
    uint8_t symbols[DEFLATE_LITERALS + 1], bits[DEFLATE_LITERALS + 1];
    unsigned count;
};

struct length_symbol {
    unsigned symbol, bits, value;
};

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

/* Bytes from `at` on that equal the one before. */
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

/* Four tables, since one would make each addition wait for the last one. */
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

/* At most 56 bits between two of flush. */
static void put(struct deflate_out *out, uint32_t value, unsigned bits)
{
    out->bits |= (uint64_t)value << out->count;
    out->count += bits;
}

static void put_code(struct deflate_out *out, uint32_t code)
{
    put(out, code & 0xffff, code >> 16);
}

/* Stores eight bytes, of which those that are whole count. */
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
        put(out, 0, 1); /* the one distance */
        flush(out);
    }
}

/* Walks as deflate_count does. */
static void put_data(struct deflate_out *to, const uint32_t *codes, const uint8_t *data,
                     size_t bytes)
{
    struct deflate_out out = *to; /* a copy, which stays in registers */
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

static void tell(struct told *told, unsigned symbol, unsigned bits)
{
    told->symbols[told->count] = (uint8_t)symbol;
    told->bits[told->count++] = (uint8_t)bits;
}

/* `same` equal lengths in a row. */
static void tell_lengths(struct told *told, unsigned length, unsigned same)
{
    const unsigned min = 3;
    if (length != 0 && same > 0) {
        tell(told, length, 0);
        same--;
    }
    while (same >= min) {
        const unsigned max = length != 0 ? 6 : same > 10 ? 138 : 10;
        const unsigned now = same < max ? same : max;
        tell(told, length != 0 ? 16 : max == 10 ? 17 : 18, now - (max == 138 ? 11 : 3));
        same -= now;
    }
    while (same-- > 0)
        tell(told, length, 0);
}

static unsigned extra_bits(unsigned symbol)
{
    return symbol == 16 ? 2 : symbol == 17 ? 3 : symbol == 18 ? 7 : 0;
}

/* The block's head: the lengths of its codes, `literals` of them and that of the one distance. */
static void put_head(struct deflate_out *out, const uint8_t *lengths, unsigned literals, int last)
{
    struct told told = {.count = 0};
    uint32_t counts[LENGTH_CODES] = {0}, codes[LENGTH_CODES];
    uint8_t code_lengths[LENGTH_CODES];
    unsigned ordered = LENGTH_CODES;
    for (unsigned i = 0, same = 1; i < literals; i += same, same = 1) {
        while (i + same < literals && lengths[i + same] == lengths[i])
            same++;
        tell_lengths(&told, lengths[i], same);
    }
    tell(&told, 1, 0);
    for (unsigned i = 0; i < told.count; i++)
        counts[told.symbols[i]]++;
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
    for (unsigned i = 0; i < told.count; i++) {
        put_code(out, codes[told.symbols[i]]);
        put(out, told.bits[i], extra_bits(told.symbols[i]));
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
    if (bits / 8 + USUAL_HEAD < bytes) {
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
