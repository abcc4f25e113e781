/* SPDX-License-Identifier: MIT */
/* Deflate for noise: Huffman codes and runs of one byte value, nothing else. Filtered camera frames
 * have hardly any repetitions. zlib takes four times as long, even when told not to search for
 * them. */
#ifndef ZCAPP_OUTPUT_DEFLATE_H
#define ZCAPP_OUTPUT_DEFLATE_H

#include <stddef.h>
#include <stdint.h>

#define DEFLATE_LITERALS 286 /* bytes, the end of a block, lengths of runs */
#define HUFFMAN_LIMIT 15     /* the maximum length of a code, in bits */

/* The length in bits of each symbol's code, at most `limit`; 0: its count is 0. There are at most
 * DEFLATE_LITERALS and 2^limit symbols. A single symbol gets 1 bit. The sum of the counts is below
 * 2^32. */
void huffman_lengths(uint8_t *lengths, const uint32_t *counts, unsigned symbols, unsigned limit);

/* A bit writer; initially zeroed except for `at`. */
struct deflate_out {
    uint8_t *at;
    uint64_t bits; /* not stored yet, the first lowest */
    unsigned count;
};

/* The maximum size of a coded block of `bytes`, including what may be written after its end
 * meanwhile. */
size_t deflate_bound(size_t bytes);

/* Counts the symbols of a block in `counts`, which need not be zeroed; `bytes` below 2^28. Returns
 * the number of bits that are not symbols: extra bits of lengths, and distances. */
uint32_t deflate_count(uint32_t counts[DEFLATE_LITERALS], const uint8_t *data, size_t bytes);

/* Writes one block. The last block ends the stream. `bytes` is at least 1, below 2^28. */
void deflate_block(struct deflate_out *out, const uint8_t *data, size_t bytes, int last);

#endif
