/* SPDX-License-Identifier: MIT */
/* The planner: depths, elisions and fusions, passes and images, mosaic phases, refusals, random chains. */
#include "check.h"
#include "plan_run.h"

#include "core/plan_compile.h"

static char logged[2048];

static void keep_line(void *user, enum zcs_log_level level, const char *line)
{
    (void)user, (void)level;
    snprintf(logged, sizeof logged, "%s", line);
}

static const struct zci_log keeper = {keep_line, NULL, ZCS_LOG_DEBUG};
static struct zci_plan plan;
static struct zcs_image image;

static zcs_status custom_copy(void *user, const struct zcs_view *in, const struct zcs_view *out,
                              uint32_t first, uint32_t last)
{
    (void)user;
    memcpy((uint8_t *)out->data + first * out->stride_bytes,
           (const uint8_t *)in->data + first * in->stride_bytes, (last - first) * in->stride_bytes);
    return ZCS_OK;
}

static const struct zcs_custom_stage mine[] = {{.name = "mine", .host_fn = custom_copy},
                                               {.name = "other", .host_fn = custom_copy}};

static zcs_status try_plan(const char *stages, enum zcs_depth depth)
{
    const struct zci_plan_params params = {stages, depth, mine, 2, 0};
    zci_plan_finish(&plan);
    logged[0] = 0;
    return zci_plan_compile(&plan, &image, &params, &keeper);
}

static void source(enum zcs_pixfmt format, uint32_t width, uint32_t height)
{
    CHECK_EQ(zcs_image_init(&image, format, width, height, 0), ZCS_OK);
}

static void make(const char *stages, enum zcs_depth depth)
{
    if (try_plan(stages, depth) != ZCS_OK) {
        fprintf(stderr, "%s: %s\n", stages ? stages : "(default)", logged);
        CHECK(0);
    }
}

/* The kinds of all ops with their depths: "S8-16 G16-16". */
static const char *ops(void)
{
    static char text[600];
    size_t used = 0;
    text[0] = 0;
    for (uint32_t i = 0; i < plan.op_count; i++)
        used += (size_t)snprintf(text + used, sizeof text - used, "%s%c%u-%u", i ? " " : "",
                                 "SGTCY"[plan.ops[i].kind], plan.ops[i].in.depth,
                                 plan.ops[i].out.depth);
    return text;
}

static void shape(const char *stages, enum zcs_depth depth, const char *want, uint32_t passes,
                  enum zcs_pixfmt result)
{
    make(stages, depth);
    if (strcmp(ops(), want) != 0 || plan.pass_count != passes || plan.result.format != result) {
        fprintf(stderr, "%s %s at %d: ops \"%s\", wanted \"%s\"; %u passes, wanted %u; result %s\n",
                zcs_pixfmt_info(image.format)->name, stages ? stages : "(default)", depth, ops(),
                want, plan.pass_count, passes, zcs_pixfmt_info(plan.result.format)->name);
        CHECK(0);
    }
}

static void bayer_shapes(void)
{
    source(ZCS_PIXFMT_SRGGB8, 9, 7);
    shape(NULL, 0, "S8-16 G16-16 T16-8", 2, ZCS_PIXFMT_RGBA32);
    CHECK_EQ(plan.passes[0].reduce.kind, ZCI_REDUCE_WB);
    CHECK_EQ(plan.passes[0].in, ZCI_IMAGE_SOURCE);
    CHECK_EQ(plan.passes[0].out, 1);
    CHECK_EQ(plan.passes[1].in, 1);
    CHECK_EQ(plan.passes[1].out, 0);
    CHECK_EQ(plan.passes[1].stencil, ZCI_STENCIL_MHC);
    CHECK(plan.passes[1].pre_first == 1 && plan.passes[1].pre_count == 1);
    CHECK(plan.passes[1].post_first == 2 && plan.passes[1].post_count == 1);
    CHECK_EQ(plan.ops[1].state, plan.passes[0].reduce.state);
    CHECK_EQ(plan.tables[0].entries, 65536);
    CHECK_EQ(plan.result.color.transfer, ZCS_TRANSFER_SRGB);
    CHECK_EQ(plan.image_bytes[2], 0);
    CHECK_EQ(plan.digest_state, -1);
    shape(NULL, 16, "S8-16 G16-16 T16-16", 2, ZCS_PIXFMT_RGBA64);
    shape("none", 0, "", 1, ZCS_PIXFMT_SRGGB8);
    shape("none", 16, "S8-16", 1, ZCS_PIXFMT_SRGGB16);
    shape("black,wb=manual,levels", 0, "", 1, ZCS_PIXFMT_SRGGB8);
}

