/* SPDX-License-Identifier: MIT */
/* The stage table, chains of stages, and the parser of chains. */
#ifndef ZCI_CORE_STAGE_H
#define ZCI_CORE_STAGE_H

#include "zcstream/stream.h"

#define ZCI_MAX_STAGES 32
#define ZCI_STAGE_KEYS 5
#define ZCI_STAGE_NUMBERS 9

enum zci_stage_kind {
#define ZCI_STAGE(id, ...) ZCI_STAGE_##id,
#include "core/stages.def"
#undef ZCI_STAGE
    ZCI_STAGE_COUNT,
    ZCI_STAGE_CUSTOM = ZCI_STAGE_COUNT
};

/* The index of each value in struct zci_stage: ZCI_BLACK_LEVEL ... */
#define ZCI_INTEGER(id, ...) ZCI_##id,
#define ZCI_DECIMAL(id, ...) ZCI_##id,
#define ZCI_WORD(id, ...) ZCI_##id,
#define ZCI_WORD_DECIMAL(id, ...) ZCI_##id,
#define ZCI_NINE(id, ...) ZCI_##id,
#define ZCI_RECT(id, ...) ZCI_##id,
#define ZCI_STAGE(id, name, category, help, keys) enum { keys ZCI_##id##_KEYS };
#include "core/stages.def"
#undef ZCI_STAGE
#undef ZCI_INTEGER
#undef ZCI_DECIMAL
#undef ZCI_WORD
#undef ZCI_WORD_DECIMAL
#undef ZCI_NINE
#undef ZCI_RECT

/* VALUE stages change samples and run at the working depth; PLACE stages move pixels or look at
 * them. */
enum zci_stage_category { ZCI_STAGE_PLACE, ZCI_STAGE_VALUE };

struct zci_stage {
    uint8_t kind;                     /* enum zci_stage_kind */
    uint8_t custom;                   /* CUSTOM: which of the caller's */
    uint8_t given;                    /* bit 1 << k: key k was in the text */
    int8_t word[ZCI_STAGE_KEYS];      /* which word; -1 where it is a number */
    double number[ZCI_STAGE_NUMBERS]; /* by key; NINE fills all */
};

struct zci_chain {
    struct zci_stage stages[ZCI_MAX_STAGES];
    uint32_t count;
};

enum zci_key_type {
    ZCI_KEY_INTEGER,
    ZCI_KEY_DECIMAL,
    ZCI_KEY_WORD,
    ZCI_KEY_WORD_DECIMAL,
    ZCI_KEY_NINE,
    ZCI_KEY_RECT,
};

/* What a key takes; its text form is in struct zcs_stage_key. */
struct zci_key {
    enum zci_key_type type;
    double low, high;
    const char *words; /* joined by |; NULL: none */
};

/* The keys of a built-in stage, as many as zcs_stage_info says. */
const struct zci_key *zci_stage_keys(enum zci_stage_kind kind);

enum zci_stage_category zci_stage_category(enum zci_stage_kind kind);

/* What messages call a stage of a chain. */
const char *zci_stage_name(const struct zci_stage *stage, const struct zcs_custom_stage *custom);

/* Fills `out` from `text`, in which the names of `custom` are known beside the built-in ones.
 * Defaults are filled in. On ZCS_ERR_FORMAT `message` (may be NULL) gets one printable line that
 * names the place, the key, the value and what is permitted. No allocation; any text is safe. */
zcs_status zci_chain_parse(const char *text, const struct zcs_custom_stage *custom,
                           uint32_t custom_count, struct zci_chain *out, char *message,
                           size_t message_bytes);

#endif
