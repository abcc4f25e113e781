/* SPDX-License-Identifier: MIT */
/* Pace: timestamps from frame numbers, exact at any number, and the wait of real-time playback. */
#include "source/pace.h"

#include <inttypes.h>

#include "os/clock.h"
#include "source/wait.h"

#define SECOND_NS 1000000000

zcs_status zci_pace_init(struct zci_pace *pace, uint32_t fps_num, uint32_t fps_den, int live,
                         int timed, const char *what, const struct zci_log *log)
{
    if ((fps_num == 0) != (fps_den == 0))
        return zci_fail(log, ZCS_ERR_ARG, "%s: %" PRIu32 "/%" PRIu32 " frames a second is no rate",
                        what, fps_num, fps_den);
    if (live && fps_num == 0 && !timed)
        return zci_fail(log, ZCS_ERR_ARG, "%s: playing at its pace needs a rate", what);
    *pace = (struct zci_pace){.fps_num = fps_num, .fps_den = fps_den, .live = live != 0};
    return ZCS_OK;
}

/* n = q * num + r, so that no product exceeds 64 bits: r * den < 2^64, and r * den % num < 2^32. */
int64_t zci_pace_time_ns(const struct zci_pace *pace, uint64_t n)
{
    if (pace->fps_num == 0)
        return 0;
    const uint64_t num = pace->fps_num, den = pace->fps_den;
    const uint64_t q = n / num, part = n % num * den;
    if (q > (uint64_t)(INT64_MAX / SECOND_NS) / den)
        return INT64_MAX;
    const uint64_t seconds = q * den + part / num;
    if (seconds >= (uint64_t)(INT64_MAX / SECOND_NS))
        return INT64_MAX;
    return (int64_t)(seconds * SECOND_NS + part % num * SECOND_NS / num);
}

/* A sum that saturates: recorded timestamps may have any value. */
static int64_t add(int64_t a, int64_t b)
{
    if (b > 0 && a > INT64_MAX - b)
        return INT64_MAX;
    return b < 0 && a < INT64_MIN - b ? INT64_MIN : a + b;
}

int64_t zci_pace_due_ns(const struct zci_pace *pace, int64_t time_ns)
{
    if (!pace->started)
        return 0;
    const int64_t due_ns = add(pace->start_ns, time_ns);
    return due_ns > 0 ? due_ns : 0;
}

zcs_status zci_pace_wait(struct zci_pace *pace, int64_t time_ns, int64_t deadline_ns)
{
    if (!pace->live)
        return ZCS_OK;
    if (!pace->started) {
        /* Frames skipped before the first wait do not count as time that has passed. */
        pace->start_ns = add(zci_now_ns(), time_ns == INT64_MIN ? INT64_MAX : -time_ns);
        pace->started = 1;
    }
    return zci_wait_until(zci_pace_due_ns(pace, time_ns), deadline_ns);
}

void zci_pace_stamp(const struct zci_pace *pace, uint64_t n, struct zcs_frame *frame)
{
    frame->sequence = n;
    frame->time_ns = zci_pace_time_ns(pace, n);
    frame->clock = pace->fps_num ? ZCS_CLOCK_MEDIA : ZCS_CLOCK_NONE;
    frame->captured_ns = zci_now_ns();
}
