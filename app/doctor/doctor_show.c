/* SPDX-License-Identifier: MIT */
/* The sheets of zcapp doctor, as text and as JSON. */
#include "app/doctor/doctor_show.h"

#include <stdio.h>

void doctor_show(const struct doctor_section *section, const struct doctor_sheet *sheet)
{
    printf("\n%s\n", section->title);
    for (unsigned i = 0; i < sheet->fact_count; i++)
        printf("  %-30s %s\n", sheet->facts[i].name, sheet->facts[i].text);
    for (unsigned i = 0; i < sheet->advice_count; i++)
        printf("  - %s\n", sheet->advice[i]);
    fflush(stdout);
}

void doctor_put(struct json *json, const struct doctor_section *section,
                const struct doctor_sheet *sheet)
{
    json_begin(json, NULL, '{');
    json_string(json, "name", section->name);
    json_string(json, "title", section->title);
    json_begin(json, "facts", '{');
    for (unsigned i = 0; i < sheet->fact_count; i++) {
        const struct doctor_fact *fact = &sheet->facts[i];
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
