/* SPDX-License-Identifier: MIT */
/* Streaming on and off, restarts, and the kinds of memory in turn until good frames come. */
#include "source/v4l2/streaming.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <time.h>

#include "os/clock.h"
#include "source/v4l2/memory_mode.h"

#define TRY_PAUSE_NS 10000000L
#define WHY_BYTES 400

/* Refusals of STREAMON that may pass: some cameras answer the second request only. */
static int may_pass(int error)
{
    switch (error) {
    case EINVAL:
    case EIO:
    case EPROTO:
    case EILSEQ:
    case EREMOTEIO:
    case ETIMEDOUT:
        return 1;
    default:
        return 0;
    }
}

static int try_again(int error, int *again, unsigned *tries)
{
    const struct timespec pause = {.tv_nsec = TRY_PAUSE_NS};
    if (!may_pass(error) || (*again)-- <= 0)
        return zci_v4l2_retry_busy(error, tries);
    nanosleep(&pause, NULL);
    return 1;
}

static zcs_status stream_on(struct zci_v4l2_source *source)
{
    unsigned tries = 0;
    int error, again = 1;
    do {
        error = zci_v4l2_stream(&source->dev.port, 1);
    } while (try_again(error, &again, &tries));
    if (error != 0)
        return zci_v4l2_fail(&source->dev, "VIDIOC_STREAMON", error);
    source->streaming = 1;
    source->failed_dequeues = 0;
    source->empty_dequeues = 0;
    source->backoff_until_ns = 0;
    zci_v4l2_watchdog_start(&source->watchdog);
    return ZCS_OK;
}

zcs_status zci_v4l2_streaming_start(struct zci_v4l2_source *source)
{
    source->sequence.restarted = source->sequence.started; /* numbers go on in further slots */
    zci_v4l2_watchdog_init(&source->watchdog, source->stall_ns, source->negotiated.fps_num,
                           source->negotiated.fps_den);
    return stream_on(source);
}

void zci_v4l2_streaming_stop(struct zci_v4l2_source *source)
{
    if (source->streaming)
        (void)zci_v4l2_stream(&source->dev.port, 0);
    source->streaming = 0;
    if (source->buffers.count > 0)
        zci_v4l2_buffers_finish(&source->buffers);
}

void zci_v4l2_streaming_pause(struct zci_v4l2_source *source)
{
    if (source->streaming)
        (void)zci_v4l2_stream(&source->dev.port, 0);
    source->streaming = 0;
    source->empty_dequeues = 0;
    source->backoff_until_ns = 0;
    if (source->buffers.count > 0)
        zci_v4l2_buffers_release(&source->buffers);
}

void zci_v4l2_streaming_disconnect(struct zci_v4l2_source *source)
{
    zci_v4l2_streaming_pause(source);
    zci_v4l2_device_close_node(&source->dev);
    source->head.fd_epoch++;
}

static zcs_status stream_off(struct zci_v4l2_source *source)
{
    const int error = zci_v4l2_stream(&source->dev.port, 0);
    if (error != 0)
        return zci_v4l2_fail(&source->dev, "VIDIOC_STREAMOFF", error);
    source->streaming = 0;
    return ZCS_OK;
}

/* STREAMOFF and STREAMON with the same buffers. */
static zcs_status restart(struct zci_v4l2_source *source)
{
    const zcs_status off = stream_off(source);
    if (off != ZCS_OK)
        return off;
    const int error = zci_v4l2_buffers_requeue(&source->buffers);
    if (error != 0)
        return zci_v4l2_fail(&source->dev, "VIDIOC_QBUF", error);
    source->sequence.restarted = 1;
    source->watchdog.restarted = 1;
    return stream_on(source);
}

/* A kind of memory that has given a good frame works; then the camera has failed. So it has where
 * no frame comes at all. */
static int memory_is_suspect(const struct zci_v4l2_source *source)
{
    return !source->mode_proven && source->watchdog.bad > 0;
}

/* ZCS_AGAIN: no kind of memory is left. */
static zcs_status next_memory(struct zci_v4l2_source *source, const char *why)
{
    if (!memory_is_suspect(source))
        return ZCS_AGAIN;
    const enum zcs_path before = source->buffers.path;
    zcs_status status = stream_off(source);
    if (status != ZCS_OK)
        return status;
    zci_v4l2_streaming_pause(source);
    status = zci_v4l2_memory_next(source);
    if (status != ZCS_OK)
        return status;
    zci_log(&source->head.log, ZCS_LOG_WARNING,
            "%s: %s, even after streaming was restarted: path %s is tried after %s",
            source->dev.path, why, zcs_path_name(source->buffers.path), zcs_path_name(before));
    source->sequence.restarted = 1;
    return stream_on(source);
}

zcs_status zci_v4l2_streaming_recover(struct zci_v4l2_source *source, const char *why)
{
    if (!source->watchdog.restarted) {
        zci_log(&source->head.log, ZCS_LOG_WARNING, "%s: %s: streaming is restarted",
                source->dev.path, why);
        return restart(source);
    }
    const zcs_status status = next_memory(source, why);
    if (status != ZCS_AGAIN)
        return status;
    return zci_fail(source->dev.log, ZCS_ERR_IO,
                    "%s: %s, even after streaming was restarted: given up", source->dev.path, why);
}

static void describe_bad(const struct zci_v4l2_source *source, char *why)
{
    const struct zci_v4l2_watchdog *watchdog = &source->watchdog;
    snprintf(why, WHY_BYTES,
             "no good frame came for %.1f s, and %" PRIu32 " bad ones (the last: %s)",
             (double)(zci_now_ns() - watchdog->since_ns) / 1e9, watchdog->bad,
             zcs_loss_name(watchdog->cause));
}

/* Without any frame so far the camera need not have failed. */
static void describe_none_yet(const struct zci_v4l2_source *source, char *why)
{
    char exposure[80] = "";
    int64_t value = 0;
    const char *name = zci_v4l2_get_exposure(&source->dev.port, &value);
    if (name != NULL)
        snprintf(exposure, sizeof exposure, "; its control %s is %" PRId64, name, value);
    snprintf(why, WHY_BYTES,
             "no frame came yet, for %.1f s (if it waits for a trigger or exposes for long: "
             "--stall 0 waits without limit, and a lower rate, --fps, waits longer%s)",
             (double)(zci_now_ns() - source->watchdog.since_ns) / 1e9, exposure);
}

zcs_status zci_v4l2_streaming_check(struct zci_v4l2_source *source)
{
    char why[WHY_BYTES] = "no frame comes any more";
    const int64_t due_ns = zci_v4l2_watchdog_due_ns(&source->watchdog);
    if (due_ns == INT64_MAX || zci_now_ns() < due_ns)
        return ZCS_OK;
    if (source->watchdog.bad > 0)
        describe_bad(source, why);
    else if (!source->sequence.started)
        describe_none_yet(source, why);
    return zci_v4l2_streaming_recover(source, why);
}
