/* SPDX-License-Identifier: MIT */
/* Names and phrases of the public enums, and the version against the project's. */
#include "check.h"
#include "zcstream/zcstream.h"

static void check_text(const char *got, const char *wanted)
{
    if (strcmp(got, wanted) != 0)
        fprintf(stderr, "got \"%s\", wanted \"%s\"\n", got, wanted);
    CHECK(strcmp(got, wanted) == 0);
}

static void test_strerror(void)
{
    for (int a = ZCS_ERR_DEVICE; a <= ZCS_EOF; a++) {
        CHECK(strcmp(zcs_strerror((zcs_status)a), "unknown status") != 0);
        for (int b = ZCS_ERR_DEVICE; b < a; b++)
            CHECK(strcmp(zcs_strerror((zcs_status)a), zcs_strerror((zcs_status)b)) != 0);
    }
    check_text(zcs_strerror((zcs_status)-99), "unknown status");
    check_text(zcs_strerror((zcs_status)99), "unknown status");
}

static void test_names(void)
{
    check_text(zcs_memory_name(ZCS_MEMORY_NONE), "none");
    check_text(zcs_memory_name(ZCS_MEMORY_PAGEABLE), "pageable");
    check_text(zcs_memory_name(ZCS_MEMORY_CACHED), "cached");
    check_text(zcs_memory_name(ZCS_MEMORY_WC), "wc");
    check_text(zcs_memory_name(ZCS_MEMORY_DEVICE), "device");
    check_text(zcs_memory_name(ZCS_MEMORY_USER), "user");
    check_text(zcs_memory_name((enum zcs_memory)77), "unknown");
    check_text(zcs_path_name(ZCS_PATH_NONE), "none");
    check_text(zcs_path_name(ZCS_PATH_USERPTR), "userptr");
    check_text(zcs_path_name(ZCS_PATH_DIRECT), "direct");
    check_text(zcs_path_name(ZCS_PATH_PATTERN), "pattern");
    check_text(zcs_path_name((enum zcs_path)77), "unknown");
    check_text(zcs_route_name(ZCS_ROUTE_AUTO), "auto");
    check_text(zcs_route_name(ZCS_ROUTE_MAPPED), "mapped");
    check_text(zcs_route_name(ZCS_ROUTE_STAGED), "staged");
    check_text(zcs_route_name(ZCS_ROUTE_WHOLE), "whole");
    check_text(zcs_clock_name(ZCS_CLOCK_NONE), "none");
    check_text(zcs_clock_name(ZCS_CLOCK_MONOTONIC), "monotonic");
    check_text(zcs_clock_name(ZCS_CLOCK_MEDIA), "media");
    check_text(zcs_loss_name(ZCS_LOSS_DRIVER_GAP), "driver_gap");
    check_text(zcs_loss_name(ZCS_LOSS_WRITER), "writer");
    check_text(zcs_loss_name(ZCS_LOSS_AWAY), "away");
    check_text(zcs_loss_name(ZCS_LOSS_COUNT), "unknown");
    for (int i = 0; i < ZCS_LOSS_COUNT; i++)
        CHECK(strcmp(zcs_loss_name((enum zcs_loss)i), "unknown") != 0);
}

/* The version stands in the top CMakeLists.txt alone. */
static void test_version(void)
{
    const char *path = PROJECT_DIR "/CMakeLists.txt";
    char line[256], version[64] = "";
    FILE *file = fopen(path, "r");
    CHECK(file);
    while (fgets(line, sizeof line, file))
        if (sscanf(line, "project(zcstream VERSION %63[0-9.]", version) == 1)
            break;
    fclose(file);
    check_text(zcs_version(), version);
}

int main(void)
{
    test_strerror();
    test_names();
    test_version();
    return 0;
}
