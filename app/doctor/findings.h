/* SPDX-License-Identifier: MIT */
/* What an examination found: facts, each under a key, and a line of advice for each thing that is
 * not ideal. */
#ifndef ZCAPP_DOCTOR_FINDINGS_H
#define ZCAPP_DOCTOR_FINDINGS_H

#include "app/run/json.h"

#define FINDINGS_MAX 96
#define FINDING_BYTES 512

struct finding {
    char key[40]; /* "" : advice */
    char text[FINDING_BYTES];
};

/* {0} is empty. What is beyond the room is let go, and counted. */
struct findings {
    struct finding all[FINDINGS_MAX];
    unsigned count, beyond;
};

/* printf's; a fact without a key stands under the one before it. */
void findings_fact(struct findings *findings, const char *key, const char *format, ...);
void findings_advice(struct findings *findings, const char *format, ...);

/* For people: facts in a table, advice behind them. */
void findings_print(const struct findings *findings, FILE *file);

/* As an object: keys with texts, or arrays of them where a key has several, and "advice", an
 * array. */
void findings_put(struct json *json, const char *key, const struct findings *findings);

#endif
