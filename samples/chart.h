/* SPDX-License-Identifier: MIT */
/* The classic chart of 24 patches: 6 columns, 4 rows. */
#ifndef SAMPLES_CHART_H
#define SAMPLES_CHART_H

#include <stdint.h>

enum { CHART_COLUMNS = 6, CHART_ROWS = 4, CHART_PATCHES = CHART_COLUMNS * CHART_ROWS };

/* In pixels: patches repeat every PITCH, with a gap of GAP around each. */
enum { CHART_PITCH = 80, CHART_GAP = 8 };

struct chart_patch {
    const char *name;
    uint8_t srgb[3];
};

/* In the chart's order, rows from the top. */
extern const struct chart_patch chart_patches[CHART_PATCHES];

/* The patch at a point; NULL: between patches. */
const struct chart_patch *chart_at(double x, double y);

#endif
