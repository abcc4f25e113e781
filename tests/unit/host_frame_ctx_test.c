/* SPDX-License-Identifier: MIT */
/* The host's frame contexts against a plain interpreter of plans: every route and number of threads gives the same
 * bits, padding included; custom stages and their failure; reductions between passes. */
#include "check.h"

#include <pthread.h>
#include <unistd.h>

#include "backend/backend.h"
#include "core/format.h"
#include "core/plan.h"
#include "kernels/reduce_pixel.h"
#include "kernels/cpu/table.h"
#include "group.h"

/* ---- the interpreter: whole images, one row after the other, the scalar kernels ---- */

static uint32_t reflect(int y, int height)
{
    while (height > 1 && (y < 0 || y >= height))
        y = y < 0 ? -y : 2 * (height - 1) - y;
    return height == 1 ? 0 : (uint32_t)y;
}

static void model_window(const struct zci_plan *plan, const struct zci_pass *pass,
                         const uint8_t *source, uint8_t *const images[3], uint8_t *out)
{
    const struct zci_window *window = &pass->window;
    const uint32_t bytes = zci_pixel_bytes(pass->loaded);
    uint8_t *line = malloc((size_t)pass->in_width * bytes);
    for (uint32_t y = 0; y < window->height; y++) {
        const uint32_t from = window->flip_v ? window->y + window->height - 1 - y : window->y + y;
        if (pass->in == ZCI_IMAGE_SOURCE) {
            const struct zci_load *load = &plan->load;
            const uint8_t *planes[ZCS_MAX_PLANES];
            for (int p = 0; p < ZCS_MAX_PLANES; p++)
                planes[p] = source + load->offset_bytes[p];
            zck_table_scalar()->load[load->unpack][load->pixel.depth == 16](load, planes, from,
                                                                            line);
        } else {
            memcpy(line, images[pass->in] + from * plan->image_stride[pass->in],
                   (size_t)pass->in_width * bytes);
        }
        for (uint32_t x = 0; x < window->width; x++) {
            const uint32_t at = window->flip_h ? window->width - 1 - x : x;
            memcpy(out + ((size_t)y * window->width + x) * bytes, line + (window->x + at) * bytes,
                   bytes);
        }
    }
    free(line);
}

/* One op over a whole picture; returns the new picture and frees the old one. */
static uint8_t *model_op(const struct zci_plan *plan, const struct zci_op *op,
                         const struct zci_dynamic *states, uint8_t *in, uint32_t width,
                         uint32_t height)
{
    const size_t from = (size_t)width * zci_pixel_bytes(op->in);
    const size_t to = (size_t)width * zci_pixel_bytes(op->out);
    uint8_t *out = malloc(to * height);
    for (uint32_t y = 0; y < height; y++)
        zck_table_scalar()->op[op->kind][op->in.depth == 16][op->out.depth == 16](
            op, states, plan->tables, in + y * from, out + y * to, width, y);
    free(in);
    return out;
}

static uint8_t *model_stencil(const struct zci_pass *pass, uint32_t depth, uint8_t *in)
{
    const uint32_t width = pass->width, height = pass->height;
    const size_t from = (size_t)width * depth / 8, to = from * 4;
    uint8_t *out = malloc(to * height);
    for (uint32_t y = 0; y < height; y++) {
        const void *rows[5];
        for (int i = 0; i < 5; i++)
            rows[i] = in + reflect((int)y + i - 2, (int)height) * from;
        zck_table_scalar()->stencil[pass->stencil][depth == 16](rows, out + y * to, width, y,
                                                                pass->loaded.cfa);
    }
    free(in);
    return out;
}

static void model_reduce(const struct zci_pass *pass, const uint8_t *picture,
                         struct zci_dynamic *states)
{
    const size_t row = (size_t)pass->width * zci_pixel_bytes(pass->reduce.pixel);
    struct zci_sums sums;
    zci_sums_init(&sums);
    for (uint32_t y = 0; y < pass->height; y++)
        zck_table_scalar()->reduce[pass->reduce.kind][pass->reduce.pixel.depth == 16](
            &pass->reduce, y % 2 ? picture + (y - 1) * row : NULL, picture + y * row, y, &sums);
    zci_sums_finish(&pass->reduce, &sums, &states[pass->reduce.state]);
}

