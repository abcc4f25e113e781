/* SPDX-License-Identifier: MIT */
/* Whether a camera behaves as V4L2 says, as far as capture programs rely on it: the same for the virtual camera
 * and for the kernel's drivers.
 *
 *   vcam_conformance DEVICE [FOURCC [WIDTHxHEIGHT]]
 *
 * A line for each check: ok, --- where the device does not offer it, or FAILED and why. Status 1 if one failed. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "vcam/conformance/checks.h"
#include "vcam/words.h"

static void count_all(const struct check *checks, const char *path, int *passed, int *absent,
                      int *failed)
{
    for (; checks->name != NULL; checks++) {
        const char *result = checks->run(path);
        if (result == NULL) {
            ++*passed;
            printf("ok      %s\n", checks->name);
        } else if (result == node_absent) {
            ++*absent;
            printf("---     %s\n", checks->name);
        } else {
            ++*failed;
            printf("FAILED  %s: %s\n", checks->name, result);
        }
        fflush(stdout);
    }
}

int main(int argc, char **argv)
{
    int passed = 0, absent = 0, failed = 0;
    uint32_t fourcc = node_wished_fourcc(), width = 320, height = 240;
    if (argc < 2 || (argc > 2 && !vcam_word_fourcc(argv[2], &fourcc)) ||
        (argc > 3 && !vcam_word_size(argv[3], &width, &height))) {
        fputs("usage: vcam_conformance DEVICE [FOURCC [WIDTHxHEIGHT]]\n", stderr);
        return 2;
    }
    node_wish(fourcc, width, height);
    count_all(checks_of_formats, argv[1], &passed, &absent, &failed);
    count_all(checks_of_buffers, argv[1], &passed, &absent, &failed);
    count_all(checks_of_frames, argv[1], &passed, &absent, &failed);
    count_all(checks_of_controls, argv[1], &passed, &absent, &failed);
    printf("%s: %d passed, %d not offered, %d failed\n", argv[1], passed, absent, failed);
    return failed != 0;
}
