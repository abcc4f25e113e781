/* SPDX-License-Identifier: MIT */
/* Fuzzes colour as text: what is refused changes nothing, what is taken is in range. */
#include "fuzz.h"

#include "core/color.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const struct zcs_color before = {.transfer = ZCS_TRANSFER_POWER, .gamma_milli = 2200};
    struct zcs_color color = before;
    char *text = fuzz_text(data, size);
    const zcs_status status = zcs_color_parse(text, &color);
    CHECK(status == ZCS_OK || status == ZCS_ERR_FORMAT);
    CHECK(zci_color_in_range(&color));
    if (status != ZCS_OK)
        CHECK(memcmp(&color, &before, sizeof color) == 0);
    free(text);
    return 0;
}
