/* SPDX-License-Identifier: MIT */
/* The objects of a run, opened according to the options: context, source, stream, writer,
 * recording. */
#include "app/run/session.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "zcstream/device.h"

#include "app/cli/signals.h"
#include "app/cli/status.h"
#include "app/run/controls.h"
#include "app/run/folders.h"
#include "app/run/input.h"

#define QUEUE_BYTES (UINT64_C(1) << 30) /* limit of the pictures that wait for a writer */
#define MAX_WRITERS 8
#define LATEST_FRAMES 2 /* for --latest: one picture waits, one is written */

int session_failure(struct console *console, unsigned errors_before, const char *what,
                    zcs_status status)
{
    if (console_errors(console) == errors_before)
        console_error(console, "%s: %s", what, zcs_strerror(status));
    return zcapp_status_of(status);
}

int session_open_context(const struct options *options, struct console *console, zcs_context **out)
{
    const struct zcs_params params = {
        .backend = (enum zcs_backend)options->backend,
        .host_threads = (uint32_t)options->threads,
        .log = console_log,
        .log_user = console,
        .log_level = console->level,
        .route_cache = options->route_cache,
    };
    const unsigned errors = console_errors(console);
    sigset_t before;
    signals_block(&before);
    const zcs_status status = zcs_open(&params, out);
    signals_restore(&before);
    return status == ZCS_OK ? 0 : session_failure(console, errors, "backend", status);
}

static int check_devices(const struct session *s)
{
    const uint32_t count = zcs_device_count(s->ctx);
    for (uint32_t i = 0; i < s->options->device_count; i++)
        if (s->options->devices[i] >= count) {
            console_error(s->console, "--devices: there is no device %u, only 0 to %u (%u in all)",
                          s->options->devices[i], count - 1, count);
            return ZCAPP_UNAVAILABLE;
        }
    return 0;
}

const char *session_stages(const struct session *session)
{
    struct zcs_image image;
    if (session->source == NULL || session->options->stages != NULL)
        return session->options->stages;
    zcs_source_image(session->source, &image);
    return zcs_stage_default(image.format);
}

/* The largest possible number of results; 0: not known. */
static uint64_t max_results(const struct session *s)
{
    struct zcs_source_info info;
    const struct options *options = s->options;
    zcs_source_info(s->source, &info);
    if (info.frames <= options->skip) /* not known, or none is left, which is reported at the end */
        return options->frames;
    const uint64_t max = (info.frames - options->skip - 1) / options->every + 1;
    return options->frames != 0 && options->frames < max ? options->frames : max;
}

uint64_t session_max_results(const struct session *s)
{
    const uint64_t max = s->source != NULL ? max_results(s) : 0;
    const int each = s->options->dispatch == ZCS_DISPATCH_BROADCAST && s->options->chain_count > 1;
    return each && max <= UINT64_MAX / ZCS_MAX_CHAINS ? max * s->options->chain_count : max;
}

static int check_numbered(const struct session *s)
{
    const struct output_target *target = &s->options->target;
    const uint64_t max = max_results(s);
    char count[48] = "and this input may have more";
    if (target->kind == NULL || output_is_series(target) || target->name.numbered || max == 1)
        return 0;
    if (max != 0)
        snprintf(count, sizeof count, "and here are %" PRIu64, max);
    console_error(
        s->console,
        "--output '%s': a name without a number such as %%06u is for one frame (-n 1), %s",
        target->text, count);
    return ZCAPP_USAGE;
}

static unsigned at_most(unsigned value, uint64_t limit)
{
    return limit > 0 && limit < value ? (unsigned)limit : value;
}

/* Sets the number of writer threads and of pictures that may wait: not more than there are frames,
 * and not so many that large pictures fill the memory. */
static void plan_writers(struct session *s)
{
    struct zcs_source_info info;
    zcs_source_info(s->source, &info);
    const long cores = sysconf(_SC_NPROCESSORS_ONLN);
    const uint64_t picture = (uint64_t)info.image.width * info.image.height * 8;
    s->writers = at_most(MAX_WRITERS, cores > 0 ? (uint64_t)cores : 1);
    if (s->options->writers != 0)
        s->writers = (unsigned)s->options->writers;
    if (output_is_series(&s->options->target))
        s->writers = 1;
    s->writers = at_most(s->writers, max_results(s));
    s->queue = at_most(2 * s->writers, QUEUE_BYTES / picture + 1);
}

