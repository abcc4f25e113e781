/* SPDX-License-Identifier: MIT */
/* A run: moves frames from the stream to the writer until the end, then reports. */
#include "app/run.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "app/clash.h"
#include "app/color_name.h"
#include "app/latency.h"
#include "app/progress.h"
#include "app/report.h"
#include "app/session.h"
#include "app/signals.h"
#include "app/status.h"

#define TIMEOUT_NS 100000000 /* how late a signal may be noticed that came just before a wait */
#define ROOM_MS 10

struct run {
    struct session session;
    int64_t started_ns, ended_ns;
    uint64_t first; /* sequence of the source's first frame */
    uint64_t results;
    uint64_t unwritten; /* results that the writer should have had, let go because of a failure */
    int stopped;        /* by a signal */
    int digested;       /* some frame had a digest */
    uint64_t digest;    /* of the frames' digests, in order */
    struct latency to_result;
    struct progress progress;
};

static int64_t now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

/* Files count from their first frame, drawn ones too. A camera has been running before, and what was
 * passed over came first. */
static void note_first(struct run *run, const struct zcs_frame *frame)
{
    struct zcs_source_info info;
    const uint64_t skip = run->session.options->skip;
    zcs_source_info(run->session.source, &info);
    run->first = info.first_sequence;
    if (strcmp(info.kind, "v4l2") == 0 && frame->sequence >= skip)
        run->first = frame->sequence - skip;
}

static int check_path(const struct session *s, const struct zcs_frame *frame)
{
    struct zcs_source_info info;
    const char *wanted = s->options->require_path, *got = zcs_path_name(frame->path);
    if (wanted == NULL || strcmp(wanted, got) == 0)
        return 0;
    zcs_source_info(s->source, &info);
    const int reason = info.path_reason != NULL && info.path_reason[0] != '\0';
    console_error(s->console, "--require-path %s: frame %llu came by %s%s%s", wanted,
                  (unsigned long long)frame->sequence, got, reason ? ": " : "",
                  reason ? info.path_reason : "");
    return ZCAPP_UNAVAILABLE;
}

static void add_digest(struct run *run, const struct zcs_frame *frame)
{
    char line[80];
    if (!(frame->flags & ZCS_FRAME_DIGEST))
        return;
    run->digested = 1;
    run->digest = (run->digest ^ frame->digest) * UINT64_C(0x100000001b3);
    snprintf(line, sizeof line, "frame %" PRIu64 ": digest %016" PRIx64, frame->sequence,
             frame->digest);
    console_log(run->session.console, ZCS_LOG_INFO, line);
}

/* What was chosen where the options say nothing. */
static void tell_choices(const struct session *s)
{
    char line[2048];
    struct zcs_image image;
    zcs_source_image(s->source, &image);
    snprintf(line, sizeof line, "stages %s%s", session_stages(s),
             s->options->stages == NULL ? ", the default" : "");
    console_log(s->console, ZCS_LOG_INFO, line);
    snprintf(line, sizeof line, "color matrix=%s,range=%s,transfer=%s",
             color_matrix_name(image.color.matrix), color_range_name(image.color.range),
             color_transfer_name(image.color.transfer));
    console_log(s->console, ZCS_LOG_INFO, line);
}

static void tell_frame(const struct run *run, const struct zcs_frame *frame)
{
    char line[128];
    snprintf(line, sizeof line, "frame %" PRIu64 ": path %s, route %s, %.2f ms", frame->sequence,
             zcs_path_name(frame->path), zcs_route_name(frame->route),
             (double)(frame->result_ns - frame->captured_ns) / 1e6);
    console_log(run->session.console, ZCS_LOG_DEBUG, line);
}

static void show_progress(struct run *run, int64_t latency_ns)
{
    struct zcs_stream_stats stats;
    uint64_t lost = run->session.writer != NULL ? writer_lost(run->session.writer) : 0;
    zcs_stream_stats(run->session.stream, &stats);
    for (int i = 0; i < ZCS_LOSS_COUNT; i++)
        lost += stats.lost[i];
    if (run->session.recording != NULL)
        lost += recording_stats(run->session.recording).lost;
    progress_update(&run->progress, now_ns(), run->results, lost, latency_ns);
}

/* Takes over the reference. */
static int handle(struct run *run, const struct zcs_frame *frame)
{
    if (run->results++ == 0)
        note_first(run, frame);
    const int64_t latency_ns = frame->result_ns - frame->captured_ns;
    const uint64_t number = frame->sequence - run->first;
    const int status = check_path(&run->session, frame);
    latency_add(&run->to_result, latency_ns);
    add_digest(run, frame);
    if (run->session.options->verbose > 1)
        tell_frame(run, frame);
    if (run->progress.console != NULL)
        show_progress(run, latency_ns);
    run->unwritten += status != 0 && run->session.writer != NULL;
    if (status != 0 || run->session.writer == NULL)
        zcs_frame_unref(&frame);
    else if (writer_put(run->session.writer, &frame, number) != 0)
        return ZCAPP_FAILED;
    return status;
}

