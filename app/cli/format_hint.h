/* SPDX-License-Identifier: MIT */
/* What an unknown pixel format may mean: a name of another tool, or a typing error. */
#ifndef ZCAPP_CLI_FORMAT_HINT_H
#define ZCAPP_CLI_FORMAT_HINT_H

#include <stddef.h>

/* A name of another tool. Names match in any case. */
struct format_name {
    const char *tool;
    const char *name; /* names in low-endian order may also end with "le" */
    const char *ours; /* a name that zcs_pixfmt_parse accepts */
    const char *note; /* more to say; NULL: nothing */
};

extern const struct format_name format_names[];
extern const size_t format_name_count;

/* Writes what the unknown format `text` may mean, as a part of a sentence: "did you mean YUYV?". */
void format_hint(const char *text, char *out, size_t bytes);

#endif
