/* SPDX-License-Identifier: MIT */
/* What a run came to: the line at the end and the JSON report. */
#ifndef ZCAPP_RUN_REPORT_H
#define ZCAPP_RUN_REPORT_H

#include "zcstream/stream.h"

#include "app/cli/chains.h"
#include "app/cli/console.h"
#include "app/run/delays.h"
#include "app/cli/options.h"
#include "app/output/writer.h"

struct report {
    const struct options *options;
    const char *label;      /* of several inputs; NULL: the only one */
    const zcs_context *ctx; /* NULL: not opened, as the two below are zero then */
    const char *stages;     /* as run; NULL: not known */
    const char *controls;   /* of a camera: controls_text; NULL: none */
    struct zcs_source_info source;
    struct zcs_stream_stats stream; /* lost[ZCS_LOSS_WRITER] is filled in by the application */
    uint64_t copied_per_frame; /* of cpu_bytes_copied; frames without a partner are counted, too */
    struct zcs_image images[ZCS_MAX_CHAINS]; /* results of each chain */
    const struct chain_targets *chains;      /* NULL: all files are options->target's */
    const struct writer_stats *files;        /* NULL: none */
    uint64_t written, min, max;              /* files, and the range of the numbers of those left */
    uint64_t recorded;                       /* frames */
    uint64_t parts,
        recorded_parts;     /* files with frames, of a single output file and of the recording */
    uint64_t recorded_left; /* with --keep: parts of the recording */
    double seconds;
    struct delays delays;
    int status; /* the exit status */
    int interrupted;
    int digested; /* `digest` is one: of the frames' digests, in order */
    uint64_t digest;
};

/* One line, for people. */
void report_summary(const struct report *report, struct console *console);

/* To options->json, whole or not at all. 0, or -1 after one line of error. */
int report_write(const struct report *report, struct console *console);

/* What several inputs came to together. */
struct report_several {
    const struct options *options;
    const struct report *inputs; /* options->input_count of them */
    uint64_t matches;            /* with --sync */
    const uint64_t *unmatched;   /* the same, of each input */
    int status, interrupted;
};
int report_write_several(const struct report_several *several, struct console *console);

#endif
