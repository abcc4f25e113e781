/* SPDX-License-Identifier: MIT */
/* The sheet of a doctor section: facts and advice, shown as text and as JSON. */
#ifndef ZCAPP_DOCTOR_SHEET_H
#define ZCAPP_DOCTOR_SHEET_H

#include "app/run/json.h"

#define SHEET_FACTS 64
#define SHEET_ADVICE 16

struct fact {
    char name[48];  /* the JSON key, of [a-z0-9_.] */
    char text[200]; /* for people; a number with its unit */
    int is_number, decimals;
    double number;
};

struct sheet {
    struct fact facts[SHEET_FACTS];
    unsigned fact_count;
    char advice[SHEET_ADVICE][240];
    unsigned advice_count;
};

/* Add a text fact, a number with its unit, or advice. They truncate long texts and drop what does
 * not fit into the sheet. */
#define SHEET_PRINTF(at) __attribute__((format(printf, at, at + 1)))
SHEET_PRINTF(3) void sheet_say(struct sheet *sheet, const char *name, const char *format, ...);
void sheet_number(struct sheet *sheet, const char *name, double value, const char *unit);
SHEET_PRINTF(2) void sheet_advise(struct sheet *sheet, const char *format, ...);

/* Prints to standard output. */
void sheet_show(const char *title, const struct sheet *sheet);

/* Writes an element of the array of sections. */
void sheet_put(struct json *json, const char *name, const char *title, const struct sheet *sheet);

#endif
