/* SPDX-License-Identifier: MIT */
/* Huffman codes: the tree from two queues, lengths cut to the limit, codes in canonical order. */
#include "app/output/huffman.h"

#include <stdlib.h>

/* A leaf is its count with the symbol below it, so that equal counts have an order of their own. */
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

/* How deep each leaf lies, in `depths`, and how many lie at each depth. Joined nodes come out in order of
 * weight, so that the two lightest are always at the heads of two queues: leaves, and nodes. */
static void tree_depths(unsigned *at_depth, const uint64_t *leaves, unsigned used, unsigned limit)
{
    uint64_t weights[2 * HUFFMAN_SYMBOLS];
    uint16_t parents[2 * HUFFMAN_SYMBOLS];
    uint16_t depths[2 * HUFFMAN_SYMBOLS];
    unsigned leaf = 0, node = used, nodes = used;
    for (unsigned i = 0; i < used; i++)
        weights[i] = leaves[i] >> 16;
    for (; nodes < 2 * used - 1; nodes++) {
        weights[nodes] = 0;
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

/* Leaves that were too deep are at the limit now, more than fit there. Each round makes room for one: it
 * becomes the sibling of the deepest leaf above. */
static void cut_depths(unsigned *at_depth, unsigned limit)
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
    uint64_t leaves[HUFFMAN_SYMBOLS];
    unsigned at_depth[HUFFMAN_LIMIT + 1] = {0};
    unsigned used = sorted_leaves(leaves, counts, symbols);
    for (unsigned s = 0; s < symbols; s++)
        lengths[s] = 0;
    if (used == 1)
        at_depth[1] = 1;
    else if (used > 1)
        tree_depths(at_depth, leaves, used, limit);
    cut_depths(at_depth, limit);
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

void huffman_codes(uint32_t *codes, const uint8_t *lengths, unsigned symbols)
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