static void model_pass(const struct zci_plan *plan, const struct zci_pass *pass,
                       const uint8_t *source, uint8_t *const images[3], struct zci_dynamic *states)
{
    const uint32_t width = pass->width, height = pass->height;
    const size_t row = (size_t)width * zci_pixel_bytes(pass->pixel);
    uint8_t *picture = malloc((size_t)width * height * zci_pixel_bytes(pass->loaded));
    model_window(plan, pass, source, images, picture);
    for (uint32_t i = 0; i < pass->pre_count; i++)
        picture = model_op(plan, &plan->ops[pass->pre_first + i], states, picture, width, height);
    if (pass->stencil != ZCI_STENCIL_NONE)
        picture = model_stencil(pass, zci_stencil_depth(plan, pass), picture);
    for (uint32_t i = 0; i < pass->post_count; i++)
        picture = model_op(plan, &plan->ops[pass->post_first + i], states, picture, width, height);
    if (pass->reduce.kind != ZCI_REDUCE_NONE)
        model_reduce(pass, picture, states);
    for (uint32_t y = 0; pass->out != ZCI_IMAGE_NONE && y < height; y++) {
        uint8_t *to = images[pass->out] + y * plan->image_stride[pass->out];
        memset(to, 0, plan->image_stride[pass->out]);
        memcpy(to, picture + y * row, row);
    }
    free(picture);
}

/* Image 0 of the plan, to be freed, and the digest. Custom stages invert. */
static uint8_t *model(const struct zci_plan *plan, const uint8_t *source, uint64_t *digest)
{
    uint8_t *images[3];
    struct zci_dynamic states[ZCI_MAX_STATES] = {{{0}, {0}, 0}};
    for (int i = 0; i < 3; i++)
        images[i] = calloc(1, plan->image_bytes[i] + 1);
    for (uint32_t i = 0; i < plan->pass_count; i++) {
        const struct zci_pass *pass = &plan->passes[i];
        if (pass->custom < 0)
            model_pass(plan, pass, source, images, states);
        for (uint32_t y = 0; pass->custom >= 0 && y < pass->height; y++)
            for (size_t x = 0; x < (size_t)pass->width * zci_pixel_bytes(pass->pixel); x++)
                images[pass->out][y * plan->image_stride[pass->out] + x] =
                    (uint8_t)~images[pass->in][y * plan->image_stride[pass->in] + x];
    }
    *digest = plan->digest_state >= 0 ? states[plan->digest_state].digest : 0;
    free(images[1]);
    free(images[2]);
    return images[0];
}

/* ---- plans ---- */

static const struct zci_pixel bayer16 = {ZCI_BAYER, 16, 0}, rgba16 = {ZCI_RGBA, 16, 0},
                              rgba8 = {ZCI_RGBA, 8, 0}, mono8 = {ZCI_MONO, 8, 0};

/* Bytes from row to row beyond the least: with many of them, few pixels make several chunks. */
static size_t padding = 8;

static void plan_source(struct zci_plan *plan, enum zcs_pixfmt format, uint32_t width,
                        uint32_t height)
{
    *plan = (struct zci_plan){.digest_state = -1};
    const size_t stride = zcs_image_min_stride(format, width, 0) + padding;
    CHECK(zcs_image_init(&plan->source, format, width, height, stride / 8 * 8) == ZCS_OK);
    zci_load_make(&plan->load, &plan->source, 8);
}

static struct zci_pass *add_pass(struct zci_plan *plan, int in, int out, struct zci_pixel loaded,
                                 struct zci_pixel pixel)
{
    struct zci_pass *pass = &plan->passes[plan->pass_count++];
    *pass = (struct zci_pass){
        .in = (int8_t)in, .out = (int8_t)out, .custom = -1, .loaded = loaded, .pixel = pixel};
    pass->in_width = pass->width = pass->window.width = plan->load.width;
    pass->in_height = pass->height = pass->window.height = plan->load.height;
    pass->pre_first = pass->post_first = plan->op_count;
    return pass;
}

