/* SPDX-License-Identifier: MIT */
/* PGM and PPM, the text before the samples. Pure: bytes in, numbers out. */
#ifndef ZCI_CORE_PNM_H
#define ZCI_CORE_PNM_H

#include "zcstream/format.h"

struct zci_pnm {
    uint32_t channels; /* 1: PGM, 3: PPM */
    uint32_t width, height;
    uint32_t max; /* 1..65535; above 255 samples are big-endian words */
};

/* Returns the bytes before the first sample; 0: the header goes on beyond `bytes`; -1: `why` says
 * what is wrong. */
int zci_pnm_head(const uint8_t *data, size_t bytes, struct zci_pnm *out, char *why,
                 size_t why_bytes);

#endif
