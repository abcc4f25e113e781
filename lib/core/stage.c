/* SPDX-License-Identifier: MIT */
/* stages.def as arrays: names and texts for people, types and ranges for the parser. */
#include "core/stage.h"

#define ZCI_INTEGER(id, name, low, high, default_value, help)                                      \
    {#name, #low ".." #high, default_value, help},
#define ZCI_DECIMAL(id, name, low, high, default_value, help)                                      \
    {#name, #low ".." #high, default_value, help},
#define ZCI_WORD(id, name, words, default_value, help) {#name, words, default_value, help},
#define ZCI_WORD_DECIMAL(id, name, words, low, high, default_value, help)                          \
    {#name, words "|" #low ".." #high, default_value, help},
#define ZCI_NINE(id, name, low, high, default_value, help)                                         \
    {#name, "nine of " #low ".." #high " joined by /", default_value, help},
#define ZCI_RECT(id, name, help) {#name, "WxH+X+Y", "", help},
#define ZCI_STAGE(id, name, category, help, keys)                                                  \
    static const struct zcs_stage_key texts_##name[] = {keys{NULL, NULL, NULL, NULL}};
#include "core/stages.def"
#undef ZCI_STAGE
#undef ZCI_INTEGER
#undef ZCI_DECIMAL
#undef ZCI_WORD
#undef ZCI_WORD_DECIMAL
#undef ZCI_NINE
#undef ZCI_RECT

#define ZCI_INTEGER(id, name, low, high, ...) {ZCI_KEY_INTEGER, low, high, NULL},
#define ZCI_DECIMAL(id, name, low, high, ...) {ZCI_KEY_DECIMAL, low, high, NULL},
#define ZCI_WORD(id, name, words, ...) {ZCI_KEY_WORD, 0, 0, words},
#define ZCI_WORD_DECIMAL(id, name, words, low, high, ...) {ZCI_KEY_WORD_DECIMAL, low, high, words},
#define ZCI_NINE(id, name, low, high, ...) {ZCI_KEY_NINE, low, high, NULL},
#define ZCI_RECT(id, ...) {ZCI_KEY_RECT, 0, ZCS_MAX_DIMENSION, NULL},
#define ZCI_STAGE(id, name, category, help, keys)                                                  \
    static const struct zci_key types_##name[] = {keys{ZCI_KEY_INTEGER, 0, 0, NULL}};
#include "core/stages.def"
#undef ZCI_STAGE
#undef ZCI_INTEGER
#undef ZCI_DECIMAL
#undef ZCI_WORD
#undef ZCI_WORD_DECIMAL
#undef ZCI_NINE
#undef ZCI_RECT

static const struct zcs_stage_info infos[] = {
#define ZCI_STAGE(id, name, category, help, keys) {#name, help, texts_##name, ZCI_##id##_KEYS},
#include "core/stages.def"
#undef ZCI_STAGE
};

static const struct {
    const struct zci_key *keys;
    enum zci_stage_category category;
} types[] = {
#define ZCI_STAGE(id, name, category, help, keys) {types_##name, ZCI_STAGE_##category},
#include "core/stages.def"
#undef ZCI_STAGE
};

const struct zcs_stage_info *zcs_stage_info(uint32_t index)
{
    return index < ZCI_STAGE_COUNT ? &infos[index] : NULL;
}

const struct zci_key *zci_stage_keys(enum zci_stage_kind kind)
{
    return types[kind].keys;
}

enum zci_stage_category zci_stage_category(enum zci_stage_kind kind)
{
    return kind == ZCI_STAGE_CUSTOM ? ZCI_STAGE_VALUE : types[kind].category;
}

const char *zci_stage_name(const struct zci_stage *stage, const struct zcs_custom_stage *custom)
{
    return stage->kind == ZCI_STAGE_CUSTOM ? custom[stage->custom].name : infos[stage->kind].name;
}

const char *zcs_stage_default(enum zcs_pixfmt format)
{
    const struct zcs_pixfmt_info *info = zcs_pixfmt_info(format);
    const int bayer = info != NULL && info->model == ZCS_MODEL_BAYER;
    return bayer ? "black,wb,demosaic,ccm,gamma" : "none";
}
