/* SPDX-License-Identifier: MIT */
/* What frames cost on this GPU, each measure beside what it is compared with: both sides in turn
 * in one loop, medians, host wall clock from before the first call until the host knows the
 * result. With a file name: the same as JSON. */
#include "check.h"

#include "backend/backend.h"
#include "backend/cuda/frame_ctx.h"
#include "os/clock.h"
#include "core/plan_compile.h"
#include "core/route.h"
#include "group.h"

enum { ROUNDS = 41, WARM = 5, MAX_FRAME_CTXS = 4 };
#define MIB ((size_t)1 << 20)

static struct zci_backend *backend;
static const struct zci_cuda_api *api = &zci_cuda_runtime;
static void *stream, *device_memory;
static struct zci_memory slots[MAX_FRAME_CTXS], results[MAX_FRAME_CTXS],
    device_results[MAX_FRAME_CTXS];
static FILE *json;
static const char *separator = "";

static void print(void *user, enum zcs_log_level level, const char *line)
{
    (void)user, (void)level;
    fprintf(stderr, "  log: %s\n", line);
}

static const struct zci_log log_all = {.fn = print, .level = ZCS_LOG_WARNING};

static void record(const char *measure, const char *what, double value, const char *unit)
{
    if (json != NULL)
        fprintf(json,
                "%s\n  {\"measure\": \"%s\", \"case\": \"%s\", \"value\": %.4f, \"unit\": \"%s\"}",
                separator, measure, what, value, unit);
    separator = ",";
}

