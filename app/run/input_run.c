/* SPDX-License-Identifier: MIT */
/* The run of one input: its session, its frames, its results. */
#include "app/run/input_run.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "app/cli/file_conflict.h"
#include "app/cli/signals.h"
#include "app/cli/status.h"
#include "app/run/controls.h"
#include "app/run/input.h"
#include "app/run/json.h"

#define TIMEOUT_NS 100000000 /* a signal that comes just before a wait is noticed after this time */
#define ROOM_MS 10

int64_t input_run_now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

int64_t input_run_real_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

/* Files and patterns count from their first frame. A camera may have been running before: its first
 * frame comes before those that --skip passes over. */
static void find_first(struct input_run *run, const struct zcs_frame *frame)
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

static void add_digest(struct input_run *run, const struct zcs_frame *frame)
{
    if (!(frame->flags & ZCS_FRAME_DIGEST))
        return;
    run->digested = 1;
    run->digest = (run->digest ^ frame->digest) * UINT64_C(0x100000001b3);
    console_labelled(run->session.console, ZCS_LOG_INFO, run->label,
                     "frame %" PRIu64 ": digest %016" PRIx64, frame->sequence, frame->digest);
}

static void log_frame(const struct input_run *run, const struct zcs_frame *frame)
{
    console_labelled(run->session.console, ZCS_LOG_DEBUG, run->label,
                     "frame %" PRIu64 ": path %s, route %s, %.2f ms", frame->sequence,
                     zcs_path_name(frame->path), zcs_route_name(frame->route),
                     (double)(frame->result_ns - frame->captured_ns) / 1e6);
}

static void warn_renumbered(struct input_run *run, const struct zcs_frame *frame, uint64_t number)
{
    const struct output_target *target = &run->session.options->target;
    if (!run->renumbered && target->kind != NULL && target->name.numbered)
        console_labelled(run->session.console, ZCS_LOG_WARNING, run->label,
                         "frame numbers do not rise: %" PRIu64 " is not above the one before; "
                         "the names of files count on from %" PRIu64,
                         frame->sequence, number);
    run->renumbered = 1;
}

/* The number of the frame's file: its position in the source. If that does not exceed the number
 * of the file before, it counts on from there: no file overwrites another. */
static uint64_t number_of(struct input_run *run, const struct zcs_frame *frame)
{
    uint64_t *next = &run->next[frame->chain];
    uint64_t number = frame->sequence >= run->first ? frame->sequence - run->first : 0;
    if (number < *next || frame->sequence < run->first) {
        number = *next;
        warn_renumbered(run, frame, number);
    }
    *next = number + 1;
    return number;
}

int input_run_take(struct input_run *run, const struct zcs_frame *frame)
{
    if (run->results == 0)
        find_first(run, frame);
    return input_run_take_as(run, frame, number_of(run, frame));
}

int input_run_has_room(const struct input_run *run)
{
    return run->session.writer == NULL || writer_has_room(run->session.writer);
}

int input_run_take_as(struct input_run *run, const struct zcs_frame *frame, uint64_t number)
{
    struct session *s = &run->session;
    run->results++;
    int status = check_path(s, frame);
    run->clock = frame->clock;
    run->exposure_start = (frame->flags & ZCS_FRAME_EXPOSURE_START) != 0;
    add_digest(run, frame);
    controls_log(s->source, frame, &run->controls, run->label, s->console);
    if (s->options->verbose > 1)
        log_frame(run, frame);
    if (s->latest != NULL && frame->chain == 0) {
        const struct zcs_frame *shown = zcs_frame_ref(frame);
        if (writer_put(s->latest, &shown, number) != 0 && status == 0)
            status = ZCAPP_FAILED;
    }
    run->unwritten += status != 0 && s->writer != NULL;
    if (status != 0 || s->writer == NULL)
        zcs_frame_unref(&frame);
    else if (writer_put(s->writer, &frame, number) != 0)
        return ZCAPP_FAILED;
    return status;
}

int input_run_can_resume(const struct input_run *run, zcs_status status)
{
    return status == ZCS_ERR_FORMAT && input_is_camera(run->session.options->input);
}

static void add_counters(struct zcs_stream_stats *sum, const struct zcs_stream_stats *stats)
{
    sum->captured += stats->captured;
    sum->skipped += stats->skipped;
    sum->processed += stats->processed;
    sum->cpu_bytes_copied += stats->cpu_bytes_copied;
    for (int i = 0; i < ZCS_LOSS_COUNT; i++)
        sum->lost[i] += stats->lost[i];
}

