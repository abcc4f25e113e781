/* SPDX-License-Identifier: MIT */
/* A run: moves frames from the stream to the writer until the end, then reports. */
#include "app/run/run.h"

#include "app/cli/file_conflict.h"
#include "app/run/input_run.h"
#include "app/run/json.h"
#include "app/run/report.h"
#include "app/run/multi_camera.h"
#include "app/cli/signals.h"
#include "app/cli/status.h"

#define TIMEOUT_NS 100000000 /* how late a signal may be noticed that came just before a wait */
#define ROOM_MS 10

struct run {
    struct feed feed;
    struct progress progress;
};

/* Takes over the reference. */
static int handle(struct run *run, const struct zcs_frame *frame)
{
    struct feed *feed = &run->feed;
    const int64_t latency_ns = frame->result_ns - frame->captured_ns;
    const int status = feed_take(feed, frame);
    if (run->progress.console != NULL)
        progress_update(&run->progress, feed_now_ns(), feed->results, feed_lost(feed), latency_ns);
    return status;
}

static int loop(struct run *run)
{
    struct session *s = &run->feed.session;
    /* A failure may have had its line while frames before it were still to come. */
    const unsigned errors = console_errors(s->console);
    for (;;) {
        const struct zcs_frame *frame = NULL;
        if (signals_stop())
            feed_stop(&run->feed);
        if (signals_part())
            feed_part(&run->feed);
        const zcs_status status = zcs_stream_next(s->stream, TIMEOUT_NS, &frame);
        if (feed_broke(&run->feed, frame))
            return ZCAPP_FAILED;
        if (status == ZCS_EOF)
            return 0;
        if (feed_can_go_on(&run->feed, status)) {
            const int resumed = feed_resume(&run->feed);
            if (resumed != 0)
                return resumed;
            continue;
        }
        if (status < 0)
            return session_failure(s->console, errors, s->options->input, status);
        if (status == ZCS_AGAIN) { /* perhaps because the writer holds all results */
            if (s->writer != NULL)
                writer_wait(s->writer, ROOM_MS);
            continue;
        }
        const int handled = handle(run, frame);
        if (handled != 0)
            return handled;
    }
}

/* An open session to its end; returns the exit status. */
static int work(struct run *run)
{
    const struct session *s = &run->feed.session;
    run->progress.console = s->console->terminal && !s->options->quiet ? s->console : NULL;
    feed_begin(&run->feed);
    return feed_end(&run->feed, loop(run));
}

/* Also for a run that did not begin. Returns the exit status, which a report that cannot be written
 * changes. */
static int conclude(const struct run *run, int status)
{
    const struct session *s = &run->feed.session;
    struct report report;
    feed_report(&run->feed, status, &report);
    if (run->feed.started_ns != 0)
        report_summary(&report, s->console);
    if (s->options->json != NULL && report_write(&report, s->console) != 0 && status == 0)
        return ZCAPP_FAILED;
    return status;
}

int run(const struct options *options, struct console *console)
{
    struct run r = {.feed = {.session = {.options = options, .console = console}}};
    if (options->input_count > 1)
        return run_several(options, console);
    int status = file_conflict_check(options, console);
    if (status != 0)
        return status;
    if (jsonfile_check(options->json, console) != 0)
        return ZCAPP_FAILED;
    status = feed_open(&r.feed);
    if (status == 0 && !r.feed.stopped)
        status = work(&r);
    status = conclude(&r, status);
    session_close(&r.feed.session);
    return status;
}
