/* SPDX-License-Identifier: MIT */
/* Files that people have and that are no input, by their first bytes, so that errors can name them. */
#ifndef ZCI_SOURCE_REPLAY_FOREIGN_H
#define ZCI_SOURCE_REPLAY_FOREIGN_H

#include <stddef.h>
#include <stdint.h>

struct zci_foreign {
    const char *name; /* "a JPEG"; NULL: nothing that is known, perhaps raw frames */
    int text;         /* 1: it only reads like text, as raw frames may */
};

/* `bytes` at a file's begin. */
struct zci_foreign zci_foreign(const uint8_t *data, size_t bytes);

#endif
