/* SPDX-License-Identifier: MIT */
/* The sheet of a doctor section: facts and advice, shown as text and as JSON. */
#include "app/doctor/sheet.h"

#include <stdarg.h>
#include <stdio.h>

static struct fact *next_fact(struct sheet *sheet, const char *name)
{
    if (sheet->fact_count == SHEET_FACTS)
        return NULL;
    struct fact *fact = &sheet->facts[sheet->fact_count++];
    snprintf(fact->name, sizeof fact->name, "%s", name);
    return fact;
}

void sheet_say(struct sheet *sheet, const char *name, const char *format, ...)
{
    struct fact *fact = next_fact(sheet, name);
    if (fact == NULL)
        return;
    va_list args;
    va_start(args, format);
    vsnprintf(fact->text, sizeof fact->text, format, args);
    va_end(args);
}

void sheet_number(struct sheet *sheet, const char *name, double value, const char *unit)
{
    struct fact *fact = next_fact(sheet, name);
    if (fact == NULL)
        return;
    fact->is_number = 1;
    fact->number = value;
    const int whole = value >= 0 && value < 1e15 && value == (double)(long long)value;
    fact->decimals = whole ? 0 : 3;
    snprintf(fact->text, sizeof fact->text, "%.*f%s%s", whole ? 0 : 2, value,
             unit[0] != '\0' ? " " : "", unit);
}

void sheet_advise(struct sheet *sheet, const char *format, ...)
{
    if (sheet->advice_count == SHEET_ADVICE)
        return;
    char *line = sheet->advice[sheet->advice_count++];
    va_list args;
    va_start(args, format);
    vsnprintf(line, sizeof sheet->advice[0], format, args);
    va_end(args);
}

void sheet_show(const char *title, const struct sheet *sheet)
{
    printf("\n%s\n", title);
    for (unsigned i = 0; i < sheet->fact_count; i++)
        printf("  %-30s %s\n", sheet->facts[i].name, sheet->facts[i].text);
    for (unsigned i = 0; i < sheet->advice_count; i++)
        printf("  - %s\n", sheet->advice[i]);
    fflush(stdout);
}

void sheet_put(struct json *json, const char *name, const char *title, const struct sheet *sheet)
{
    json_begin(json, NULL, '{');
    json_string(json, "name", name);
    json_string(json, "title", title);
    json_begin(json, "facts", '{');
    for (unsigned i = 0; i < sheet->fact_count; i++) {
        const struct fact *fact = &sheet->facts[i];
        if (fact->is_number)
            json_real(json, fact->name, fact->number, fact->decimals);
        else
            json_string(json, fact->name, fact->text);
    }
    json_end(json, '}');
    json_begin(json, "advice", '[');
    for (unsigned i = 0; i < sheet->advice_count; i++)
        json_string(json, NULL, sheet->advice[i]);
    json_end(json, ']');
    json_end(json, '}');
}
