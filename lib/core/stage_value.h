/* SPDX-License-Identifier: MIT */
/* The values that stages take, from text. */
#ifndef ZCI_CORE_STAGE_VALUE_H
#define ZCI_CORE_STAGE_VALUE_H

#include "core/stage.h"

/* A piece of a text, not terminated. */
struct zci_slice {
    const char *at;
    size_t length;
};

/* 1 where the slice is exactly `word`. */
int zci_slice_is(struct zci_slice slice, const char *word);

/* Cuts what stands before the first of `separators` off the slice's front and returns it; the separator
 * stays. */
struct zci_slice zci_slice_cut(struct zci_slice *slice, const char *separators);

/* Stores the value of key `index` in `stage`. Returns 0, and `stage` may then be half filled, where the
 * text is not what the key takes. */
int zci_value_parse(const struct zci_key *key, uint32_t index, struct zci_slice text,
                    struct zci_stage *stage);

#endif