static void set_window(struct zci_pass *pass, uint32_t x, uint32_t y, uint32_t width,
                       uint32_t height, int flip_h, int flip_v)
{
    pass->window = (struct zci_window){x, y, width, height, (uint8_t)flip_h, (uint8_t)flip_v};
    pass->width = width;
    pass->height = height;
}

static struct zci_op *add_op(struct zci_plan *plan, enum zci_op_kind kind, struct zci_pixel in,
                             struct zci_pixel out)
{
    struct zci_op *op = &plan->ops[plan->op_count++];
    *op = (struct zci_op){.kind = (uint8_t)kind, .state = -1, .in = in, .out = out};
    return op;
}

static void set_images(struct zci_plan *plan)
{
    for (uint32_t i = 0; i < plan->pass_count; i++) {
        const struct zci_pass *pass = &plan->passes[i];
        if (pass->out < 0)
            continue;
        const size_t row = (size_t)pass->width * zci_pixel_bytes(pass->pixel);
        plan->image_stride[pass->out] = (row + 127) / 128 * 128;
        plan->image_bytes[pass->out] = plan->image_stride[pass->out] * pass->height;
    }
}

/* Sensor codes to a picture in one pass: window, scale, stencil, table; digest of the result. */
static void plan_bayer(struct zci_plan *plan, uint32_t width, uint32_t height, int stencil,
                       int flips, int crop)
{
    static uint8_t table[65536];
    for (int i = 0; i < 65536; i++)
        table[i] = (uint8_t)(255 - (i >> 8));
    plan_source(plan, ZCS_PIXFMT_SRGGB10, width, height);
    struct zci_pass *pass = add_pass(plan, ZCI_IMAGE_SOURCE, 0, bayer16, rgba8);
    const uint32_t cut = crop ? 3 : 0;
    set_window(pass, cut, crop ? height / 3 | 1 : 0, width - 2 * cut,
               crop ? height - (height / 3 | 1) - 2 : height, flips & 1, flips >> 1);
    pass->stencil = (uint8_t)stencil;
    pass->loaded.cfa = 2;
    pass->pre_count = pass->post_count = 1;
    add_op(plan, ZCI_OP_SCALE, pass->loaded, pass->loaded)->u.scale =
        zci_scale_make(64, 959, 65535);
    pass->post_first = plan->op_count;
    add_op(plan, ZCI_OP_TABLE, rgba16, rgba8)->u.table = 0;
    plan->tables[0] = (struct zci_table){.entries = 65536, .out_depth = 8, .data = table};
    plan->table_count = plan->state_count = 1;
    pass->reduce = (struct zci_reduce){ZCI_REDUCE_DIGEST, 0, rgba8, pass->width, pass->height};
    plan->digest_state = 0;
    set_images(plan);
}

/* White balance from the frame itself: two passes, an op that changes no size, then gray. */
static void plan_balance(struct zci_plan *plan, uint32_t width, uint32_t height)
{
    plan_source(plan, ZCS_PIXFMT_SRGGB16, width, height);
    struct zci_pass *pass = add_pass(plan, ZCI_IMAGE_SOURCE, 1, bayer16, bayer16);
    pass->reduce = (struct zci_reduce){ZCI_REDUCE_WB, 1, bayer16, width, height};
    const struct zci_pixel mono16 = {ZCI_MONO, 16, 0};
    pass = add_pass(plan, 1, 0, bayer16, mono16);
    pass->stencil = ZCI_STENCIL_MHC;
    pass->pre_count = 1;
    add_op(plan, ZCI_OP_GAIN, bayer16, bayer16)->state = 1;
    pass->post_first = plan->op_count;
    pass->post_count = 2;
    struct zci_op *op = add_op(plan, ZCI_OP_CCM, rgba16, rgba16);
    const int32_t ccm[9] = {80000, -10000, -4464, -9000, 75536, -1000, 500, -20000, 85036};
    memcpy(op->u.ccm, ccm, sizeof ccm);
    op = add_op(plan, ZCI_OP_GRAY, rgba16, mono16);
    op->u.gray[0] = 13933;
    op->u.gray[1] = 46871;
    op->u.gray[2] = 4732;
    plan->state_count = 2;
    set_images(plan);
}

/* A pass that only reduces the upper rows, then a second one from the whole source; copies where no op
 * writes. */
