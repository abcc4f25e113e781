/* SPDX-License-Identifier: MIT */
/* The progress line: a few times a second, on terminals. */
#ifndef ZCAPP_RUN_PROGRESS_H
#define ZCAPP_RUN_PROGRESS_H

#include "app/cli/console.h"

struct progress {
    struct console *console; /* NULL: no line is shown */
    int64_t shown_ns;        /* when the line was last drawn */
    uint64_t shown_frames;   /* what it counted then */
};

/* Draws the line if its time has come. `now_ns` is CLOCK_MONOTONIC. */
void progress_update(struct progress *progress, int64_t now_ns, uint64_t frames, uint64_t lost,
                     int64_t latency_ns);

#endif
