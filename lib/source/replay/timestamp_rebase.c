/* SPDX-License-Identifier: MIT */
/* Recorded numbers from file to file. Sums are modulo 2^64, as hostile files may have any. */
#include "source/replay/timestamp_rebase.h"

static int64_t add(int64_t a, int64_t b)
{
    return (int64_t)((uint64_t)a + (uint64_t)b);
}

static int64_t less(int64_t a, int64_t b)
{
    return (int64_t)((uint64_t)a - (uint64_t)b);
}

void zci_rebase_new_file(struct zci_rebase *rebase)
{
    rebase->new_file = 1;
}

static void carry_on(struct zci_rebase *rebase, struct zci_place *place)
{
    if (rebase->begun && rebase->new_file) {
        rebase->sequence_base = 0;
        rebase->time_base = 0;
        if (place->sequence <= rebase->sequence)
            rebase->sequence_base = rebase->sequence + 1 - place->sequence;
        if (place->time_ns <= rebase->time_ns)
            rebase->time_base = less(add(rebase->time_ns, rebase->interval_ns), place->time_ns);
    }
    rebase->new_file = 0;
    place->sequence += rebase->sequence_base;
    if (place->clock != ZCS_CLOCK_NONE)
        place->time_ns = add(place->time_ns, rebase->time_base);
}

void zci_rebase_apply(struct zci_rebase *rebase, const struct zci_pace *pace, uint64_t n,
                      struct zci_place *place)
{
    if (place->stamped)
        carry_on(rebase, place);
    else
        place->sequence = n;
    if (place->stamped && pace->fps_num == 0)
        return;
    /* Numbers below the first one's, which damaged and hostile files have, are no time beyond all others. */
    const uint64_t since = place->sequence > rebase->first ? place->sequence - rebase->first : 0;
    place->time_ns = zci_pace_time_ns(pace, since);
    place->clock = pace->fps_num ? ZCS_CLOCK_MEDIA : ZCS_CLOCK_NONE;
}

void zci_rebase_done(struct zci_rebase *rebase, const struct zci_place *place)
{
    if (!place->stamped)
        return;
    const int64_t interval_ns = less(place->time_ns, rebase->time_ns);
    if (rebase->begun && interval_ns > 0)
        rebase->interval_ns = interval_ns;
    rebase->begun = 1;
    rebase->sequence = place->sequence;
    rebase->time_ns = place->time_ns;
}
