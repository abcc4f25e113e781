/* SPDX-License-Identifier: MIT */
/* A C++ program of somebody else's: one frame of a pattern, as captured. */
#include <cstdio>
#include <zcstream/zcstream.h>

int main()
{
    zcs_context *ctx = nullptr;
    zcs_source *source = nullptr;
    const zcs_frame *frame = nullptr;
    zcs_pattern_params pattern = {};
    pattern.format = ZCS_PIXFMT_YUYV;
    zcs_status status = zcs_open(nullptr, &ctx);
    if (status == ZCS_OK)
        status = zcs_source_open_pattern(ctx, &pattern, &source);
    if (status == ZCS_OK)
        status = zcs_source_next(source, -1, &frame);
    if (status == ZCS_OK)
        std::printf("zcstream %s: %ux%u %s\n", zcs_version(), frame->image.width,
                    frame->image.height, zcs_pixfmt_info(frame->image.format)->name);
    else
        std::printf("%s\n", zcs_strerror(status));
    zcs_frame_unref(&frame);
    zcs_source_close(&source);
    zcs_close(&ctx);
    return status == ZCS_OK ? 0 : 1;
}
