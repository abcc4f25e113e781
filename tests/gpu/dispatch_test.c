/* SPDX-License-Identifier: MIT */
/* Frames over several GPUs: the host's bits in every dispatch, on one GPU that is listed twice
 * and on two; long runs in order; a GPU whose every call fails from the nth on costs no frame. A
 * stand-in for CUDA shows the last without a GPU. `gpu_dispatch_test --quick`: few frames;
 * `gpu_dispatch_test --fault frames|bands|relay`: a kernel of the second GPU reads where there
 * is nothing, after which CUDA may refuse the whole process. */
#include "check.h"

#include <unistd.h>

#include <cuda_runtime_api.h>

#include "gpu/fake_api.h"
#include "gpu/open_over.h"
#include "kernels/cuda/measure.h"
#include "stamped.h"

enum { WIDTH = 326, HEIGHT = 243, FRAMES = 6, WATCHDOG_S = 280, ILLEGAL_ADDRESS = 700 };

static const char *const chains[] = {
    "black=64,wb=auto,demosaic=mhc,ccm,gamma,digest",
    "digest,wb=auto,demosaic=bilinear,flip=v,stretch,crop=200x100+11+90,digest",
    "flip=both,demosaic=mhc,gray,stretch,digest",
    "wb=auto,demosaic=mhc,digest,crop=200x60+11+180",
    "wb=auto,demosaic=mhc,flip=v,stretch,digest",
    "none",
};
enum { CHAINS = sizeof chains / sizeof *chains, CROPPED = 3 };

static uint32_t errors;

static void count_errors(void *user, enum zcs_log_level level, const char *line)
{
    (void)user;
    errors += level == ZCS_LOG_ERROR;
    if (getenv("VERBOSE") != NULL)
        fprintf(stderr, "  log: %s\n", line);
}

static struct zcs_stream_params params_of(enum zcs_dispatch dispatch, const char *const *chain,
                                          const uint32_t *devices, uint32_t count)
{
    struct zcs_stream_params params = {
        .stages = *chain, .dispatch = dispatch, .device_count = count};
    memcpy(params.devices, devices, count * sizeof *devices);
    if (dispatch == ZCS_DISPATCH_BROADCAST) {
        params.stages = NULL;
        params.chains = chain;
        params.chain_count = 2;
    }
    return params;
}

/* Runs a pattern; `keep` gets each result's pixels, rows of `digest`s too. How it ended. */
struct kept {
    uint8_t *pixels[2 * FRAMES];
    uint64_t digests[2 * FRAMES];
    size_t bytes[2];
    uint64_t results;
    struct zcs_stream_stats stats;
};

static void keep_one(struct kept *kept, const struct zcs_frame *frame, uint32_t chain_count)
{
    const uint64_t n = kept->results++;
    CHECK(n < 2 * FRAMES);
    CHECK_EQ(frame->sequence, n / chain_count);
    CHECK_EQ(frame->chain, n % chain_count);
    kept->bytes[frame->chain] = frame->image.size_bytes;
    kept->pixels[n] = malloc(frame->image.size_bytes);
    memcpy(kept->pixels[n], frame->host, frame->image.size_bytes);
    kept->digests[n] = frame->digest;
}

static zcs_status run(zcs_context *ctx, const struct zcs_stream_params *params, struct kept *kept)
{
    const struct zcs_pattern_params pattern = {
        .format = ZCS_PIXFMT_SRGGB10P, .width = WIDTH, .height = HEIGHT, .frames = FRAMES};
    zcs_source *source = NULL;
    zcs_stream *stream = NULL;
    const struct zcs_frame *frame = NULL;
    memset(kept, 0, sizeof *kept);
    zcs_status status = zcs_source_open_pattern(ctx, &pattern, &source);
    if (status == ZCS_OK)
        status = zcs_stream_create(ctx, source, params, &stream);
    while (status == ZCS_OK) {
        status = zcs_stream_next(stream, 20000000000, &frame);
        CHECK(status != ZCS_AGAIN); /* a hang */
        if (status == ZCS_OK) {
            keep_one(kept, frame, params->chain_count ? params->chain_count : 1);
            zcs_frame_unref(&frame);
        }
    }
    if (stream != NULL)
        zcs_stream_stats(stream, &kept->stats);
    zcs_stream_destroy(&stream);
    zcs_source_close(&source);
    return status;
}

