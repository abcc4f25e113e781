/* SPDX-License-Identifier: MIT */
/* The objects of a run, opened according to the options: context, source, stream, writer,
 * recording. */
#ifndef ZCAPP_RUN_SESSION_H
#define ZCAPP_RUN_SESSION_H

#include "zcstream/stream.h"

#include "app/cli/options.h"
#include "app/output/writer.h"
#include "app/run/folders.h"
#include "app/run/recording.h"

struct session {
    const struct options *options;
    struct console *console;
    zcs_context *ctx; /* may be set before session_open; then it belongs to the caller ... */
    int shared;       /* ... and this is 1 */
    zcs_source *source;
    zcs_stream *stream;
    recording *recording;        /* NULL: none */
    char *controls;              /* controls_text at the start */
    writer *writer;              /* NULL: no files */
    struct chain_targets chains; /* with several chains */
    writer *latest;              /* for --latest; NULL: none */
    unsigned writers, queue;     /* threads, and pictures that may wait for them */
    uint64_t captured, done;     /* frames that earlier streams captured and processed */
};

/* With --sync: results of a stream that may wait for those of other streams. */
#define SYNC_FRAMES 8

/* The stages in use; NULL: not known, because there is no source. */
const char *session_stages(const struct session *session);

/* The largest possible number of results, of all chains; 0: not known. */
uint64_t session_max_results(const struct session *session);

/* `options` and `console` are set, the rest is zero. 0, or an exit status after one line of error.
 * There is no line if a signal asked for the end before the input was opened. */
int session_open(struct session *session);

/* 1: the outputs can take frames of another size. 0 after one line of error. */
int session_can_resume(const struct session *session);

/* The camera's frames have another size: creates a new stream. `past` has the counters of all
 * earlier streams. 0, or an exit status after one line of error; then there may be no stream. */
int session_resume(struct session *session, const struct zcs_stream_stats *past);

/* Also closes a session that session_open could not open completely. */
void session_close(struct session *session);

/* Creates a context that logs to the console. 0, or an exit status after one line of error. */
int session_open_context(const struct options *options, struct console *console, zcs_context **out);

/* Returns the exit status for `status`, a failure. If console_errors is still `errors_before`, the
 * library has not logged an error, so this function shows a line about `what`. */
int session_failure(struct console *console, unsigned errors_before, const char *what,
                    zcs_status status);

#endif