static void record_frame(void *user, const struct zcs_frame *captured)
{
    const struct session *s = user;
    if (s->recording != NULL)
        recording_put(s->recording, captured);
}

static zcs_status create_stream(struct session *s)
{
    static const enum zcs_depth depths[] = {ZCS_DEPTH_AUTO, ZCS_DEPTH_8, ZCS_DEPTH_16};
    const struct options *options = s->options;
    struct zcs_stream_params params = {
        .stages = options->dispatch == ZCS_DISPATCH_BROADCAST ? NULL : options->stages,
        .depth = depths[options->depth],
        .device_count = options->device_count,
        .dispatch = (enum zcs_dispatch)options->dispatch,
        .route = (enum zcs_route)options->route,
        .low_latency = options->low_latency,
        .memory = (enum zcs_memory_policy)options->memory,
        .policy = (enum zcs_policy)options->policy,
        .slots = (uint32_t)options->buffers,
        .results = (options->target.kind != NULL ? s->writers + s->queue + 1 : 1) +
                   (options->latest.kind != NULL ? LATEST_FRAMES : 0) +
                   (options->sync ? SYNC_FRAMES : 0),
        .skip = options->skip > s->captured ? options->skip - s->captured : 0,
        .every = options->every,
        .frames = options->frames > s->done ? options->frames - s->done : options->frames,
    };
    memcpy(params.devices, options->devices, sizeof params.devices);
    if (options->dispatch == ZCS_DISPATCH_BROADCAST) {
        params.chains = options->chains; /* NULL: the default stages */
        params.chain_count = options->chain_count > 0 ? options->chain_count : 1;
    }
    if (options->record != NULL) {
        struct zcs_image image;
        zcs_source_image(s->source, &image);
        params.tap = record_frame;
        params.tap_user = s;
        params.tap_frames = recording_frames(&image);
    }
    return zcs_stream_create(s->ctx, s->source, &params, &s->stream);
}

/* Checks that the pictures of each chain can be written to its files. */
static int check_pictures(const struct session *s)
{
    const unsigned count = s->chains.count > 0 ? s->chains.count : 1;
    char why[256];
    for (unsigned i = 0; i < count; i++) {
        const struct output_target *target =
            s->chains.count > 0 ? &s->chains.targets[i] : &s->options->target;
        struct zcs_image image;
        if (zcs_stream_image(s->stream, i, &image) == ZCS_OK &&
            output_check(target, &image, why, sizeof why) == 0)
            continue;
        console_error(s->console, "--output '%s': %s", target->text, why);
        return ZCAPP_USAGE;
    }
    return 0;
}

static int create_writer(struct session *s)
{
    struct zcs_source_info info;
    if (s->options->target.kind == NULL)
        return 0;
    zcs_source_info(s->source, &info);
    const uint64_t every = s->options->every;
    const uint64_t den = every <= UINT32_MAX ? info.fps_den * every : UINT64_MAX;
    const int status = check_pictures(s);
    if (status != 0)
        return status;
    const struct writer_params params = {
        .target = s->chains.count > 0 ? s->chains.targets : &s->options->target,
        .chains = s->chains.count > 0 ? s->chains.count : 1,
        .style = {.png_level = (unsigned)s->options->png_level,
                  .source = s->options->input,
                  .format = info.image.format,
                  .fps_num = info.fps_num,
                  .fps_den = den <= UINT32_MAX ? (uint32_t)den : 0},
        .policy = (enum zcs_policy)s->options->policy,
        .retention = s->options->retention,
        .live = strcmp(info.kind, "replay") != 0,
        .threads = s->writers,
        .queue = s->queue,
        .console = s->console,
    };
    s->writer = writer_create(&params);
    return s->writer != NULL ? 0 : ZCAPP_FAILED;
}

