/* SPDX-License-Identifier: MIT */
/* The findings of an examination: facts, each under a key, and lines of advice. */
#ifndef ZCAPP_DOCTOR_FINDINGS_H
#define ZCAPP_DOCTOR_FINDINGS_H

#include "app/run/json.h"

#define FINDINGS_MAX 96
#define FINDING_BYTES 512

struct finding {
    char key[40]; /* "": advice */
    char text[FINDING_BYTES];
};

/* {0} is empty. Findings that do not fit are only counted. */
struct findings {
    struct finding all[FINDINGS_MAX];
    unsigned count, dropped;
};

/* As printf. A fact may repeat the key of the previous one. */
void findings_fact(struct findings *findings, const char *key, const char *format, ...);
void findings_advice(struct findings *findings, const char *format, ...);

/* For people: a table of facts, then the advice. */
void findings_print(const struct findings *findings, FILE *file);

/* As an object: each key with its text, or with an array if it has several; and the array
 * "advice". */
void findings_put(struct json *json, const char *key, const struct findings *findings);

#endif
