/* SPDX-License-Identifier: MIT */
/* The findings of an examination: named facts and lines of advice, shown as text and as JSON. */
#ifndef ZCAPP_DOCTOR_FINDINGS_H
#define ZCAPP_DOCTOR_FINDINGS_H

#include "app/run/json.h"

#define FINDINGS_FACTS 96
#define FINDINGS_ADVICE 32
#define FINDING_BYTES 512

struct fact {
    char name[48];            /* the JSON key */
    char text[FINDING_BYTES]; /* for people; a number with its unit */
    int is_number, decimals;
    double number;
};

/* {0} is empty. */
struct findings {
    struct fact facts[FINDINGS_FACTS];
    char advice[FINDINGS_ADVICE][FINDING_BYTES];
    unsigned fact_count, advice_count;
    unsigned dropped; /* findings that did not fit */
};

/* Add a text fact, a number with its unit, or advice; long texts are truncated. Several text facts
 * may have the same name. */
#define FINDINGS_PRINTF(at) __attribute__((format(printf, at, at + 1)))
FINDINGS_PRINTF(3)
void findings_fact(struct findings *findings, const char *name, const char *format, ...);
void findings_number(struct findings *findings, const char *name, double value, const char *unit);
FINDINGS_PRINTF(2) void findings_advice(struct findings *findings, const char *format, ...);

/* Print to standard output: under a title, or as a page of their own. */
void findings_print_section(const struct findings *findings, const char *title);
void findings_print_page(const struct findings *findings);

/* Write members of an object: each fact with its text or number, or with an array of the texts of
 * its name; and the array "advice". */
void findings_put_facts(struct json *json, const struct findings *findings);
void findings_put_advice(struct json *json, const struct findings *findings);

#endif
