/* SPDX-License-Identifier: MIT */
/* A run with several inputs: one loop serves all of them; an input that fails is left out. */
#include "app/run/multi_camera.h"

#include <inttypes.h>
#include <stdlib.h>

#include "zcstream/set.h"

#include "app/cli/signals.h"
#include "app/cli/status.h"
#include "app/run/folders.h"
#include "app/run/input_run.h"
#include "app/run/json.h"
#include "app/run/report.h"

#define TIMEOUT_NS 100000000 /* a signal that comes just before a wait is noticed after this time */
#define ROOM_NS 10000000     /* how often a writer without room is checked */

struct multi_input {
    struct input_run run;
    int in_set; /* 1: it could be opened and is `member` of the set */
    uint32_t member;
    int running;
    int paused; /* the writer has no room */
    int status;
    unsigned errors;    /* errors that were shown before it was begun */
    uint64_t unmatched; /* with --sync: results without a match */
    uint64_t left; /* with --sync: results that might have had a match if the run had continued */
};

struct multi_run {
    const struct options *options;
    struct console *console;
    struct input_options *split; /* `count` elements, as `inputs` */
    struct multi_input *inputs;
    unsigned count, running;
    zcs_context *ctx;
    zcs_set *set;
    uint64_t matches;
    int64_t start_ns; /* CLOCK_REALTIME */
    int stopped;      /* by a signal */
    struct progress progress;
};

/* --- the loops --- */

static struct multi_input *find_input(const struct multi_run *multi, uint32_t member)
{
    struct multi_input *input = multi->inputs;
    while (!input->in_set || input->member != member)
        input++;
    return input;
}

static void finish_input(struct multi_run *multi, struct multi_input *input, int status)
{
    if (!input->running)
        return;
    input->running = 0;
    input->status = status;
    input->run.ended_ns = input_run_now_ns();
    multi->running--;
    zcs_set_pause(multi->set, input->member, 1);
}

/* The stream of one input ended with `status`. */
static void finish_stream(struct multi_run *multi, struct multi_input *input, zcs_status status)
{
    const struct session *s = &input->run.session;
    finish_input(multi, input,
                 status == ZCS_EOF
                     ? 0
                     : session_failure(s->console, input->errors, s->options->input, status));
}

static void handle_signals(struct multi_run *multi)
{
    const int stop = signals_stop() && !multi->stopped, part = signals_part();
    multi->stopped |= stop;
    for (unsigned i = 0; (stop || part) && i < multi->count; i++) {
        if (stop && multi->inputs[i].running)
            input_run_stop(&multi->inputs[i].run);
        if (part && multi->inputs[i].running)
            input_run_next_part(&multi->inputs[i].run);
    }
}

static void show_progress(struct multi_run *multi, const struct multi_input *from,
                          int64_t latency_ns)
{
    struct progress_state state = {0}, last = {0};
    if (multi->progress.console == NULL)
        return;
    for (unsigned i = 0; i < multi->count; i++)
        if (multi->inputs[i].in_set)
            input_run_progress(&multi->inputs[i].run, latency_ns, &state);
    input_run_progress(&from->run, latency_ns, &last);
    state.latency_ns = last.latency_ns;
    state.to_file = last.to_file;
    progress_update(&multi->progress, input_run_now_ns(), &state);
}

/* The frames of all inputs; 0: not known for one of them. */
static uint64_t total_frames(const struct multi_run *multi)
{
    uint64_t total = 0;
    for (unsigned i = 0; i < multi->count; i++) {
        const uint64_t frames =
            multi->inputs[i].in_set ? session_max_results(&multi->inputs[i].run.session) : 0;
        if (multi->inputs[i].in_set && (frames == 0 || frames > UINT64_MAX - total))
            return 0;
        total += frames;
    }
    return total;
}

/* Finishes the inputs whose recording failed. Returns 1 if there are any. */
static int check_recordings(struct multi_run *multi)
{
    int failed = 0;
    for (unsigned i = 0; i < multi->count; i++) {
        if (!multi->inputs[i].running || !input_run_recording_failed(&multi->inputs[i].run, NULL))
            continue;
        finish_input(multi, &multi->inputs[i], ZCAPP_FAILED);
        failed = 1;
    }
    return failed;
}

/* Pauses the inputs whose next frame would wait for a writer; the others continue. Returns 1 if any
 * is paused. */
static int pause_full(struct multi_run *multi)
{
    int paused = 0;
    for (unsigned i = 0; i < multi->count; i++) {
        struct multi_input *input = &multi->inputs[i];
        const int full = input->running && !input_run_has_room(&input->run);
        if (input->running && full != input->paused)
            zcs_set_pause(multi->set, input->member, full);
        input->paused = full;
        paused |= full;
    }
    return paused;
}

/* The frames have another size: a new stream replaces the one that ended. */
static void resume(struct multi_run *multi, struct multi_input *input)
{
    int status = input_run_resume(&input->run);
    if (status == 0 &&
        zcs_set_replace(multi->set, input->member, input->run.session.stream) != ZCS_OK)
        status = ZCAPP_FAILED;
    input->paused = 0;
    if (status != 0)
        finish_input(multi, input, status);
}

