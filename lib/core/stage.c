/* SPDX-License-Identifier: MIT */
/* The stage table as arrays, the grammar of chains, and the values that stages take: numbers,
 * words, lists and rectangles. No locale, no allocation. */
#include "core/stage.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define MAX_DIGITS 15u /* a double holds all whole numbers of so many digits */

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

/* A piece of a text, not terminated. */
struct slice {
    const char *at;
    size_t length;
};

/* 1 where the slice is exactly `word`. */
static int slice_is(struct slice slice, const char *word)
{
    return strlen(word) == slice.length && memcmp(slice.at, word, slice.length) == 0;
}

/* Cuts off and returns what stands before the first of `separators`; the separator stays. */
static struct slice slice_cut(struct slice *slice, const char *separators)
{
    struct slice front = {slice->at, 0};
    while (front.length < slice->length && !strchr(separators, front.at[front.length]))
        front.length++;
    slice->at += front.length;
    slice->length -= front.length;
    return front;
}

static int is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* Digits at the slice's front; returns how many. */
static uint32_t take_digits(struct slice *text, double *mantissa)
{
    uint32_t digits = 0;
    for (; text->length > 0 && is_digit(*text->at); text->at++, text->length--, digits++)
        *mantissa = *mantissa * 10 + (*text->at - '0');
    return digits;
}

/* Takes a sign; returns whether it is a minus. */
static int take_sign(struct slice *text)
{
    const int negative = text->length > 0 && *text->at == '-';
    const int any = negative || (text->length > 0 && *text->at == '+');
    text->at += any;
    text->length -= (size_t)any;
    return negative;
}

/* [+-][digits][.digits], the point only where `decimal`. */
static int number(struct slice text, int decimal, double low, double high, double *out)
{
    const int negative = take_sign(&text);
    double v = 0, scale = 1;
    const uint32_t whole = take_digits(&text, &v);
    uint32_t part = 0;
    if (decimal && text.length > 0 && *text.at == '.') {
        text.at++;
        text.length--;
        part = take_digits(&text, &v);
        if (part == 0)
            return 0;
    }
    if (whole + part == 0 || whole + part > MAX_DIGITS || text.length > 0)
        return 0;
    for (uint32_t i = 0; i < part; i++)
        scale *= 10;
    *out = negative ? -(v / scale) : v / scale;
    return *out >= low && *out <= high;
}

/* Which of `words` it is; -1: none. */
static int word(const char *words, struct slice text)
{
    struct slice rest = {words, strlen(words)};
    for (int i = 0;; i++) {
        const struct slice one = slice_cut(&rest, "|");
        if (one.length == text.length && memcmp(one.at, text.at, one.length) == 0)
            return i;
        if (rest.length == 0)
            return -1;
        rest.at++;
        rest.length--;
    }
}

static int nine(const struct zci_key *key, struct slice text, double out[9])
{
    for (int i = 0; i < 9; i++) {
        const struct slice one = slice_cut(&text, "/");
        const int more = text.length > 0;
        if (more != (i < 8) || !number(one, 1, key->low, key->high, &out[i]))
            return 0;
        text.at += more;
        text.length -= (size_t)more;
    }
    return 1;
}

/* Takes a number in front of which `mark` must stand. */
static int marked(struct slice *text, char mark, double low, double high, double *out)
{
    if (text->length == 0 || *text->at != mark)
        return 0;
    text->at++;
    text->length--;
    return number(slice_cut(text, "x+"), 0, low, high, out);
}

/* WxH or WxH+X+Y into x, y, width and height, which lie one behind the other. */
static int rect(struct slice text, double max, double out[4])
{
    out[0] = out[1] = 0;
    if (!number(slice_cut(&text, "x+"), 0, 1, max, &out[2]) || !marked(&text, 'x', 1, max, &out[3]))
        return 0;
    if (text.length == 0)
        return 1;
    return marked(&text, '+', 0, max - 1, &out[0]) && marked(&text, '+', 0, max - 1, &out[1]) &&
           text.length == 0;
}