static void plan_stretch(struct zci_plan *plan, uint32_t width, uint32_t height)
{
    plan_source(plan, ZCS_PIXFMT_GREY, width, height);
    struct zci_pass *pass = add_pass(plan, ZCI_IMAGE_SOURCE, ZCI_IMAGE_NONE, mono8, mono8);
    set_window(pass, 0, 0, width, (height + 2) / 3, 0, 0);
    pass->reduce = (struct zci_reduce){ZCI_REDUCE_RANGE, 0, mono8, width, pass->height};
    pass = add_pass(plan, ZCI_IMAGE_SOURCE, 2, mono8, mono8);
    set_window(pass, 0, 0, width, height, 0, 1);
    pass->pre_count = 1;
    add_op(plan, ZCI_OP_SCALE, mono8, mono8)->state = 0;
    pass = add_pass(plan, 2, 0, mono8, mono8);
    set_window(pass, 1, 0, width - 1, height, 0, 0);
    plan->state_count = 1;
    set_images(plan);
}

/* Colour with subsampled chroma, no op at all. */
static void plan_color(struct zci_plan *plan, enum zcs_pixfmt format, uint32_t width,
                       uint32_t height, int flips, int crop)
{
    plan_source(plan, format, width, height);
    struct zci_pass *pass = add_pass(plan, ZCI_IMAGE_SOURCE, 0, rgba8, rgba8);
    set_window(pass, 0, crop ? 1 : 0, width, crop ? height - 1 : height, flips & 1, flips >> 1);
    set_images(plan);
}

struct invert {
    atomic_uint rows;
    atomic_int fail_at; /* row; < 0: never */
};

static zcs_status invert(void *user, const struct zcs_view *in, const struct zcs_view *out,
                         uint32_t first, uint32_t last)
{
    struct invert *invert = user;
    CHECK(in->format == ZCS_PIXFMT_RGBA32 && out->format == ZCS_PIXFMT_RGBA32);
    CHECK(first < last && last <= in->height && in->data != out->data);
    const int fail_at = atomic_load(&invert->fail_at);
    if (fail_at >= (int)first && fail_at < (int)last)
        return ZCS_ERR_FORMAT;
    for (uint32_t y = first; y < last; y++)
        for (size_t x = 0; x < out->stride_bytes; x++) /* the padding too: it must not stay */
            ((uint8_t *)out->data)[y * out->stride_bytes + x] =
                (uint8_t) ~((uint8_t *)in->data)[y * in->stride_bytes + x];
    atomic_fetch_add(&invert->rows, last - first);
    return ZCS_OK;
}

static void plan_custom(struct zci_plan *plan, uint32_t width, uint32_t height, struct invert *user)
{
    plan_source(plan, ZCS_PIXFMT_YUYV, width, height);
    add_pass(plan, ZCI_IMAGE_SOURCE, 1, rgba8, rgba8);
    struct zci_pass *pass = add_pass(plan, 1, 0, rgba8, rgba8);
    pass->custom = 0;
    plan->custom_count = 1;
    plan->custom[0] = (struct zcs_custom_stage){.name = "invert", .user = user, .host_fn = invert};
    strcpy(plan->custom_names[0], "invert");
    set_images(plan);
}

/* ---- running them ---- */

static char line[256];
static atomic_int lines;

static void keep_line(void *user, enum zcs_log_level level, const char *text)
{
    (void)user;
    (void)level;
    snprintf(line, sizeof line, "%s", text);
    lines++;
}

#define BACKENDS 3
static struct zci_backend *backends[BACKENDS];
static struct zci_notifier notifier;

static zcs_status run_job(struct zci_frame_ctx *fctx, const struct zci_job *job,
                          struct zci_job_result *out)
{
    const struct zci_backend_ops *ops = fctx->backend->ops;
    uint64_t told = 0;
    CHECK(ops->frame_ctx_submit(fctx, job) == ZCS_OK);
    CHECK(ops->frame_ctx_wait(fctx, -1) == ZCS_OK);
    const zcs_status status = ops->frame_ctx_poll(fctx, out);
    CHECK(status != ZCS_AGAIN);
    CHECK(read(notifier.fd, &told, sizeof told) == sizeof told && told == 1);
    return status;
}

