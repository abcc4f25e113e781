/* SPDX-License-Identifier: MIT */
/* Fuzzes injected faults as text: what is refused says why, what is taken gives each frame one fate. */
#include "fuzz.h"

#include "source/fault_injector.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct zci_inject inject = {.gone_after = 77};
    char *text = fuzz_text(data, size), why[200] = "";
    const zcs_status status = zci_inject_parse(text, &inject, why, sizeof why);
    if (status == ZCS_OK) {
        const uint64_t ppm = (uint64_t)inject.drop_ppm + inject.error_ppm + inject.short_ppm;
        CHECK(ppm <= 1000000 && inject.stall_ns >= 0);
        CHECK(inject.stall_ns == 0 || inject.stall_every > 0);
        for (uint64_t n = 0; n < 20; n++) {
            const enum zcs_loss loss = zci_inject_loss(&inject, n * n * n * n);
            CHECK(ppm < 1000000 || loss != ZCS_LOSS_COUNT);
            CHECK(ppm > 0 || loss == ZCS_LOSS_COUNT);
        }
    } else {
        CHECK(status == ZCS_ERR_FORMAT && why[0] != '\0' && inject.gone_after == 77);
    }
    free(text);
    return 0;
}
