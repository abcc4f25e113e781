/* SPDX-License-Identifier: MIT */
/* The loops over several inputs: frames as they come, or matched by their times. */
#ifndef ZCAPP_RUN_MULTI_CAMERA_LOOP_H
#define ZCAPP_RUN_MULTI_CAMERA_LOOP_H

#include "zcstream/set.h"

#include "app/run/input_run.h"
#include "app/run/folders.h"

/* One of the inputs. `member` of the set, if it could be opened. */
struct one {
    struct feed feed;
    int in_set, running, held;
    uint32_t member;
    int status;
    unsigned errors;    /* shown before it began */
    uint64_t unmatched; /* with --sync */
    uint64_t left;      /* the same: results that might have had partners, had the run not ended */
};

struct several {
    const struct options *options;
    struct console *console;
    struct input_options *inputs;
    struct one *all;
    unsigned count, running;
    zcs_context *ctx;
    zcs_set *set;
    uint64_t matches;
    int stopped; /* by a signal */
    struct progress progress;
};

/* Until all have ended, as far as they run; each has its status then. */
void several_loop(struct several *several);

/* The same with --sync. */
void several_match(struct several *several);

#endif
