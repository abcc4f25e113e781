/* SPDX-License-Identifier: MIT */
/* The set object: members that are pulled in turns, each with the frames of its that wait for partners. */
#ifndef ZCI_STREAM_SET_H
#define ZCI_STREAM_SET_H

#include "core/log.h"
#include "zcstream/set.h"

#define ZCI_SET_WAITING 64u /* at most */

struct zci_member {
    zcs_stream *stream; /* gone, perhaps, once it has ended */
    zcs_status end;     /* ZCS_OK while it runs */
    int stopped;        /* the application ended it: its source might have had more */
    int ready;          /* its stream may have something; else its descriptor says when */
    int held;
    int watched;                                      /* its descriptor is in the set's */
    const struct zcs_frame *waiting[ZCI_SET_WAITING]; /* the oldest first */
    uint32_t count;
    uint64_t unmatched, left;
};

struct zcs_set {
    struct zci_log log;
    struct zcs_set_params params;
    int epoll_fd; /* of the descriptors of the members that are watched */
    struct zci_member members[ZCS_MAX_MEMBERS];
    uint32_t count;
    uint32_t turn; /* who is asked first */
    int exhausted; /* matching ended, and not only because members were stopped */
    uint64_t matches;
    uint32_t alone;      /* frames dropped in a row, each the oldest of frames of all members ... */
    uint64_t nearest_ns; /* ... which were so far apart at least */
};

/* The member's next frame, without waiting. ZCS_AGAIN: none, or it is held or has ended; else its end, once. */
zcs_status zci_set_pull(zcs_set *set, struct zci_member *member, const struct zcs_frame **out);

/* Whether its stream can wake the set: nobody sleeps while a descriptor is readable that nobody asks. */
int zci_set_watch(zcs_set *set, struct zci_member *member, int watched);

/* 1: it gives nothing, whatever comes from its source, until the application lets go of results, or of it. */
int zci_set_is_stuck(const struct zci_member *member);

/* When to give up a wait that lasts until `deadline_ns`: sooner than never where, as is so now, `stuck` members leave it
 * to the application. *since_ns is kept for that from one look to the next; 0 at first. */
int64_t zci_set_until(int64_t deadline_ns, int stuck, int64_t *since_ns);

/* Sleeps until a member may have something, or `deadline_ns`: ZCS_AGAIN when that is over, whoever has something, and
 * where a signal came. */
zcs_status zci_set_sleep(zcs_set *set, int64_t deadline_ns);

#endif
