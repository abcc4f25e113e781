/* SPDX-License-Identifier: MIT */
/* Removes the time of recording from a .zcr file, so that the same frames make the same file. */
#ifndef SAMPLES_ZCR_CLOCK_H
#define SAMPLES_ZCR_CLOCK_H

/* Sets both clocks in the header to 0; docs/zcr.md has the offsets. 0, or -1 with errno. */
int zcr_clock_clear(const char *path);

#endif
