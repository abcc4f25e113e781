/* SPDX-License-Identifier: MIT */
/* The classic chart of 24 patches: 6 columns, 4 rows. */
#include "samples/chart.h"

#include <math.h>
#include <stddef.h>

// clang-format off
/* The maker's published 8-bit sRGB values (X-Rite, ColorChecker Classic; also in D. Pascale,
 * "RGB coordinates of the Macbeth ColorChecker", BabelColor, 2006). */
const struct chart_patch chart_patches[CHART_PATCHES] = {
    {"dark skin", {115,  82,  68}},
    {"light skin", {194, 150, 130}},
    {"blue sky", { 98, 122, 157}},
    {"foliage", { 87, 108,  67}},
    {"blue flower", {133, 128, 177}},
    {"bluish green", {103, 189, 170}},
    {"orange", {214, 126,  44}},
    {"purplish blue", { 80,  91, 166}},
    {"moderate red", {193,  90,  99}},
    {"purple", { 94,  60, 108}},
    {"yellow green", {157, 188,  64}},
    {"orange yellow", {224, 163,  46}},
    {"blue", { 56,  61, 150}},
    {"green", { 70, 148,  73}},
    {"red", {175,  54,  60}},
    {"yellow", {231, 199,  31}},
    {"magenta", {187,  86, 149}},
    {"cyan", {  8, 133, 161}},
    {"white", {243, 243, 242}},
    {"neutral 8", {200, 200, 200}},
    {"neutral 6.5", {160, 160, 160}},
    {"neutral 5", {122, 122, 121}},
    {"neutral 3.5", { 85,  85,  85}},
    {"black", { 52,  52,  52}},
};
// clang-format on

const struct chart_patch *chart_at(double x, double y)
{
    const int column = (int)floor(x / CHART_PITCH), row = (int)floor(y / CHART_PITCH);
    const double in_x = x - column * CHART_PITCH, in_y = y - row * CHART_PITCH;
    if (column < 0 || column >= CHART_COLUMNS || row < 0 || row >= CHART_ROWS)
        return NULL;
    if (in_x < CHART_GAP || in_x >= CHART_PITCH - CHART_GAP || in_y < CHART_GAP ||
        in_y >= CHART_PITCH - CHART_GAP)
        return NULL;
    return &chart_patches[row * CHART_COLUMNS + column];
}