static void bayer_more(void)
{
    source(ZCS_PIXFMT_SRGGB8, 9, 7);
    shape("demosaic", 0, "", 1, ZCS_PIXFMT_RGBA32);
    shape("demosaic=bilinear,gray", 0, "Y8-8", 1, ZCS_PIXFMT_GREY);
    shape("black=16,demosaic", 0, "S8-16 S16-8", 1, ZCS_PIXFMT_RGBA32);
    shape("black=16", 0, "S8-8", 1, ZCS_PIXFMT_SRGGB8);
    shape("wb:r=2,demosaic,ccm=2/0/0/0/1/0/0/0/1", 0, "S8-16 G16-16 C16-16 S16-8", 1,
          ZCS_PIXFMT_RGBA32);
    shape("demosaic,ccm=2/0/0/0/1/0/0/0/1,gamma=2.2,gray", 0, "S8-16 C16-16 T16-16 Y16-16 S16-8", 1,
          ZCS_PIXFMT_GREY);
    CHECK_EQ(plan.result.color.transfer, ZCS_TRANSFER_POWER);
    CHECK_EQ(plan.result.color.gamma_milli, 2200);
    source(ZCS_PIXFMT_SBGGR10P, 9, 7);
    shape(NULL, 0, "S16-16 G16-16 T16-8", 2, ZCS_PIXFMT_RGBA32);
    CHECK_EQ(plan.result.bits, 8);
    shape("none", 0, "S16-16", 1, ZCS_PIXFMT_SBGGR16);
    CHECK_EQ(plan.result.bits, 10);
    shape("none", 8, "S16-8", 1, ZCS_PIXFMT_SBGGR8);
    shape("demosaic", 0, "S16-16", 1, ZCS_PIXFMT_RGBA64);
    shape("black=64,levels=70:high=1000", 0, "S16-16 S16-16", 1, ZCS_PIXFMT_SBGGR16);
    shape("black=64:white=1000", 0, "S16-16", 1, ZCS_PIXFMT_SBGGR16);
    CHECK_EQ(plan.ops[0].u.scale.sub, 64);
    CHECK_EQ(plan.ops[0].u.scale.span, 936);
    shape("black:white=1023,digest,crop=3x3", 8, "S16-8", 2, ZCS_PIXFMT_SBGGR8);
    source(ZCS_PIXFMT_SRGGB16, 9, 7);
    shape("none", 0, "", 1, ZCS_PIXFMT_SRGGB16);
    shape("stretch", 0, "S16-16", 2, ZCS_PIXFMT_SRGGB16);
    CHECK_EQ(plan.passes[0].reduce.kind, ZCI_REDUCE_RANGE);
    CHECK_EQ(plan.ops[0].state, 0);
    CHECK_EQ(plan.passes[1].pre_count, 1);
}

