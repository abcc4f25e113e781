/* SPDX-License-Identifier: MIT */
/* The findings of an examination: named facts and lines of advice, shown as text and as JSON. */
#include "app/doctor/findings.h"

#include <stdarg.h>
#include <string.h>

static struct fact *next_fact(struct findings *findings, const char *name)
{
    if (findings->fact_count == FINDINGS_FACTS) {
        findings->dropped++;
        return NULL;
    }
    struct fact *fact = &findings->facts[findings->fact_count++];
    snprintf(fact->name, sizeof fact->name, "%s", name);
    return fact;
}

void findings_fact(struct findings *findings, const char *name, const char *format, ...)
{
    struct fact *fact = next_fact(findings, name);
    if (fact == NULL)
        return;
    va_list args;
    va_start(args, format);
    vsnprintf(fact->text, sizeof fact->text, format, args);
    va_end(args);
}

void findings_number(struct findings *findings, const char *name, double value, const char *unit)
{
    struct fact *fact = next_fact(findings, name);
    if (fact == NULL)
        return;
    fact->is_number = 1;
    fact->number = value;
    const int whole = value >= 0 && value < 1e15 && value == (double)(long long)value;
    fact->decimals = whole ? 0 : 3;
    snprintf(fact->text, sizeof fact->text, "%.*f%s%s", whole ? 0 : 2, value,
             unit[0] != '\0' ? " " : "", unit);
}

void findings_advice(struct findings *findings, const char *format, ...)
{
    if (findings->advice_count == FINDINGS_ADVICE) {
        findings->dropped++;
        return;
    }
    va_list args;
    va_start(args, format);
    vsnprintf(findings->advice[findings->advice_count++], FINDING_BYTES, format, args);
    va_end(args);
}

void findings_print_section(const struct findings *findings, const char *title)
{
    printf("\n%s\n", title);
    for (unsigned i = 0; i < findings->fact_count; i++)
        printf("  %-30s %s\n", findings->facts[i].name, findings->facts[i].text);
    for (unsigned i = 0; i < findings->advice_count; i++)
        printf("  - %s\n", findings->advice[i]);
    fflush(stdout);
}

void findings_print_page(const struct findings *findings)
{
    const char *last = "";
    for (unsigned i = 0; i < findings->fact_count; i++) {
        const struct fact *fact = &findings->facts[i];
        printf("%-16s %s\n", strcmp(last, fact->name) != 0 ? fact->name : "", fact->text);
        last = fact->name;
    }
    puts(findings->advice_count > 0 ? "\nadvice:" : "\nno advice: nothing here is less than ideal");
    for (unsigned i = 0; i < findings->advice_count; i++)
        printf("- %s\n", findings->advice[i]);
    if (findings->dropped > 0)
        printf("(%u more lines)\n", findings->dropped);
}

/* The first fact from `from` on with this name; fact_count: there is none. */
static unsigned find(const struct findings *findings, unsigned from, const char *name)
{
    while (from < findings->fact_count && strcmp(findings->facts[from].name, name) != 0)
        from++;
    return from;
}

void findings_put_facts(struct json *json, const struct findings *findings)
{
    const unsigned count = findings->fact_count;
    for (unsigned i = 0; i < count; i++) {
        const struct fact *fact = &findings->facts[i];
        if (find(findings, 0, fact->name) < i)
            continue;
        if (fact->is_number) {
            json_real(json, fact->name, fact->number, fact->decimals);
        } else if (find(findings, i + 1, fact->name) == count) {
            json_string(json, fact->name, fact->text);
        } else {
            json_begin(json, fact->name, '[');
            for (unsigned k = i; k < count; k = find(findings, k + 1, fact->name))
                json_string(json, NULL, findings->facts[k].text);
            json_end(json, ']');
        }
    }
}

void findings_put_advice(struct json *json, const struct findings *findings)
{
    json_begin(json, "advice", '[');
    for (unsigned i = 0; i < findings->advice_count; i++)
        json_string(json, NULL, findings->advice[i]);
    json_end(json, ']');
}
