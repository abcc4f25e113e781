/* SPDX-License-Identifier: MIT */
/* A push source of small frames, all of the same memory, for tests of who is woken by them. */
#ifndef ZCS_TESTS_PUSH_SETUP_H
#define ZCS_TESTS_PUSH_SETUP_H

#include "check.h"
#include "zcstream/zcstream.h"

enum { PUSH_WIDTH = 32, PUSH_HEIGHT = 16 };

static inline zcs_source *push_open(zcs_context *ctx, uint32_t queue)
{
    zcs_source *source = NULL;
    struct zcs_push_params params = {.queue = queue};
    CHECK_EQ(zcs_image_init(&params.image, ZCS_PIXFMT_GREY, PUSH_WIDTH, PUSH_HEIGHT, 0), ZCS_OK);
    CHECK_EQ(zcs_source_open_push(ctx, &params, &source), ZCS_OK);
    return source;
}

/* ZCS_AGAIN: the queue is full. Any thread. */
static inline zcs_status push_try(zcs_source *source, uint64_t sequence)
{
    static uint8_t memory[PUSH_WIDTH * PUSH_HEIGHT];
    const struct zcs_push_meta meta = {.sequence = sequence};
    return zcs_source_push(source, memory, &meta, NULL, NULL);
}

static inline void push_frame(zcs_source *source, uint64_t sequence)
{
    CHECK_EQ(push_try(source, sequence), ZCS_OK);
}

#endif