static void other_shapes(void)
{
    source(ZCS_PIXFMT_YUYV, 10, 8);
    shape(NULL, 0, "", 1, ZCS_PIXFMT_RGBA32);
    CHECK_EQ(plan.result.color.range, ZCS_RANGE_FULL);
    CHECK_EQ(plan.result.color.transfer, ZCS_TRANSFER_SRGB);
    shape("gray", 0, "Y8-8", 1, ZCS_PIXFMT_GREY);
    shape("gray", 16, "Y16-16", 1, ZCS_PIXFMT_Y16);
    CHECK_EQ(plan.load.pixel.depth, 16);
    shape("gamma=0.5,flip,digest", 0, "T8-8", 2, ZCS_PIXFMT_RGBA32);
    CHECK_EQ(plan.result.color.transfer, ZCS_TRANSFER_SRGB);
    shape("stretch", 0, "S8-8", 2, ZCS_PIXFMT_RGBA32);
    shape("wb", 0, "G8-8", 2, ZCS_PIXFMT_RGBA32);
    shape("black=16:white=235", 0, "S8-8", 1, ZCS_PIXFMT_RGBA32);
    CHECK(plan.ops[0].u.scale.sub == 16 && plan.ops[0].u.scale.span == 219);
    shape("black=16:white=235", 16, "S16-16", 1, ZCS_PIXFMT_RGBA64);
    CHECK(plan.ops[0].u.scale.sub == 16 * 257 && plan.ops[0].u.scale.span == 219 * 257);
    source(ZCS_PIXFMT_P010, 10, 8);
    shape("none", 0, "", 1, ZCS_PIXFMT_RGBA32);
    shape("flip,digest,crop=3x3", 0, "", 2, ZCS_PIXFMT_RGBA32);
    shape("levels=64:high=940", 0, "S16-8", 1, ZCS_PIXFMT_RGBA32);
    shape("gray", 0, "Y16-16 S16-8", 1, ZCS_PIXFMT_GREY);
    shape("gray,digest", 0, "Y16-16 S16-8", 1, ZCS_PIXFMT_GREY);
    CHECK_EQ(plan.passes[0].reduce.pixel.depth, 8);
    shape("gray,digest,flip", 0, "Y16-16 S16-8", 2, ZCS_PIXFMT_GREY);
    CHECK_EQ(plan.passes[0].reduce.pixel.depth, 16);
    source(ZCS_PIXFMT_Y12, 10, 8);
    shape(NULL, 0, "S16-16", 1, ZCS_PIXFMT_Y16);
    CHECK_EQ(plan.result.color.transfer, ZCS_TRANSFER_LINEAR);
    CHECK_EQ(plan.result.bits, 12);
    shape("gray,flip", 0, "S16-16", 1, ZCS_PIXFMT_Y16);
    shape("gamma", 0, "S16-16 T16-8", 1, ZCS_PIXFMT_GREY);
    shape("levels=5:high=4000,gamma", 0, "S16-16 T16-8", 1, ZCS_PIXFMT_GREY);
    source(ZCS_PIXFMT_Y16, 10, 8);
    shape("none", 0, "", 1, ZCS_PIXFMT_Y16);
    shape("stretch,digest", 8, "S16-16 S16-8", 2, ZCS_PIXFMT_GREY);
    CHECK_EQ(plan.passes[1].reduce.kind, ZCI_REDUCE_DIGEST);
    source(ZCS_PIXFMT_RGB565, 5, 3);
    shape("none", 0, "", 1, ZCS_PIXFMT_RGBA32);
    CHECK_EQ(zcs_image_check(&plan.result), ZCS_OK);
}

static void limited_range(void)
{
    source(ZCS_PIXFMT_GREY, 4, 4);
    image.color.range = ZCS_RANGE_LIMITED;
    shape("none", 0, "S8-8", 1, ZCS_PIXFMT_GREY);
    CHECK(plan.ops[0].u.scale.sub == 16 && plan.ops[0].u.scale.span == 219);
    shape("levels=10", 0, "S8-8 S8-8", 1, ZCS_PIXFMT_GREY);
    source(ZCS_PIXFMT_Y10, 4, 4);
    image.color.range = ZCS_RANGE_LIMITED;
    shape("none", 0, "S16-16", 1, ZCS_PIXFMT_Y16);
    CHECK(plan.ops[0].u.scale.sub == 64 && plan.ops[0].u.scale.span == 876);
    source(ZCS_PIXFMT_RGB565, 4, 4);
    image.color.range = ZCS_RANGE_LIMITED;
    shape("none", 0, "S8-8", 1, ZCS_PIXFMT_RGBA32);
    CHECK(plan.ops[0].u.scale.sub == 16 && plan.ops[0].u.scale.span == 219);
    source(ZCS_PIXFMT_RGBA64, 4, 4);
    image.color.range = ZCS_RANGE_LIMITED;
    shape("none", 0, "S16-16", 1, ZCS_PIXFMT_RGBA64);
    CHECK(plan.ops[0].u.scale.sub == 4096 && plan.ops[0].u.scale.span == 219 << 8);
    source(ZCS_PIXFMT_SRGGB8, 4, 4);
    image.color.range = ZCS_RANGE_LIMITED;
    CHECK_EQ(try_plan("none", 0), ZCS_ERR_FORMAT);
    CHECK(strstr(logged, "RGGB") && strstr(logged, "limited"));
}