static void serve(struct multi_run *multi)
{
    while (multi->running > 0) {
        struct zcs_set_event event;
        handle_signals(multi);
        const int paused = pause_full(multi);
        const zcs_status status = zcs_set_next(multi->set, paused ? ROOM_NS : TIMEOUT_NS, &event);
        (void)check_recordings(multi); /* the others continue */
        if (status != ZCS_OK)
            continue;
        struct multi_input *input = find_input(multi, event.member);
        if (input_run_can_resume(&input->run, event.status)) {
            resume(multi, input);
            continue;
        }
        if (event.status != ZCS_OK) {
            finish_stream(multi, input, event.status);
            continue;
        }
        const int64_t latency_ns = event.frame->result_ns - event.frame->captured_ns;
        const int taken = input_run_take(&input->run, event.frame);
        if (taken != 0)
            finish_input(multi, input, taken);
        show_progress(multi, input, latency_ns);
    }
}

/* Takes the frames of one match. Returns 1 if an output failed. */
static int take_match(struct multi_run *multi, const struct zcs_frame **frames)
{
    const struct multi_input *last = NULL;
    int failed = 0;
    int64_t latency_ns = 0;
    for (unsigned i = 0; i < multi->count; i++) {
        struct multi_input *input = &multi->inputs[i];
        if (!input->in_set || frames[input->member] == NULL)
            continue;
        const struct zcs_frame *frame = frames[input->member];
        latency_ns = frame->result_ns - frame->captured_ns;
        last = input;
        const int taken = input_run_take_as(&input->run, frame, multi->matches);
        if (taken != 0)
            finish_input(multi, input, taken);
        failed |= taken != 0;
    }
    multi->matches++;
    if (last != NULL)
        show_progress(multi, last, latency_ns);
    return failed;
}

/* Inputs whose frames have another size continue with these. Other failures are reported, and
 * matching continues without the input. */
static void handle_ends(struct multi_run *multi)
{
    for (unsigned i = 0; i < multi->count; i++) {
        struct multi_input *input = &multi->inputs[i];
        const zcs_status status =
            input->running ? zcs_set_member(multi->set, input->member) : ZCS_OK;
        if (status < 0 && input_run_can_resume(&input->run, status))
            resume(multi, input);
        else if (status < 0)
            finish_stream(multi, input, status);
    }
}

/* A failed output or recording ends the run: a match needs all of them. */
static void match(struct multi_run *multi)
{
    const struct zcs_frame *frames[ZCS_MAX_MEMBERS] = {NULL};
    const uint64_t max = multi->options->frames_given ? multi->options->frames : 0;
    int failed = 0;
    while (multi->running > 0 && !failed && (max == 0 || multi->matches < max)) {
        handle_signals(multi);
        const zcs_status status = zcs_set_match(multi->set, TIMEOUT_NS, frames);
        failed = check_recordings(multi);
        handle_ends(multi);
        if (status == ZCS_OK)
            failed |= take_match(multi, frames);
        else if (status != ZCS_AGAIN)
            break;
    }
}

/* Counts the results that still wait or are in flight. If an input has ended, they have no match.
 * If the run was ended, for example by -n, they might have had one. */
static void count_rest(struct multi_run *multi)
{
    struct zcs_set_stats stats;
    zcs_set_stats(multi->set, &stats);
    for (unsigned i = 0; i < multi->count; i++) {
        struct multi_input *input = &multi->inputs[i];
        if (!input->in_set)
            continue;
        if (input->running) {
            input_run_release(&input->run, stats.exhausted ? &input->unmatched : &input->left);
            finish_input(multi, input, 0);
        }
        input->unmatched += stats.unmatched[input->member];
        input->left += stats.left[input->member] + stats.waiting[input->member];
    }
}

/* --- opening and closing --- */

/* The exit status: that of the inputs if it is the same for all, else ZCAPP_FAILED. */
static int status_of(const struct multi_run *multi)
{
    int status = multi->inputs[0].status;
    for (unsigned i = 1; i < multi->count; i++)
        if (multi->inputs[i].status != status)
            status = ZCAPP_FAILED;
    return status;
}

static void open_input(struct multi_run *multi, unsigned i)
{
    struct multi_input *input = &multi->inputs[i];
    struct session *s = &input->run.session;
    s->ctx = multi->ctx;
    input->status = input_run_open(&input->run);
    input->errors = console_errors(multi->console);
    if (input->status != 0 || input->run.stopped)
        return;
    if (zcs_set_add(multi->set, s->stream, &input->member) != ZCS_OK) {
        input->status = ZCAPP_FAILED;
        return;
    }
    input->in_set = input->running = 1;
    multi->running++;
}

