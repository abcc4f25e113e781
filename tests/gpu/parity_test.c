/* SPDX-License-Identifier: MIT */
/* GPU against host, to the bit: every format, chains of every stage, all routes, widths 1 to 70
 * and large ones, odd heights, padded strides, sources that begin anywhere in a line, random and
 * adversarial content, content that changes; whole padded rectangles and digests. --quick [N]: a
 * few sizes, and each Nth format, for slow instruments. */
#include "check.h"

#include "backend/backend.h"
#include "core/plan_compile.h"
#include "backend/cuda/api.h"
#include "backend/cuda/frame_ctx.h"
#include "group.h"

enum { ROOM = 4 << 20, BIG_ROOM = 80 << 20 };

static struct zci_backend *host, *cuda;
static struct zci_memory source, result, device_result;
static uint8_t *expected, *second_expected;
static uint64_t seed = 1, cases, held_cases, word_cases;
static uint32_t turns;
static int hold_too = 1;

static void print(void *user, enum zcs_log_level level, const char *line)
{
    (void)user, (void)level;
    fprintf(stderr, "  log: %s\n", line);
}

static const struct zci_log log_all = {.fn = print, .level = ZCS_LOG_WARNING};

/* Copies rows: a stage of the user's in CUDA calls alone. */
static zcs_status copy_on_gpu(void *user, const struct zcs_view *in, const struct zcs_view *out,
                              void *stream)
{
    const size_t bytes = in->width * (in->format == ZCS_PIXFMT_RGBA64   ? 8u
                                      : in->format == ZCS_PIXFMT_RGBA32 ? 4u
                                      : in->format == ZCS_PIXFMT_Y16    ? 2u
                                                                        : 1u);
    (void)user;
    for (uint32_t y = 0; y < in->height; y++)
        if (zci_cuda_runtime.copy((uint8_t *)out->data + y * out->stride_bytes,
                                  (const uint8_t *)in->data + y * in->stride_bytes, bytes,
                                  ZCI_CUDA_ON_DEVICE, stream))
            return ZCS_ERR_DEVICE;
    return ZCS_OK;
}

static zcs_status copy_on_host(void *user, const struct zcs_view *in, const struct zcs_view *out,
                               uint32_t first, uint32_t last)
{
    const size_t pixel = in->format == ZCS_PIXFMT_RGBA64   ? 8u
                         : in->format == ZCS_PIXFMT_RGBA32 ? 4u
                         : in->format == ZCS_PIXFMT_Y16    ? 2u
                                                           : 1u;
    (void)user;
    for (uint32_t y = first; y < last; y++)
        memcpy((uint8_t *)out->data + y * out->stride_bytes,
               (const uint8_t *)in->data + y * in->stride_bytes, in->width * pixel);
    return ZCS_OK;
}

static const struct zcs_custom_stage custom = {
    .name = "mine", .host_fn = copy_on_host, .cuda_fn = copy_on_gpu};

/* Noise; noise of extremes; a ramp; noise with many zeros. */
static void fill(uint8_t *at, size_t bytes, uint32_t kind)
{
    for (size_t i = 0; i < bytes; i += 8) {
        uint64_t r = test_random(&seed);
        if (kind == 1)
            r = (r & 0x0101010101010101u) * 255;
        else if (kind == 2)
            r = 0x0706050403020100u + 0x0808080808080808u * (i / 8);
        else if (kind == 3)
            r &= test_random(&seed) & test_random(&seed);
        memcpy(at + i, &r, bytes - i < 8 ? bytes - i : 8);
    }
}

/* Whatever the frame was, the place of the next one is ready; this does not depend on who comes
 * first. */
static void check_place(const struct zci_frame_ctx *base)
{
    const struct zci_cuda_frame_ctx *fctx = (const struct zci_cuda_frame_ctx *)base;
    const struct zck_cuda_transfer *transfer = &fctx->steps[0].pass.transfer;
    if (!fctx->sentinel_filled)
        return;
    uint32_t *words = malloc(transfer->fill_bytes);
    CHECK_EQ(zci_cuda_runtime.copy(words, fctx->next_staging + transfer->fill_begin,
                                   transfer->fill_bytes, ZCI_CUDA_TO_HOST,
                                   fctx->kernel_stream->handle),
             0);
    CHECK_EQ(zci_cuda_runtime.stream_wait(fctx->kernel_stream->handle), 0);
    for (uint64_t i = 0; i < transfer->fill_bytes / 4; i++)
        CHECK_EQ(words[i], transfer->sentinel);
    free(words);
}