/* Stores the value of key `index` in `stage`. Returns 0 where the text is not what the key takes;
 * `stage` may then be half filled. */
static int value_parse(const struct zci_key *key, uint32_t index, struct slice text,
                       struct zci_stage *stage)
{
    const int named = key->words ? word(key->words, text) : -1;
    stage->word[index] = (int8_t)named;
    switch (key->type) {
    case ZCI_KEY_INTEGER:
        return number(text, 0, key->low, key->high, &stage->number[index]);
    case ZCI_KEY_DECIMAL:
        return number(text, 1, key->low, key->high, &stage->number[index]);
    case ZCI_KEY_WORD:
        return named >= 0;
    case ZCI_KEY_WORD_DECIMAL:
        return named >= 0 || number(text, 1, key->low, key->high, &stage->number[index]);
    case ZCI_KEY_NINE:
        return nine(key, text, stage->number);
    case ZCI_KEY_RECT:
        return rect(text, key->high, &stage->number[index + 1]);
    }
    return 0;
}

struct parser {
    const struct zcs_custom_stage *custom;
    uint32_t custom_count;
    uint32_t place; /* of the stage, from 1 */
    char *message;
    size_t message_bytes;
};

/* Where names of stages or keys are joined for a message. */
struct list {
    char text[400];
    size_t used;
};

/* What was found in a text, cut and made printable for a message. */
struct shown {
    char text[44];
};

static struct shown show(struct slice slice)
{
    struct shown out;
    const size_t room = sizeof out.text - 4;
    const size_t count = slice.length < room ? slice.length : room;
    for (size_t i = 0; i < count; i++)
        out.text[i] = slice.at[i] >= ' ' && slice.at[i] <= '~' ? slice.at[i] : '?';
    memcpy(out.text + count, slice.length > room ? "..." : "", slice.length > room ? 4 : 1);
    return out;
}

#if defined(__GNUC__) || defined(__clang__)
__attribute__((format(printf, 2, 3)))
#endif
static zcs_status
fail(const struct parser *p, const char *format, ...)
{
    if (p->message == NULL || p->message_bytes == 0)
        return ZCS_ERR_FORMAT;
    const int head = snprintf(p->message, p->message_bytes, "stage %u", (unsigned)p->place);
    if (head > 0 && (size_t)head < p->message_bytes) {
        va_list args;
        va_start(args, format);
        vsnprintf(p->message + head, p->message_bytes - (size_t)head, format, args);
        va_end(args);
    }
    return ZCS_ERR_FORMAT;
}

static void list_add(struct list *list, const char *name)
{
    const int more = snprintf(list->text + list->used, sizeof list->text - list->used, " %s", name);
    if (more > 0 && (size_t)more < sizeof list->text - list->used)
        list->used += (size_t)more;
}

static struct slice trim(struct slice text)
{
    for (; text.length > 0 && *text.at == ' '; text.at++)
        text.length--;
    while (text.length > 0 && text.at[text.length - 1] == ' ')
        text.length--;
    return text;
}

/* A number where a stage or a key should begin was meant for a key. */
static int is_number_like(struct slice text)
{
    return text.length > 0 && strchr("+-.0123456789", *text.at) != NULL;
}

static zcs_status unknown_stage(const struct parser *p, struct slice name)
{
    struct list list = {{0}, 0};
    for (uint32_t i = 0; i < ZCI_STAGE_COUNT; i++)
        list_add(&list, zcs_stage_info(i)->name);
    for (uint32_t i = 0; i < p->custom_count; i++)
        list_add(&list, p->custom[i].name);
    if (name.length == 0)
        return fail(p, " is empty; there are%s", list.text);
    if (slice_is(name, "none"))
        return fail(p, " \"none\" stands alone: no stage before or behind it, and no values");
    if (is_number_like(name))
        return fail(p,
                    " \"%s\" is a value; those of one stage are joined by colons, with their keys",
                    show(name).text);
    return fail(p, " \"%s\" is not known; there are%s", show(name).text, list.text);
}

