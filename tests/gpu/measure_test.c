/* SPDX-License-Identifier: MIT */
/* Measures of a GPU: every way works or is not there, and whatever call of CUDA's fails, nothing
 * is left. Without a GPU a stand-in runs the same; times are only looked at on a real one. */
#include "check.h"

#include "backend/cuda/cuda.h"
#include "backend/backend.h"
#include "context/context.h"
#include "gpu/fake_api.h"
#include "gpu/open_over.h"
#include "zcstream/zcstream.h"

enum { BYTES = 1 << 16, INVALID = 1 };

static uint32_t errors;

static void count(void *user, enum zcs_log_level level, const char *line)
{
    (void)user, (void)line;
    errors += level == ZCS_LOG_ERROR;
}

static zcs_status run_all(const struct zci_cuda_api *api, int64_t ns[ZCS_BENCHMARK_COUNT])
{
    zcs_context *ctx = NULL;
    zcs_measure *measure = NULL;
    zcs_status status = open_over(api, count, &ctx);
    if (status != ZCS_OK)
        return status;
    status = zcs_measure_open(ctx, 0, BYTES, &measure);
    for (int benchmark = 0; benchmark < ZCS_BENCHMARK_COUNT && status == ZCS_OK; benchmark++) {
        ns[benchmark] = -1;
        for (int i = 0; i < 2 && status == ZCS_OK; i++)
            status = zcs_measure_run(measure, (enum zcs_benchmark)benchmark, BYTES, &ns[benchmark]);
        if (status == ZCS_ERR_UNSUPPORTED)
            status = ZCS_OK;
    }
    zcs_measure_close(&measure);
    zcs_close(&ctx);
    return status;
}

static void check_all(const struct zci_cuda_api *of, int few)
{
    const struct zci_cuda_api *api = fake_around(of);
    int64_t ns[ZCS_BENCHMARK_COUNT];
    fake_state = (struct fake_state){.alive = 0};
    CHECK_EQ(run_all(api, ns), ZCS_OK);
    CHECK_EQ(fake_state.alive, 0);
    CHECK(ns[ZCS_BENCHMARK_DOT_MAPPED] >= 0 && ns[ZCS_BENCHMARK_KNOWN] >= 0 &&
          ns[ZCS_BENCHMARK_LAUNCH] >= 0);
    const uint64_t calls = fake_state.calls;
    for (uint64_t n = 1; n <= calls; n += few ? 37 : 1) {
        fake_state = (struct fake_state){.fail_at = n, .fail_with = INVALID};
        errors = 0;
        const zcs_status status = run_all(api, ns);
        CHECK(status == ZCS_OK || errors > 0);
        CHECK_EQ(fake_state.alive, 0);
    }
    fake_state = (struct fake_state){.cannot_map = 1};
    CHECK_EQ(run_all(api, ns), ZCS_OK);
    CHECK(ns[ZCS_BENCHMARK_DOT_MAPPED] == -1 && ns[ZCS_BENCHMARK_READ_WC] == -1);
    CHECK(ns[ZCS_BENCHMARK_IN_PINNED] >= 0);
    CHECK_EQ(fake_state.alive, 0);
}

int main(void)
{
    int devices = 0;
    check_all(&fake_cuda, 0);
    if (zci_cuda_runtime.device_count(&devices) == 0 && devices > 0) {
        int64_t ns[ZCS_BENCHMARK_COUNT];
        check_all(&zci_cuda_runtime, 1);
        fake_state = (struct fake_state){.alive = 0};
        CHECK_EQ(run_all(&zci_cuda_runtime, ns), ZCS_OK);
        const int64_t both = ns[ZCS_BENCHMARK_REGISTER] + ns[ZCS_BENCHMARK_UNREGISTER];
        printf("64 KiB: registered and unregistered in %.1f us, found registered in %.3f us: %.0f "
               "times\n",
               (double)both / 1e3, (double)ns[ZCS_BENCHMARK_KNOWN] / 1e3,
               (double)both / (double)ns[ZCS_BENCHMARK_KNOWN]);
        CHECK(both >= 20 * ns[ZCS_BENCHMARK_KNOWN]); /* larger memory: more */
        CHECK((devices > 1) == (ns[ZCS_BENCHMARK_TWO_IN_PINNED] >= 0));
    }
    return 0;
}
