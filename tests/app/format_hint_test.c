/* SPDX-License-Identifier: MIT */
/* Unknown pixel formats: names of other tools are answered by ours, other texts by close names. */
#include "app/cli/format_hint.h"

#include "check.h"
#include "zcstream/format.h"

static void expect(const char *text, const char *wanted)
{
    enum zcs_pixfmt format;
    char hint[256];
    CHECK_EQ(zcs_pixfmt_parse(text, &format), ZCS_ERR_FORMAT);
    format_hint(text, hint, sizeof hint);
    if (strstr(hint, wanted) == NULL) {
        fprintf(stderr, "%s: '%s' instead of '%s'\n", text, hint, wanted);
        exit(1);
    }
}

/* Each name of the table is unknown to the library, leads to a format, and is there once. */
static void test_table(void)
{
    for (size_t i = 0; i < format_name_count; i++) {
        const struct format_name *known = &format_names[i];
        enum zcs_pixfmt format;
        char wanted[128];
        CHECK_EQ(zcs_pixfmt_parse(known->ours, &format), ZCS_OK);
        snprintf(wanted, sizeof wanted, "%s's %s is %s here", known->tool, known->name,
                 known->ours);
        expect(known->name, wanted);
    }
}

static void test_names(void)
{
    expect("yuv420p", "ffmpeg's yuv420p is YU12 here");
    expect("YUVJ420P", "is YU12 here, with --color range=full");
    expect("gray16le", "ffmpeg's gray16 is Y16 here");
    expect("GRAY16_LE", "is Y16 here");
    expect("SRGGB10_CSI2P", "libcamera's SRGGB10_CSI2P is pRAA here");
    expect("RAW10", "the order of the colours is missing: pRAA");
    expect("h264", "compressed formats are not supported");
}

static void test_errors(void)
{
    expect("YUYY", "did you mean YUYV");
    expect("YUVY", "did you mean ");
    expect("GRAY1", "did you mean ");
    expect("SRGB10P", "did you mean SRGGB10P?");
    expect("SRGGB10PP", "did you mean SRGGB10P?");
    expect("praa", "did you mean pRAA");
    expect("pgaa", "did you mean pgAA or pGAA?");
    expect("yuv40p", "did you mean YU12?");
    expect("nonsense", "--list-formats lists all");
    expect("", "--list-formats lists all");
    expect("a-name-that-is-much-longer-than-any-format", "--list-formats lists all");
    char hint[256], small[8];
    format_hint("nonsense", hint, sizeof hint);
    CHECK(strstr(hint, "mean") == NULL);
    for (size_t bytes = 1; bytes <= sizeof small; bytes++) {
        format_hint("YUYY", small, bytes);
        CHECK(strlen(small) < bytes);
    }
}

int main(void)
{
    test_table();
    test_names();
    test_errors();
    return 0;
}
