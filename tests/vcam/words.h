/* SPDX-License-Identifier: MIT */
/* One line of a script as words, and what words stand for. */
#ifndef VCAM_WORDS_H
#define VCAM_WORDS_H

#include <stdint.h>

#define VCAM_WORDS 288

struct vcam_words {
    char *word[VCAM_WORDS];
    int count;
};

/* Cuts `line` up in place, at blanks; "..." is one word; '#' begins a comment. */
void vcam_words_cut(char *line, struct vcam_words *out);

/* Decimal or 0x; 0 where the text is no number from least to most. */
int vcam_word_number(const char *text, int64_t min, int64_t max, int64_t *out);
/* WIDTHxHEIGHT */
int vcam_word_size(const char *text, uint32_t *width, uint32_t *height);
/* Four characters, of which the last may be left out; "-BE" makes it big-endian. */
int vcam_word_fourcc(const char *text, uint32_t *out);
/* "EBUSY" ... */
int vcam_word_errno(const char *text, int *out);
/* "S_FMT" ..., or "open" */
int vcam_word_request(const char *text, uint32_t *out);
/* The name of a request, for messages; NULL: none that is known. */
const char *vcam_request_name(uint32_t request);

#endif
