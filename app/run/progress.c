/* SPDX-License-Identifier: MIT */
/* The progress line: a few times a second, on terminals. */
#include "app/run/progress.h"

#include <inttypes.h>
#include <stdio.h>

#define INTERVAL_NS 250000000

void progress_update(struct progress *progress, int64_t now_ns, uint64_t frames, uint64_t lost,
                     int64_t latency_ns)
{
    char line[160];
    if (progress->console == NULL || now_ns - progress->shown_ns < INTERVAL_NS)
        return;
    const double seconds = (double)(now_ns - progress->shown_ns) / 1e9;
    const double fps = (double)(frames - progress->shown_frames) / seconds;
    if (progress->shown_ns != 0) {
        snprintf(line, sizeof line, "%" PRIu64 " frames  %.1f fps  %.2f ms  %" PRIu64 " lost",
                 frames, fps, (double)latency_ns / 1e6, lost);
        console_progress(progress->console, line);
    }
    progress->shown_ns = now_ns;
    progress->shown_frames = frames;
}
