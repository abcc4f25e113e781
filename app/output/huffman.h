/* SPDX-License-Identifier: MIT */
/* Canonical Huffman codes of a limited length, as deflate (RFC 1951) wants them. */
#ifndef ZCAPP_OUTPUT_HUFFMAN_H
#define ZCAPP_OUTPUT_HUFFMAN_H

#include <stdint.h>

#define HUFFMAN_SYMBOLS 286 /* the most there are */
#define HUFFMAN_LIMIT 15    /* the longest that a code may be told to be, in bits */

/* The length in bits of each symbol's code, none above `limit`; 0: its count is 0. 2^limit is at least
 * the number of symbols. A single symbol gets 1 bit. Counts add up to less than 2^32. */
void huffman_lengths(uint8_t *lengths, const uint32_t *counts, unsigned symbols, unsigned limit);

/* The codes of such lengths: code | length << 16, the code's first bit lowest. */
void huffman_codes(uint32_t *codes, const uint8_t *lengths, unsigned symbols);

#endif