static int order(const void *a, const void *b)
{
    const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

/* ---- one thing to be timed ---- */

struct series {
    const char *name;
    int64_t (*run)(struct series *s); /* ns */
    size_t bytes;
    struct zci_frame_ctx *inflight[MAX_FRAME_CTXS];
    uint32_t frame_ctx_count, frames;
    enum zcs_route route;
    int to_host;
    struct zci_plan plan;
    int64_t submit_ns, values[ROUNDS], submits[ROUNDS], median, p90, submit_median;
};

static int64_t run_copy(struct series *s)
{
    const int64_t begin = zci_now_ns();
    CHECK_EQ(api->copy(device_memory, slots[0].host, s->bytes, ZCI_CUDA_TO_DEVICE, stream), 0);
    CHECK_EQ(api->stream_wait(stream), 0);
    return zci_now_ns() - begin;
}

static int64_t run_copy_back(struct series *s)
{
    const int64_t begin = zci_now_ns();
    CHECK_EQ(api->copy(results[0].host, device_memory, s->bytes, ZCI_CUDA_TO_HOST, stream), 0);
    CHECK_EQ(api->stream_wait(stream), 0);
    return zci_now_ns() - begin;
}

/* A kernel of CUDA's own that does nothing but write mapped host memory. */
static int64_t run_mapped_write(struct series *s)
{
    const int64_t begin = zci_now_ns();
    CHECK_EQ(api->fill(results[0].host, 0x3c, s->bytes, stream), 0);
    CHECK_EQ(api->stream_wait(stream), 0);
    return zci_now_ns() - begin;
}

static void submit(struct series *s, uint32_t frame)
{
    const uint32_t i = frame % s->frame_ctx_count;
    const struct zci_memory *result = s->to_host ? &results[i] : &device_results[i];
    const struct zci_job job = {.source = slots[i].host,
                                .source_memory = &slots[i],
                                .result = result->host,
                                .result_memory = result,
                                .route = s->route};
    CHECK_EQ(backend->ops->frame_ctx_submit(s->inflight[i], &job), ZCS_OK);
}

static void collect(struct series *s, uint32_t frame)
{
    struct zci_job_result done;
    struct zci_frame_ctx *fctx = s->inflight[frame % s->frame_ctx_count];
    CHECK_EQ(backend->ops->frame_ctx_wait(fctx, 10000000000), ZCS_OK);
    CHECK_EQ(backend->ops->frame_ctx_poll(fctx, &done), ZCS_OK);
}

/* `frames` frames, as many in flight as there are frame contexts; the time of one. */
static int64_t run_frames(struct series *s)
{
    const int64_t begin = zci_now_ns();
    for (uint32_t i = 0; i < s->frame_ctx_count; i++)
        submit(s, i);
    s->submit_ns = (zci_now_ns() - begin) / s->frame_ctx_count;
    for (uint32_t i = 0; i < s->frames; i++) {
        collect(s, i);
        if (i + s->frame_ctx_count < s->frames)
            submit(s, i + s->frame_ctx_count);
    }
    return (zci_now_ns() - begin) / s->frames;
}

static void make_frames(struct series *s, const char *name, const struct zcs_image *image,
                        const char *stages, enum zcs_route route, uint32_t inflight,
                        uint32_t frames, int to_host)
{
    const struct zci_plan_params params = {.stages = stages, .depth = ZCS_DEPTH_8};
    *s = (struct series){.name = name,
                         .run = run_frames,
                         .bytes = image->size_bytes,
                         .frame_ctx_count = inflight,
                         .frames = frames,
                         .route = route,
                         .to_host = to_host};
    CHECK_EQ(zci_plan_compile(&s->plan, image, &params, &log_all), ZCS_OK);
    for (uint32_t i = 0; i < inflight; i++)
        CHECK_EQ(frame_ctx_alone(backend, 0, &s->plan, NULL, &s->inflight[i]), ZCS_OK);
}

/* The loaders of the mapped route with nobody behind them: reads every byte once. */
static void make_read_only(struct series *s, const struct zcs_image *image)
{
    make_frames(s, "mapped read only", image, "none", ZCS_ROUTE_MAPPED, 1, 1, 0);
    struct zci_cuda_frame_ctx *fctx = (struct zci_cuda_frame_ctx *)s->inflight[0];
    fctx->steps[0].pass.tiles = 0;
    fctx->steps[0].blocks = 0;
}

static void finish(struct series *s)
{
    for (uint32_t i = 0; i < s->frame_ctx_count; i++)
        backend->ops->frame_ctx_destroy(&s->inflight[i]);
    if (s->frame_ctx_count > 0)
        zci_plan_finish(&s->plan);
}

/* All series in turn, round after round. */
static void time_all(struct series *all, uint32_t count)
{
    for (uint32_t round = 0; round < WARM + ROUNDS; round++)
        for (uint32_t i = 0; i < count; i++) {
            const int64_t ns = all[i].run(&all[i]);
            all[i].values[round < WARM ? 0 : round - WARM] = ns;
            all[i].submits[round < WARM ? 0 : round - WARM] = all[i].submit_ns;
        }
    for (uint32_t i = 0; i < count; i++) {
        qsort(all[i].values, ROUNDS, sizeof all[i].values[0], order);
        qsort(all[i].submits, ROUNDS, sizeof all[i].submits[0], order);
        all[i].median = all[i].values[ROUNDS / 2];
        all[i].p90 = all[i].values[ROUNDS * 9 / 10];
        all[i].submit_median = all[i].submits[ROUNDS / 2];
    }
}

static void show(const char *title, struct series *all, uint32_t count)
{
    printf("%s\n", title);
    for (uint32_t i = 0; i < count; i++) {
        const struct series *s = &all[i];
        printf("  %-24s %9.1f us  p90 %9.1f  %6.1f GB/s  x%.3f of the first", s->name,
               (double)s->median / 1e3, (double)s->p90 / 1e3, (double)s->bytes / (double)s->median,
               (double)s->median / (double)all[0].median);
        if (s->frame_ctx_count > 0)
            printf("  submit %.1f us", (double)s->submit_median / 1e3);
        printf("\n");
        record(title, s->name, (double)s->median / 1e3, "us");
    }
    fflush(stdout);
}

static struct zcs_image image_of(enum zcs_pixfmt format, uint32_t width, uint32_t height)
{
    struct zcs_image image;
    CHECK_EQ(zcs_image_init(&image, format, width, height, 0), ZCS_OK);
    return image;
}

/* ---- NPP, where it is installed ---- */

#ifdef ZCS_NPP
#include <cuda_runtime_api.h>
#include <nppi_color_conversion.h>

static uint32_t npp_width, npp_height;

/* What a textbook does: copies the mosaic, calls the library's bilinear debayer, waits. */
static int64_t run_npp(struct series *s)
{
    static NppStreamContext context;
    const NppiSize size = {(int)npp_width, (int)npp_height};
    const NppiRect all = {0, 0, (int)npp_width, (int)npp_height};
    if (context.hStream == NULL) {
        struct cudaDeviceProp properties;
        CHECK_EQ(cudaGetDeviceProperties(&properties, 0), 0);
        context.hStream = stream;
        context.nMultiProcessorCount = properties.multiProcessorCount;
        context.nMaxThreadsPerMultiProcessor = properties.maxThreadsPerMultiProcessor;
        context.nMaxThreadsPerBlock = properties.maxThreadsPerBlock;
        context.nSharedMemPerBlock = properties.sharedMemPerBlock;
        context.nCudaDevAttrComputeCapabilityMajor = properties.major;
        context.nCudaDevAttrComputeCapabilityMinor = properties.minor;
    }
    const int64_t begin = zci_now_ns();
    CHECK_EQ(api->copy(device_memory, slots[0].host, s->bytes, ZCI_CUDA_TO_DEVICE, stream), 0);
    CHECK_EQ(nppiCFAToRGB_8u_C1C3R_Ctx(device_memory, (int)npp_width, size, all,
                                       device_results[0].handle, (int)npp_width * 3,
                                       NPPI_BAYER_RGGB, NPPI_INTER_UNDEFINED, context),
             0);
    CHECK_EQ(api->stream_wait(stream), 0);
    return zci_now_ns() - begin;
}
#endif

/* ---- the measures ---- */

#define MHC "black=16,wb=manual:r=1.5:b=1.25,demosaic=mhc"

static void single_frames(enum zcs_pixfmt format, const char *stages, uint32_t width,
                          uint32_t height)
{
    static struct series all[8];
    const struct zcs_image image = image_of(format, width, height);
    char title[128];
    snprintf(title, sizeof title, "one frame, %s %ux%u, %s, to device",
             zcs_pixfmt_info(format)->name, width, height, stages);
    all[0] = (struct series){.name = "copy, sync", .run = run_copy, .bytes = image.size_bytes};
    make_read_only(&all[1], &image);
    make_frames(&all[2], "mapped", &image, stages, ZCS_ROUTE_MAPPED, 1, 1, 0);
    make_frames(&all[3], "staged", &image, stages, ZCS_ROUTE_STAGED, 1, 1, 0);
    make_frames(&all[4], "whole", &image, stages, ZCS_ROUTE_WHOLE, 1, 1, 0);
    make_frames(&all[5], "mapped, to host", &image, stages, ZCS_ROUTE_MAPPED, 1, 1, 1);
    uint32_t count = 6;
#ifdef ZCS_NPP
    npp_width = width;
    npp_height = height;
    all[count] =
        (struct series){.name = "copy, NPP, sync", .run = run_npp, .bytes = image.size_bytes};
    count += format == ZCS_PIXFMT_SRGGB8;
#endif
    time_all(all, count);
    show(title, all, count);
    for (uint32_t i = 0; i < count; i++)
        finish(&all[i]);
}

static void streams(enum zcs_pixfmt format, const char *stages, uint32_t inflight, int to_host)
{
    static struct series all[8];
    const struct zcs_image image = image_of(format, 3840, 2160);
    char title[128];
    snprintf(title, sizeof title, "stream, %s 3840x2160, %s, %u in flight, to %s",
             zcs_pixfmt_info(format)->name, stages, inflight, to_host ? "host" : "device");
    all[0] = (struct series){.name = "copy of 64 MiB", .run = run_copy, .bytes = 64 * MIB};
    make_frames(&all[1], "mapped", &image, stages, ZCS_ROUTE_MAPPED, inflight, 24, to_host);
    make_frames(&all[2], "staged", &image, stages, ZCS_ROUTE_STAGED, inflight, 24, to_host);
    make_frames(&all[3], "whole", &image, stages, ZCS_ROUTE_WHOLE, inflight, 24, to_host);
    const size_t out = all[1].plan.image_bytes[0];
    all[4] = (struct series){.name = "copy back of a result", .run = run_copy_back, .bytes = out};
    all[5] =
        (struct series){.name = "mapped write of a result", .run = run_mapped_write, .bytes = out};
    time_all(all, 6);
    show(title, all, 6);
    for (int i = 1; i < 4; i++) {
        const double rate = (double)all[i].bytes / (double)all[i].median;
        const double copy = (double)all[0].bytes / (double)all[0].median;
        printf("  %s: %.3f of the copy's bytes/s; results %.3f of the mapped write's, %.3f of the "
               "copy back's\n",
               all[i].name, rate / copy, (double)all[5].median / (double)all[i].median,
               (double)all[4].median / (double)all[i].median);
    }
    for (int i = 0; i < 6; i++)
        finish(&all[i]);
}

static void read_rate(void)
{
    static struct series all[2];
    const struct zcs_image image = image_of(ZCS_PIXFMT_GREY, 8192, 8192);
    all[0] = (struct series){.name = "copy, sync", .run = run_copy, .bytes = image.size_bytes};
    make_read_only(&all[1], &image);
    time_all(all, 2);
    show("read only, 64 MiB", all, 2);
    finish(&all[1]);
}

/* What a choice made of a few rounds costs against the best of many. */
static void auto_choice(void)
{
    for (size_t bytes = MIB / 16; bytes <= 256 * MIB; bytes *= 2) {
        static struct series all[3];
        const uint32_t width = bytes < MIB ? 640 : bytes < 16 * MIB ? 2048 : 8192;
        const struct zcs_image image =
            image_of(ZCS_PIXFMT_SRGGB8, width, (uint32_t)(bytes / width / 2 * 2));
        int64_t first[ZCI_ROUTES] = {0};
        struct zci_route_choice choice;
        make_frames(&all[0], "mapped", &image, MHC, ZCS_ROUTE_MAPPED, 1, 1, 0);
        make_frames(&all[1], "staged", &image, MHC, ZCS_ROUTE_STAGED, 1, 1, 0);
        make_frames(&all[2], "whole", &image, MHC, ZCS_ROUTE_WHOLE, 1, 1, 0);
        time_all(all, 3);
        for (int i = 0; i < 3; i++)
            first[all[i].route] = all[i].median;
        zci_route_choose(first, &choice);
        time_all(all, 3);
        int64_t best = INT64_MAX, chosen = 0;
        for (int i = 0; i < 3; i++) {
            best = all[i].median < best ? all[i].median : best;
            chosen = all[i].route == choice.route ? all[i].median : chosen;
            finish(&all[i]);
        }
        printf("auto, %8zu KiB: %-6s %9.1f us, %.3f of the best (mapped %.1f, staged %.1f, whole "
               "%.1f)\n",
               bytes / 1024, zcs_route_name(choice.route), (double)chosen / 1e3,
               (double)chosen / (double)best, (double)all[0].median / 1e3,
               (double)all[1].median / 1e3, (double)all[2].median / 1e3);
        record("auto against the best", zcs_route_name(choice.route), (double)chosen / (double)best,
               "ratio");
    }
}

static void take_memory(void)
{
    const size_t room = 256 * MIB;
    for (int i = 0; i < MAX_FRAME_CTXS; i++) {
        const size_t bytes = i == 0 ? room : 40 * MIB;
        CHECK_EQ(backend->ops->memory_alloc(backend, ZCS_ROLE_INGEST, bytes, &slots[i]), ZCS_OK);
        CHECK_EQ(backend->ops->memory_alloc(backend, ZCS_ROLE_READBACK, bytes, &results[i]),
                 ZCS_OK);
        CHECK_EQ(
            backend->ops->memory_alloc(backend, ZCS_ROLE_DEVICE, bytes * 4, &device_results[i]),
            ZCS_OK);
        memset(slots[i].host, 0x5a + i, bytes);
        uint64_t seed = 7;
        for (size_t k = 0; k + 8 <= bytes; k += 8) {
            const uint64_t r = test_random(&seed);
            memcpy((uint8_t *)slots[i].host + k, &r, 8);
        }
    }
    CHECK_EQ(api->device_alloc(&device_memory, room), 0);
    CHECK_EQ(api->stream_create(&stream), 0);
}

int main(int argc, char **argv)
{
    if (zci_backend_open_cuda(&log_all, &backend) != ZCS_OK)
        SKIP("no GPU");
    const int brief = argc > 1 && strcmp(argv[1], "--short") == 0;
    json = argc > 1 && !brief ? fopen(argv[1], "w") : NULL;
    if (json != NULL)
        fprintf(json, "[");
    take_memory();
    read_rate();
    static const uint32_t sizes[3][2] = {{640, 480}, {1920, 1080}, {3840, 2160}};
    for (int i = 0; i < 3; i++)
        single_frames(ZCS_PIXFMT_SRGGB8, "demosaic=mhc", sizes[i][0], sizes[i][1]);
    if (brief) {
        single_frames(ZCS_PIXFMT_SRGGB8, MHC, 3840, 2160);
        single_frames(ZCS_PIXFMT_YUYV, "none", 3840, 2160);
        streams(ZCS_PIXFMT_SRGGB8, MHC, 3, 0);
        return 0;
    }
    for (int i = 1; i < 3; i++) {
        single_frames(ZCS_PIXFMT_SRGGB8, MHC, sizes[i][0], sizes[i][1]);
        single_frames(ZCS_PIXFMT_SRGGB10, MHC, sizes[i][0], sizes[i][1]);
        single_frames(ZCS_PIXFMT_SRGGB10P, MHC, sizes[i][0], sizes[i][1]);
        single_frames(ZCS_PIXFMT_SRGGB12P, MHC, sizes[i][0], sizes[i][1]);
    }
    single_frames(ZCS_PIXFMT_YUYV, "none", 3840, 2160);
    single_frames(ZCS_PIXFMT_NV12, "none", 3840, 2160);
    for (uint32_t inflight = 2; inflight <= 4; inflight++)
        streams(ZCS_PIXFMT_SRGGB8, MHC, inflight, 0);
    streams(ZCS_PIXFMT_YUYV, "none", 3, 0);
    streams(ZCS_PIXFMT_SRGGB8, MHC, 3, 1);
    streams(ZCS_PIXFMT_YUYV, "none", 3, 1);
    auto_choice();
    if (json != NULL) {
        fprintf(json, "\n]\n");
        fclose(json);
    }
    return 0;
}
