/* SPDX-License-Identifier: MIT */
/* When a recording was made, taken out of it, so that the same frames make the same file. */
#ifndef SAMPLES_ZCR_CLOCK_H
#define SAMPLES_ZCR_CLOCK_H

/* Both clocks in the header become 0; docs/zcr.md has the places. 0, or -1 with errno. */
int zcr_clock_clear(const char *path);

#endif
