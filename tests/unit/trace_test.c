/* SPDX-License-Identifier: MIT */
/* NVTX ranges, as a profiler sees them: each frame has one, each pass of it too, and all are closed. */
#include "check.h"

#ifndef ZCS_NVTX

int main(void)
{
    SKIP("this build is without ZCS_NVTX");
}

#else

#include <pthread.h>

#include <nvtx3/nvToolsExt.h>

#include "zcstream/zcstream.h"

enum { FRAMES = 5, MAX = 4096 };

static struct {
    pthread_mutex_t lock;
    char texts[MAX][96];
    unsigned count, pushed, popped, begun, ended;
} seen = {.lock = PTHREAD_MUTEX_INITIALIZER};

static unsigned note(const char *text, unsigned *counter)
{
    pthread_mutex_lock(&seen.lock);
    CHECK(seen.count < MAX);
    if (text != NULL)
        snprintf(seen.texts[seen.count++], sizeof seen.texts[0], "%s", text);
    const unsigned number = ++*counter;
    pthread_mutex_unlock(&seen.lock);
    return number;
}

static int push_text(const char *text)
{
    note(text, &seen.pushed);
    return 0;
}

static int push_event(const nvtxEventAttributes_t *event)
{
    note(event->message.ascii, &seen.pushed);
    return 0;
}

static int pop(void)
{
    note(NULL, &seen.popped);
    return 0;
}

static nvtxRangeId_t start_event(const nvtxEventAttributes_t *event)
{
    return note(event->message.ascii, &seen.begun);
}

static void end_range(nvtxRangeId_t range)
{
    CHECK(range > 0 && range <= seen.begun);
    note(NULL, &seen.ended);
}

static int initialize(NvtxGetExportTableFunc_t get)
{
    NvtxFunctionTable table;
    unsigned count;
    const NvtxExportTableCallbacks *callbacks = get(NVTX_ETID_CALLBACKS);
    if (callbacks == NULL ||
        !callbacks->GetModuleFunctionTable(NVTX_CB_MODULE_CORE, &table, &count))
        return 0;
    *table[NVTX_CBID_CORE_RangePushA] = (NvtxFunctionPointer)push_text;
    *table[NVTX_CBID_CORE_RangePushEx] = (NvtxFunctionPointer)push_event;
    *table[NVTX_CBID_CORE_RangePop] = (NvtxFunctionPointer)pop;
    *table[NVTX_CBID_CORE_RangeStartEx] = (NvtxFunctionPointer)start_event;
    *table[NVTX_CBID_CORE_RangeEnd] = (NvtxFunctionPointer)end_range;
    return 1;
}

/* Found by NVTX in place of a profiler's library. */
NvtxInitializeInjectionNvtxFunc_t InitializeInjectionNvtx2_fnptr = initialize;

static unsigned count_of(const char *text)
{
    unsigned count = 0;
    for (unsigned i = 0; i < seen.count; i++)
        count += strstr(seen.texts[i], text) != NULL;
    return count;
}

int main(void)
{
    const struct zcs_params params = {.backend = ZCS_BACKEND_HOST, .host_threads = 2};
    const struct zcs_pattern_params pattern = {
        .format = ZCS_PIXFMT_SRGGB10, .width = 640, .height = 480, .frames = FRAMES};
    const struct zcs_stream_params chain = {.stages = "black,wb=auto,demosaic,gamma"};
    zcs_context *ctx = NULL;
    zcs_source *source = NULL;
    zcs_stream *stream = NULL;
    const struct zcs_frame *frame = NULL;
    CHECK_EQ(zcs_open(&params, &ctx), ZCS_OK);
    CHECK_EQ(zcs_source_open_pattern(ctx, &pattern, &source), ZCS_OK);
    CHECK_EQ(zcs_stream_create(ctx, source, &chain, &stream), ZCS_OK);
    while (zcs_stream_next(stream, -1, &frame) == ZCS_OK)
        zcs_frame_unref(&frame);
    zcs_stream_destroy(&stream);
    zcs_source_close(&source);
    zcs_close(&ctx);
    for (unsigned i = 0; i < FRAMES; i++) {
        char name[32];
        snprintf(name, sizeof name, "frame %u", i);
        CHECK_EQ(count_of(name), 1);
    }
    CHECK(count_of("capture") >= FRAMES);
    CHECK(count_of("pass 1 of ") >= FRAMES && count_of(" mhc") >= FRAMES);
    CHECK_EQ(seen.begun, FRAMES);
    CHECK_EQ(seen.ended, FRAMES);
    CHECK_EQ(seen.pushed, seen.popped);
    return 0;
}

#endif