static void forget(struct kept *kept)
{
    for (uint64_t i = 0; i < kept->results; i++)
        free(kept->pixels[i]);
    kept->results = 0;
}

static struct kept expected[CHAINS];

static void fill_expected(void)
{
    static const uint32_t devices[] = {0};
    const struct zcs_params params = {.backend = ZCS_BACKEND_HOST};
    zcs_context *ctx = NULL;
    CHECK_EQ(zcs_open(&params, &ctx), ZCS_OK);
    for (int i = 0; i < CHAINS; i++) {
        const struct zcs_stream_params alone =
            params_of(ZCS_DISPATCH_FRAMES, &chains[i], devices, 1);
        CHECK_EQ(run(ctx, &alone, &expected[i]), ZCS_EOF);
    }
    zcs_close(&ctx);
}

/* The results of `kept`, of chain `first` and, in a broadcast, the one behind it. */
static void check_same(const struct kept *kept, int first, uint32_t chain_count)
{
    CHECK_EQ(kept->results, FRAMES * chain_count);
    for (uint64_t n = 0; n < kept->results; n++) {
        const uint32_t chain = (uint32_t)(n % chain_count);
        const struct kept *as = &expected[(uint32_t)first + chain];
        CHECK_EQ(kept->bytes[chain], as->bytes[0]);
        CHECK(memcmp(kept->pixels[n], as->pixels[n / chain_count], as->bytes[0]) == 0);
        CHECK(kept->digests[n] == as->digests[n / chain_count]);
    }
}

static void check_parity(zcs_context *ctx, const uint32_t *devices, uint32_t count)
{
    uint32_t runs = 0;
    for (int i = 0; i < CHAINS; i++)
        for (int dispatch = ZCS_DISPATCH_FRAMES; dispatch <= ZCS_DISPATCH_BROADCAST; dispatch++)
            for (int route = ZCS_ROUTE_AUTO; route <= ZCS_ROUTE_WHOLE; route++) {
                struct kept kept;
                if (dispatch == ZCS_DISPATCH_BROADCAST && i + 1 == CHAINS)
                    continue;
                struct zcs_stream_params params =
                    params_of((enum zcs_dispatch)dispatch, &chains[i], devices, count);
                params.route = (enum zcs_route)route;
                CHECK_EQ(run(ctx, &params, &kept), ZCS_EOF);
                check_same(&kept, i, params.chain_count ? params.chain_count : 1);
                CHECK(kept.stats.devices_lost == 0);
                forget(&kept);
                runs++;
            }
    printf("parity: %u runs on %u devices\n", runs, count);
}

/* Device 1 fails from the nth call on, as long as it makes so many; device 0 is left. */
static void fail_one(const struct zci_cuda_api *api, enum zcs_dispatch dispatch, int chain,
                     int error, uint64_t step, int real)
{
    const uint32_t devices[] = {0, 1};
    uint64_t n = 1, redone = 0, lost = 0;
    for (;; n += step) {
        zcs_context *ctx = NULL;
        struct kept kept;
        fake_state = (struct fake_state){
            .fail_at = n, .fail_with = error, .sticky = 1, .fail_device = 1, .devices = 2};
        CHECK_EQ(open_over(api, count_errors, &ctx), ZCS_OK);
        struct zcs_stream_params params = params_of(dispatch, &chains[chain], devices, 2);
        params.route = ZCS_ROUTE_MAPPED; /* measuring takes as many calls as there is time for */
        CHECK_EQ(run(ctx, &params, &kept), ZCS_EOF);
        zcs_close(&ctx);
        CHECK_EQ(kept.stats.processed, FRAMES);
        CHECK(!kept.stats.devices[0].lost && kept.stats.lost[ZCS_LOSS_ERROR] == 0);
        CHECK_EQ(fake_state.alive, 0);
        if (real)
            check_same(&kept, chain, params.chain_count ? params.chain_count : 1);
        redone += kept.stats.redone;
        lost += kept.stats.devices_lost;
        forget(&kept);
        if (fake_state.calls < n)
            break;
    }
    printf("dispatch %d, chain %d: device 1 failed (%d) from each of %" PRIu64 " calls on, %" PRIu64
           " frames redone\n",
           dispatch, chain, error, n / step, redone);
    CHECK(lost > 0 && redone > 0);
}

