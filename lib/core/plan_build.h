/* SPDX-License-Identifier: MIT */
/* A plan under construction: what the rows hold at this point of the chain, and the pass being filled. */
#ifndef ZCI_CORE_PLAN_BUILD_H
#define ZCI_CORE_PLAN_BUILD_H

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

/* Logs "stage 2 "crop": ..." and returns `status`. */
#if defined(__GNUC__) || defined(__clang__)
__attribute__((format(printf, 3, 4)))
#endif
zcs_status
zci_build_fail(const struct zci_build *build, zcs_status status, const char *format, ...);

/* Starts a pass on the source or on the last pass's image. */
zcs_status zci_build_pass(struct zci_build *build);

/* `op`'s in is set here; its out becomes the rows' pixel. */
zcs_status zci_build_op(struct zci_build *build, struct zci_op op);

/* A SCALE of [sub, sub + span] to the full range of `depth`; nothing where that changes nothing. */
zcs_status zci_build_scale(struct zci_build *build, uint32_t sub, uint32_t span, uint8_t depth);

/* Brings the rows to full range, at `depth` if that takes a SCALE of codes. */
zcs_status zci_build_full(struct zci_build *build, uint8_t depth);

/* Brings the rows to full range of the result's depth. */
zcs_status zci_build_final(struct zci_build *build);

/* Mirrors the rows' image and cuts a part out of what that gives. */
zcs_status zci_build_window(struct zci_build *build, struct zci_window window);

zcs_status zci_build_stencil(struct zci_build *build, enum zci_stencil stencil);

/* Ends the pass with a reduction; *state gets its number. */
zcs_status zci_build_reduce(struct zci_build *build, enum zci_reduce_kind kind, int8_t *state);

zcs_status zci_build_custom(struct zci_build *build, uint8_t custom);

/* Ends the last pass. */
void zci_build_close(struct zci_build *build);

#endif