static zcs_status run(struct zci_backend *backend, const struct zci_plan *plan,
                      const struct zci_job *job, struct zci_frame_ctx **fctx,
                      struct zci_job_result *out)
{
    if (*fctx == NULL)
        CHECK_EQ(frame_ctx_alone(backend, 0, plan, NULL, fctx), ZCS_OK);
    CHECK_EQ(backend->ops->frame_ctx_submit(*fctx, job), ZCS_OK);
    CHECK_EQ(backend->ops->frame_ctx_wait(*fctx, 5000000000), ZCS_OK);
    const zcs_status status = backend->ops->frame_ctx_poll(*fctx, out);
    if (backend == cuda)
        check_place(*fctx);
    return status;
}

static void differ(const struct zci_plan *plan, const char *stages, const char *how, size_t at)
{
    fprintf(stderr, "%s %ux%u stride %zu, stages %s, %s: differs at row %zu byte %zu\n",
            zcs_pixfmt_info(plan->source.format)->name, plan->source.width, plan->source.height,
            plan->source.stride_bytes[0], stages ? stages : "(default)", how,
            at / plan->image_stride[0], at % plan->image_stride[0]);
    exit(1);
}

static void compare(const struct zci_plan *plan, const char *stages, const char *how,
                    const uint8_t *want, const uint8_t *got)
{
    for (size_t i = 0; i < plan->image_bytes[0]; i++)
        if (got[i] != want[i])
            differ(plan, stages, how, i);
}

static void run_host(const struct zci_plan *plan, struct zci_job job, uint8_t *to,
                     struct zci_job_result *out)
{
    struct zci_frame_ctx *fctx = NULL;
    job.result = to;
    CHECK_EQ(run(host, plan, &job, &fctx, out), ZCS_OK);
    host->ops->frame_ctx_destroy(&fctx);
}

/* Staged frames of two contents in one frame context, so that what an earlier one left behind
 * would show in each of its two places; the second content has words that look as if they were
 * not there yet. */
static void in_words(const struct zci_plan *plan, const char *stages, struct zci_job job,
                     struct zci_frame_ctx *gpu, const struct zci_job_result *want, uint32_t kind)
{
    static const int second[] = {0, 1, 1, 0, 0, 1, 0, 1};
    static const enum zcs_route routes[] = {ZCS_ROUTE_STAGED, ZCS_ROUTE_STAGED, ZCS_ROUTE_MAPPED,
                                            ZCS_ROUTE_MAPPED, ZCS_ROUTE_MAPPED, ZCS_ROUTE_STAGED,
                                            ZCS_ROUTE_MAPPED, ZCS_ROUTE_STAGED};
    const uint32_t sentinel = ((struct zci_cuda_frame_ctx *)gpu)->steps[0].pass.transfer.sentinel;
    const uint8_t *first = job.source;
    uint8_t *other = (uint8_t *)source.host + source.bytes / 2 + kind * 16;
    struct zci_job_result other_want = {0}, got = {0};
    if (!zck_cuda_reads_sentinel(plan->load.unpack) || (uintptr_t)first % 16 != 0)
        return;
    CHECK(source.bytes / 2 + kind * 16 + plan->source.size_bytes <= source.bytes);
    fill(other, plan->source.size_bytes, kind);
    for (size_t i = kind; i + 8 <= plan->source.size_bytes; i += 4 * (1 + test_random(&seed) % 64))
        memcpy(other + i, &sentinel, 4);
    job.source = other;
    run_host(plan, job, second_expected, &other_want);
    job.result = result.host;
    job.result_memory = &result;
    for (uint32_t i = 0; i < sizeof second / sizeof *second; i++) {
        const uint64_t digest = second[i] ? other_want.digest : want->digest;
        job.source = second[i] ? other : first;
        job.route = routes[i];
        memset(result.host, 0xa5, plan->image_bytes[0]);
        CHECK_EQ(run(cuda, plan, &job, &gpu, &got), ZCS_OK);
        compare(plan, stages, "in words", second[i] ? second_expected : expected, result.host);
        if (got.digest != digest)
            differ(plan, stages, "in words, digest", 0);
        word_cases++;
    }
}

