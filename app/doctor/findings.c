/* SPDX-License-Identifier: MIT */
/* The findings of an examination: facts, each under a key, and lines of advice. */
#include "app/doctor/findings.h"

#include <stdarg.h>
#include <string.h>

static void add(struct findings *findings, const char *key, const char *format, va_list args)
{
    if (findings->count == FINDINGS_MAX) {
        findings->dropped++;
        return;
    }
    struct finding *one = &findings->all[findings->count++];
    snprintf(one->key, sizeof one->key, "%s", key);
    vsnprintf(one->text, sizeof one->text, format, args);
}

void findings_fact(struct findings *findings, const char *key, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    add(findings, key, format, args);
    va_end(args);
}

void findings_advice(struct findings *findings, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    add(findings, "", format, args);
    va_end(args);
}

void findings_print(const struct findings *findings, FILE *file)
{
    const char *last = "";
    unsigned advice = 0;
    for (unsigned i = 0; i < findings->count; i++) {
        const struct finding *one = &findings->all[i];
        if (one->key[0] == '\0')
            continue;
        fprintf(file, "%-16s %s\n", strcmp(last, one->key) != 0 ? one->key : "", one->text);
        last = one->key;
    }
    for (unsigned i = 0; i < findings->count; i++)
        if (findings->all[i].key[0] == '\0')
            fprintf(file, "%s- %s\n", advice++ == 0 ? "\nadvice:\n" : "", findings->all[i].text);
    if (advice == 0)
        fputs("\nno advice: nothing here is less than ideal\n", file);
    if (findings->dropped > 0)
        fprintf(file, "(%u more lines)\n", findings->dropped);
}

static unsigned count_of(const struct findings *findings, const char *key)
{
    unsigned count = 0;
    for (unsigned i = 0; i < findings->count; i++)
        count += strcmp(findings->all[i].key, key) == 0;
    return count;
}

static int is_first(const struct findings *findings, unsigned at)
{
    for (unsigned i = 0; i < at; i++)
        if (strcmp(findings->all[i].key, findings->all[at].key) == 0)
            return 0;
    return 1;
}

static void put_all_of(struct json *json, const char *name, const struct findings *findings,
                       const char *key)
{
    json_begin(json, name, '[');
    for (unsigned i = 0; i < findings->count; i++)
        if (strcmp(findings->all[i].key, key) == 0)
            json_string(json, NULL, findings->all[i].text);
    json_end(json, ']');
}

void findings_put(struct json *json, const char *key, const struct findings *findings)
{
    json_begin(json, key, '{');
    for (unsigned i = 0; i < findings->count; i++) {
        const struct finding *one = &findings->all[i];
        if (one->key[0] == '\0' || !is_first(findings, i))
            continue;
        if (count_of(findings, one->key) > 1)
            put_all_of(json, one->key, findings, one->key);
        else
            json_string(json, one->key, one->text);
    }
    put_all_of(json, "advice", findings, "");
    json_end(json, '}');
}
