/* SPDX-License-Identifier: MIT */
/* The grammar of chains: stages joined by commas, values by colons. */
#include "core/stage_parse.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "core/stage_value.h"

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

static struct shown show(struct zci_slice slice)
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

static struct zci_slice trim(struct zci_slice text)
{
    for (; text.length > 0 && *text.at == ' '; text.at++)
        text.length--;
    while (text.length > 0 && text.at[text.length - 1] == ' ')
        text.length--;
    return text;
}

/* A number where a stage or a key should begin was meant for a key. */
static int is_number_like(struct zci_slice text)
{
    return text.length > 0 && strchr("+-.0123456789", *text.at) != NULL;
}

static zcs_status unknown_stage(const struct parser *p, struct zci_slice name)
{
    struct list list = {{0}, 0};
    for (uint32_t i = 0; i < ZCI_STAGE_COUNT; i++)
        list_add(&list, zcs_stage_info(i)->name);
    for (uint32_t i = 0; i < p->custom_count; i++)
        list_add(&list, p->custom[i].name);
    if (name.length == 0)
        return fail(p, " is empty; there are%s", list.text);
    if (zci_slice_is(name, "none"))
        return fail(p, " \"none\" stands alone: no stage before or behind it, and no values");
    if (is_number_like(name))
        return fail(p,
                    " \"%s\" is a value; those of one stage are joined by colons, with their keys",
                    show(name).text);
    return fail(p, " \"%s\" is not known; there are%s", show(name).text, list.text);
}

static zcs_status unknown_key(const struct parser *p, const struct zcs_stage_info *info,
                              struct zci_slice key)
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

static int find_stage(const struct parser *p, struct zci_slice name, struct zci_stage *out)
{
    for (uint32_t i = 0; i < ZCI_STAGE_COUNT; i++)
        if (zci_slice_is(name, zcs_stage_info(i)->name)) {
            out->kind = (uint8_t)i;
            return 1;
        }
    out->kind = ZCI_STAGE_CUSTOM;
    for (uint32_t i = 0; i < p->custom_count; i++)
        if (zci_slice_is(name, p->custom[i].name)) {
            out->custom = (uint8_t)i;
            return 1;
        }
    return 0;
}

static void presets(const struct zcs_stage_info *info, struct zci_stage *stage)
{
    for (uint32_t k = 0; k < info->key_count; k++) {
        const char *default_value = info->keys[k].default_value;
        if (*default_value)
            (void)zci_value_parse(&zci_stage_keys(stage->kind)[k], k,
                                  (struct zci_slice){default_value, strlen(default_value)}, stage);
    }
}

/* What a value that is none should have been. */
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
                            struct zci_slice value)
{
    const struct zcs_stage_info *info = zcs_stage_info(stage->kind);
    struct zci_slice rest = value;
    const struct zci_slice name = zci_slice_cut(&rest, "=");
    for (uint32_t i = 0; rest.length > 0 && i < info->key_count; i++)
        if (zci_slice_is(name, info->keys[i].name))
            return fail(p, " \"%s\": a key stands behind a colon: write %s:%s", info->name,
                        info->name, show(value).text);
    return fail(p, " \"%s\": %s=%s is not %s%s", info->name, info->keys[k].name, show(value).text,
                form_of(zci_stage_keys(stage->kind)[k].type), info->keys[k].values);
}

static zcs_status set_key(const struct parser *p, struct zci_stage *stage, uint32_t k,
                          struct zci_slice value)
{
    const struct zcs_stage_info *info = zcs_stage_info(stage->kind);
    const struct zci_key *key = &zci_stage_keys(stage->kind)[k];
    const uint32_t all = (1u << info->key_count) - 1u;
    const uint32_t mask = key->type == ZCI_KEY_RECT ? all : 1u << k;
    if (stage->given & mask)
        return fail(p, " \"%s\": %s is given twice", info->name, info->keys[k].name);
    stage->given = (uint8_t)(stage->given | mask);
    if (!zci_value_parse(key, k, value, stage))
        return bad_value(p, stage, k, value);
    return ZCS_OK;
}

/* One `key=value`, or a value alone where it comes first. */
static zcs_status parse_pair(const struct parser *p, struct zci_stage *stage, struct zci_slice pair,
                             int first)
{
    const struct zcs_stage_info *info = zcs_stage_info(stage->kind);
    struct zci_slice value = pair;
    const struct zci_slice name = zci_slice_cut(&value, "=");
    if (value.length == 0 && first && info->key_count > 0)
        return set_key(p, stage, 0, pair);
    for (uint32_t k = 0; k < info->key_count; k++)
        if (zci_slice_is(name, info->keys[k].name)) {
            if (value.length < 2)
                return fail(p, " \"%s\": %s has no value", info->name, info->keys[k].name);
            return set_key(p, stage, k, (struct zci_slice){value.at + 1, value.length - 1});
        }
    return unknown_key(p, info, name);
}

static int order_is_wrong(const struct zci_stage *stage, uint32_t low, uint32_t high)
{
    return stage->number[high] > 0 && stage->number[low] >= stage->number[high];
}

/* What keys demand of each other. */
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

static zcs_status parse_stage(const struct parser *p, struct zci_slice text,
                              struct zci_stage *stage)
{
    *stage = (struct zci_stage){.given = 0};
    text = trim(text);
    const struct zci_slice name = zci_slice_cut(&text, "=:");
    if (!find_stage(p, name, stage))
        return unknown_stage(p, name);
    if (stage->kind == ZCI_STAGE_CUSTOM && p->custom != NULL)
        return text.length == 0 ? ZCS_OK
                                : fail(p, " \"%s\" takes no values", p->custom[stage->custom].name);
    presets(zcs_stage_info(stage->kind), stage);
    /* `name=value` is `name:value`, but what follows the sign is a value whatever it looks like. */
    int first = 1;
    while (text.length > 0) {
        const int sign = *text.at == '=';
        text.at++;
        text.length--;
        const struct zci_slice pair = zci_slice_cut(&text, ":");
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
    struct zci_slice rest = {text, strlen(text)};
    out->count = 0;
    if (zci_slice_is(trim(rest), "none"))
        return ZCS_OK;
    for (;;) {
        p.place++;
        if (out->count == ZCI_MAX_STAGES)
            return fail(&p, " is beyond the limit of %d stages", ZCI_MAX_STAGES);
        const zcs_status status =
            parse_stage(&p, zci_slice_cut(&rest, ","), &out->stages[out->count]);
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
