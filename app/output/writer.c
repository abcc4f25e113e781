/* SPDX-License-Identifier: MIT */
/* Writes results in threads of its own, from a bounded queue of frame references. */
#include "app/output/writer.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "app/cli/signals.h"

#define WHY_BYTES 8800 /* two paths and a reason */

struct item {
    const struct zcs_frame *frame;
    uint64_t number;
};

struct writer {
    struct writer_params params;
    struct output *outputs; /* one for each chain */
    uint64_t *part_written; /* frames in the current file of each, if it is a series */
    pthread_mutex_t lock;
    pthread_cond_t filled; /* an item was added, or `ending` set */
    pthread_cond_t freed;  /* an item was removed or written */
    struct item *items;    /* a ring of params.queue */
    unsigned first, count;
    unsigned busy; /* items being written */
    int ending;
    int part;       /* 1: a new part was requested */
    unsigned ahead; /* queued items that still belong to the current part */
    struct writer_stats stats;
    int64_t latency_ns; /* of the frame written last */
    pthread_t *threads;
    unsigned thread_count; /* running */
};

static int64_t now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

/* Returns 1 if an item was taken. Call with the lock held. */
static int take(struct writer *w, struct item *out)
{
    if (w->count == 0)
        return 0;
    *out = w->items[w->first];
    w->first = (w->first + 1) % w->params.queue;
    w->count--;
    w->ahead -= w->ahead > 0;
    return 1;
}

static void drop_one(struct writer *w)
{
    struct item item;
    if (!take(w, &item))
        return;
    zcs_frame_unref(&item.frame);
    w->stats.lost++;
}

static void count_written(struct writer *w, const struct item *item, int64_t at_ns)
{
    struct writer_stats *stats = &w->stats;
    const uint64_t number = item->number;
    if (stats->written == 0 || number < stats->min)
        stats->min = number;
    if (stats->written == 0 || number > stats->max)
        stats->max = number;
    stats->written++;
    w->latency_ns = at_ns - item->frame->captured_ns;
    stats->chain_written[item->frame->chain]++;
    stats->parts += item->frame->chain == 0 && w->part_written[0] == 0;
    w->part_written[item->frame->chain]++;
    file_latency_add(&stats->latency, item->frame, w->params.live, at_ns);
}

/* Only the first failure gets an error line: later ones have the same cause. */
static void count_failed(struct writer *w, const char *why)
{
    if (!w->stats.failed)
        console_error(w->params.console, "%s", why);
    w->stats.failed = 1;
    w->stats.lost++;
    while (w->count > 0)
        drop_one(w);
    pthread_cond_signal(&w->freed);
}

static void write_item(struct writer *w, struct item *item)
{
    char why[WHY_BYTES];
    const int result =
        output_write(&w->outputs[item->frame->chain], item->number, item->frame, why, sizeof why);
    const int64_t at_ns = now_ns();
    pthread_mutex_lock(&w->lock);
    if (result == 0)
        count_written(w, item, at_ns);
    else
        count_failed(w, why);
    zcs_frame_unref(&item->frame);
    w->busy--;
    pthread_cond_signal(&w->freed);
    pthread_mutex_unlock(&w->lock);
}

/* The chain's file could not be completed, so that its frames count as lost; or it is complete, but
 * in another place (`result` 1), which is a failure without a loss. */
static void count_incomplete(struct writer *w, unsigned chain, int result, const char *why)
{
    if (result > 0) {
        console_error(w->params.console, "%s", why);
        w->stats.failed = 1;
        return;
    }
    count_failed(w, why);
    w->stats.lost += w->part_written[chain] - 1;
    w->stats.written -= w->part_written[chain];
    w->stats.chain_written[chain] -= w->part_written[chain];
    w->part_written[chain] = 0;
}

/* Call with the lock held, on the only thread of a series. */
static void begin_part(struct writer *w)
{
    w->part = 0;
    for (unsigned i = 0; i < w->params.chains; i++) {
        char why[WHY_BYTES];
        pthread_mutex_unlock(&w->lock);
        const int result = output_part(&w->outputs[i], why, sizeof why);
        pthread_mutex_lock(&w->lock);
        if (result != 0)
            count_incomplete(w, i, result, why);
        w->part_written[i] = 0;
    }
}

static void *work(void *user)
{
    struct writer *w = user;
    pthread_mutex_lock(&w->lock);
    for (;;) {
        struct item item;
        while (w->count == 0 && !w->ending && !w->part)
            pthread_cond_wait(&w->filled, &w->lock);
        if (w->part && w->ahead == 0) {
            begin_part(w);
            continue;
        }
        if (!take(w, &item))
            break;
        w->busy++;
        pthread_cond_signal(&w->freed);
        pthread_mutex_unlock(&w->lock);
        write_item(w, &item);
        pthread_mutex_lock(&w->lock);
    }
    pthread_mutex_unlock(&w->lock);
    return NULL;
}

static int start_threads(struct writer *w)
{
    sigset_t before;
    int error = 0;
    signals_block(&before);
    while (w->thread_count < w->params.threads && error == 0) {
        error = pthread_create(&w->threads[w->thread_count], NULL, work, w);
        w->thread_count += error == 0;
    }
    signals_restore(&before);
    return w->thread_count > 0 ? 0 : error;
}

static void init_conditions(struct writer *w)
{
    pthread_condattr_t monotonic;
    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    pthread_mutex_init(&w->lock, NULL);
    pthread_cond_init(&w->filled, &monotonic);
    pthread_cond_init(&w->freed, &monotonic);
    pthread_condattr_destroy(&monotonic);
}

