/* SPDX-License-Identifier: MIT */
/* A plan under construction: what the rows hold at this point of the chain, and the pass being
 * filled. */
#ifndef ZCI_CORE_PLAN_BUILD_H
#define ZCI_CORE_PLAN_BUILD_H

#include "core/log.h"
#include "core/plan.h"
#include "core/stage.h"

struct zci_build {
    struct zci_plan *plan;
    const struct zci_log *log;
    const struct zcs_custom_stage *custom; /* the caller's, by zci_stage.custom */
    const struct zci_stage *stage;         /* being planned, and its place from 1, for messages */
    uint32_t place;

    struct zci_pixel pixel; /* of the rows now */
    uint32_t width, height;
    struct zcs_color color;
    uint32_t code_max; /* the source's greatest code: what black and levels count in */
    uint8_t work;      /* the depth at which VALUE stages run */
    uint8_t final;     /* the result's depth */
    uint8_t target;    /* final where no stage after this one needs work, else work */
    int only_digests;  /* 1: nothing but digests follows */

    int pending;       /* 1: the rows hold codes that pending_sub and _span bring to full range */
    int pending_codes; /* 1: and they are the source's codes, on which black and levels are exact */
    uint32_t pending_sub, pending_span;
    int open; /* 1: the last pass takes more ops */
};

/* Starts a pass on the source or on the last pass's image. */
zcs_status zci_build_pass(struct zci_build *build);

/* Adds build->stage, after checking that it fits what the rows hold. */
zcs_status zci_build_stage(struct zci_build *build);

/* Brings the rows to full range of the result's depth. */
zcs_status zci_build_final(struct zci_build *build);

/* Ends the last pass. */
void zci_build_close(struct zci_build *build);

/* 1 where the stage changes nothing on a source with this greatest code, whatever the source's
 * layout. */
int zci_stage_is_identity(const struct zci_stage *stage, uint32_t code_max);

/* Applies a gamma stage to an image's transfer function. Returns 0, and changes nothing, for the
 * sRGB curve on an image that is encoded already. */
int zci_gamma_color(const struct zci_stage *stage, struct zcs_color *color);

#endif
