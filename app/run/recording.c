/* SPDX-License-Identifier: MIT */
/* --record: a thread writes captured frames into a recording. */
#include "app/run/recording.h"

#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "app/cli/signals.h"
#include "app/output/outfile.h"
#include "app/output/outname.h"

#define QUEUE 8u
#define QUEUE_BYTES ((size_t)256 << 20) /* limit of the queue, unless one frame is larger */

struct recording {
    struct recording_params params; /* its texts are borrowed */
    zcs_context *ctx;
    struct part name;
    retention *retention; /* NULL: keep all parts */
    zcs_recorder *recorder;
    pthread_mutex_t lock;
    pthread_cond_t filled; /* a frame was queued, or `ending` is set */
    pthread_cond_t freed;  /* a frame left the queue */
    const struct zcs_frame *frames[QUEUE];
    unsigned queue, first, count;
    int ending;
    int part_requested; /* 1: start the next part after `ahead` more frames */
    unsigned ahead;
    uint64_t in_part; /* frames in the current part */
    struct recording_stats stats;
    pthread_t thread;
    int running;
};

static unsigned queue_for(const struct zcs_image *image)
{
    const size_t fit = QUEUE_BYTES / image->size_bytes;
    return fit < 1 ? 1 : fit < QUEUE ? (unsigned)fit : QUEUE;
}

unsigned recording_frames(const struct zcs_image *image)
{
    return queue_for(image) + 1;
}

/* Returns NULL if the queue is empty. Call with the lock held. */
static const struct zcs_frame *take(struct recording *r)
{
    if (r->count == 0)
        return NULL;
    const struct zcs_frame *frame = r->frames[r->first];
    r->first = (r->first + 1) % r->queue;
    r->count--;
    r->ahead -= r->ahead > 0;
    pthread_cond_signal(&r->freed);
    return frame;
}

static void drop_one(struct recording *r)
{
    const struct zcs_frame *frame = take(r);
    if (frame == NULL)
        return;
    zcs_frame_unref(&frame);
    r->stats.lost++;
}

static void count_one(struct recording *r, zcs_status status)
{
    pthread_mutex_lock(&r->lock);
    if (status == ZCS_OK) {
        r->stats.written++;
        r->stats.parts += r->in_part == 0;
        r->in_part++;
    } else { /* the library has logged the reason */
        r->stats.failed = 1;
        r->stats.lost++;
        while (r->count > 0)
            drop_one(r);
    }
    pthread_mutex_unlock(&r->lock);
}

/* 0, or -1 after one line of error. */
static int prepare_path(const struct recording *r, const char *path, int *pipe)
{
    char why[PATH_MAX + 128];
    int result = outfile_make_folders(path, why, sizeof why);
    if (result == 0 && (result = outfile_hold_pipe(path, pipe)) != 0)
        snprintf(why, sizeof why, "%s", strerror(errno));
    if (result != 0)
        console_error(r->params.console, "--record %s: %s", path, why);
    return result;
}

/* Creates the file of the current part. */
static zcs_status open_recorder(struct recording *r)
{
    int pipe = -1;
    char *path = part_path(&r->name);
    const struct zcs_source_info *source = &r->params.source;
    const struct zcs_recorder_params recorder = {
        .path = path,
        .image = source->image,
        .fps_num = source->fps_num,
        .fps_den = source->fps_den,
        .source = source->recorded_from != NULL ? source->recorded_from : r->params.input,
        .text = r->params.text,
    };
    zcs_status status = ZCS_ERR_IO;
    if (path == NULL)
        console_error(r->params.console, "--record: no memory for a file's name");
    else if (prepare_path(r, path, &pipe) == 0)
        status = zcs_recorder_create(r->ctx, &recorder, &r->recorder);
    if (pipe >= 0)
        close(pipe);
    free(path);
    return status;
}

static zcs_status end_recorder(struct recording *r)
{
    const int begun = r->recorder != NULL;
    const zcs_status status = zcs_recorder_finish(&r->recorder);
    if (begun && r->retention != NULL && r->in_part > 0)
        retention_add(r->retention, r->name.number);
    return status;
}

/* Starts the next part. A part without frames is continued instead. Call with the lock held. */
static void begin_part(struct recording *r)
{
    r->part_requested = 0;
    if (r->in_part == 0 || r->stats.failed)
        return;
    pthread_mutex_unlock(&r->lock);
    zcs_status status = end_recorder(r);
    if (status == ZCS_OK && part_next(&r->name, r->retention == NULL) != 0) {
        console_error(r->params.console, "--record: no memory for a file's name");
        status = ZCS_ERR_NOMEM;
    }
    if (status == ZCS_OK)
        status = open_recorder(r);
    pthread_mutex_lock(&r->lock);
    r->in_part = 0;
    r->stats.failed |= status != ZCS_OK; /* the library has logged the reason */
}