/* The source keeps counting its own losses; the other counters end with the stream. */
int input_run_resume(struct input_run *run)
{
    struct zcs_stream_stats stats;
    struct zcs_source_info info;
    if (!session_can_resume(&run->session))
        return ZCAPP_FAILED;
    zcs_stream_stats(run->session.stream, &stats);
    zcs_source_info(run->session.source, &info);
    for (int i = 0; i < ZCS_LOSS_COUNT; i++)
        stats.lost[i] -= info.lost[i];
    add_counters(&run->past, &stats);
    stream_latency_add(&run->past_latency, run->session.stream);
    const int status = session_resume(&run->session, &run->past);
    if (status == 0 && run->stopped)
        zcs_stream_stop(run->session.stream);
    return status;
}

void input_run_next_part(struct input_run *run)
{
    if (run->session.writer != NULL)
        writer_part(run->session.writer);
    if (run->session.recording != NULL)
        recording_next_part(run->session.recording);
}

int input_run_open(struct input_run *run)
{
    struct console *console = run->session.console;
    const unsigned errors = console_errors(console);
    run->opened_ns = input_run_real_ns();
    const int status = session_open(&run->session);
    if (status != 0 && console_errors(console) != errors)
        console_last_error(console, run->error);
    run->stopped = status == ZCAPP_FAILED && run->session.ctx != NULL &&
                   run->session.source == NULL && signals_stop();
    return run->stopped ? 0 : status;
}

void input_run_begin(struct input_run *run)
{
    struct report report = {.options = run->session.options,
                            .label = run->label,
                            .stages = session_stages(&run->session)};
    zcs_source_info(run->session.source, &report.source);
    report_choices(&report, run->session.console);
    run->started_ns = input_run_now_ns();
}

void input_run_stop(struct input_run *run)
{
    if (!run->stopped)
        zcs_stream_stop(run->session.stream);
    run->stopped = 1;
}

int input_run_recording_failed(struct input_run *run, const struct zcs_frame *frame)
{
    struct session *s = &run->session;
    if (s->recording == NULL || !recording_stats(s->recording).failed)
        return 0;
    run->unwritten += frame != NULL && s->writer != NULL;
    zcs_frame_unref(&frame);
    return 1;
}

/* Adds up the counters of all streams. If there is no stream because the last one could not be
 * created, the losses of the source still count. */
static void sum_streams(const struct input_run *run, struct zcs_stream_stats *stats)
{
    const struct session *s = &run->session;
    struct zcs_source_info info;
    *stats = (struct zcs_stream_stats){.captured = 0};
    if (s->stream != NULL) {
        zcs_stream_stats(s->stream, stats);
    } else if (s->source != NULL) {
        zcs_source_info(s->source, &info);
        memcpy(stats->lost, info.lost, sizeof stats->lost);
    }
    add_counters(stats, &run->past);
}

uint64_t input_run_lost(const struct input_run *run)
{
    const struct session *s = &run->session;
    struct zcs_stream_stats stats;
    uint64_t lost = s->writer != NULL ? writer_lost(s->writer) : 0;
    sum_streams(run, &stats);
    for (int i = 0; i < ZCS_LOSS_COUNT; i++)
        lost += stats.lost[i];
    return lost + (s->recording != NULL ? recording_stats(s->recording).lost : 0);
}

void input_run_progress(const struct input_run *run, int64_t latency_ns,
                        struct progress_state *state)
{
    writer *files = run->session.writer;
    const int64_t to_file_ns = files != NULL ? writer_latency_ns(files) : 0;
    state->frames += run->results;
    state->lost += input_run_lost(run);
    state->to_file = to_file_ns > 0;
    state->latency_ns = to_file_ns > 0 ? to_file_ns : latency_ns;
}

void input_run_release(struct input_run *run, uint64_t *count)
{
    const struct zcs_frame *frame = NULL;
    zcs_status status;
    if (run->session.stream == NULL)
        return; /* input_run_resume failed */
    zcs_stream_stop(run->session.stream);
    while ((status = zcs_stream_next(run->session.stream, TIMEOUT_NS, &frame)) == ZCS_OK ||
           status == ZCS_AGAIN) {
        *count += frame != NULL;
        zcs_frame_unref(&frame);
    }
}

/* After a failure: counts the results in flight as not written. */
static void release_unwritten(struct input_run *run)
{
    uint64_t count = 0;
    input_run_release(run, &count);
    run->unwritten += run->session.writer != NULL ? count : 0;
}

/* A run without any result has failed, unless a signal ended it. */
static int check_results(const struct input_run *run)
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

static void fill_stream(const struct input_run *run, struct report *report)
{
    const zcs_stream *stream = run->session.stream;
    sum_streams(run, &report->stream);
    const uint64_t frames = report->stream.processed > 0 ? report->stream.processed : 1;
    report->copied_per_frame = (report->stream.cpu_bytes_copied + frames / 2) / frames;
    for (uint32_t i = 0; stream != NULL && i < ZCS_MAX_CHAINS; i++)
        if (zcs_stream_image(stream, i, &report->images[i]) != ZCS_OK)
            break;
    stream_latency_legs(&run->past_latency, stream, report->latency.legs);
}