static zcs_status unknown_key(const struct parser *p, const struct zcs_stage_info *info,
                              struct slice key)
{
    struct list list = {{0}, 0};
    for (uint32_t i = 0; i < info->key_count; i++)
        list_add(&list, info->keys[i].name);
    if (is_number_like(key) && info->key_count > 1)
        return fail(
            p, " \"%s\": only the first value goes without its key; write KEY=%s with one of%s",
            info->name, show(key).text, list.text);
    return fail(p, " \"%s\": no key \"%s\"; it has%s", info->name, show(key).text,
                info->key_count ? list.text : " none");
}

static int find_stage(const struct parser *p, struct slice name, struct zci_stage *out)
{
    for (uint32_t i = 0; i < ZCI_STAGE_COUNT; i++)
        if (slice_is(name, zcs_stage_info(i)->name)) {
            out->kind = (uint8_t)i;
            return 1;
        }
    out->kind = ZCI_STAGE_CUSTOM;
    for (uint32_t i = 0; i < p->custom_count; i++)
        if (slice_is(name, p->custom[i].name)) {
            out->custom = (uint8_t)i;
            return 1;
        }
    return 0;
}

static void set_defaults(const struct zcs_stage_info *info, struct zci_stage *stage)
{
    for (uint32_t k = 0; k < info->key_count; k++) {
        const char *default_value = info->keys[k].default_value;
        if (*default_value)
            (void)value_parse(&zci_stage_keys(stage->kind)[k], k,
                              (struct slice){default_value, strlen(default_value)}, stage);
    }
}

/* The form that a malformed value should have had. */
static const char *form_of(enum zci_key_type type)
{
    switch (type) {
    case ZCI_KEY_INTEGER:
        return "a whole number within ";
    case ZCI_KEY_DECIMAL:
        return "a number within ";
    case ZCI_KEY_WORD:
    case ZCI_KEY_WORD_DECIMAL:
        return "one of ";
    case ZCI_KEY_RECT:
        return "of the form ";
    case ZCI_KEY_NINE:
        break;
    }
    return "";
}

static zcs_status bad_value(const struct parser *p, const struct zci_stage *stage, uint32_t k,
                            struct slice value)
{
    const struct zcs_stage_info *info = zcs_stage_info(stage->kind);
    struct slice rest = value;
    const struct slice name = slice_cut(&rest, "=");
    for (uint32_t i = 0; rest.length > 0 && i < info->key_count; i++)
        if (slice_is(name, info->keys[i].name))
            return fail(p, " \"%s\": a key stands behind a colon: write %s:%s", info->name,
                        info->name, show(value).text);
    return fail(p, " \"%s\": %s=%s is not %s%s", info->name, info->keys[k].name, show(value).text,
                form_of(zci_stage_keys(stage->kind)[k].type), info->keys[k].values);
}

static zcs_status set_key(const struct parser *p, struct zci_stage *stage, uint32_t k,
                          struct slice value)
{
    const struct zcs_stage_info *info = zcs_stage_info(stage->kind);
    const struct zci_key *key = &zci_stage_keys(stage->kind)[k];
    const uint32_t all = (1u << info->key_count) - 1u;
    const uint32_t mask = key->type == ZCI_KEY_RECT ? all : 1u << k;
    if (stage->given & mask)
        return fail(p, " \"%s\": %s is given twice", info->name, info->keys[k].name);
    stage->given = (uint8_t)(stage->given | mask);
    if (!value_parse(key, k, value, stage))
        return bad_value(p, stage, k, value);
    return ZCS_OK;
}

/* One `key=value`, or a value alone where it comes first. */
static zcs_status parse_pair(const struct parser *p, struct zci_stage *stage, struct slice pair,
                             int first)
{
    const struct zcs_stage_info *info = zcs_stage_info(stage->kind);
    struct slice value = pair;
    const struct slice name = slice_cut(&value, "=");
    if (value.length == 0 && first && info->key_count > 0)
        return set_key(p, stage, 0, pair);
    for (uint32_t k = 0; k < info->key_count; k++)
        if (slice_is(name, info->keys[k].name)) {
            if (value.length < 2)
                return fail(p, " \"%s\": %s has no value", info->name, info->keys[k].name);
            return set_key(p, stage, k, (struct slice){value.at + 1, value.length - 1});
        }
    return unknown_key(p, info, name);
}

