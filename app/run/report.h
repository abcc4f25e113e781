/* SPDX-License-Identifier: MIT */
/* The results of a run: the choices at its start, the summary line at its end, the JSON report. */
#ifndef ZCAPP_RUN_REPORT_H
#define ZCAPP_RUN_REPORT_H

#include "zcstream/stream.h"

#include "app/cli/console.h"
#include "app/cli/options.h"
#include "app/output/writer.h"
#include "app/run/folders.h"
#include "app/run/latency.h"
#include "app/run/recording.h"

/* One input. All pointers are borrowed. */
struct report {
    const struct options *options;
    const char *label;      /* with several inputs: the name of this one; NULL: the only one */
    const zcs_context *ctx; /* NULL: could not be opened; then `source` and `stream` are zero */
    const char *stages;     /* of the only chain; NULL: not known */
    const char *controls;   /* from controls_text; NULL: none */
    struct zcs_source_info source;
    struct zcs_stream_stats stream; /* with lost[ZCS_LOSS_WRITER], which the library leaves at 0 */
    uint64_t copied_per_frame;      /* cpu_bytes_copied, divided by all processed frames */
    struct zcs_image images[ZCS_MAX_CHAINS]; /* the results of each chain */
    const struct chain_targets *chains;      /* NULL: all files belong to options->target */
    const struct writer_stats *files;        /* NULL: no writer */
    struct recording_stats recording;        /* zero without --record */
    double seconds;
    struct latency_summary latency;
    const char *error;        /* the line about the failure; "": not known */
    int64_t start_ns, end_ns; /* CLOCK_REALTIME */
    int streamed;             /* 1: there was a stream, so that its values are known */
    int status;               /* the exit status */
    int interrupted;
    int digested;    /* 1: `digest` is valid */
    uint64_t digest; /* hash of the digests of all frames, in order */
};

/* At the start: the stages and the color that are in use. Shown with -v. */
void report_choices(const struct report *report, struct console *console);

/* At the end: one line for people. */
void report_summary(const struct report *report, struct console *console);

/* Writes the report to options->json, as a whole or not at all. 0, or -1 after one line of error.
 * */
int report_write(const struct report *report, struct console *console);

/* A run over several inputs. */
struct multi_report {
    const struct options *options;
    const struct report *inputs; /* options->input_count elements */
    uint64_t matches;            /* with --sync */
    const uint64_t *unmatched;   /* with --sync: frames without a match, of each input */
    const char *error;           /* as in struct report, and so are the times */
    int64_t start_ns, end_ns;
    int status, interrupted;
};

/* As report_write. */
int report_write_multi(const struct multi_report *multi, struct console *console);

#endif
