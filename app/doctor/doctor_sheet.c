/* SPDX-License-Identifier: MIT */
/* Filling a sheet of zcapp doctor, and what its sections measure with. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "app/doctor/doctor.h"

#define TRIES 7

static struct doctor_fact *next_fact(struct doctor_sheet *sheet, const char *name)
{
    if (sheet->fact_count == DOCTOR_FACTS)
        return NULL;
    struct doctor_fact *fact = &sheet->facts[sheet->fact_count++];
    snprintf(fact->name, sizeof fact->name, "%s", name);
    return fact;
}

void doctor_say(struct doctor_sheet *sheet, const char *name, const char *format, ...)
{
    struct doctor_fact *fact = next_fact(sheet, name);
    if (fact == NULL)
        return;
    va_list args;
    va_start(args, format);
    vsnprintf(fact->text, sizeof fact->text, format, args);
    va_end(args);
}

void doctor_number(struct doctor_sheet *sheet, const char *name, double value, const char *unit)
{
    struct doctor_fact *fact = next_fact(sheet, name);
    if (fact == NULL)
        return;
    fact->is_number = 1;
    fact->number = value;
    const int whole = value >= 0 && value < 1e15 && value == (double)(long long)value;
    fact->decimals = whole ? 0 : 3;
    snprintf(fact->text, sizeof fact->text, "%.*f%s%s", whole ? 0 : 2, value,
             unit[0] != '\0' ? " " : "", unit);
}

void doctor_advise(struct doctor_sheet *sheet, const char *format, ...)
{
    if (sheet->advice_count == DOCTOR_ADVICE)
        return;
    char *line = sheet->advice[sheet->advice_count++];
    va_list args;
    va_start(args, format);
    vsnprintf(line, sizeof sheet->advice[0], format, args);
    va_end(args);
}

int doctor_read_line(const char *path, char *line, size_t bytes)
{
    FILE *file = fopen(path, "r");
    if (file == NULL)
        return -1;
    const int got = fgets(line, (int)bytes, file) != NULL;
    fclose(file);
    if (got)
        line[strcspn(line, "\n")] = '\0';
    return got ? 0 : -1;
}

double doctor_rate(const struct doctor *doctor, enum zcs_benchmark benchmark, size_t bytes)
{
    int64_t min = INT64_MAX, ns = 0;
    for (int i = 0; i < TRIES; i++) {
        if (zcs_measure_run(doctor->measure, benchmark, bytes, &ns) != ZCS_OK)
            return -1;
        min = ns < min ? ns : min;
    }
    return (double)bytes / (double)(min > 0 ? min : 1);
}
