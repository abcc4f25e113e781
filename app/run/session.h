/* SPDX-License-Identifier: MIT */
/* All that a run needs, opened as the options want it: context, source, stream, writer. */
#ifndef ZCAPP_RUN_SESSION_H
#define ZCAPP_RUN_SESSION_H

#include "zcstream/stream.h"

#include "app/cli/options.h"
#include "app/run/folders.h"
#include "app/run/record.h"
#include "app/output/writer.h"

struct session {
    const struct options *options;
    struct console *console;
    zcs_context *ctx; /* where there is one before, it is another's */
    int shared;
    zcs_source *source;
    zcs_stream *stream;
    recording *recording;        /* NULL: none */
    char *controls;              /* of a camera, at the start: controls_text */
    writer *writer;              /* NULL: no files */
    struct chain_targets chains; /* of a broadcast's files */
    writer *latest;              /* of --latest; NULL: none */
    unsigned writers, queue;
    uint64_t captured,
        done; /* frames of streams before this one on the same source, and those processed */
};

/* Results of a stream that may wait for those of others, with --sync. */
#define SYNC_FRAMES 8

/* The chain as it is run; NULL while there is no source. */
const char *session_stages(const struct session *session);

/* `options` and `console` are set, the rest is zero. 0, or an exit status after one line of error;
 * without one where the end was asked for before the input was opened. */
int session_open(struct session *session);

/* Whether the outputs can take frames of another size; else one line of error has said why not. */
int session_can_resume(const struct session *session);

/* The camera's frames have another size now, after what is in `past`: a further stream, where the
 * outputs can take it. 0, or an exit status after one line of error; then there may be no stream.
 * */
int session_resume(struct session *session, const struct zcs_stream_stats *past);

/* Accepts half-opened ones. */
void session_close(struct session *session);

/* A context as the options want it, which logs to the console. 0, or an exit status after one line
 * of error. */
int session_open_context(const struct options *options, struct console *console, zcs_context **out);

/* The exit status of `status`, a failure. If no error was shown since there were `errors_before`,
 * the library has not logged it, and it gets its line here. */
int session_failure(struct console *console, unsigned errors_before, const char *what,
                    zcs_status status);

#endif