static void *work(void *user)
{
    struct recording *r = user;
    for (;;) {
        pthread_mutex_lock(&r->lock);
        while (r->count == 0 && !r->ending && !r->part_requested)
            pthread_cond_wait(&r->filled, &r->lock);
        if (r->part_requested && r->ahead == 0) {
            begin_part(r);
            pthread_mutex_unlock(&r->lock);
            continue;
        }
        const struct zcs_frame *frame = take(r);
        pthread_mutex_unlock(&r->lock);
        if (frame == NULL)
            return NULL;
        const zcs_status status = zcs_recorder_write(r->recorder, frame);
        zcs_frame_unref(&frame);
        count_one(r, status);
    }
}

static int start_thread(struct recording *r)
{
    sigset_t before;
    signals_block(&before);
    const int error = pthread_create(&r->thread, NULL, work, r);
    signals_restore(&before);
    r->running = error == 0;
    return error;
}

/* 0, or -1 after one line of error. */
static int name_parts(struct recording *r)
{
    const struct retention_limit *limit = &r->params.retention;
    if (part_init(&r->name, r->params.path) != 0) {
        console_error(r->params.console, "--record: no memory");
        return -1;
    }
    if (limit->files == 0 && limit->bytes == 0)
        return 0;
    r->retention = retention_create(&r->name.name, r->params.path, *limit, r->params.console);
    return r->retention != NULL ? 0 : -1;
}

recording *recording_create(zcs_context *ctx, const struct recording_params *params)
{
    struct recording *r = calloc(1, sizeof *r);
    if (r == NULL) {
        console_error(params->console, "--record: no memory");
        return NULL;
    }
    r->params = *params;
    r->ctx = ctx;
    r->queue = queue_for(&params->source.image);
    pthread_mutex_init(&r->lock, NULL);
    pthread_cond_init(&r->filled, NULL);
    pthread_cond_init(&r->freed, NULL);
    if (name_parts(r) != 0 || open_recorder(r) != ZCS_OK)
        goto fail;
    const int error = start_thread(r);
    if (error == 0)
        return r;
    console_error(params->console, "--record: a thread: %s", strerror(error));
fail:
    recording_destroy(&r);
    return NULL;
}

void recording_put(recording *r, const struct zcs_frame *frame)
{
    pthread_mutex_lock(&r->lock);
    while (r->count == r->queue && r->params.policy == ZCS_POLICY_WAIT)
        pthread_cond_wait(&r->freed, &r->lock);
    if (r->count == r->queue && r->params.policy == ZCS_POLICY_LATEST)
        drop_one(r);
    if (r->stats.failed || r->count == r->queue) {
        r->stats.lost++;
    } else {
        r->frames[(r->first + r->count) % r->queue] = zcs_frame_ref(frame);
        r->count++;
        pthread_cond_signal(&r->filled);
    }
    pthread_mutex_unlock(&r->lock);
}

void recording_next_part(recording *r)
{
    pthread_mutex_lock(&r->lock);
    r->part_requested = 1;
    r->ahead = r->count;
    pthread_cond_signal(&r->filled);
    pthread_mutex_unlock(&r->lock);
}

struct recording_stats recording_stats(recording *r)
{
    pthread_mutex_lock(&r->lock);
    const struct recording_stats stats = r->stats;
    pthread_mutex_unlock(&r->lock);
    return stats;
}

/* Deletes the last part, which has no frames. */
static void remove_part(struct recording *r)
{
    struct stat there;
    char *path = part_path(&r->name);
    if (path != NULL && lstat(path, &there) == 0 && S_ISREG(there.st_mode))
        unlink(path);
    free(path);
}

void recording_drain(recording *r)
{
    const int begun = r->recorder != NULL;
    pthread_mutex_lock(&r->lock);
    r->ending = 1;
    pthread_cond_broadcast(&r->filled);
    pthread_mutex_unlock(&r->lock);
    if (r->running)
        pthread_join(r->thread, NULL);
    r->running = 0;
    if (end_recorder(r) != ZCS_OK)
        r->stats.failed = 1;
    if (begun && r->in_part == 0 && r->stats.parts > 0 && !r->stats.failed)
        remove_part(r);
    if (r->retention != NULL)
        r->stats.left = retention_left(r->retention).files;
}

void recording_destroy(recording **r)
{
    if (*r == NULL)
        return;
    recording_drain(*r);
    retention_destroy(&(*r)->retention);
    part_finish(&(*r)->name);
    pthread_cond_destroy(&(*r)->freed);
    pthread_cond_destroy(&(*r)->filled);
    pthread_mutex_destroy(&(*r)->lock);
    free(*r);
    *r = NULL;
}