/* All fail: the stream ends, and everything can be let go. */
static void fail_both(const struct zci_cuda_api *api, enum zcs_dispatch dispatch, uint64_t step)
{
    const uint32_t devices[] = {0, 0};
    uint64_t n = 1, ends = 0;
    for (;; n += step) {
        zcs_context *ctx = NULL;
        struct kept kept = {.results = 0};
        fake_state = (struct fake_state){.fail_at = n, .fail_with = 1, .sticky = 1, .devices = 2};
        zcs_status status = open_over(api, count_errors, &ctx);
        if (status == ZCS_OK) {
            struct zcs_stream_params params = params_of(dispatch, &chains[0], devices, 2);
            params.route = ZCS_ROUTE_STAGED;
            status = run(ctx, &params, &kept);
            zcs_close(&ctx);
        }
        CHECK(status < 0 || kept.stats.processed == FRAMES);
        ends += status < 0;
        CHECK_EQ(fake_state.alive, 0);
        forget(&kept);
        if (fake_state.calls < n)
            break;
    }
    CHECK(ends > 0);
}

static void check_failures(const struct zci_cuda_api *of, uint64_t step, int real)
{
    const struct zci_cuda_api *api = fake_around(of);
    for (int dispatch = ZCS_DISPATCH_FRAMES; dispatch <= ZCS_DISPATCH_BROADCAST; dispatch++) {
        fail_one(api, (enum zcs_dispatch)dispatch, 0, 1, step, real);
        fail_one(api, (enum zcs_dispatch)dispatch, 0, ILLEGAL_ADDRESS, real ? step : 7, real);
        if (!real)
            fail_both(api, (enum zcs_dispatch)dispatch, step);
    }
    fail_one(api, ZCS_DISPATCH_BANDS, CROPPED, 1, step, real);
}

static void check_gpus(int quick)
{
    static const uint32_t lists[][3] = {{0}, {0, 0}, {0, 0, 0}, {0, 1}};
    static const uint32_t counts[] = {1, 2, 3, 2};
    const struct zcs_params params = {.backend = ZCS_BACKEND_CUDA, .log = count_errors};
    zcs_context *ctx = NULL;
    if (zcs_open(&params, &ctx) != ZCS_OK) {
        printf("no GPU: the stand-in alone was used\n");
        return;
    }
    const uint32_t gpus = zcs_device_count(ctx);
    const uint32_t last = gpus > 1 ? 4 : 3, pair = gpus > 1 ? 3 : 1;
    fill_expected();
    for (uint32_t i = 0; i < last; i++)
        check_parity(ctx, lists[i], counts[i]);
    for (int dispatch = ZCS_DISPATCH_FRAMES; dispatch <= ZCS_DISPATCH_RELAY; dispatch++)
        stamped_run(ctx, (enum zcs_dispatch)dispatch, lists[pair], counts[pair],
                    quick ? 1000 : 100000);
    printf("stamped frames: in order on %u GPUs\n", gpus);
    zcs_close(&ctx);
    if (gpus > 1)
        check_failures(&zci_cuda_runtime, quick ? 29 : 11, 1);
    for (int i = 0; i < CHAINS; i++)
        forget(&expected[i]);
}

/* ---- a real fault ---- */