static void geometry(void)
{
    source(ZCS_PIXFMT_SRGGB10, 20, 16);
    /* Fused windows: crop of a flip is the flip of another crop. */
    shape("flip,crop=5x4+1+2,flip=v,crop=3x3+1+0,black=64", 0, "S16-16", 1, ZCS_PIXFMT_SBGGR16);
    const struct zci_window *w = &plan.passes[0].window;
    CHECK(w->flip_h == 1 && w->flip_v == 1 && w->width == 3 && w->height == 3);
    CHECK_EQ(w->x, 20 - 1 - 5 + (5 - 1 - 3));
    CHECK_EQ(w->y, 2 + 4 - 3);
    shape("crop=20x16", 0, "S16-16", 1, ZCS_PIXFMT_SRGGB16);
    shape("black=64,flip", 0, "S16-16", 2, ZCS_PIXFMT_SGRBG16);
    shape("black=64,flip,flip", 0, "S16-16", 2, ZCS_PIXFMT_SRGGB16);
    shape("mine,flip,mine,other", 0, "S16-16", 5, ZCS_PIXFMT_SGRBG16);
    CHECK_EQ(plan.custom_count, 2);
    CHECK(plan.passes[1].custom == 0 && plan.passes[3].custom == 0 && plan.passes[4].custom == 1);
    CHECK(strcmp(plan.custom_names[1], "other") == 0 && plan.custom[1].host_fn == custom_copy);
    CHECK_EQ(plan.passes[4].out, 0);
    CHECK_EQ(plan.result.stride_bytes[0] % 128, 0);
    CHECK_EQ(plan.image_bytes[0], plan.result.size_bytes);
}

/* A mosaic whose colours are 200, 100, 50 is one after any cut and mirror, and its picture is constant. */
static void phases(void)
{
    static const enum zcs_pixfmt formats[] = {ZCS_PIXFMT_SRGGB8, ZCS_PIXFMT_SGRBG8,
                                              ZCS_PIXFMT_SGBRG8, ZCS_PIXFMT_SBGGR8};
    static const char *const patterns[] = {"crop=%ux%u+%u+%u%s",
                                           "wb:r=1:g=1:b=1:mode=manual,crop=%ux%u+%u+%u%s",
                                           "levels=0:high=250,crop=%ux%u+%u+%u%s",
                                           "digest,crop=%ux%u+%u+%u%s", "mine,crop=%ux%u+%u+%u%s"};
    static const char *const ends[] = {"", ",flip", ",flip=v", ",flip=both", ",flip,crop=2x2+1+1"};
    struct zci_dynamic states[ZCI_MAX_STATES];
    uint8_t pixels[8 * 9];
    for (uint32_t i = 0; i < 4 * 4 * 4 * 5 * 5; i++) {
        const uint32_t cfa = i % 4, x = i / 4 % 2, y = i / 8 % 2, w = 3 + i / 16 % 2,
                       h = 3 + i / 32 % 2;
        const char *pattern = patterns[i / 64 % 5], *end = ends[i / 64 / 5];
        const uint32_t value[3] = {200, 100, 50};
        const int levels = strncmp(pattern, "levels", 6) == 0;
        for (uint32_t k = 0; k < sizeof pixels; k++)
            pixels[k] = (uint8_t)value[((k % 9 ^ cfa) & 1) + ((k / 9 ^ cfa >> 1) & 1)];
        char text[200];
        source(formats[cfa], 9, 8);
        snprintf(text, sizeof text, pattern, w, h, x, y, end);
        make(text, 0);
        struct plain p = plan_run(&plan, pixels, states);
        CHECK_EQ(plan.result.format - ZCS_PIXFMT_SRGGB8, p.pixel.cfa);
        for (uint32_t k = 0; k < p.width * p.height; k++) {
            const uint32_t c =
                ((k % p.width ^ p.pixel.cfa) & 1) + ((k / p.width ^ p.pixel.cfa >> 1) & 1);
            CHECK_EQ(p.data[k], levels ? value[c] * 255 / 250 : value[c]);
        }
        free(p.data);
        strcat(text, ",demosaic");
        make(text, 0);
        p = plan_run(&plan, pixels, states);
        for (uint32_t k = 0; k < 4 * p.width * p.height; k++)
            CHECK_EQ(p.data[k], k % 4 == 3 ? 255
                                : levels   ? value[k % 4] * 255 / 250
                                           : value[k % 4]);
        free(p.data);
    }
}

