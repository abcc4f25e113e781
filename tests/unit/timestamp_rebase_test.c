/* SPDX-License-Identifier: MIT */
/* A recorded sequence number below the first one, with a requested rate: its time is 0, not a time
 * in the far future that a paced replay would wait for. */
#include "record_setup.h"

int main(void)
{
    static const uint64_t numbers[] = {1000, 1001, 3, 1002};
    static uint8_t pixels[64];
    static struct setup_lines lines;
    char folder[64];
    zcs_context *ctx = setup_context(&lines);
    struct zcs_recorder_params params = {.path = "back.zcr"};
    zcs_recorder *recorder = NULL;
    zcs_source *source = NULL;
    setup_folder(folder);
    CHECK_EQ(zcs_image_init(&params.image, ZCS_PIXFMT_GREY, 8, 8, 0), ZCS_OK);
    CHECK_EQ(zcs_recorder_create(ctx, &params, &recorder), ZCS_OK);
    for (size_t n = 0; n < 4; n++) {
        const struct zcs_frame frame = {.image = params.image,
                                        .host = pixels,
                                        .sequence = numbers[n],
                                        .clock = ZCS_CLOCK_MONOTONIC};
        CHECK_EQ(zcs_recorder_write(recorder, &frame), ZCS_OK);
    }
    CHECK_EQ(zcs_recorder_finish(&recorder), ZCS_OK);
    const struct zcs_replay_params replay = {
        .path = "back.zcr", .fps_num = 100, .fps_den = 1, .pace = 1};
    CHECK_EQ(zcs_source_open_replay(ctx, &replay, &source), ZCS_OK);
    for (size_t n = 0; n < 4; n++) {
        const struct zcs_frame *frame = NULL;
        CHECK_EQ(zcs_source_next(source, INT64_C(5000000000), &frame), ZCS_OK);
        CHECK_EQ(frame->sequence, numbers[n]);
        CHECK_EQ(frame->time_ns, numbers[n] > 1000 ? (int64_t)(numbers[n] - 1000) * 10000000 : 0);
        zcs_frame_unref(&frame);
    }
    zcs_source_close(&source);
    setup_remove_folder(folder);
    zcs_close(&ctx);
    return 0;
}
