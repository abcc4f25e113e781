/* SPDX-License-Identifier: MIT */
/* A scripted camera with a context and a source on it, for tests that capture. */
#ifndef ZCS_TESTS_V4L2_SETUP_H
#define ZCS_TESTS_V4L2_SETUP_H

#include "unit/v4l2_script.h"

static struct script s;
static struct script_log log_text;
static zcs_context *ctx;
static zcs_source *source;

static void set_up(const struct zcs_v4l2_params *wanted)
{
    struct zcs_v4l2_params params = wanted != NULL ? *wanted : (struct zcs_v4l2_params){0};
    params.device = "/dev/video7";
    ctx = script_context(&log_text);
    CHECK_EQ(zci_v4l2_open(ctx, &params, &s.calls, &source), ZCS_OK);
}

static void tear_down(void)
{
    zcs_source_close(&source);
    zcs_close(&ctx);
    CHECK_EQ(s.open_count, 0);
    CHECK_EQ(s.stream_on_count, s.stream_off_count);
}

#endif
