/* SPDX-License-Identifier: MIT */
/* Tone curves as tables, computed once for a plan in double precision. */
#include "core/plan_curve.h"

#include <math.h>
#include <stdlib.h>

static double curve(double v, double gamma)
{
    if (gamma > 0)
        return pow(v, 1 / gamma);
    return v <= 0.0031308 ? 12.92 * v : 1.055 * pow(v, 1 / 2.4) - 0.055;
}

zcs_status zci_curve_make(struct zci_table *out, uint8_t in_depth, uint8_t out_depth, double gamma)
{
    const uint32_t entries = 1u << in_depth;
    const double in_max = entries - 1u, out_max = (1u << out_depth) - 1u;
    void *data = malloc((size_t)entries * (out_depth / 8u));
    if (data == NULL)
        return ZCS_ERR_NOMEM;
    uint8_t *narrow = data;
    uint16_t *wide = data;
    for (uint32_t i = 0; i < entries; i++) {
        const uint32_t v = (uint32_t)floor(curve(i / in_max, gamma) * out_max + 0.5);
        if (out_depth == 8)
            narrow[i] = (uint8_t)v;
        else
            wide[i] = (uint16_t)v;
    }
    *out = (struct zci_table){entries, out_depth, data};
    return ZCS_OK;
}