int input_run_end(struct input_run *run, int status)
{
    struct session *s = &run->session;
    if (run->ended_ns == 0)
        run->ended_ns = input_run_now_ns();
    if (status != 0)
        release_unwritten(run);
    if (s->writer != NULL)
        writer_drain(s->writer);
    if (s->latest != NULL)
        writer_drain(s->latest);
    if (s->recording != NULL)
        recording_drain(s->recording);
    console_clear_progress(s->console);
    if (status == 0 && s->latest != NULL && writer_stats(s->latest)->failed)
        return ZCAPP_FAILED;
    if (status == 0 && s->writer != NULL && writer_stats(s->writer)->failed)
        return ZCAPP_FAILED;
    if (status == 0 && s->recording != NULL && recording_stats(s->recording).failed)
        return ZCAPP_FAILED;
    return status != 0 ? status : check_results(run);
}

void input_run_report(const struct input_run *run, int status, struct report *out)
{
    const struct session *s = &run->session;
    const int64_t since_ns = run->ended_ns != 0 ? input_run_now_ns() - run->ended_ns : 0;
    *out = (struct report){
        .options = s->options,
        .label = run->label,
        .ctx = s->ctx,
        .stages = session_stages(s),
        .controls = s->controls,
        .chains = &s->chains,
        .seconds = (double)(run->ended_ns - run->started_ns) / 1e9,
        .latency = {.clock = run->clock, .exposure_start = run->exposure_start},
        .error = run->error,
        .start_ns = run->opened_ns,
        .end_ns = input_run_real_ns() - since_ns,
        .streamed = s->stream != NULL,
        .status = status,
        .interrupted = run->stopped,
        .digested = run->digested,
        .digest = run->digest,
    };
    if (s->source != NULL)
        zcs_source_info(s->source, &out->source);
    fill_stream(run, out);
    if (s->writer != NULL) {
        out->files = writer_stats(s->writer);
        out->latency.files = &out->files->latency;
        out->stream.lost[ZCS_LOSS_WRITER] += out->files->lost;
    }
    if (s->recording != NULL)
        out->recording = recording_stats(s->recording);
    out->stream.lost[ZCS_LOSS_WRITER] += out->recording.lost + run->unwritten;
}

/* --- a run with one input --- */

static void show_progress(const struct input_run *run, struct progress *progress,
                          int64_t latency_ns)
{
    struct progress_state state = {0};
    if (progress->console == NULL)
        return;
    input_run_progress(run, latency_ns, &state);
    progress_update(progress, input_run_now_ns(), &state);
}

/* Returns the exit status. */
static int loop(struct input_run *run, struct progress *progress)
{
    struct session *s = &run->session;
    /* A failure may be reported before the frames that precede it have come. */
    const unsigned errors = console_errors(s->console);
    int status = 0;
    while (status == 0) {
        const struct zcs_frame *frame = NULL;
        if (signals_stop())
            input_run_stop(run);
        if (signals_part())
            input_run_next_part(run);
        const zcs_status next = zcs_stream_next(s->stream, TIMEOUT_NS, &frame);
        if (input_run_recording_failed(run, frame))
            return ZCAPP_FAILED;
        if (next == ZCS_EOF)
            return 0;
        if (input_run_can_resume(run, next)) {
            status = input_run_resume(run);
        } else if (next < 0) {
            return session_failure(s->console, errors, s->options->input, next);
        } else if (next == ZCS_AGAIN) { /* perhaps the writer holds all results */
            if (s->writer != NULL)
                writer_wait(s->writer, ROOM_MS);
        } else {
            const int64_t latency_ns = frame->result_ns - frame->captured_ns;
            status = input_run_take(run, frame);
            show_progress(run, progress, latency_ns);
        }
    }
    return status;
}

/* Reports the run, even one that was not begun. A report that cannot be written changes the exit
 * status. */
static int conclude(struct input_run *run, int status)
{
    const struct session *s = &run->session;
    struct report report;
    console_first_error(s->console, run->error); /* the later ones follow from it */
    input_run_report(run, status, &report);
    if (run->started_ns != 0)
        report_summary(&report, s->console);
    if (s->options->json != NULL && report_write(&report, s->console) != 0 && status == 0)
        return ZCAPP_FAILED;
    return status;
}

int input_run_main(const struct options *options, struct console *console)
{
    struct input_run run = {.session = {.options = options, .console = console}};
    struct progress progress = {.console = console->terminal && !options->quiet ? console : NULL};
    int status = file_conflict_check(options, console);
    if (status != 0)
        return status;
    if (jsonfile_check(options->json, console) != 0)
        return ZCAPP_FAILED;
    status = input_run_open(&run);
    if (status == 0 && !run.stopped) {
        input_run_begin(&run);
        progress.total = session_max_results(&run.session);
        status = input_run_end(&run, loop(&run, &progress));
    }
    status = conclude(&run, status);
    session_close(&run.session);
    return status;
}