/* 0, or -1 after one error line. */
static int begin_outputs(struct writer *w)
{
    const struct writer_params *params = &w->params;
    const int limited = params->retention.files != 0 || params->retention.bytes != 0;
    int result = 0;
    for (unsigned i = 0; i < params->chains && result == 0; i++) {
        w->outputs[i] = (struct output){.target = &params->target[i], .style = params->style};
        if (limited)
            result = output_set_retention(&w->outputs[i], params->retention, params->console);
    }
    return result;
}

writer *writer_create(const struct writer_params *params)
{
    int error = ENOMEM;
    struct writer *w = calloc(1, sizeof *w);
    if (w == NULL)
        goto fail;
    w->params = *params;
    init_conditions(w);
    w->outputs = calloc(params->chains, sizeof *w->outputs);
    w->part_written = calloc(params->chains, sizeof *w->part_written);
    w->items = calloc(params->queue, sizeof *w->items);
    w->threads = calloc(params->threads, sizeof *w->threads);
    if (w->items == NULL || w->threads == NULL || w->outputs == NULL || w->part_written == NULL)
        goto fail;
    if (begin_outputs(w) != 0) {
        writer_destroy(&w);
        return NULL;
    }
    error = start_threads(w);
    if (error != 0)
        goto fail;
    return w;
fail:
    console_error(params->console, "threads that write files: %s", strerror(error));
    writer_destroy(&w);
    return NULL;
}

int writer_put(writer *w, const struct zcs_frame **frame, uint64_t number)
{
    pthread_mutex_lock(&w->lock);
    while (w->count == w->params.queue && w->params.policy == ZCS_POLICY_WAIT)
        pthread_cond_wait(&w->freed, &w->lock);
    if (w->count == w->params.queue && w->params.policy == ZCS_POLICY_LATEST)
        drop_one(w);
    const int failed = w->stats.failed;
    if (failed || w->count == w->params.queue) {
        w->stats.lost++;
    } else {
        w->items[(w->first + w->count) % w->params.queue] = (struct item){*frame, number};
        w->count++;
        *frame = NULL;
        pthread_cond_signal(&w->filled);
    }
    pthread_mutex_unlock(&w->lock);
    zcs_frame_unref(frame);
    return failed ? -1 : 0;
}

void writer_part(writer *w)
{
    if (!output_is_series(w->params.target))
        return;
    pthread_mutex_lock(&w->lock);
    w->part = 1;
    w->ahead = w->count;
    pthread_cond_signal(&w->filled);
    pthread_mutex_unlock(&w->lock);
}

int writer_has_room(writer *w)
{
    pthread_mutex_lock(&w->lock);
    const int has = w->count < w->params.queue || w->params.policy != ZCS_POLICY_WAIT;
    pthread_mutex_unlock(&w->lock);
    return has;
}

void writer_wait(writer *w, unsigned timeout_ms)
{
    const int64_t until = now_ns() + (int64_t)timeout_ms * 1000000;
    const struct timespec deadline = {.tv_sec = (time_t)(until / 1000000000),
                                      .tv_nsec = (long)(until % 1000000000)};
    pthread_mutex_lock(&w->lock);
    if (w->count + w->busy > 0)
        pthread_cond_timedwait(&w->freed, &w->lock, &deadline);
    pthread_mutex_unlock(&w->lock);
}

uint64_t writer_lost(writer *w)
{
    pthread_mutex_lock(&w->lock);
    const uint64_t lost = w->stats.lost;
    pthread_mutex_unlock(&w->lock);
    return lost;
}

int64_t writer_latency_ns(writer *w)
{
    pthread_mutex_lock(&w->lock);
    const int64_t latency_ns = w->latency_ns;
    pthread_mutex_unlock(&w->lock);
    return latency_ns;
}

/* Call after the files are closed. */
static void count_left(struct writer *w, unsigned chain)
{
    const struct retention_left *left = &w->outputs[chain].left;
    w->stats.chain_left[chain] = left->files;
    if (chain > 0 || left->files == 0 || output_is_series(w->params.target))
        return;
    w->stats.min = left->min;
    w->stats.max = left->max;
}

static void close_outputs(struct writer *w)
{
    for (unsigned i = 0; w->outputs != NULL && i < w->params.chains; i++) {
        char why[WHY_BYTES];
        const int result =
            w->outputs[i].target != NULL ? output_close(&w->outputs[i], why, sizeof why) : 0;
        if (result != 0)
            count_incomplete(w, i, result, why);
        count_left(w, i);
    }
}

void writer_drain(writer *w)
{
    pthread_mutex_lock(&w->lock);
    w->ending = 1;
    pthread_cond_broadcast(&w->filled);
    pthread_mutex_unlock(&w->lock);
    while (w->thread_count > 0)
        pthread_join(w->threads[--w->thread_count], NULL);
    close_outputs(w);
}

const struct writer_stats *writer_stats(const writer *w)
{
    return &w->stats;
}

void writer_destroy(writer **w)
{
    if (*w == NULL)
        return;
    writer_drain(*w);
    pthread_cond_destroy(&(*w)->filled);
    pthread_cond_destroy(&(*w)->freed);
    pthread_mutex_destroy(&(*w)->lock);
    free((*w)->outputs);
    free((*w)->part_written);
    free((*w)->items);
    free((*w)->threads);
    free(*w);
    *w = NULL;
}
