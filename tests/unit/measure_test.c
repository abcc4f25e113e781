/* SPDX-License-Identifier: MIT */
/* Measures on the host backend: the CPU's ways take time that grows with the bytes, others are not there. */
#include "check.h"

#include "zcstream/zcstream.h"

static char line[256];

static void keep_line(void *user, enum zcs_log_level level, const char *text)
{
    (void)user, (void)level;
    snprintf(line, sizeof line, "%s", text);
}

static int64_t min_of(zcs_measure *measure, enum zcs_benchmark benchmark, size_t bytes)
{
    int64_t min = INT64_MAX;
    for (int i = 0; i < 9; i++) {
        int64_t ns = -1;
        CHECK_EQ(zcs_measure_run(measure, benchmark, bytes, &ns), ZCS_OK);
        CHECK(ns >= 0);
        min = ns < min ? ns : min;
    }
    return min;
}

int main(void)
{
    const struct zcs_params params = {
        .backend = ZCS_BACKEND_HOST, .host_threads = 1, .log = keep_line};
    const size_t max = (size_t)1 << 20;
    zcs_context *ctx = NULL;
    zcs_measure *measure = NULL;
    int64_t ns = 77;
    CHECK_EQ(zcs_open(&params, &ctx), ZCS_OK);
    CHECK_EQ(zcs_measure_open(ctx, 1, max, &measure), ZCS_ERR_ARG);
    CHECK(strstr(line, "device 1") != NULL);
    CHECK_EQ(zcs_measure_open(ctx, 0, 0, &measure), ZCS_ERR_ARG);
    CHECK_EQ(zcs_measure_open(ctx, 0, SIZE_MAX, &measure), ZCS_ERR_ARG);
    CHECK(measure == NULL);
    CHECK_EQ(zcs_measure_open(ctx, 0, max - 1, &measure), ZCS_OK);
    for (int benchmark = 0; benchmark < ZCS_BENCHMARK_COUNT; benchmark++) {
        const zcs_status status = zcs_measure_run(measure, (enum zcs_benchmark)benchmark, max, &ns);
        CHECK(status == ZCS_OK || (status == ZCS_ERR_UNSUPPORTED && ns == 77));
        CHECK(status != ZCS_OK || benchmark <= ZCS_BENCHMARK_SLOT);
        CHECK(ns >= 0);
        ns = 77;
    }
    CHECK_EQ(zcs_measure_run(measure, ZCS_BENCHMARK_COUNT, max, &ns), ZCS_ERR_ARG);
    CHECK_EQ(zcs_measure_run(measure, ZCS_BENCHMARK_CPU_COPY, max + 1, &ns), ZCS_ERR_ARG);
    CHECK(strstr(line, "1048577 bytes") != NULL && strstr(line, "1048576") != NULL);
    CHECK_EQ(zcs_measure_run(measure, ZCS_BENCHMARK_CPU_COPY, 0, &ns), ZCS_ERR_ARG);
    CHECK(min_of(measure, ZCS_BENCHMARK_CPU_COPY, max) >
          min_of(measure, ZCS_BENCHMARK_CPU_COPY, 4096));
    CHECK(min_of(measure, ZCS_BENCHMARK_KERNEL_SCALAR, max) >
          8 * min_of(measure, ZCS_BENCHMARK_KERNEL_SCALAR, max / 64));
    CHECK(min_of(measure, ZCS_BENCHMARK_SLOT, max) < 1000000);
    zcs_close(&ctx); /* a measure outlives its context */
    CHECK(min_of(measure, ZCS_BENCHMARK_KERNEL_BASE, max) > 0);
    zcs_measure_close(&measure);
    zcs_measure_close(&measure);
    CHECK(measure == NULL);
    return 0;
}