static uint64_t picture_bytes(const struct zci_plan *plan)
{
    uint64_t bytes = 0;
    const struct zcs_image *image = &plan->source;
    for (uint32_t p = 0; p < image->planes; p++)
        bytes += (uint64_t)zcs_image_min_stride(image->format, image->width, p) *
                 zcs_image_rows(image->format, image->height, p);
    return bytes;
}

static void check_routes(const struct zci_plan *plan, struct zci_backend *backend,
                         const uint8_t *source, const uint8_t *expected, uint64_t digest)
{
    struct zci_frame_ctx *fctx = NULL;
    uint8_t *result = malloc(plan->image_bytes[0]);
    CHECK(frame_ctx_alone(backend, 0, plan, &notifier, &fctx) == ZCS_OK);
    for (int route = ZCS_ROUTE_MAPPED; route <= ZCS_ROUTE_WHOLE; route++) {
        struct zci_job_result out = {0};
        const struct zci_job job = {
            .source = source, .result = result, .route = (enum zcs_route)route};
        memset(result, 0xA5, plan->image_bytes[0]);
        CHECK(run_job(fctx, &job, &out) == ZCS_OK);
        CHECK(memcmp(result, expected, plan->image_bytes[0]) == 0);
        CHECK(out.digest == digest && out.device_data == result);
        if (route == ZCS_ROUTE_MAPPED)
            CHECK_EQ(out.cpu_bytes_copied, 0);
        if (route == ZCS_ROUTE_WHOLE)
            CHECK_EQ(out.cpu_bytes_copied, picture_bytes(plan));
        if (route == ZCS_ROUTE_STAGED)
            CHECK(out.cpu_bytes_copied > 0 && out.cpu_bytes_copied <= picture_bytes(plan));
    }
    backend->ops->frame_ctx_destroy(&fctx);
    CHECK(fctx == NULL);
    backend->ops->frame_ctx_destroy(&fctx);
    free(result);
}

static void check_plan(const struct zci_plan *plan)
{
    uint64_t random = 88172645463325252u, digest = 0;
    /* Not one byte more than the image, so that ASan sees any read behind it. */
    uint8_t *source = malloc(plan->source.size_bytes);
    for (size_t i = 0; i < plan->source.size_bytes; i++) {
        if (i % 8 == 0)
            test_random(&random);
        source[i] = (uint8_t)(random >> i % 8 * 8);
    }
    uint8_t *expected = model(plan, source, &digest);
    for (int i = 0; i < BACKENDS; i++)
        check_routes(plan, backends[i], source, expected, digest);
    free(expected);
    free(source);
}

static void test_small(void)
{
    static struct zci_plan plan;
    static const uint32_t heights[] = {2, 3, 5, 17, 33, 66, 131};
    for (size_t i = 0; i < sizeof heights / sizeof heights[0]; i++) {
        for (int flips = 0; flips < 4; flips++) {
            plan_bayer(&plan, 18, heights[i], ZCI_STENCIL_MHC, flips, heights[i] > 5);
            check_plan(&plan);
            plan_bayer(&plan, 19, heights[i], ZCI_STENCIL_BILINEAR, flips, 0);
            check_plan(&plan);
            plan_color(&plan, ZCS_PIXFMT_NV12, 21, heights[i], flips, heights[i] % 2);
            check_plan(&plan);
        }
        plan_balance(&plan, 22, heights[i]);
        check_plan(&plan);
        plan_stretch(&plan, 23, heights[i]);
        check_plan(&plan);
    }
    plan_stretch(&plan, 23, 1);
    check_plan(&plan);
}

/* Enough rows that the staged route has several chunks. */
static void test_chunks(void)
{
    static struct zci_plan plan;
    padding = 12000;
    for (int flips = 0; flips < 4; flips += 2) {
        plan_bayer(&plan, 30, 601, ZCI_STENCIL_MHC, flips, 1);
        check_plan(&plan);
        plan_color(&plan, ZCS_PIXFMT_YUV420, 51, 403, flips, flips == 0);
        check_plan(&plan);
    }
    plan_stretch(&plan, 31, 503); /* two passes from the source, in opposite directions */
    check_plan(&plan);
    plan_balance(&plan, 30, 402);
    check_plan(&plan);
    padding = 8;
}