/* CASES: black level 64 and codes of 10 and 12 bits. */
static void values(void)
{
    struct zci_dynamic states[ZCI_MAX_STATES];
    const uint16_t codes[] = {63, 64, 65, 544, 1023, 0, 512, 1};
    const uint32_t black[] = {0, 0, 68, 32802, 65535}, plainly[] = {4036, 4100, 4164, 34850, 65535};
    source(ZCS_PIXFMT_SRGGB10, 8, 1);
    make("black=64", 0);
    struct plain p = plan_run(&plan, codes, states);
    for (uint32_t i = 0; i < 5; i++)
        CHECK_EQ(plain_sample(&p, i, 0, 0), black[i]);
    free(p.data);
    make("none", 0);
    p = plan_run(&plan, codes, states);
    for (uint32_t i = 0; i < 5; i++)
        CHECK_EQ(plain_sample(&p, i, 0, 0), plainly[i]);
    CHECK_EQ(plain_sample(&p, 6, 0, 0), 32800);
    free(p.data);
    const uint16_t twelve[] = {4095, 2048};
    source(ZCS_PIXFMT_Y12, 2, 1);
    make("none", 0);
    p = plan_run(&plan, twelve, states);
    CHECK(plain_sample(&p, 0, 0, 0) == 65535 && plain_sample(&p, 1, 0, 0) == 32776);
    free(p.data);
    const uint16_t thermal[] = {6743, 7077, 6910, 6743};
    source(ZCS_PIXFMT_Y16, 4, 1);
    make("stretch", 0);
    p = plan_run(&plan, thermal, states);
    CHECK(plain_sample(&p, 0, 0, 0) == 0 && plain_sample(&p, 1, 0, 0) == 65535);
    CHECK_EQ(plain_sample(&p, 2, 0, 0), 32768);
    free(p.data);
}

static void refuse(const char *stages, const char *a, const char *b)
{
    const zcs_status status = try_plan(stages, 0);
    if (status != ZCS_ERR_FORMAT || !strstr(logged, a) || !strstr(logged, b)) {
        fprintf(stderr, "%s: status %d, \"%s\" without \"%s\" and \"%s\"\n", stages, status, logged,
                a, b);
        CHECK(0);
    }
}