static int order_is_wrong(const struct zci_stage *stage, uint32_t low, uint32_t high)
{
    return stage->number[high] > 0 && stage->number[low] >= stage->number[high];
}

/* Checks conditions between keys. */
static zcs_status check_stage(const struct parser *p, const struct zci_stage *stage)
{
    const double *v = stage->number;
    if (stage->kind == ZCI_STAGE_CROP && (v[ZCI_CROP_WIDTH] < 1 || v[ZCI_CROP_HEIGHT] < 1))
        return fail(p, " \"crop\": width and height must be given, as crop=WxH+X+Y or by name");
    if (stage->kind == ZCI_STAGE_BLACK && order_is_wrong(stage, ZCI_BLACK_LEVEL, ZCI_BLACK_WHITE))
        return fail(p, " \"black\": level=%.0f is not below white=%.0f", v[ZCI_BLACK_LEVEL],
                    v[ZCI_BLACK_WHITE]);
    if (stage->kind == ZCI_STAGE_LEVELS && order_is_wrong(stage, ZCI_LEVELS_LOW, ZCI_LEVELS_HIGH))
        return fail(p, " \"levels\": low=%.0f is not below high=%.0f", v[ZCI_LEVELS_LOW],
                    v[ZCI_LEVELS_HIGH]);
    const uint32_t mode = 1u << ZCI_WB_MODE;
    if (stage->kind == ZCI_STAGE_WB && (stage->given & mode) && stage->word[ZCI_WB_MODE] == 0 &&
        stage->given != mode)
        return fail(p, " \"wb\": mode=auto takes no gains");
    return ZCS_OK;
}

static zcs_status parse_stage(const struct parser *p, struct slice text, struct zci_stage *stage)
{
    *stage = (struct zci_stage){.given = 0};
    text = trim(text);
    const struct slice name = slice_cut(&text, "=:");
    if (!find_stage(p, name, stage))
        return unknown_stage(p, name);
    if (stage->kind == ZCI_STAGE_CUSTOM && p->custom != NULL)
        return text.length == 0 ? ZCS_OK
                                : fail(p, " \"%s\" takes no values", p->custom[stage->custom].name);
    set_defaults(zcs_stage_info(stage->kind), stage);
    /* `name=value` is `name:value`, but what follows the sign is a value whatever it looks like. */
    int first = 1;
    while (text.length > 0) {
        const int sign = *text.at == '=';
        text.at++;
        text.length--;
        const struct slice pair = slice_cut(&text, ":");
        const zcs_status status = sign && zcs_stage_info(stage->kind)->key_count > 0
                                      ? set_key(p, stage, 0, pair)
                                      : parse_pair(p, stage, pair, first);
        if (status != ZCS_OK)
            return status;
        first = 0;
    }
    return check_stage(p, stage);
}

zcs_status zci_chain_parse(const char *text, const struct zcs_custom_stage *custom,
                           uint32_t custom_count, struct zci_chain *out, char *message,
                           size_t message_bytes)
{
    struct parser p = {custom, custom_count, 0, message, message_bytes};
    struct slice rest = {text, strlen(text)};
    out->count = 0;
    if (slice_is(trim(rest), "none"))
        return ZCS_OK;
    for (;;) {
        p.place++;
        if (out->count == ZCI_MAX_STAGES)
            return fail(&p, " is beyond the limit of %d stages", ZCI_MAX_STAGES);
        const zcs_status status = parse_stage(&p, slice_cut(&rest, ","), &out->stages[out->count]);
        if (status != ZCS_OK)
            return status;
        out->count++;
        if (rest.length == 0)
            return ZCS_OK;
        rest.at++;
        rest.length--;
    }
}

zcs_status zcs_stage_parse(const char *text, char *message, size_t message_bytes)
{
    struct zci_chain chain;
    if (text == NULL)
        return ZCS_ERR_ARG;
    return zci_chain_parse(text, NULL, 0, &chain, message, message_bytes);
}