static void test_custom(void)
{
    static struct zci_plan plan;
    struct invert user = {.fail_at = -1};
    plan_custom(&plan, 50, 79, &user);
    check_plan(&plan);
    CHECK_EQ(user.rows, 79 * BACKENDS * 3);
    for (int i = 0; i < BACKENDS; i++) {
        const struct zci_backend_ops *ops = backends[i]->ops;
        struct zci_frame_ctx *fctx = NULL;
        struct zci_job_result out = {.digest = 99};
        uint8_t *source = calloc(1, plan.source.size_bytes);
        uint8_t *result = malloc(plan.image_bytes[0]);
        const struct zci_job job = {.source = source, .result = result, .route = ZCS_ROUTE_MAPPED};
        CHECK(frame_ctx_alone(backends[i], 0, &plan, &notifier, &fctx) == ZCS_OK);
        lines = 0;
        user.fail_at = 40;
        CHECK_EQ(run_job(fctx, &job, &out), ZCS_ERR_DEVICE);
        CHECK_EQ(out.digest, 99);
        CHECK_EQ(lines, 1);
        CHECK(strstr(line, "stage invert") != NULL && strstr(line, "50x79") != NULL);
        user.fail_at = -1;
        CHECK_EQ(run_job(fctx, &job, &out), ZCS_OK); /* the frame context works on */
        ops->frame_ctx_destroy(&fctx);
        free(result);
        free(source);
    }
    plan.custom[0].host_fn = NULL;
    struct zci_frame_ctx *fctx = NULL;
    CHECK_EQ(frame_ctx_alone(backends[0], 0, &plan, &notifier, &fctx), ZCS_ERR_UNSUPPORTED);
    CHECK(fctx == NULL);
}

/* Destroying waits; several frame contexts at once share the workers. */
static void test_destroy_busy(void)
{
    static struct zci_plan plan;
    plan_bayer(&plan, 640, 480, ZCI_STENCIL_MHC, 0, 0);
    uint8_t *source = calloc(1, plan.source.size_bytes);
    uint8_t *results[4];
    for (int i = 0; i < BACKENDS; i++) {
        struct zci_frame_ctx *frame_ctxs[4] = {NULL};
        for (int k = 0; k < 4; k++) {
            results[k] = malloc(plan.image_bytes[0]);
            CHECK(frame_ctx_alone(backends[i], 0, &plan, NULL, &frame_ctxs[k]) == ZCS_OK);
            const struct zci_job job = {
                .source = source, .result = results[k], .route = ZCS_ROUTE_STAGED};
            CHECK(backends[i]->ops->frame_ctx_submit(frame_ctxs[k], &job) == ZCS_OK);
            CHECK_EQ(backends[i]->ops->frame_ctx_submit(frame_ctxs[k], &job), ZCS_ERR_BUSY);
        }
        for (int k = 3; k >= 0; k--)
            backends[i]->ops->frame_ctx_destroy(&frame_ctxs[k]);
        for (int k = 0; k < 4; k++) {
            CHECK(memcmp(results[k], results[0], plan.image_bytes[0]) == 0);
            CHECK(results[k][0] == 255 && results[k][3] == 255);
        }
        for (int k = 0; k < 4; k++)
            free(results[k]);
    }
    free(source);
}

int main(void)
{
    static const uint32_t threads[BACKENDS] = {1, 2, 7};
    const struct zci_log log = {.fn = keep_line, .level = ZCS_LOG_WARNING};
    CHECK_EQ(zci_notifier_init(&notifier), 0);
    zci_notifier_watch(&notifier);
    zci_notifier_clear(&notifier);
    for (int i = 0; i < BACKENDS; i++)
        CHECK(zci_backend_open_host(&log, threads[i], &backends[i]) == ZCS_OK);
    test_small();
    test_chunks();
    test_custom();
    test_destroy_busy();
    for (int i = 0; i < BACKENDS; i++) {
        CHECK_EQ(atomic_load(&backends[i]->refs), 1);
        zci_backend_unref(&backends[i]);
    }
    zci_notifier_finish(&notifier);
    return 0;
}