static zcs_status upright(void *user, const struct zcs_view *in, const struct zcs_view *out,
                          uint32_t first, uint32_t last)
{
    (void)user;
    for (uint32_t y = first; y < last; y++)
        memcpy((uint8_t *)out->data + y * out->stride_bytes,
               (const uint8_t *)in->data + y * in->stride_bytes, in->stride_bytes);
    return ZCS_OK;
}

/* The same, but the third frame on device 1 is its last. */
static zcs_status spoil(void *user, const struct zcs_view *in, const struct zcs_view *out,
                        void *stream)
{
    static uint32_t times;
    int device = 0;
    (void)user;
    struct zck_cuda_measure measure = {.count = 4096};
    void *arguments[] = {&measure};
    const dim3 grid = {ZCK_CUDA_MEASURE_BLOCKS, 1, 1}, block = {ZCK_CUDA_MEASURE_THREADS, 1, 1};
    if (cudaGetDevice(&device) != 0 ||
        cudaMemcpyAsync(out->data, in->data, in->stride_bytes * in->height,
                        cudaMemcpyDeviceToDevice, stream) != 0)
        return ZCS_ERR_DEVICE;
    if (device == 1 && ++times == 3)
        return cudaLaunchKernel(zck_cuda_work_kernel(), grid, block, arguments, 0, stream) == 0
                   ? ZCS_OK
                   : ZCS_ERR_DEVICE;
    return ZCS_OK;
}

static void check_fault(const char *name)
{
    static const char *const names[] = {"frames", "bands", "relay"};
    static const struct zcs_custom_stage stage = {
        .name = "spoil", .host_fn = upright, .cuda_fn = spoil};
    static const char *const chain = "wb=auto,demosaic,spoil,gamma,digest";
    static const uint32_t devices[] = {0, 1};
    static struct kept want, got;
    int dispatch = 0;
    while (strcmp(names[dispatch], name) != 0)
        CHECK(++dispatch < 3);
    const struct zcs_params host = {.backend = ZCS_BACKEND_HOST};
    const struct zcs_params cuda = {.backend = ZCS_BACKEND_CUDA, .log = count_errors};
    zcs_context *ctx = NULL;
    struct zcs_stream_params params = params_of(ZCS_DISPATCH_FRAMES, &chain, devices, 1);
    params.custom = &stage;
    params.custom_count = 1;
    CHECK_EQ(zcs_open(&host, &ctx), ZCS_OK);
    CHECK_EQ(run(ctx, &params, &want), ZCS_EOF);
    zcs_close(&ctx);
    if (zcs_open(&cuda, &ctx) != ZCS_OK || zcs_device_count(ctx) < 2)
        SKIP("needs two GPUs");
    params.dispatch = (enum zcs_dispatch)dispatch;
    params.device_count = 2;
    params.devices[1] = 1;
    const zcs_status status = run(ctx, &params, &got);
    CHECK(status == ZCS_EOF ? got.results == FRAMES : status == ZCS_ERR_DEVICE);
    for (uint64_t i = 0; i < got.results; i++)
        CHECK(memcmp(got.pixels[i], want.pixels[i], want.bytes[0]) == 0 &&
              got.digests[i] == want.digests[i]);
    CHECK(got.stats.devices[1].lost && errors > 0);
    CHECK(status != ZCS_EOF || (!got.stats.devices[0].lost && got.stats.redone > 0));
    zcs_close(&ctx);
    printf("%s: device 1 ended in the middle; %" PRIu64 " of %d frames, %s\n", name, got.results,
           FRAMES,
           status == ZCS_EOF ? "the rest done again"
                             : "then CUDA refused the other device as well");
    forget(&want);
    forget(&got);
}

int main(int argc, char **argv)
{
    alarm(WATCHDOG_S);
    setvbuf(stdout, NULL, _IOLBF, 0); /* what is done so far shows if it ends here */
    if (argc > 2 && strcmp(argv[1], "--fault") == 0) {
        alarm(50);
        check_fault(argv[2]);
        return 0;
    }
    check_failures(&fake_cuda, SANITIZED ? 7 : 1, 0);
    check_gpus(argc > 1 && strcmp(argv[1], "--quick") == 0);
    return 0;
}
