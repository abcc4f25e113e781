/* SPDX-License-Identifier: MIT */
/* Timestamp rebase: sums that wrap, since files may hold any value. */
#include "source/replay/rebase.h"

static int64_t add_ns(int64_t a, int64_t b)
{
    return (int64_t)((uint64_t)a + (uint64_t)b);
}

static int64_t subtract_ns(int64_t a, int64_t b)
{
    return (int64_t)((uint64_t)a - (uint64_t)b);
}

void zci_rebase_new_file(struct zci_rebase *rebase)
{
    rebase->new_file = 1;
}

static void rebase_recorded(struct zci_rebase *rebase, struct zci_media_frame *frame)
{
    if (rebase->begun && rebase->new_file) {
        rebase->sequence_base = 0;
        rebase->time_base_ns = 0;
        if (frame->sequence <= rebase->sequence)
            rebase->sequence_base = rebase->sequence + 1 - frame->sequence;
        if (frame->time_ns <= rebase->time_ns)
            rebase->time_base_ns =
                subtract_ns(add_ns(rebase->time_ns, rebase->interval_ns), frame->time_ns);
    }
    rebase->new_file = 0;
    frame->sequence += rebase->sequence_base;
    if (frame->clock != ZCS_CLOCK_NONE)
        frame->time_ns = add_ns(frame->time_ns, rebase->time_base_ns);
}

void zci_rebase_apply(struct zci_rebase *rebase, const struct zci_pace *pace, uint64_t n,
                      struct zci_media_frame *frame)
{
    if (frame->recorded)
        rebase_recorded(rebase, frame);
    else
        frame->sequence = n;
    if (frame->recorded && pace->fps_num == 0)
        return;
    /* Corrupt files may have a sequence below the first one: its time is 0. */
    const uint64_t since = frame->sequence > rebase->first ? frame->sequence - rebase->first : 0;
    frame->time_ns = zci_pace_time_ns(pace, since);
    frame->clock = pace->fps_num ? ZCS_CLOCK_MEDIA : ZCS_CLOCK_NONE;
}

void zci_rebase_done(struct zci_rebase *rebase, const struct zci_media_frame *frame)
{
    if (!frame->recorded)
        return;
    const int64_t interval_ns = subtract_ns(frame->time_ns, rebase->time_ns);
    if (rebase->begun && interval_ns > 0)
        rebase->interval_ns = interval_ns;
    rebase->begun = 1;
    rebase->sequence = frame->sequence;
    rebase->time_ns = frame->time_ns;
}
