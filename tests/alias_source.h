/* SPDX-License-Identifier: MIT */
/* A source whose slots are written as camera drivers that copy do it: by the kernel, through a mapping of
 * its own. Include after defining _GNU_SOURCE. */
#ifndef ZCS_TESTS_ALIAS_SOURCE_H
#define ZCS_TESTS_ALIAS_SOURCE_H

#include <stdlib.h>
#include <sys/uio.h>
#include <unistd.h>

#include "check.h"
#include "os/clock.h"
#include "source/source.h"

struct alias_source {
    zcs_source head;
    uint64_t sequence;
    uint64_t frames;
    uint8_t *picture;
    uint32_t starts;
};

/* Another picture each time. */
static inline zcs_status alias_next(zcs_source *source, int64_t timeout_ns, struct zci_slot **out)
{
    struct alias_source *alias = (struct alias_source *)source;
    (void)timeout_ns;
    if (alias->sequence == alias->frames)
        return ZCS_EOF;
    struct zci_slot *slot = zci_pool_take(source->pool);
    if (slot == NULL)
        return ZCS_AGAIN;
    memset(alias->picture, (int)(alias->sequence * 37 % 251), source->image.size_bytes);
    const struct iovec from = {alias->picture, source->image.size_bytes};
    const struct iovec to = {slot->memory.host, source->image.size_bytes};
    CHECK_EQ(process_vm_writev(getpid(), &from, 1, &to, 1, 0), source->image.size_bytes);
    slot->frame.image = source->image;
    slot->frame.sequence = alias->sequence++;
    slot->frame.path = source->path = ZCS_PATH_USERPTR;
    slot->frame.captured_ns = zci_now_ns();
    *out = slot;
    return ZCS_OK;
}

static inline int alias_aliased(const zcs_source *source)
{
    (void)source;
    return 1;
}

static inline int alias_starved(const zcs_source *source)
{
    return zci_pool_home_count(source->pool) == 0;
}

static inline zcs_status alias_start(zcs_source *source)
{
    ((struct alias_source *)source)->starts++;
    return ZCS_OK;
}

static inline void alias_close(zcs_source *source)
{
    free(((struct alias_source *)source)->picture);
    free(source);
}

static inline zcs_source *alias_open(zcs_context *ctx, uint32_t width, uint32_t height,
                                     uint64_t frames)
{
    static const struct zci_source_ops ops = {
        .kind = "alias",
        .aliased = alias_aliased,
        .start = alias_start,
        .next = alias_next,
        .starved = alias_starved,
        .close = alias_close,
    };
    struct alias_source *alias = calloc(1, sizeof *alias);
    CHECK(alias != NULL);
    zci_source_init(&alias->head, &ops, ctx);
    CHECK_EQ(zcs_image_init(&alias->head.image, ZCS_PIXFMT_GREY, width, height, 0), ZCS_OK);
    alias->picture = malloc(alias->head.image.size_bytes);
    CHECK(alias->picture != NULL);
    alias->frames = frames;
    return &alias->head;
}

/* Whether every pixel of a GREY result is what frame `sequence` was written with. */
static inline int alias_whole(const struct zcs_frame *frame)
{
    for (uint32_t y = 0; y < frame->image.height; y++)
        for (uint32_t x = 0; x < frame->image.width; x++)
            if (((const uint8_t *)frame->host)[y * frame->image.stride_bytes[0] + x] !=
                frame->sequence * 37 % 251)
                return 0;
    return 1;
}

#endif