/* The same frame context with a persistent kernel: its ways of reading, one frame after the
 * other. */
static void held(const struct zci_plan *plan, const char *stages, struct zci_job *job,
                 struct zci_frame_ctx *gpu, const struct zci_job_result *want)
{
    static const enum zcs_route routes[] = {ZCS_ROUTE_MAPPED, ZCS_ROUTE_STAGED, ZCS_ROUTE_MAPPED};
    struct zci_job_result got = {0};
    struct zci_reservation hold;
    CHECK_EQ(cuda->ops->frame_ctx_reserve(gpu, &hold), ZCS_OK);
    CHECK((hold.units > 0) == (plan->custom_count == 0 && plan->pass_count <= 4));
    job->result = result.host;
    job->result_memory = &result;
    for (uint32_t i = 0; i < 3 && hold.units > 0; i++) {
        job->route = routes[i];
        memset(result.host, 0xa5, plan->image_bytes[0]);
        CHECK_EQ(run(cuda, plan, job, &gpu, &got), ZCS_OK);
        compare(plan, stages, i == 1 ? "held, staged" : "held, mapped", expected, result.host);
        if (got.digest != want->digest)
            differ(plan, stages, "held, digest", 0);
        held_cases += got.route != ZCS_ROUTE_WHOLE; /* else its source lies where it takes none */
    }
}

/* One plan: the host once, the GPU on every route, twice on the first; then into device memory. */
static void one(const struct zcs_image *image, const char *stages, enum zcs_depth depth,
                size_t offset, uint32_t kind)
{
    static const enum zcs_route routes[] = {ZCS_ROUTE_MAPPED, ZCS_ROUTE_STAGED, ZCS_ROUTE_WHOLE,
                                            ZCS_ROUTE_MAPPED};
    const struct zci_plan_params params = {
        .stages = stages, .depth = depth, .custom = &custom, .custom_count = 1};
    const struct zci_log quiet = {.fn = NULL};
    struct zci_plan plan;
    struct zci_frame_ctx *gpu = NULL;
    struct zci_job_result want = {0}, got = {0};
    if (zci_plan_compile(&plan, image, &params, &quiet) != ZCS_OK) {
        zci_plan_finish(&plan);
        return; /* too small for this chain */
    }
    CHECK(plan.image_bytes[0] <= result.bytes && image->size_bytes + offset <= source.bytes);
    uint8_t *from = (uint8_t *)source.host + offset;
    fill(from, image->size_bytes, kind);
    struct zci_job job = {.source = from,
                          .source_memory = &source,
                          .result = expected,
                          .result_memory = &result,
                          .route = ZCS_ROUTE_MAPPED};
    run_host(&plan, job, expected, &want);
    job.result = result.host;
    for (uint32_t i = 0; i < 4; i++) {
        job.route = routes[i];
        memset(result.host, 0xa5, plan.image_bytes[0]);
        CHECK_EQ(run(cuda, &plan, &job, &gpu, &got), ZCS_OK);
        compare(&plan, stages, zcs_route_name(job.route), expected, result.host);
        if (got.digest != want.digest)
            differ(&plan, stages, "digest", 0);
        cases++;
    }
    if (cases % 20 == 0) {
        job.result = NULL;
        job.result_memory = &device_result;
        memset(result.host, 0xa5, plan.image_bytes[0]);
        CHECK_EQ(run(cuda, &plan, &job, &gpu, &got), ZCS_OK);
        const struct zci_cuda_frame_ctx *cuda_frame_ctx = (const struct zci_cuda_frame_ctx *)gpu;
        CHECK_EQ(zci_cuda_runtime.copy(result.host, got.device_data, plan.image_bytes[0],
                                       ZCI_CUDA_TO_HOST, cuda_frame_ctx->kernel_stream->handle),
                 0);
        CHECK_EQ(zci_cuda_runtime.stream_wait(cuda_frame_ctx->kernel_stream->handle), 0);
        compare(&plan, stages, "device result", expected, result.host);
        cases++;
    }
    const int words = ++turns % 3 == 0;
    if (words)
        in_words(&plan, stages, job, gpu, &want, kind);
    if (hold_too)
        held(&plan, stages, &job, gpu, &want);
    if (hold_too && words)
        in_words(&plan, stages, job, gpu, &want, kind);
    cuda->ops->frame_ctx_destroy(&gpu);
    zci_plan_finish(&plan);
}

