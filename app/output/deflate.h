/* SPDX-License-Identifier: MIT */
/* Deflate for noise: Huffman codes and runs of a byte, nothing else. What camera frames leave behind a
 * PNG filter has hardly a repetition; zlib, told not to look for any, takes four times as long. */
#ifndef ZCAPP_OUTPUT_DEFLATE_H
#define ZCAPP_OUTPUT_DEFLATE_H

#include <stddef.h>
#include <stdint.h>

#define DEFLATE_LITERALS 286 /* bytes, the end of a block, lengths of runs */

/* Where the next bits go; zeroed but for `at` at the begin. */
struct deflate_out {
    uint8_t *at;
    uint64_t bits; /* those not stored yet, the first lowest */
    unsigned count;
};

/* The most that a block of `bytes` takes, and what may be written behind it meanwhile. */
size_t deflate_bound(size_t bytes);

/* Counts the symbols of a block in `counts`, which need not be zeroed; `bytes` below 2^28. Returns the bits
 * beside the symbols: the lengths' own and the distances. */
uint32_t deflate_count(uint32_t counts[DEFLATE_LITERALS], const uint8_t *data, size_t bytes);

/* One block, complete in itself. The last one ends the stream. `bytes` is 1 at least, below 2^28. */
void deflate_block(struct deflate_out *out, const uint8_t *data, size_t bytes, int last);

#endif
