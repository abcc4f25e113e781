/* SPDX-License-Identifier: MIT */
/* Captures from a USB camera that is pulled and put back again and again: the same slots, whole frames, every
 * number accounted for, flat memory.
 *
 *   vm_unplug DEVICE TIMES FRAMES   until it came back TIMES times and sent FRAMES frames after each; a line
 *                                   "flows N" says that it may be pulled for the N-th time */
#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>

#include "check.h"
#include "zcstream/zcstream.h"

#define SECOND_NS INT64_C(1000000000)
#define MAX_SLOTS 64

static struct {
    const void *at[MAX_SLOTS]; /* the slots seen */
    int slots, torn, returns;
    uint64_t frames, first, last;
    uint64_t lost_before, lost; /* before the first and the last: others are none of theirs */
    zcs_stream *stream;
} seen;

static uint64_t lost(void)
{
    struct zcs_stream_stats stats;
    uint64_t all = 0;
    zcs_stream_stats(seen.stream, &stats);
    for (int cause = 0; cause < ZCS_LOSS_COUNT; cause++)
        all += stats.lost[cause];
    return all;
}

static void note(void *user, enum zcs_log_level level, const char *line)
{
    (void)user, (void)level;
    fprintf(stderr, "  %s\n", line);
    seen.returns += strstr(line, "is back after") != NULL;
}

/* As captured: the camera fills each frame with one value. */
static void look(void *user, const struct zcs_frame *frame)
{
    const uint8_t *bytes = frame->host;
    int slot = 0;
    (void)user;
    CHECK_EQ(frame->path, ZCS_PATH_USERPTR);
    seen.torn += memcmp(bytes, bytes + 1, frame->image.size_bytes - 1) != 0;
    while (slot < seen.slots && seen.at[slot] != frame->host)
        slot++;
    CHECK(slot < MAX_SLOTS);
    seen.at[slot] = frame->host;
    seen.slots += slot == seen.slots;
    CHECK(seen.frames == 0 || frame->sequence > seen.last);
    seen.lost = lost();
    if (seen.frames++ == 0) {
        seen.first = frame->sequence;
        seen.lost_before = seen.lost;
    }
    seen.last = frame->sequence;
}

/* Memory of the program's own; pages of its files come and go as the system likes. */
static long anonymous_kib(void)
{
    long pages = 0, of_files = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    CHECK(file != NULL && fscanf(file, "%*d %ld %ld", &pages, &of_files) == 2);
    fclose(file);
    return (pages - of_files) * (sysconf(_SC_PAGESIZE) / 1024);
}

static void take(int frames)
{
    while (frames > 0) {
        const struct zcs_frame *frame = NULL;
        const zcs_status status = zcs_stream_next(seen.stream, 60 * SECOND_NS, &frame);
        CHECK_EQ(status, ZCS_OK);
        zcs_frame_unref(&frame);
        frames--;
    }
}

/* Numbers without a frame are in the ledger, each under one cause. */
static void account(int times)
{
    struct zcs_stream_stats stats;
    zcs_stream_stats(seen.stream, &stats);
    printf("%d times away: %" PRIu64 " frames of %" PRIu64 " in %d slots, away %" PRIu64
           ", driver_gap %" PRIu64 ", error %" PRIu64 "\n",
           times, seen.frames, seen.last - seen.first + 1, seen.slots, stats.lost[ZCS_LOSS_AWAY],
           stats.lost[ZCS_LOSS_DRIVER_GAP], stats.lost[ZCS_LOSS_ERROR]);
    CHECK_EQ(seen.last - seen.first + 1, seen.frames + seen.lost - seen.lost_before);
    CHECK(stats.lost[ZCS_LOSS_AWAY] >= (uint64_t)times);
    CHECK_EQ(seen.torn, 0);
    CHECK(seen.slots <= (int)stats.slots);
}

int main(int argc, char **argv)
{
    setvbuf(stdout, NULL, _IOLBF, 0);
    if (argc != 4)
        return 2;
    const int times = atoi(argv[2]), frames = atoi(argv[3]);
    const struct zcs_params context = {
        .backend = ZCS_BACKEND_HOST, .host_threads = 1, .log = note, .log_level = ZCS_LOG_INFO};
    const struct zcs_v4l2_params params = {.device = argv[1], .reconnect_ns = 60 * SECOND_NS};
    const struct zcs_stream_params wanted = {.stages = "none", .tap = look, .tap_frames = 1};
    zcs_context *ctx = NULL;
    zcs_source *source = NULL;
    long begin_kib = 0;
    alarm(60 + 20 * (unsigned)times);
    CHECK_EQ(zcs_open(&context, &ctx), ZCS_OK);
    CHECK_EQ(zcs_source_open_v4l2(ctx, &params, &source), ZCS_OK);
    CHECK_EQ(zcs_stream_create(ctx, source, &wanted, &seen.stream), ZCS_OK);
    for (int i = 0; i <= times; i++) {
        while (seen.returns < i)
            take(1);
        take(frames);
        if (i == 1)
            begin_kib = anonymous_kib();
        if (i < times)
            printf("flows %d\n", i + 1);
    }
    account(times);
    const long grown_kib = anonymous_kib() - begin_kib;
    printf("memory grew by %ld KiB%s\n", grown_kib, SANITIZED ? ", the sanitizer's among it" : "");
    CHECK(SANITIZED || grown_kib < 64);
    zcs_stream_destroy(&seen.stream);
    zcs_source_close(&source);
    zcs_close(&ctx);
    return 0;
}
