/* SPDX-License-Identifier: MIT */
/* Memory by role and registration, through the public functions on the host backend. */
#include "check.h"

#include <unistd.h>

#include "zcstream/zcstream.h"

static char line[256];

static void keep_line(void *user, enum zcs_log_level level, const char *text)
{
    (void)user;
    (void)level;
    snprintf(line, sizeof line, "%s", text);
}

static void test_alloc(zcs_context *ctx)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    for (int role = ZCS_ROLE_INGEST; role <= ZCS_ROLE_DEVICE; role++) {
        void *a = NULL, *b = NULL;
        CHECK(zcs_memory_alloc(ctx, (enum zcs_role)role, 1, &a) == ZCS_OK);
        CHECK(zcs_memory_alloc(ctx, (enum zcs_role)role, page + 1, &b) == ZCS_OK);
        CHECK(a != b && (uintptr_t)a % page == 0 && (uintptr_t)b % page == 0);
        memset(a, 1, page);
        memset(b, 2, 2 * page); /* whole pages */
        zcs_memory_free(ctx, &a);
        CHECK(a == NULL);
        zcs_memory_free(ctx, &a);
        CHECK_EQ(*(char *)b, 2);
        zcs_memory_free(ctx, &b);
    }
}

static void test_refusals(zcs_context *ctx)
{
    void *out = &line;
    CHECK_EQ(zcs_memory_alloc(ctx, ZCS_ROLE_INGEST, 0, &out), ZCS_ERR_ARG);
    CHECK_EQ(zcs_memory_alloc(ctx, (enum zcs_role)9, 1, &out), ZCS_ERR_ARG);
    CHECK(strstr(line, "role 9") != NULL);
    CHECK_EQ(zcs_memory_alloc(ctx, ZCS_ROLE_INGEST, (size_t)1 << 50, &out), ZCS_ERR_NOMEM);
    CHECK(strstr(line, "1125899906842624 bytes") != NULL);
    CHECK(out == &line);
    line[0] = 0;
    zcs_memory_free(ctx, &out); /* not ours: left alone, said so */
    CHECK(out == NULL && strstr(line, "not from zcs_memory_alloc") != NULL);
}

static void test_register(zcs_context *ctx)
{
    static char a[8192], b[64];
    CHECK(zcs_memory_register(ctx, a, sizeof a) == ZCS_OK);
    CHECK(zcs_memory_register(ctx, a, sizeof a) == ZCS_OK);
    CHECK(zcs_memory_register(ctx, b, sizeof b) == ZCS_OK);
    CHECK_EQ(zcs_memory_register(ctx, a, 4096), ZCS_ERR_ARG);
    CHECK(strstr(line, "8192") != NULL && strstr(line, "4096") != NULL);
    CHECK(zcs_memory_release(ctx, a) == ZCS_OK);
    CHECK(zcs_memory_release(ctx, a) == ZCS_OK);
    CHECK_EQ(zcs_memory_release(ctx, a), ZCS_ERR_ARG);
    CHECK(zcs_memory_release(ctx, b) == ZCS_OK);
    CHECK_EQ(zcs_memory_release(ctx, b), ZCS_ERR_ARG);
    CHECK_EQ(zcs_memory_register(ctx, a, 0), ZCS_ERR_ARG);
    CHECK_EQ(zcs_memory_register(ctx, NULL, 1), ZCS_ERR_ARG);
    CHECK_EQ(zcs_memory_register(ctx, a, SIZE_MAX), ZCS_ERR_ARG);
    CHECK(zcs_memory_register(ctx, a, sizeof a) == ZCS_OK); /* left for close to forget */
}

int main(void)
{
    const struct zcs_params params = {
        .backend = ZCS_BACKEND_HOST, .host_threads = 1, .log = keep_line};
    zcs_context *ctx = NULL;
    void *kept = NULL;
    CHECK(zcs_open(&params, &ctx) == ZCS_OK);
    test_alloc(ctx);
    test_refusals(ctx);
    test_register(ctx);
    CHECK(zcs_memory_alloc(ctx, ZCS_ROLE_INGEST, 4096, &kept) == ZCS_OK);
    zcs_close(&ctx);
    CHECK(strstr(line, "1 pieces of 4096 bytes") != NULL);
    return 0;
}
