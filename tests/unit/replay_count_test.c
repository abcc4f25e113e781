/* SPDX-License-Identifier: MIT */
/* Files with a header before each frame: opening a long one takes few reads, and no frame of it is
 * missed or invented. */
#include "source_setup.h"

#include <inttypes.h>

#define FRAMES 50000u
#define HEAD "YUV4MPEG2 W1 H1 Cmono\n"

static struct setup_lines lines;

/* FRAMES frames of one byte. The header of frame `longer` is longer, that of `bad` is invalid;
 * FRAMES: none. `rest` stands behind the last frame. */
static void write_y4m(const char *name, uint64_t longer, uint64_t bad, const char *rest)
{
    FILE *file = fopen(name, "wb");
    CHECK(file != NULL);
    fputs(HEAD, file);
    for (uint64_t n = 0; n < FRAMES; n++)
        fprintf(file, "%s%c",
                n == longer ? "FRAME Ip\n"
                : n == bad  ? "GRAME\n"
                            : "FRAME\n",
                (int)('a' + n % 26));
    fputs(rest, file);
    CHECK_EQ(fclose(file), 0);
}

/* Reads of this process so far; 0: the system does not tell. */
static uint64_t reads(void)
{
    char line[64];
    uint64_t count = 0;
    FILE *file = fopen("/proc/self/io", "r");
    while (file != NULL && fgets(line, sizeof line, file) != NULL)
        if (sscanf(line, "syscr: %" SCNu64, &count) == 1)
            break;
    if (file != NULL)
        fclose(file);
    return count;
}

static void check_frames(zcs_context *ctx, const char *name, uint64_t frames, uint64_t short_frames,
                         uint64_t max_reads)
{
    const struct zcs_replay_params params = {.path = name};
    struct zcs_source_info info;
    zcs_source *source = NULL;
    const struct zcs_frame *frame = NULL;
    const uint64_t before = reads();
    CHECK_EQ(zcs_source_open_replay(ctx, &params, &source), ZCS_OK);
    const uint64_t after = reads();
    CHECK(after - before <= max_reads);
    for (uint64_t n = 0; n < frames; n++) {
        CHECK_EQ(zcs_source_next(source, -1, &frame), ZCS_OK);
        CHECK_EQ(frame->sequence, n);
        CHECK_EQ(*(const uint8_t *)frame->host, 'a' + n % 26);
        zcs_frame_unref(&frame);
    }
    CHECK_EQ(zcs_source_next(source, -1, &frame), ZCS_EOF);
    zcs_source_info(source, &info);
    CHECK_EQ(info.lost[ZCS_LOSS_SHORT], short_frames);
    zcs_source_close(&source);
}

int main(void)
{
    char folder[64];
    zcs_context *ctx = setup_context(&lines);
    setup_folder(folder);
    write_y4m("whole.y4m", FRAMES, FRAMES, "");
    check_frames(ctx, "whole.y4m", FRAMES, 0, 100);
    write_y4m("cut.y4m", FRAMES, FRAMES, "FRAME\n");
    check_frames(ctx, "cut.y4m", FRAMES, 1, 100);
    write_y4m("longer.y4m", 30000, FRAMES, "");
    check_frames(ctx, "longer.y4m", FRAMES, 0, UINT64_MAX);
    write_y4m("bad.y4m", FRAMES, 20011, "");
    check_frames(ctx, "bad.y4m", 20011, 1, UINT64_MAX);
    CHECK(strstr(lines.last, "bad.y4m: 209923 bytes left over after 20011 frames") != NULL);
    setup_remove_folder(folder);
    zcs_close(&ctx);
    return 0;
}