static void refusals(void)
{
    source(ZCS_PIXFMT_YUYV, 640, 480);
    refuse("gray,demosaic", "stage 2 \"demosaic\"", "not a Bayer mosaic");
    refuse("gamma", "stage 1 \"gamma\"", "sRGB-encoded already");
    refuse("crop=640x480+1+0", "640x480+1+0 reaches outside", "640x480 picture");
    refuse("crop=10x10,crop=11x1", "stage 2", "10x10 picture");
    refuse("black=16:white=300", "white=300", "greatest code 255");
    refuse("black=255", "level=255 is not below", "white=255");
    refuse("nope", "stage 1 \"nope\"", "mine other");
    source(ZCS_PIXFMT_GREY, 64, 48);
    refuse("wb", "stage 1 \"wb\"", "one channel"), refuse("ccm", "needs colour", "one channel");
    source(ZCS_PIXFMT_SRGGB10, 64, 48);
    refuse("gamma", "mosaic", "demosaic first"), refuse("gray", "mosaic", "demosaic first");
    refuse("ccm", "needs colour", "demosaic first");
    refuse("demosaic,demosaic", "stage 2", "not a Bayer mosaic");
    refuse("black=64:white=4095", "white=4095", "greatest code 1023");
    refuse("demosaic,gamma,gamma", "stage 3", "already");
    refuse("crop=1x7,demosaic", "at least 2x2", "1x7");
    source(ZCS_PIXFMT_SRGGB10, 1, 9);
    refuse("demosaic", "at least 2x2", "1x9");
    make("none", 0);
}

static void bad_arguments(void)
{
    struct zcs_custom_stage nine[9] = {{.name = "ok"}};
    const struct zci_plan_params many = {"none", 0, nine, 9, 0};
    source(ZCS_PIXFMT_GREY, 64, 48);
    zci_plan_finish(&plan);
    CHECK_EQ(zci_plan_compile(&plan, &image, &many, &keeper), ZCS_ERR_ARG);
    static const char *const names[] = {
        NULL, "", "Big", "1st", "a b", "gamma", "none", "ok", "a234567890123456789012345678901x"};
    for (uint32_t i = 0; i < sizeof names / sizeof *names; i++) {
        nine[1].name = names[i];
        const struct zci_plan_params params = {"none", 0, nine, 2, 0};
        CHECK_EQ(zci_plan_compile(&plan, &image, &params, &keeper), ZCS_ERR_ARG);
        CHECK(strstr(logged, "custom stage 1"));
    }
    CHECK_EQ(try_plan("none", (enum zcs_depth)10), ZCS_ERR_ARG);
    image.size_bytes--;
    CHECK_EQ(try_plan("none", 0), ZCS_ERR_ARG);
    image.format = ZCS_PIXFMT_MJPEG;
    CHECK_EQ(try_plan(NULL, 0), ZCS_ERR_UNSUPPORTED);
    image.format = ZCS_PIXFMT_COUNT;
    CHECK_EQ(try_plan(NULL, 0), ZCS_ERR_ARG);
}

static void repeat(char *text, const char *stage, uint32_t times)
{
    text[0] = 0;
    for (uint32_t i = 0; i < times; i++)
        strcat(strcat(text, i ? "," : ""), stage);
}

/* What does not fit a plan is an error, one less is not. */
static void limits(void)
{
    char text[2000];
    source(ZCS_PIXFMT_YUYV, 8, 8);
    repeat(text, "stretch", ZCI_MAX_STATES);
    make(text, 0);
    repeat(text, "stretch", ZCI_MAX_STATES + 1);
    CHECK_EQ(try_plan(text, 0), ZCS_ERR_UNSUPPORTED);
    CHECK(strstr(logged, "stage 9"));
    repeat(text, "gamma=2", ZCI_MAX_TABLES);
    make(text, 0);
    repeat(text, "gamma=2", ZCI_MAX_TABLES + 1);
    CHECK_EQ(try_plan(text, 0), ZCS_ERR_UNSUPPORTED);
    repeat(text, "mine", ZCI_MAX_PASSES - 1);
    make(text, 0);
    repeat(text, "mine", ZCI_MAX_PASSES);
    CHECK_EQ(try_plan(text, 0), ZCS_ERR_UNSUPPORTED);
}

