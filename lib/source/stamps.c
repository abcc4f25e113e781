/* SPDX-License-Identifier: MIT */
/* Recorded numbers from file to file. Sums are modulo 2^64, as hostile files may have any. */
#include "source/stamps.h"

static int64_t add(int64_t a, int64_t b)
{
    return (int64_t)((uint64_t)a + (uint64_t)b);
}

static int64_t less(int64_t a, int64_t b)
{
    return (int64_t)((uint64_t)a - (uint64_t)b);
}

void zci_stamps_new_file(struct zci_stamps *stamps)
{
    stamps->new_file = 1;
}

static void carry_on(struct zci_stamps *stamps, struct zci_place *place)
{
    if (stamps->begun && stamps->new_file) {
        stamps->sequence_base = 0;
        stamps->time_base = 0;
        if (place->sequence <= stamps->sequence)
            stamps->sequence_base = stamps->sequence + 1 - place->sequence;
        if (place->time_ns <= stamps->time_ns)
            stamps->time_base = less(add(stamps->time_ns, stamps->interval_ns), place->time_ns);
    }
    stamps->new_file = 0;
    place->sequence += stamps->sequence_base;
    if (place->clock != ZCS_CLOCK_NONE)
        place->time_ns = add(place->time_ns, stamps->time_base);
}

void zci_stamps_apply(struct zci_stamps *stamps, const struct zci_pace *pace, uint64_t n,
                      struct zci_place *place)
{
    if (place->stamped)
        carry_on(stamps, place);
    else
        place->sequence = n;
    if (place->stamped && pace->fps_num == 0)
        return;
    /* Numbers below the first one's, which damaged and hostile files have, are no time beyond all others. */
    const uint64_t since = place->sequence > stamps->first ? place->sequence - stamps->first : 0;
    place->time_ns = zci_pace_time_ns(pace, since);
    place->clock = pace->fps_num ? ZCS_CLOCK_MEDIA : ZCS_CLOCK_NONE;
}

void zci_stamps_done(struct zci_stamps *stamps, const struct zci_place *place)
{
    if (!place->stamped)
        return;
    const int64_t interval_ns = less(place->time_ns, stamps->time_ns);
    if (stamps->begun && interval_ns > 0)
        stamps->interval_ns = interval_ns;
    stamps->begun = 1;
    stamps->sequence = place->sequence;
    stamps->time_ns = place->time_ns;
}
