/* SPDX-License-Identifier: MIT */
/* Runs a fuzz target over files and directories without libFuzzer, for any compiler. */
#include "fuzz.h"

#include <dirent.h>
#include <sys/stat.h>

static unsigned inputs;

static void run_file(const char *path, size_t bytes)
{
    uint8_t *data = malloc(bytes + 1);
    FILE *file = fopen(path, "rb");
    CHECK(data != NULL && file != NULL);
    CHECK(fread(data, 1, bytes + 1, file) == bytes);
    fclose(file);
    /* Memory of exactly that size, as libFuzzer does. */
    uint8_t *exact = malloc(bytes);
    CHECK(exact != NULL || bytes == 0);
    if (bytes > 0)
        memcpy(exact, data, bytes);
    free(data);
    LLVMFuzzerTestOneInput(exact, bytes);
    free(exact);
    inputs++;
}

static void run_path(const char *path)
{
    struct stat there;
    if (stat(path, &there) != 0) {
        fprintf(stderr, "%s is not there\n", path);
        exit(1);
    }
    if (!S_ISDIR(there.st_mode)) {
        run_file(path, (size_t)there.st_size);
        return;
    }
    DIR *dir = opendir(path);
    CHECK(dir != NULL);
    for (struct dirent *entry; (entry = readdir(dir)) != NULL;) {
        char below[4096];
        if (entry->d_name[0] == '.')
            continue;
        snprintf(below, sizeof below, "%s/%s", path, entry->d_name);
        run_path(below);
    }
    closedir(dir);
}

int main(int argc, char **argv)
{
    for (int i = 1; i < argc; i++)
        run_path(argv[i]);
    printf("%u inputs\n", inputs);
    CHECK(inputs > 0);
    return 0;
}
