/* SPDX-License-Identifier: MIT */
/* Fuzzes the headers of PGM and PPM. */
#include "fuzz.h"

#include "source/replay/pnm.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct zci_pnm pnm = {.max = 77777}, again = {0};
    char why[200] = "";
    const int bytes = zci_pnm_head(data, size, &pnm, why, sizeof why);
    CHECK(bytes >= -1 && (bytes != -1 || why[0] != '\0') && (bytes > 0 || pnm.max == 77777));
    if (bytes <= 0)
        return 0;
    CHECK((size_t)bytes <= size && (pnm.channels == 1 || pnm.channels == 3));
    CHECK(pnm.width >= 1 && pnm.width <= ZCS_MAX_DIMENSION);
    CHECK(pnm.height >= 1 && pnm.height <= ZCS_MAX_DIMENSION);
    CHECK(pnm.max >= 1 && pnm.max <= 65535);
    CHECK_EQ(zci_pnm_head(data, (size_t)bytes, &again, why, sizeof why), bytes);
    CHECK(again.width == pnm.width && again.height == pnm.height && again.max == pnm.max);
    CHECK_EQ(zci_pnm_head(data, (size_t)bytes - 1, &again, why, sizeof why), 0);
    return 0;
}
