/* SPDX-License-Identifier: MIT */
/* A run over several inputs: opening what can be opened, and what all came to. */
#include "app/run/multi_camera.h"

#include <inttypes.h>
#include <stdlib.h>

#include "app/run/json.h"
#include "app/run/report.h"
#include "app/run/multi_camera_loop.h"
#include "app/cli/status.h"

/* The exit status: that of all where they agree. */
static int status_of(const struct several *several)
{
    int status = several->all[0].status;
    for (unsigned i = 1; i < several->count; i++)
        if (several->all[i].status != status)
            status = ZCAPP_FAILED;
    return status;
}

static void open_one(struct several *several, unsigned i)
{
    struct one *one = &several->all[i];
    struct session *s = &one->feed.session;
    s->ctx = several->ctx;
    one->status = feed_open(&one->feed);
    one->errors = console_errors(several->console);
    if (one->status != 0 || one->feed.stopped)
        return;
    if (zcs_set_add(several->set, s->stream, &one->member) != ZCS_OK) {
        one->status = ZCAPP_FAILED;
        return;
    }
    one->in_set = one->running = 1;
    several->running++;
}

/* As they are told of where nothing can be opened. */
static int name_all(struct several *several)
{
    several->all = calloc(several->count, sizeof *several->all);
    if (several->all == NULL) {
        console_error(several->console, "%u inputs: no memory", several->count);
        return ZCAPP_FAILED;
    }
    for (unsigned i = 0; i < several->count; i++) {
        struct feed *feed = &several->all[i].feed;
        feed->session =
            (struct session){.options = &several->inputs[i].options, .console = several->console};
        feed->label = several->inputs[i].label;
    }
    return 0;
}

/* What fails for all is the status of each. */
static void open_all(struct several *several)
{
    const struct zcs_set_params params = {.tolerance_ns = several->options->sync_ns,
                                          .waiting = SYNC_FRAMES - 2};
    int status = session_open_context(several->options, several->console, &several->ctx);
    if (status == 0 && zcs_set_create(several->ctx, &params, &several->set) != ZCS_OK)
        status = ZCAPP_FAILED;
    for (unsigned i = 0; i < several->count; i++)
        if (status == 0)
            open_one(several, i);
        else
            several->all[i].status = status;
}

static void work(struct several *several)
{
    const struct console *console = several->console;
    const int shown = console->terminal && !several->options->quiet;
    if (several->set == NULL)
        return;
    several->progress.console = shown ? several->console : NULL;
    for (unsigned i = 0; i < several->count; i++)
        if (several->all[i].running)
            feed_begin(&several->all[i].feed);
    if (several->options->sync)
        several_match(several);
    else
        several_loop(several);
    zcs_set_destroy(&several->set);
    for (unsigned i = 0; i < several->count; i++) {
        struct one *one = &several->all[i];
        several->stopped |= one->feed.stopped;
        if (one->in_set) {
            one->feed.results += one->unmatched + one->left;
            one->status = feed_end(&one->feed, one->status);
        }
    }
}

/* Matching that matched nothing is a failure, unless it was asked to end. */
static int check_matches(const struct several *several, int status)
{
    if (!several->options->sync || several->matches > 0 || several->stopped || status != 0)
        return status;
    console_error(several->console, "--sync: no frames of the inputs are within %.3f ms",
                  (double)several->options->sync_ns / 1e6);
    return ZCAPP_FAILED;
}

static int conclude(struct several *several)
{
    const struct options *options = several->options;
    uint64_t unmatched[ZCS_MAX_MEMBERS] = {0};
    struct report reports[ZCS_MAX_MEMBERS];
    unsigned begun = 0;
    int status = check_matches(several, status_of(several));
    for (unsigned i = 0; i < several->count; i++) {
        const struct one *one = &several->all[i];
        feed_report(&one->feed, one->status, &reports[i]);
        reports[i].stream.captured -= one->left;
        reports[i].stream.processed -= one->left;
        unmatched[i] = one->unmatched;
        begun += one->in_set != 0;
        if (one->in_set)
            report_summary(&reports[i], several->console);
        if (options->sync && one->in_set)
            console_note(several->console, "%s: %" PRIu64 " frame%s without a match",
                         one->feed.label, unmatched[i], unmatched[i] == 1 ? "" : "s");
    }
    if (options->sync && begun > 0)
        console_note(several->console, "%" PRIu64 " match%s", several->matches,
                     several->matches == 1 ? "" : "es");
    const struct multi_report report = {.options = options,
                                        .inputs = reports,
                                        .matches = several->matches,
                                        .unmatched = unmatched,
                                        .status = status,
                                        .interrupted = several->stopped};
    if (options->json != NULL && report_write_multi(&report, several->console) != 0 && status == 0)
        status = ZCAPP_FAILED;
    return status;
}

static void close_all(struct several *several)
{
    zcs_set_destroy(&several->set);
    for (unsigned i = 0; several->all != NULL && i < several->count; i++)
        session_close(&several->all[i].feed.session);
    zcs_close(&several->ctx);
    free(several->all);
    folders_finish_inputs(&several->inputs, several->count);
}

int run_several(const struct options *options, struct console *console)
{
    struct several several = {
        .options = options, .console = console, .count = options->input_count};
    int status = folders_split_inputs(options, console, &several.inputs);
    if (status == 0 && jsonfile_check(options->json, console) != 0)
        status = ZCAPP_FAILED;
    if (status == 0)
        status = name_all(&several);
    if (status == 0) {
        open_all(&several);
        work(&several);
        status = conclude(&several);
    }
    close_all(&several);
    return status;
}