static int loop(struct run *run)
{
    struct session *s = &run->session;
    /* A failure may have had its line while frames before it were still to come. */
    const unsigned errors = console_errors(s->console);
    for (;;) {
        const struct zcs_frame *frame = NULL;
        if (signals_stop() && !run->stopped) {
            run->stopped = 1;
            zcs_stream_stop(s->stream);
        }
        const zcs_status status = zcs_stream_next(s->stream, TIMEOUT_NS, &frame);
        if (s->recording != NULL && recording_stats(s->recording).failed) {
            run->unwritten += frame != NULL && s->writer != NULL;
            zcs_frame_unref(&frame);
            return ZCAPP_FAILED;
        }
        if (status == ZCS_EOF)
            return 0;
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

/* After a failure: what is in flight comes out, so that every captured frame is in one column. */
static void let_go(struct run *run)
{
    const struct zcs_frame *frame = NULL;
    zcs_status status;
    zcs_stream_stop(run->session.stream);
    while ((status = zcs_stream_next(run->session.stream, TIMEOUT_NS, &frame)) == ZCS_OK ||
           status == ZCS_AGAIN) {
        run->unwritten += frame != NULL && run->session.writer != NULL;
        zcs_frame_unref(&frame);
    }
}

/* An end without any result is a failure, unless it was asked for. */
static int check_results(const struct run *run)
{
    const struct session *s = &run->session;
    struct zcs_stream_stats stats;
    struct zcs_image image;
    if (run->results > 0 || run->stopped)
        return 0;
    zcs_stream_stats(s->stream, &stats);
    zcs_source_image(s->source, &image);
    if (stats.skipped > 0)
        console_error(s->console, "%s: no frame is left after %llu of them (--skip %llu)",
                      s->options->input, (unsigned long long)stats.skipped,
                      (unsigned long long)s->options->skip);
    else
        console_error(s->console, "%s: no whole frame of %zu bytes", s->options->input,
                      image.size_bytes);
    return ZCAPP_FAILED;
}

static void fill_files(struct report *report, const struct writer_stats *stats)
{
    report->written = stats->written;
    report->least = stats->least;
    report->most = stats->most;
    report->to_file = &stats->latency;
    report->stream.lost[ZCS_LOSS_WRITER] += stats->lost;
}

static void fill_recording(struct report *report, struct recording_stats stats)
{
    report->recorded = stats.written;
    report->stream.lost[ZCS_LOSS_WRITER] += stats.lost;
}

/* Also for a run that did not begin. Returns the exit status, which a report that cannot be written changes. */
static int conclude(const struct run *run, int status)
{
    const struct session *s = &run->session;
    const struct latency none = {.count = 0};
    struct report report = {
        .options = s->options,
        .ctx = s->ctx,
        .stages = session_stages(s),
        .seconds = (double)(run->ended_ns - run->started_ns) / 1e9,
        .to_result = &run->to_result,
        .to_file = &none,
        .status = status,
        .interrupted = run->stopped,
        .digested = run->digested,
        .digest = run->digest,
    };
    if (s->source != NULL)
        zcs_source_info(s->source, &report.source);
    if (s->stream != NULL)
        zcs_stream_stats(s->stream, &report.stream);
    if (s->writer != NULL)
        fill_files(&report, writer_stats(s->writer));
    if (s->recording != NULL)
        fill_recording(&report, recording_stats(s->recording));
    report.stream.lost[ZCS_LOSS_WRITER] += run->unwritten;
    if (run->started_ns != 0)
        report_summary(&report, s->console);
    if (s->options->json != NULL && report_write(&report, s->console) != 0 && status == 0)
        return ZCAPP_FAILED;
    return status;
}

/* An open session to its end; returns the exit status. */
static int work(struct run *run)
{
    struct session *s = &run->session;
    run->progress.console = s->console->terminal && !s->options->quiet ? s->console : NULL;
    tell_choices(s);
    run->started_ns = now_ns();
    const int status = loop(run);
    run->ended_ns = now_ns();
    if (status != 0)
        let_go(run);
    if (s->writer != NULL)
        writer_drain(s->writer);
    if (s->recording != NULL)
        recording_drain(s->recording);
    console_progress(s->console, NULL);
    if (status == 0 && s->writer != NULL && writer_stats(s->writer)->failed)
        return ZCAPP_FAILED;
    if (status == 0 && s->recording != NULL && recording_stats(s->recording).failed)
        return ZCAPP_FAILED;
    return status != 0 ? status : check_results(run);
}

int run(const struct options *options, struct console *console)
{
    struct run r = {.session = {.options = options, .console = console}};
    int status = clash_check(options, console);
    if (status != 0)
        return status;
    if (report_check(options, console) != 0)
        return ZCAPP_FAILED;
    status = session_open(&r.session);
    if (status == 0)
        status = work(&r);
    status = conclude(&r, status);
    session_close(&r.session);
    return status;
}