/* What plan.h promises of any plan. */
static void check_plan(void)
{
    uint32_t op = 0, states = 0;
    CHECK(plan.pass_count > 0 && plan.passes[0].in == ZCI_IMAGE_SOURCE);
    for (uint32_t i = 0; i < plan.pass_count; i++) {
        const struct zci_pass *p = &plan.passes[i];
        CHECK(p->in != p->out && p->out >= 0 && p->out <= 2);
        CHECK(i == 0 || p->in == plan.passes[i - 1].out);
        CHECK_EQ(p->out == 0, i + 1 == plan.pass_count);
        CHECK(p->pre_first == op && p->post_first == op + p->pre_count);
        for (uint32_t k = 0; k < p->pre_count + p->post_count; k++, op++)
            CHECK(plan.ops[op].state < (int)states);
        CHECK(p->custom < 0 || (i > 0 && p->pre_count + p->post_count + p->reduce.kind == 0));
        CHECK(p->stencil == ZCI_STENCIL_NONE || (p->width >= 2 && p->height >= 2));
        if (p->reduce.kind != ZCI_REDUCE_NONE)
            CHECK_EQ(p->reduce.state, states++);
        const size_t stride = plan.image_stride[p->out];
        CHECK(stride % 128 == 0 && stride >= p->width * (size_t)zci_pixel_bytes(p->pixel));
        CHECK(plan.image_bytes[p->out] >= stride * p->height);
    }
    CHECK(op == plan.op_count && states == plan.state_count);
    CHECK_EQ(plan.image_stride[0], plan.result.stride_bytes[0]);
    CHECK_EQ(plan.image_bytes[0], plan.result.size_bytes);
    CHECK_EQ(zcs_image_check(&plan.result), ZCS_OK);
    CHECK(plan.digest_state < (int)plan.state_count);
}

static void random_chains(void)
{
    static const char *const stages[] = {"black=3", "black",        "wb",
                                         "wb:r=2",  "demosaic",     "demosaic=bilinear",
                                         "ccm",     "gamma=2",      "ccm=1/0.5/0/0/1/0/-1/0/1",
                                         "gamma",   "gamma=1",      "levels=1:high=50",
                                         "stretch", "gray",         "flip",
                                         "flip=v",  "crop=5x4+1+1", "crop=3x3",
                                         "digest",  "mine",         "other"};
    uint64_t seed = 11;
    uint32_t made = 0;
    for (int round = 0; round < 20000; round++) {
        const enum zcs_pixfmt format =
            1 + (enum zcs_pixfmt)(test_random(&seed) % (ZCS_PIXFMT_MJPEG - 1));
        const enum zcs_depth depths[] = {0, 8, 16};
        char text[600] = "none";
        const uint32_t count = (uint32_t)(test_random(&seed) % 8);
        for (uint32_t i = 0; i < count; i++) {
            const char *stage = stages[test_random(&seed) % (sizeof stages / sizeof *stages)];
            i ? strcat(strcat(text, ","), stage) : strcpy(text, stage);
        }
        source(format, 1 + (uint32_t)(test_random(&seed) % 9),
               1 + (uint32_t)(test_random(&seed) % 9));
        if (try_plan(text, depths[test_random(&seed) % 3]) != ZCS_OK) {
            CHECK(logged[0]);
            continue;
        }
        check_plan();
        made++;
        if (round % 8)
            continue;
        struct zci_dynamic states[ZCI_MAX_STATES];
        uint8_t *pixels = malloc(image.size_bytes);
        CHECK(pixels);
        for (size_t i = 0; i < image.size_bytes; i++)
            pixels[i] = (uint8_t)test_random(&seed);
        free(plan_run(&plan, pixels, states).data);
        free(pixels);
    }
    CHECK(made > 4000);
}

/* What an image says of planes that its format does not have is not taken over. */
static void planes_beyond(void)
{
    source(ZCS_PIXFMT_NV12, 8, 8);
    image.offset_bytes[2] = image.stride_bytes[2] = SIZE_MAX;
    make("none", ZCS_DEPTH_8);
    CHECK(plan.load.offset_bytes[1] == 64 && plan.load.stride_bytes[1] == 8);
    CHECK(plan.load.offset_bytes[2] == 0 && plan.load.stride_bytes[2] == 0);
}

int main(void)
{
    planes_beyond();
    bayer_shapes();
    bayer_more();
    other_shapes();
    limited_range();
    geometry();
    phases();
    values();
    refusals();
    bad_arguments();
    limits();
    random_chains();
    zci_plan_finish(&plan);
    zci_plan_finish(&plan);
    return 0;
}
