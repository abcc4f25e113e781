/* SPDX-License-Identifier: MIT */
/* One input of a run: what becomes of each of its frames, and what it came to. */
#include "app/run/input_run.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "app/run/controls.h"
#include "app/run/input.h"
#include "app/run/report.h"
#include "app/cli/signals.h"
#include "app/cli/status.h"

#define LET_GO_NS 100000000

int64_t feed_now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

/* Files count from their first frame, drawn ones too. A camera has been running before, and what
 * was passed over came first. */
static void note_first(struct feed *feed, const struct zcs_frame *frame)
{
    struct zcs_source_info info;
    const uint64_t skip = feed->session.options->skip;
    zcs_source_info(feed->session.source, &info);
    feed->first = info.first_sequence;
    if (strcmp(info.kind, "v4l2") == 0 && frame->sequence >= skip)
        feed->first = frame->sequence - skip;
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

static void add_digest(struct feed *feed, const struct zcs_frame *frame)
{
    if (!(frame->flags & ZCS_FRAME_DIGEST))
        return;
    feed->digested = 1;
    feed->digest = (feed->digest ^ frame->digest) * UINT64_C(0x100000001b3);
    console_labelled(feed->session.console, ZCS_LOG_INFO, feed->label,
                     "frame %" PRIu64 ": digest %016" PRIx64, frame->sequence, frame->digest);
}

static void tell_frame(const struct feed *feed, const struct zcs_frame *frame)
{
    console_labelled(feed->session.console, ZCS_LOG_DEBUG, feed->label,
                     "frame %" PRIu64 ": path %s, route %s, %.2f ms", frame->sequence,
                     zcs_path_name(frame->path), zcs_route_name(frame->route),
                     (double)(frame->result_ns - frame->captured_ns) / 1e6);
}

int feed_take(struct feed *feed, const struct zcs_frame *frame)
{
    if (feed->results == 0)
        note_first(feed, frame);
    return feed_take_as(feed, frame, frame->sequence - feed->first);
}

int feed_has_room(const struct feed *feed)
{
    return feed->session.writer == NULL || writer_has_room(feed->session.writer);
}

int feed_take_as(struct feed *feed, const struct zcs_frame *frame, uint64_t number)
{
    struct session *s = &feed->session;
    feed->results++;
    int status = check_path(s, frame);
    feed->clock = frame->clock;
    feed->exposure_start = (frame->flags & ZCS_FRAME_EXPOSURE_START) != 0;
    add_digest(feed, frame);
    controls_tell(s->source, frame, &feed->controls, feed->label, s->console);
    if (s->options->verbose > 1)
        tell_frame(feed, frame);
    if (s->latest != NULL && frame->chain == 0) {
        const struct zcs_frame *shown = zcs_frame_ref(frame);
        if (writer_put(s->latest, &shown, number) != 0 && status == 0)
            status = ZCAPP_FAILED;
    }
    feed->unwritten += status != 0 && s->writer != NULL;
    if (status != 0 || s->writer == NULL)
        zcs_frame_unref(&frame);
    else if (writer_put(s->writer, &frame, number) != 0)
        return ZCAPP_FAILED;
    return status;
}

int feed_can_go_on(const struct feed *feed, zcs_status status)
{
    return status == ZCS_ERR_FORMAT && input_is_camera(feed->session.options->input);
}

/* What the source has lost stays with it; the rest ends with the stream. */
int feed_resume(struct feed *feed)
{
    struct zcs_stream_stats stats;
    struct zcs_source_info info;
    struct zcs_stream_stats *past = &feed->past;
    if (!session_can_resume(&feed->session))
        return ZCAPP_FAILED;
    zcs_stream_stats(feed->session.stream, &stats);
    zcs_source_info(feed->session.source, &info);
    past->captured += stats.captured;
    past->skipped += stats.skipped;
    past->processed += stats.processed;
    past->cpu_bytes_copied += stats.cpu_bytes_copied;
    for (int i = 0; i < ZCS_LOSS_COUNT; i++)
        past->lost[i] += stats.lost[i] - info.lost[i];
    stream_delays_add(&feed->past_delays, feed->session.stream);
    const int status = session_resume(&feed->session, past);
    if (status == 0 && feed->stopped)
        zcs_stream_stop(feed->session.stream);
    return status;
}

void feed_part(struct feed *feed)
{
    if (feed->session.writer != NULL)
        writer_part(feed->session.writer);
    if (feed->session.recording != NULL)
        recording_part(feed->session.recording);
}

int feed_open(struct feed *feed)
{
    const int status = session_open(&feed->session);
    feed->stopped = status == ZCAPP_FAILED && feed->session.ctx != NULL &&
                    feed->session.source == NULL && signals_stop();
    return feed->stopped ? 0 : status;
}

void feed_begin(struct feed *feed)
{
    struct report report = {.options = feed->session.options,
                            .label = feed->label,
                            .stages = session_stages(&feed->session)};
    zcs_source_info(feed->session.source, &report.source);
    report_choices(&report, feed->session.console);
    feed->started_ns = feed_now_ns();
}

void feed_stop(struct feed *feed)
{
    if (!feed->stopped)
        zcs_stream_stop(feed->session.stream);
    feed->stopped = 1;
}

int feed_broke(struct feed *feed, const struct zcs_frame *frame)
{
    struct session *s = &feed->session;
    if (s->recording == NULL || !recording_stats(s->recording).failed)
        return 0;
    feed->unwritten += frame != NULL && s->writer != NULL;
    zcs_frame_unref(&frame);
    return 1;
}

/* Of all its streams. Without a present one, where a further one could not be made, the source's
 * losses are left. */
static void count_all(const struct feed *feed, struct zcs_stream_stats *stats)
{
    const struct session *s = &feed->session;
    const struct zcs_stream_stats *past = &feed->past;
    struct zcs_source_info info = {.kind = NULL};
    *stats = (struct zcs_stream_stats){.captured = 0};
    if (s->stream != NULL)
        zcs_stream_stats(s->stream, stats);
    else if (s->source != NULL)
        zcs_source_info(s->source, &info);
    stats->captured += past->captured;
    stats->skipped += past->skipped;
    stats->processed += past->processed;
    stats->cpu_bytes_copied += past->cpu_bytes_copied;
    for (int i = 0; i < ZCS_LOSS_COUNT; i++)
        stats->lost[i] += past->lost[i] + info.lost[i];
}

uint64_t feed_lost(const struct feed *feed)
{
    const struct session *s = &feed->session;
    struct zcs_stream_stats stats;
    uint64_t lost = s->writer != NULL ? writer_lost(s->writer) : 0;
    count_all(feed, &stats);
    for (int i = 0; i < ZCS_LOSS_COUNT; i++)
        lost += stats.lost[i];
    return lost + (s->recording != NULL ? recording_stats(s->recording).lost : 0);
}

void feed_let_go(struct feed *feed, uint64_t *count)
{
    const struct zcs_frame *frame = NULL;
    zcs_status status;
    if (feed->session.stream == NULL)
        return; /* a further one could not be made */
    zcs_stream_stop(feed->session.stream);
    while ((status = zcs_stream_next(feed->session.stream, LET_GO_NS, &frame)) == ZCS_OK ||
           status == ZCS_AGAIN) {
        *count += frame != NULL;
        zcs_frame_unref(&frame);
    }
}

/* After a failure, so that every captured frame is in one column. */
static void let_go(struct feed *feed)
{
    uint64_t count = 0;
    feed_let_go(feed, &count);
    feed->unwritten += feed->session.writer != NULL ? count : 0;
}

/* An end without any result is a failure, unless it was asked for. */
static int check_results(const struct feed *feed)
{
    const struct session *s = &feed->session;
    struct zcs_stream_stats stats;
    struct zcs_image image;
    if (feed->results > 0 || feed->stopped)
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

static void fill_stream(const struct feed *feed, struct report *report)
{
    const zcs_stream *stream = feed->session.stream;
    count_all(feed, &report->stream);
    const uint64_t frames = report->stream.processed > 0 ? report->stream.processed : 1;
    report->copied_per_frame = (report->stream.cpu_bytes_copied + frames / 2) / frames;
    for (uint32_t i = 0; stream != NULL && i < ZCS_MAX_CHAINS; i++)
        if (zcs_stream_image(stream, i, &report->images[i]) != ZCS_OK)
            break;
    stream_delays_legs(&feed->past_delays, stream, report->delays.legs);
}

static void fill_files(struct report *report, const struct writer_stats *stats)
{
    report->files = stats;
    report->delays.files = &stats->delays;
    report->stream.lost[ZCS_LOSS_WRITER] += stats->lost;
}

static void fill_recording(struct report *report, struct recording_stats stats)
{
    report->recording = stats;
    report->stream.lost[ZCS_LOSS_WRITER] += stats.lost;
}

int feed_end(struct feed *feed, int status)
{
    struct session *s = &feed->session;
    if (feed->ended_ns == 0)
        feed->ended_ns = feed_now_ns();
    if (status != 0)
        let_go(feed);
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
    return status != 0 ? status : check_results(feed);
}

void feed_report(const struct feed *feed, int status, struct report *out)
{
    const struct session *s = &feed->session;
    *out = (struct report){
        .options = s->options,
        .label = feed->label,
        .ctx = s->ctx,
        .stages = session_stages(s),
        .controls = s->controls,
        .chains = &s->chains,
        .seconds = (double)(feed->ended_ns - feed->started_ns) / 1e9,
        .delays = {.clock = feed->clock, .exposure_start = feed->exposure_start},
        .status = status,
        .interrupted = feed->stopped,
        .digested = feed->digested,
        .digest = feed->digest,
    };
    if (s->source != NULL)
        zcs_source_info(s->source, &out->source);
    fill_stream(feed, out);
    if (s->writer != NULL)
        fill_files(out, writer_stats(s->writer));
    if (s->recording != NULL)
        fill_recording(out, recording_stats(s->recording));
    out->stream.lost[ZCS_LOSS_WRITER] += feed->unwritten;
}
