/* SPDX-License-Identifier: MIT */
/* Pulling several streams in turns, and sleeping for all of them. */
#include "stream/set.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "os/clock.h"
#include "stream/stream.h"

#define DEFAULT_WAITING 4u

zcs_status zcs_set_create(zcs_context *ctx, const struct zcs_set_params *params, zcs_set **out)
{
    static const struct zcs_set_params presets = {0};
    if (ctx == NULL)
        return ZCS_ERR_ARG;
    if (out == NULL)
        return zci_fail(&ctx->log, ZCS_ERR_ARG, "a set: out is NULL");
    if (params == NULL)
        params = &presets;
    if (params->tolerance_ns < 0 || params->waiting > ZCI_SET_WAITING)
        return zci_fail(
            &ctx->log, ZCS_ERR_ARG,
            "a set: a tolerance of %lld ns, %u frames waiting: at least 0 and at most %u",
            (long long)params->tolerance_ns, params->waiting, ZCI_SET_WAITING);
    struct zcs_set *set = calloc(1, sizeof *set);
    if (set == NULL)
        return zci_fail(&ctx->log, ZCS_ERR_NOMEM, "a set: no memory");
    set->log = ctx->log;
    set->params = *params;
    if (set->params.waiting == 0)
        set->params.waiting = DEFAULT_WAITING;
    set->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
    if (set->epoll_fd < 0) {
        const zcs_status status =
            zci_fail(&ctx->log, ZCS_ERR_IO, "a set's descriptor: %s", strerror(errno));
        zcs_set_destroy(&set);
        return status;
    }
    *out = set;
    return ZCS_OK;
}

int zci_set_watch(zcs_set *set, struct zci_member *member, int watched)
{
    struct epoll_event event = {.events = EPOLLIN, .data.u32 = (uint32_t)(member - set->members)};
    if (member->watched == watched)
        return 0;
    member->watched = watched;
    return epoll_ctl(set->epoll_fd, watched ? EPOLL_CTL_ADD : EPOLL_CTL_DEL,
                     zcs_stream_fd(member->stream), &event);
}

static zcs_status begin(zcs_set *set, struct zci_member *member, zcs_stream *stream)
{
    for (uint32_t i = 0; i < set->count; i++)
        if (set->members[i].stream == stream && set->members[i].end == ZCS_OK)
            return zci_fail(&set->log, ZCS_ERR_ARG, "this stream is a member of the set already");
    const zcs_status end = member->end;
    member->stream = stream;
    member->ready = 1;
    member->held = 0;
    member->end = ZCS_OK;
    if (zci_set_watch(set, member, 1) == 0) {
        set->exhausted = 0;
        return ZCS_OK;
    }
    member->watched = 0;
    member->end = end;
    return zci_fail(&set->log, ZCS_ERR_IO, "a set's member: %s", strerror(errno));
}

zcs_status zcs_set_add(zcs_set *set, zcs_stream *stream, uint32_t *out)
{
    if (set == NULL)
        return ZCS_ERR_ARG;
    if (stream == NULL || out == NULL)
        return zci_fail(&set->log, ZCS_ERR_ARG, "a set's member: %s is NULL",
                        stream == NULL ? "stream" : "member");
    if (set->count == ZCS_MAX_MEMBERS)
        return zci_fail(&set->log, ZCS_ERR_ARG, "a set has at most %d members", ZCS_MAX_MEMBERS);
    const zcs_status status = begin(set, &set->members[set->count], stream);
    if (status == ZCS_OK)
        *out = set->count++;
    return status;
}

zcs_status zcs_set_replace(zcs_set *set, uint32_t at, zcs_stream *stream)
{
    if (set == NULL)
        return ZCS_ERR_ARG;
    if (stream == NULL)
        return zci_fail(&set->log, ZCS_ERR_ARG, "a set's member: stream is NULL");
    if (at >= set->count || set->members[at].end == ZCS_OK)
        return zci_fail(&set->log, ZCS_ERR_ARG, "a set's member %u: %s", at,
                        at < set->count ? "has not ended" : "there is no such one");
    return begin(set, &set->members[at], stream);
}

zcs_status zci_set_pull(zcs_set *set, struct zci_member *member, const struct zcs_frame **out)
{
    if (!member->ready || member->held || member->end != ZCS_OK)
        return ZCS_AGAIN;
    const zcs_status status = zcs_stream_next(member->stream, 0, out);
    if (status == ZCS_AGAIN) {
        member->ready = 0;
    } else if (status != ZCS_OK) {
        member->end = status;
        member->stopped = member->stream->stopped;
        (void)zci_set_watch(set, member, 0);
    }
    return status;
}