static const char *const mono[] = {"none", "black=3,gamma=2.2,digest", "stretch,flip=v",
                                   "levels:low=3,flip=h,mine,digest", NULL};
static const char *const bayer[] = {
    "none",
    NULL,
    "black=2,wb=manual:r=1.7:b=1.3,demosaic=mhc,digest",
    "wb=auto,demosaic=bilinear,ccm=1.5/-0.3/-0.2/-0.2/1.4/-0.2/0/-0.5/"
    "1.5,gamma=srgb,digest",
    "flip=both,demosaic,gray,stretch,digest",
    "stretch,digest,flip=h,demosaic=bilinear,mine,gray=bt601"};
static const char *const color[] = {"none", "wb=auto,ccm=1.2/-0.2/0/0/1/0/0.1/0/0.9,digest",
                                    "gray,gamma=1.8,stretch,digest",
                                    "flip=both,stretch,mine,digest"};

/* No chain is passed over but for a picture that is too small for it. */
static void chains_fit(enum zcs_pixfmt format, const char *const *stages, uint32_t count)
{
    const struct zci_log log = {.fn = print, .level = ZCS_LOG_WARNING};
    struct zcs_image image;
    CHECK_EQ(zcs_image_init(&image, format, 640, 480, 0), ZCS_OK);
    for (uint32_t i = 0; i < count; i++) {
        const struct zci_plan_params params = {
            .stages = stages[i], .custom = &custom, .custom_count = 1};
        struct zci_plan plan;
        CHECK_EQ(zci_plan_compile(&plan, &image, &params, &log), ZCS_OK);
        zci_plan_finish(&plan);
    }
}

/* With a crop in front where the picture has room for it. */
static void chain(const struct zcs_image *image, const char *stages, enum zcs_depth depth,
                  size_t offset, uint32_t kind, int crop)
{
    char text[256];
    const uint32_t far = image->height < 64 ? 0 : 16 * kind; /* rows that nothing needs to bring */
    one(image, stages, depth, offset, kind);
    if (!crop || image->width < 12 || image->height < 8 || stages == NULL)
        return;
    snprintf(text, sizeof text, "crop=%ux%u+%u+%u%s%s", image->width - 7, image->height - 3 - far,
             kind + 1, far + kind % 3, strcmp(stages, "none") ? "," : "",
             strcmp(stages, "none") ? stages : "");
    one(image, text, depth, offset, kind);
}

static void format_at(enum zcs_pixfmt format, uint32_t width, uint32_t height, uint32_t turn)
{
    static const size_t offsets[] = {0, 2, 64, 126, 130, 4096};
    const struct zcs_pixfmt_info *info = zcs_pixfmt_info(format);
    const int is_bayer = info->model == ZCS_MODEL_BAYER;
    const char *const *stages = is_bayer ? bayer : info->model == ZCS_MODEL_MONO ? mono : color;
    const uint32_t count = is_bayer ? 6 : 4;
    const size_t min = zcs_image_min_stride(format, width, 0);
    const size_t stride = turn % 3 == 0 ? 0 : min + (turn % 3 == 1 ? 64 - min % 64 : turn % 17 * 4);
    struct zcs_image image;
    CHECK_EQ(zcs_image_init(&image, format, width, height, stride), ZCS_OK);
    if (info->bits > 8 && info->bits < 16 && turn % 4 == 1 && info->model != ZCS_MODEL_YUV) {
        image.shift = image.bits < 16 && strchr(info->name, 'P') == NULL ? 16 - image.bits : 0;
        image.bits -= 1;
    }
    for (uint32_t i = 0; i < 2; i++)
        chain(&image, stages[(turn + i * (count / 2)) % count],
              turn % 2 ? ZCS_DEPTH_16 : ZCS_DEPTH_8, offsets[turn % 6], turn % 4, turn % 5 == i);
}