/* Also for a report on inputs that could not be opened. */
static int create_inputs(struct multi_run *multi)
{
    multi->inputs = calloc(multi->count, sizeof *multi->inputs);
    if (multi->inputs == NULL) {
        console_error(multi->console, "%u inputs: no memory", multi->count);
        return ZCAPP_FAILED;
    }
    for (unsigned i = 0; i < multi->count; i++) {
        struct input_run *run = &multi->inputs[i].run;
        run->session =
            (struct session){.options = &multi->split[i].options, .console = multi->console};
        run->label = multi->split[i].label;
    }
    return 0;
}

/* A failure that concerns all inputs is the status of each. */
static void open_all(struct multi_run *multi)
{
    const struct zcs_set_params params = {.tolerance_ns = multi->options->sync_ns,
                                          .waiting = SYNC_FRAMES - 2};
    int status = session_open_context(multi->options, multi->console, &multi->ctx);
    if (status == 0 && zcs_set_create(multi->ctx, &params, &multi->set) != ZCS_OK)
        status = ZCAPP_FAILED;
    for (unsigned i = 0; i < multi->count; i++)
        if (status == 0)
            open_input(multi, i);
        else
            multi->inputs[i].status = status;
}

static void run_all(struct multi_run *multi)
{
    const struct console *console = multi->console;
    const int shown = console->terminal && !multi->options->quiet;
    if (multi->set == NULL)
        return;
    multi->progress.console = shown ? multi->console : NULL;
    multi->progress.total = multi->options->sync ? 0 : total_frames(multi);
    for (unsigned i = 0; i < multi->count; i++)
        if (multi->inputs[i].running)
            input_run_begin(&multi->inputs[i].run);
    if (multi->options->sync) {
        match(multi);
        count_rest(multi);
    } else {
        serve(multi);
    }
    zcs_set_destroy(&multi->set);
    for (unsigned i = 0; i < multi->count; i++) {
        struct multi_input *input = &multi->inputs[i];
        multi->stopped |= input->run.stopped;
        if (input->in_set) {
            input->run.results += input->unmatched + input->left;
            input->status = input_run_end(&input->run, input->status);
        }
    }
}

/* A run without any match has failed, unless a signal ended it. */
static int check_matches(const struct multi_run *multi, int status)
{
    if (!multi->options->sync || multi->matches > 0 || multi->stopped || status != 0)
        return status;
    console_error(multi->console, "--sync: no frames of the inputs are within %.3f ms",
                  (double)multi->options->sync_ns / 1e6);
    return ZCAPP_FAILED;
}

static int conclude(struct multi_run *multi)
{
    const struct options *options = multi->options;
    uint64_t unmatched[ZCS_MAX_MEMBERS] = {0};
    char error[CONSOLE_ERROR_BYTES];
    struct report reports[ZCS_MAX_MEMBERS];
    unsigned begun = 0;
    int status = check_matches(multi, status_of(multi));
    for (unsigned i = 0; i < multi->count; i++) {
        const struct multi_input *input = &multi->inputs[i];
        input_run_report(&input->run, input->status, &reports[i]);
        reports[i].stream.captured -= input->left;
        reports[i].stream.processed -= input->left;
        unmatched[i] = input->unmatched;
        begun += input->in_set != 0;
        if (input->in_set)
            report_summary(&reports[i], multi->console);
        if (options->sync && input->in_set)
            console_note(multi->console, "%s: %" PRIu64 " frame%s without a match",
                         input->run.label, unmatched[i], unmatched[i] == 1 ? "" : "s");
    }
    if (options->sync && begun > 0)
        console_note(multi->console, "%" PRIu64 " match%s", multi->matches,
                     multi->matches == 1 ? "" : "es");
    console_first_error(multi->console, error);
    const struct multi_report report = {.options = options,
                                        .error = error,
                                        .start_ns = multi->start_ns,
                                        .end_ns = input_run_real_ns(),
                                        .inputs = reports,
                                        .matches = multi->matches,
                                        .unmatched = unmatched,
                                        .status = status,
                                        .interrupted = multi->stopped};
    if (options->json != NULL && report_write_multi(&report, multi->console) != 0 && status == 0)
        status = ZCAPP_FAILED;
    return status;
}

static void close_all(struct multi_run *multi)
{
    zcs_set_destroy(&multi->set);
    for (unsigned i = 0; multi->inputs != NULL && i < multi->count; i++)
        session_close(&multi->inputs[i].run.session);
    zcs_close(&multi->ctx);
    free(multi->inputs);
    folders_finish_inputs(&multi->split, multi->count);
}

int multi_camera_main(const struct options *options, struct console *console)
{
    struct multi_run multi = {.options = options,
                              .console = console,
                              .count = options->input_count,
                              .start_ns = input_run_real_ns()};
    int status = folders_split_inputs(options, console, &multi.split);
    if (status == 0 && jsonfile_check(options->json, console) != 0)
        status = ZCAPP_FAILED;
    if (status == 0)
        status = create_inputs(&multi);
    if (status == 0) {
        open_all(&multi);
        run_all(&multi);
        status = conclude(&multi);
    }
    close_all(&multi);
    return status;
}
