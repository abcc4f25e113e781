/* SPDX-License-Identifier: MIT */
/* Controls as people write them: names and values. Pure. */
#ifndef ZCI_SOURCE_V4L2_CONTROL_TEXT_H
#define ZCI_SOURCE_V4L2_CONTROL_TEXT_H

#include <stddef.h>
#include <stdint.h>

/* v4l2-ctl's spelling of a title: letters and digits, lower case, one '_' for all that stands between. */
void zci_control_spell(const char *title, char *out, size_t bytes);

/* A whole number, decimal or 0x..., of 64 bits. 0, or -1. */
int zci_control_number(const char *text, int64_t *out);

/* 1/0, on/off, true/false, yes/no in any case. 0, or -1. */
int zci_control_truth(const char *text, int64_t *out);

#endif
