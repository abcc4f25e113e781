/* SPDX-License-Identifier: MIT */
/* zcapp doctor: what this machine, its GPUs, memory and INPUT do for zcapp, and advice where that could be
 * better. A section is a row of a table: it states facts, and gives a line of advice for each thing that is
 * not as good as it could be. */
#ifndef ZCAPP_DOCTOR_DOCTOR_H
#define ZCAPP_DOCTOR_DOCTOR_H

#include <stdio.h>

#include "zcstream/zcstream.h"

#include "app/cli/console.h"
#include "app/cli/options.h"

#define DOCTOR_FACTS 64
#define DOCTOR_ADVICE 16

struct doctor_fact {
    char name[48];  /* [a-z0-9_.]: the key of the JSON */
    char text[200]; /* for people; of a number with its unit */
    int is_number, decimals;
    double number;
};

struct doctor_sheet {
    struct doctor_fact facts[DOCTOR_FACTS];
    unsigned fact_count;
    char advice[DOCTOR_ADVICE][240];
    unsigned advice_count;
};

/* What all sections share. */
struct doctor {
    const struct options *options; /* its input may be NULL */
    struct console *console;
    zcs_context *ctx;
    uint32_t cuda_devices; /* 0: ctx is the host's */
    char why_no_cuda[256]; /* "" where there is one */
    char complaint[200];   /* the library's last line of error; "" before the first */
    int hush;             /* 1: what fails is a fact, and the library's lines on it are not shown */
    int failed;           /* the exit status; 0: INPUT and the backend were to be had */
    zcs_measure *measure; /* on device 0, for DOCTOR_BYTES */
};
#define DOCTOR_BYTES ((size_t)16588800) /* 3840x2160 YUYV */

struct doctor_section {
    const char *name, *title;
    int (*applies)(const struct doctor *doctor); /* NULL: always */
    void (*fill)(struct doctor *doctor, struct doctor_sheet *sheet);
};

/* A fact as text, as a number with its unit, and advice. What does not fit is cut. */
#define DOCTOR_PRINTF(at) __attribute__((format(printf, at, at + 1)))
DOCTOR_PRINTF(3)
void doctor_say(struct doctor_sheet *sheet, const char *name, const char *format, ...);
void doctor_number(struct doctor_sheet *sheet, const char *name, double value, const char *unit);
DOCTOR_PRINTF(2)
void doctor_advise(struct doctor_sheet *sheet, const char *format, ...);

/* Reads the first line of a file of the system's, without its end. 0, or -1. */
int doctor_read_line(const char *path, char *line, size_t bytes);

/* The least of several tries, in GB/s; < 0: not on this machine. */
double doctor_rate(const struct doctor *doctor, enum zcs_benchmark benchmark, size_t bytes);

void doctor_help(FILE *file);

/* Text, or with options->json JSON (as documented in docs/bench.md). An exit status. */
int doctor_main(const struct options *options, struct console *console);

#endif
