/* SPDX-License-Identifier: MIT */
/* A long run of small frames over two devices: each comes once and in order. `life_dispatch_test 100000`: a
 * longer one. */
#include "stamped.h"
#include "stream_setup.h"

int main(int argc, char **argv)
{
    const uint64_t frames = argc > 1 ? strtoull(argv[1], NULL, 10) : 4000;
    static const uint32_t devices[] = {0, 0};
    zcs_context *ctx = setup_context(1, NULL);
    stamped_run(ctx, ZCS_DISPATCH_FRAMES, devices, 2, frames);
    stamped_run(ctx, ZCS_DISPATCH_RELAY, devices, 2, frames);
    stamped_run(ctx, ZCS_DISPATCH_BANDS, devices, 2, frames);
    zcs_close(&ctx);
    return 0;
}