int zci_set_is_stuck(const struct zci_member *member)
{
    return member->end == ZCS_OK && (member->held || zci_stream_is_stuck(member->stream));
}

int64_t zci_set_until(int64_t deadline_ns, int stuck, int64_t *since_ns)
{
    if (!stuck)
        *since_ns = 0;
    else if (*since_ns == 0)
        *since_ns = zci_now_ns();
    return stuck && deadline_ns == INT64_MAX ? *since_ns + ZCI_STUCK_WAIT_NS : deadline_ns;
}

zcs_status zci_set_sleep(zcs_set *set, int64_t deadline_ns)
{
    struct epoll_event events[ZCS_MAX_MEMBERS];
    const int64_t left_ns = zci_left_ns(deadline_ns);
    const int64_t left_ms = left_ns < 0 ? -1 : (left_ns + 999999) / 1000000;
    const int count = epoll_wait(set->epoll_fd, events, ZCS_MAX_MEMBERS,
                                 left_ms < INT32_MAX ? (int)left_ms : INT32_MAX);
    for (int i = 0; i < count; i++)
        set->members[events[i].data.u32].ready = 1;
    /* Who always has something must not make the wait endless. */
    return count > 0 && zci_left_ns(deadline_ns) != 0 ? ZCS_OK : ZCS_AGAIN;
}

/* One round without sleeping. */
static zcs_status step(zcs_set *set, struct zcs_set_event *out)
{
    int running = 0;
    for (uint32_t i = 0; i < set->count; i++) {
        const uint32_t at = (set->turn + i) % set->count;
        struct zci_member *member = &set->members[at];
        const struct zcs_frame *frame = NULL;
        const zcs_status status = zci_set_pull(set, member, &frame);
        running |= member->end == ZCS_OK;
        if (status == ZCS_AGAIN)
            continue;
        set->turn = (at + 1) % set->count;
        *out = (struct zcs_set_event){.member = at, .status = status, .frame = frame};
        return ZCS_OK;
    }
    return running ? ZCS_AGAIN : ZCS_EOF;
}

/* One that is not stuck may still give something, or end. */
static int all_are_stuck(const zcs_set *set)
{
    for (uint32_t i = 0; i < set->count; i++)
        if (set->members[i].end == ZCS_OK && !zci_set_is_stuck(&set->members[i]))
            return 0;
    return 1;
}

zcs_status zcs_set_next(zcs_set *set, int64_t timeout_ns, struct zcs_set_event *out)
{
    if (set == NULL || out == NULL)
        return ZCS_ERR_ARG;
    const int64_t deadline_ns = zci_deadline_ns(timeout_ns);
    int64_t stuck_ns = 0;
    (void)zci_set_sleep(set, 0); /* who always has something must not hide the others */
    for (int over = 0;;) {       /* after the deadline, or a signal: one last look */
        const zcs_status status = step(set, out);
        if (status != ZCS_AGAIN || over)
            return status;
        const int64_t until_ns = zci_set_until(deadline_ns, all_are_stuck(set), &stuck_ns);
        over = zci_set_sleep(set, until_ns) != ZCS_OK;
    }
}

void zcs_set_pause(zcs_set *set, uint32_t at, int held)
{
    struct zci_member *member = at < set->count ? &set->members[at] : NULL;
    if (member == NULL || member->end != ZCS_OK)
        return;
    member->held = held != 0;
    member->ready = 1;
    (void)zci_set_watch(set, member, !held);
}

zcs_status zcs_set_member(const zcs_set *set, uint32_t member)
{
    return member < set->count ? set->members[member].end : ZCS_ERR_ARG;
}

int zcs_set_fd(const zcs_set *set)
{
    return set->epoll_fd;
}

void zcs_set_stats(const zcs_set *set, struct zcs_set_stats *out)
{
    *out = (struct zcs_set_stats){
        .members = set->count, .matches = set->matches, .exhausted = set->exhausted};
    for (uint32_t i = 0; i < set->count; i++) {
        out->unmatched[i] = set->members[i].unmatched;
        out->left[i] = set->members[i].left;
        out->waiting[i] = set->members[i].count;
    }
}

void zcs_set_destroy(zcs_set **set)
{
    if (set == NULL || *set == NULL)
        return;
    for (uint32_t i = 0; i < (*set)->count; i++)
        for (uint32_t k = 0; k < (*set)->members[i].count; k++)
            zcs_frame_unref(&(*set)->members[i].waiting[k]);
    if ((*set)->epoll_fd >= 0)
        close((*set)->epoll_fd);
    free(*set);
    *set = NULL;
}