/* This writer drops frames when it is too slow: it never delays the run. */
static int create_latest(struct session *s)
{
    struct zcs_source_info info;
    struct zcs_stream_stats stats;
    char why[256];
    const struct output_target *target = &s->options->latest;
    if (target->kind == NULL)
        return 0;
    zcs_source_info(s->source, &info);
    zcs_stream_stats(s->stream, &stats);
    if (output_check(target, &stats.image, why, sizeof why) != 0) {
        console_error(s->console, "--latest '%s': %s", target->text, why);
        return ZCAPP_USAGE;
    }
    const struct writer_params params = {
        .target = target,
        .chains = 1,
        .style = {.png_level = (unsigned)s->options->png_level,
                  .source = s->options->input,
                  .format = info.image.format},
        .policy = ZCS_POLICY_LATEST,
        .threads = 1,
        .queue = 1,
        .console = s->console,
    };
    s->latest = writer_create(&params);
    return s->latest != NULL ? 0 : ZCAPP_FAILED;
}

static int create_recording(struct session *s)
{
    struct recording_params params = {.path = s->options->record,
                                      .input = s->options->input,
                                      .policy = (enum zcs_policy)s->options->policy,
                                      .retention = s->options->retention,
                                      .console = s->console};
    if (params.path == NULL)
        return 0;
    zcs_source_info(s->source, &params.source);
    params.text = params.source.recorded_text != NULL ? params.source.recorded_text : s->controls;
    s->recording = recording_create(s->ctx, &params);
    return s->recording != NULL ? 0 : ZCAPP_FAILED;
}

/* A camera that does not exist or does not support the request counts as an unavailable device. */
static int source_failure(const struct session *s, unsigned errors, zcs_status status)
{
    const int result = session_failure(s->console, errors, s->options->input, status);
    const int missing = input_is_camera(s->options->input) && status != ZCS_ERR_NOMEM;
    return missing && result == ZCAPP_FAILED ? ZCAPP_UNAVAILABLE : result;
}

int session_open(struct session *s)
{
    s->shared = s->ctx != NULL;
    int result = s->shared ? 0 : session_open_context(s->options, s->console, &s->ctx);
    if (result == 0)
        result = check_devices(s);
    if (result != 0)
        return result;
    const unsigned errors = console_errors(s->console);
    if (signals_stop()) /* opening the input may wait without end */
        return ZCAPP_FAILED;
    zcs_status status = input_open(s->options, s->ctx, &s->source);
    if (status != ZCS_OK)
        return source_failure(s, errors, status);
    result = check_numbered(s);
    if (result == 0)
        result = folders_split_chains(s->options, s->console, &s->chains);
    if (result != 0)
        return result;
    plan_writers(s);
    if (s->options->record != NULL || s->options->json != NULL)
        s->controls = controls_text(s->source);
    status = create_stream(s);
    if (status == ZCS_ERR_FORMAT) { /* a stage does not support the format of the input */
        session_failure(s->console, errors, "--stages", status);
        return ZCAPP_USAGE;
    }
    if (status != ZCS_OK)
        return session_failure(s->console, errors, s->options->input, status);
    result = create_latest(s);
    if (result == 0)
        result = create_writer(s);
    return result != 0 ? result : create_recording(s); /* the only one that opens a file here */
}

/* The option whose file can hold frames of one size only; NULL: none. */
static const char *one_size_option(const struct options *options)
{
    if (options->record != NULL)
        return "--record";
    return options->target.kind != NULL && output_is_series(&options->target) ? "--output" : NULL;
}

int session_can_resume(const struct session *s)
{
    const struct options *options = s->options;
    const char *option = one_size_option(options);
    if (option != NULL)
        console_error(s->console, "%s '%s': ends here: one file has frames of one size", option,
                      options->record != NULL ? options->record : options->target.text);
    return option == NULL;
}

int session_resume(struct session *s, const struct zcs_stream_stats *past)
{
    const struct options *options = s->options;
    const unsigned errors = console_errors(s->console);
    zcs_stream_destroy(&s->stream);
    s->captured = past->captured;
    s->done = past->processed;
    const zcs_status status = create_stream(s);
    if (status != ZCS_OK)
        return session_failure(s->console, errors, options->input, status);
    return options->target.kind == NULL || check_pictures(s) == 0 ? 0 : ZCAPP_FAILED;
}

void session_close(struct session *s)
{
    writer_destroy(&s->latest);
    writer_destroy(&s->writer);
    folders_finish_chains(&s->chains);
    recording_destroy(&s->recording);
    zcs_stream_destroy(&s->stream);
    zcs_source_close(&s->source);
    if (!s->shared)
        zcs_close(&s->ctx);
    free(s->controls);
    s->controls = NULL;
}