static void all_formats(int each, uint32_t first, uint32_t last, uint32_t step)
{
    uint32_t turn = 0;
    for (int f = 1; f < ZCS_PIXFMT_COUNT; f += each) {
        if (zcs_pixfmt_info((enum zcs_pixfmt)f)->model == ZCS_MODEL_JPEG)
            continue;
        for (uint32_t width = first; width <= last; width += step, turn++)
            format_at((enum zcs_pixfmt)f, width, 1 + (width * 7 + turn) % 41, turn);
    }
}

static void large_sizes(void)
{
    static const struct {
        enum zcs_pixfmt format;
        uint32_t width, height;
    } large[] = {
        {ZCS_PIXFMT_SRGGB8, 1920, 1088},  {ZCS_PIXFMT_SGRBG10P, 1928, 1083},
        {ZCS_PIXFMT_SBGGR12P, 1001, 999}, {ZCS_PIXFMT_SGBRG12, 1601, 1201},
        {ZCS_PIXFMT_YUYV, 1919, 1080},    {ZCS_PIXFMT_NV12, 1921, 1081},
        {ZCS_PIXFMT_YUV420, 1279, 719},   {ZCS_PIXFMT_RGB24, 1283, 721},
        {ZCS_PIXFMT_Y16, 641, 2049},      {ZCS_PIXFMT_SRGGB8, 3840, 2160},
        {ZCS_PIXFMT_GREY, 3, 40000},      {ZCS_PIXFMT_GREY, 200000, 3},
        {ZCS_PIXFMT_SRGGB10P, 2, 30001},  {ZCS_PIXFMT_NV12, 70000, 9},
    };
    for (uint32_t i = 0; i < sizeof large / sizeof *large; i++)
        for (uint32_t turn = 0; turn < 6; turn++)
            format_at(large[i].format, large[i].width, large[i].height, turn);
}

int main(int argc, char **argv)
{
    const int quick = argc > 1 && strcmp(argv[1], "--quick") == 0;
    const struct zci_log quiet = {.fn = NULL};
    chains_fit(ZCS_PIXFMT_GREY, mono, 4);
    chains_fit(ZCS_PIXFMT_SRGGB10, bayer, 6);
    chains_fit(ZCS_PIXFMT_YUYV, color, 4);
    if (zci_backend_open_cuda(&quiet, &cuda) != ZCS_OK)
        SKIP("no GPU");
    cuda->log = log_all;
    CHECK_EQ(zci_backend_open_host(&log_all, 0, &host), ZCS_OK);
    const size_t room = quick ? ROOM : BIG_ROOM;
    CHECK_EQ(cuda->ops->memory_alloc(cuda, ZCS_ROLE_INGEST_CACHED, room, &source), ZCS_OK);
    CHECK_EQ(cuda->ops->memory_alloc(cuda, ZCS_ROLE_READBACK, room, &result), ZCS_OK);
    CHECK_EQ(cuda->ops->memory_alloc(cuda, ZCS_ROLE_DEVICE, room, &device_result), ZCS_OK);
    expected = calloc(1, room);
    second_expected = calloc(1, room);
    memset(source.host, 0, room);
    const int each = quick && argc > 2 ? atoi(argv[2]) : 1;
    hold_too = argc <= 3 || strcmp(argv[3], "unheld") != 0;
    all_formats(each > 0 ? each : 1, quick ? 9 : 1, 70, quick ? 61 : 1);
    if (!quick) {
        all_formats(1, 128, 515, 43);
        large_sizes();
    }
    cuda->ops->memory_free(cuda, &source);
    cuda->ops->memory_free(cuda, &result);
    cuda->ops->memory_free(cuda, &device_result);
    free(expected);
    free(second_expected);
    zci_backend_unref(&host);
    zci_backend_unref(&cuda);
    printf("%" PRIu64 " runs on the GPU equal to the host's, %" PRIu64
           " with a persistent kernel too, and %" PRIu64 " ones of changing content by words\n",
           cases, held_cases, word_cases);
    return 0;
}
