/* SPDX-License-Identifier: MIT */
/* Every slot of every variant of the kernel table gives the scalar variant's bits: widths 1 to 70, random
 * and adversarial rows, inputs that end at a forbidden page, outputs in place and not, nothing written
 * beyond a row. With --time: what each slot takes, in megapixels a second. */
#define _DEFAULT_SOURCE
#include <time.h>

#include "check.h"
#include "core/format.h"
#include "kernels/reduce_pixel.h"
#include "kernels/cpu/table.h"
#include "oracle/load_rows.h"

enum { WIDEST = 70, ROOM = 8 * WIDEST, BEHIND = 64, TIMED = 4096 };

static const struct zck_table *tables[3];
static uint32_t table_count;
static uint64_t seed = 1;
static struct guarded pages[5];
static uint32_t slots;

/* Noise, all zeros, all ones, extremes, or a ramp: of samples of `bytes` bytes. */
static void fill(void *data, size_t count, size_t bytes, uint32_t kind)
{
    uint8_t *at = data;
    for (size_t i = 0; i < count * bytes; i++) {
        const uint64_t r = test_random(&seed) >> 24;
        const uint8_t extreme = (i / bytes) % 2 == r % 2 ? 0xff : 0;
        const uint8_t kinds[5] = {(uint8_t)r, 0, 0xff, extreme, (uint8_t)i};
        at[i] = kinds[kind % 5];
    }
}

static void *before_end(uint32_t page, size_t bytes)
{
    return pages[page].end - bytes;
}

/* Compares what `table` wrote with the scalar variant's, and that nothing was written behind it. */
static void same(const void *want, const uint8_t *got, size_t bytes, const char *what,
                 const struct zck_table *table, uint32_t width)
{
    int intact = 1;
    for (size_t i = bytes; i < bytes + BEHIND; i++)
        intact = intact && got[i] == 0xa5;
    if (memcmp(want, got, bytes) == 0 && intact)
        return;
    fprintf(stderr, "%s, width %u: %s %s\n", what, width, table->name,
            intact ? "differs from scalar" : "writes beyond the row");
    exit(1);
}

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

struct call {
    const struct zck_table *table;
    struct zci_load load;
    struct zci_op op;
    struct zci_reduce reduce;
    enum zci_stencil stencil;
    int d;
    const struct zci_dynamic *states;
    const struct zci_table *curves;
    const void *rows[5];
    const uint8_t *planes[ZCS_MAX_PLANES];
    uint32_t width, y, cfa;
    struct zci_sums sums;
};

typedef void (*call_fn)(struct call *c, void *out);

static void call_load(struct call *c, void *out)
{
    c->table->load[c->load.unpack][c->d](&c->load, c->planes, c->y, out);
}

static void call_op(struct call *c, void *out)
{
    c->table->op[c->op.kind][c->op.in.depth == 16][c->op.out.depth == 16](
        &c->op, c->states, c->curves, c->rows[0], out, c->width, c->y);
}

static void call_stencil(struct call *c, void *out)
{
    c->table->stencil[c->stencil][c->d](c->rows, out, c->width, c->y, c->cfa);
}

static void call_reduce(struct call *c, void *out)
{
    memset(&c->sums, 0, sizeof c->sums);
    zci_sums_init(&c->sums);
    c->table->reduce[c->reduce.kind][c->d](&c->reduce, c->rows[1], c->rows[0], c->y, &c->sums);
    memcpy(out, &c->sums, sizeof c->sums);
}

/* Runs the call with all tables. */
static void all(call_fn fn, struct call c, size_t bytes, const char *what)
{
    static uint8_t want[ROOM + BEHIND], got[ROOM + BEHIND];
    for (uint32_t t = 0; t < table_count; t++) {
        uint8_t *out = t == 0 ? want : got;
        memset(out, 0xa5, bytes + BEHIND);
        c.table = tables[t];
        fn(&c, out);
        same(want, out, bytes, what, tables[t], c.width);
    }
}

static void timed(call_fn fn, struct call c, const char *what)
{
    static uint64_t out[TIMED];
    printf("%-28s", what);
    for (uint32_t t = 0; t < table_count; t++) {
        uint32_t rows = 0;
        c.table = tables[t];
        const double start = now();
        double spent = 0;
        for (; spent < 0.05; spent = now() - start)
            for (uint32_t i = 0; i < 20; i++, rows++)
                fn(&c, out);
        printf("  %s %7.0f", tables[t]->name, rows * (double)c.width / spent / 1e6);
    }
    printf("\n");
}

static struct zci_dynamic states[1];
static struct zci_table curves[4]; /* by depth of in and out */

static void prepare(void)
{
    states[0] = (struct zci_dynamic){{4096, 7777, 65535}, zci_scale_make(9, 200, 65535), 0};
    for (uint32_t i = 0; i < 4; i++) {
        const uint32_t entries = i / 2 ? 65536 : 256, bytes = i % 2 ? 2 : 1;
        curves[i] =
            (struct zci_table){entries, (uint8_t)(8 * bytes), malloc((size_t)entries * bytes)};
        CHECK(curves[i].data);
        fill(curves[i].data, entries, bytes, 0);
    }
}

static struct zci_op make_op(uint32_t kind, struct zci_pixel in, uint32_t out_depth, uint32_t round)
{
    struct zci_op op = {.kind = (uint8_t)kind, .state = -1, .in = in, .out = in};
    op.out.depth = (uint8_t)out_depth;
    const uint32_t max_in = (1u << in.depth) - 1, max_out = (1u << out_depth) - 1;
    switch (kind) {
    case ZCI_OP_SCALE:
        op.u.scale =
            zci_scale_make(round % 3 * (max_in / 5), round % 5 ? max_in * 3 / 5 : 1, max_out);
        break;
    case ZCI_OP_GAIN:
        for (uint32_t c = 0; c < 3; c++)
            op.u.gain[c] = round % 4 ? (uint32_t)(test_random(&seed) % 65536) : 65535;
        break;
    case ZCI_OP_TABLE:
        op.u.table = (in.depth == 16) * 2 + (out_depth == 16);
        break;
    case ZCI_OP_CCM:
        for (uint32_t i = 0; i < 9; i++)
            op.u.ccm[i] = round % 4             ? (int32_t)(test_random(&seed) % 262144) - 131072
                          : (i + round / 4) % 2 ? 1048576
                                                : -1048576;
        break;
    default:
        op.out.layout = ZCI_MONO;
        op.u.gray[0] = 13933, op.u.gray[1] = 46871, op.u.gray[2] = 4732;
    }
    if ((kind == ZCI_OP_SCALE || kind == ZCI_OP_GAIN) && round % 7 == 6 && out_depth == 16)
        op.state = 0;
    return op;
}

/* Alpha is what the planner promises it to be. */
static void set_alpha(void *row, struct zci_pixel pixel, uint32_t width)
{
    for (uint32_t x = 0; x < width && pixel.layout == ZCI_RGBA; x++)
        memset((uint8_t *)row + (4 * x + 3) * (pixel.depth / 8u), 0xff, pixel.depth / 8u);
}

static void in_place(struct call c, size_t bytes, const char *what)
{
    static uint8_t want[ROOM], got[ROOM + BEHIND];
    c.table = tables[0];
    call_op(&c, want);
    for (uint32_t t = 0; t < table_count; t++) {
        memset(got, 0xa5, sizeof got);
        memcpy(got, c.rows[0], bytes);
        struct call here = c;
        here.table = tables[t];
        here.rows[0] = got;
        call_op(&here, got);
        same(want, got, bytes, what, tables[t], c.width);
    }
}

static void one_op(uint32_t kind, struct zci_pixel in, uint32_t out_depth, const char *what)
{
    for (uint32_t round = 0; round < 4 * WIDEST; round++) {
        const uint32_t width = 1 + round % WIDEST;
        const size_t in_bytes = (size_t)width * zci_pixel_bytes(in);
        struct call c = {.op = make_op(kind, in, out_depth, round),
                         .states = states,
                         .curves = curves,
                         .width = width,
                         .y = round % 2};
        const size_t out_bytes = (size_t)width * zci_pixel_bytes(c.op.out);
        void *row = before_end(0, in_bytes);
        fill(row, in_bytes / (in.depth / 8u), in.depth / 8u, round);
        set_alpha(row, in, width);
        c.rows[0] = row;
        all(call_op, c, out_bytes, what);
        if (in_bytes == out_bytes)
            in_place(c, in_bytes, what);
    }
}

static void walk_ops(int time_them)
{
    static uint64_t row[TIMED];
    static const char *const kinds[] = {"scale", "gain", "table", "ccm", "gray"};
    static const char *const layouts[] = {"mono", "bayer", "rgba"};
    for (uint32_t i = 0; i < ZCI_OP_COUNT * 4 * 3; i++) {
        const uint32_t kind = i / 12, in = 8 + i / 6 % 2 * 8, out = 8 + i / 3 % 2 * 8,
                       layout = i % 3;
        const int colour_only = kind == ZCI_OP_CCM || kind == ZCI_OP_GRAY;
        const int present = tables[0]->op[kind][in == 16][out == 16] != NULL;
        char what[64];
        for (uint32_t t = 1; t < table_count; t++)
            CHECK_EQ(tables[t]->op[kind][in == 16][out == 16] != NULL, present);
        CHECK_EQ(present, in == out || kind == ZCI_OP_SCALE || kind == ZCI_OP_TABLE);
        if (!present || (colour_only && layout != ZCI_RGBA))
            continue;
        slots += table_count;
        snprintf(what, sizeof what, "%s %s %u to %u", kinds[kind], layouts[layout], in, out);
        for (uint32_t cfa = 0; cfa < (layout == ZCI_BAYER ? 4 : 1); cfa++) {
            const struct zci_pixel pixel = {(uint8_t)layout, (uint8_t)in, (uint8_t)cfa};
            if (!time_them)
                one_op(kind, pixel, out, what);
            else if (cfa == 0)
                timed(call_op,
                      (struct call){.op = make_op(kind, pixel, out, 1),
                                    .states = states,
                                    .curves = curves,
                                    .width = TIMED,
                                    .rows = {row}},
                      what);
        }
    }
}

static void one_stencil(enum zci_stencil stencil, int d, const char *what)
{
    for (uint32_t round = 0; round < 8 * WIDEST; round++) {
        const uint32_t width = 2 + round % (WIDEST - 1);
        struct call c = {
            .stencil = stencil, .d = d, .width = width, .y = round / 4 % 2, .cfa = round % 4};
        const size_t in_bytes = (size_t)width << d;
        for (uint32_t k = 0; k < 5; k++) {
            void *row = before_end(k, in_bytes);
            fill(row, width, 1u << d, round);
            c.rows[k] = stencil == ZCI_STENCIL_BILINEAR && (k == 0 || k == 4) ? NULL : row;
        }
        all(call_stencil, c, 4 * in_bytes, what);
    }
}

static void walk_stencils(int time_them)
{
    static uint64_t row[TIMED];
    static const char *const names[] = {"none", "bilinear", "mhc"};
    for (int s = ZCI_STENCIL_BILINEAR; s < ZCI_STENCIL_COUNT; s++)
        for (int d = 0; d < 2; d++) {
            char what[64];
            snprintf(what, sizeof what, "%s %d", names[s], 8 << d);
            slots += table_count;
            if (time_them)
                timed(call_stencil,
                      (struct call){.stencil = (enum zci_stencil)s,
                                    .d = d,
                                    .width = TIMED,
                                    .rows = {row, row, row, row, row}},
                      what);
            else
                one_stencil((enum zci_stencil)s, d, what);
        }
}

static void one_reduce(enum zci_reduce_kind kind, struct zci_pixel pixel, const char *what)
{
    for (uint32_t round = 0; round < 4 * WIDEST; round++) {
        const uint32_t width = 1 + round % WIDEST;
        const size_t bytes = (size_t)width * zci_pixel_bytes(pixel);
        struct call c = {.reduce = {(uint8_t)kind, 0, pixel, width, 9},
                         .d = pixel.depth == 16,
                         .width = width,
                         .y = round % 2};
        for (uint32_t k = 0; k <= round % 2; k++) {
            c.rows[k] = before_end(k, bytes);
            fill(before_end(k, bytes), bytes / (pixel.depth / 8u), pixel.depth / 8u, round);
            set_alpha(before_end(k, bytes), pixel, width);
        }
        all(call_reduce, c, sizeof(struct zci_sums), what);
    }
}

static void walk_reduces(int time_them)
{
    static uint64_t row[TIMED];
    static const char *const kinds[] = {"none", "wb", "range", "digest"};
    static const char *const layouts[] = {"mono", "bayer", "rgba"};
    for (uint32_t i = 0; i < ZCI_REDUCE_COUNT * 2 * 3; i++) {
        const uint32_t kind = i / 6, layout = i % 3;
        const struct zci_pixel pixel = {(uint8_t)layout, (uint8_t)(8 + i / 3 % 2 * 8), 0};
        char what[64];
        if (kind == ZCI_REDUCE_NONE || (kind == ZCI_REDUCE_WB && layout == ZCI_MONO))
            continue;
        snprintf(what, sizeof what, "%s %s %u", kinds[kind], layouts[layout], pixel.depth);
        slots += table_count;
        if (time_them)
            timed(call_reduce,
                  (struct call){.reduce = {(uint8_t)kind, 0, pixel, TIMED, 2},
                                .y = 1,
                                .d = pixel.depth == 16,
                                .width = TIMED,
                                .rows = {row, row}},
                  what);
        else
            one_reduce((enum zci_reduce_kind)kind, pixel, what);
    }
}

static void load_setup(struct call *c, const struct zcs_image *image, uint32_t depth)
{
    memset(c, 0, sizeof *c);
    zci_load_make(&c->load, image, depth);
    c->d = c->load.pixel.depth == 16;
    c->width = image->width;
    for (uint32_t p = 0; p < image->planes; p++)
        c->planes[p] = before_end(p, plane_bytes(image, p));
}

static void one_load(enum zcs_pixfmt format, uint32_t depth, const char *what)
{
    for (uint32_t round = 0; round < 2 * WIDEST; round++) {
        struct zcs_image image;
        struct call c;
        CHECK_EQ(zcs_image_init(&image, format, 1 + round % WIDEST, 2, 0), ZCS_OK);
        load_setup(&c, &image, depth);
        for (uint32_t p = 0; p < image.planes; p++)
            fill(before_end(p, plane_bytes(&image, p)), plane_bytes(&image, p), 1, round);
        for (c.y = 0; c.y < 2; c.y++)
            all(call_load, c, (size_t)c.width * zci_pixel_bytes(c.load.pixel), what);
    }
}

static void time_load(enum zcs_pixfmt format, uint32_t depth, const char *what)
{
    struct zcs_image image;
    struct call c;
    CHECK_EQ(zcs_image_init(&image, format, TIMED, 1, 0), ZCS_OK);
    load_setup(&c, &image, depth);
    timed(call_load, c, what);
}

static void walk_loads(int time_them)
{
    for (int f = 1; f < ZCS_PIXFMT_COUNT; f++) {
        const struct zcs_pixfmt_info *info = zcs_pixfmt_info((enum zcs_pixfmt)f);
        const int codes = info->model == ZCS_MODEL_MONO || info->model == ZCS_MODEL_BAYER;
        if (info->model == ZCS_MODEL_JPEG)
            continue;
        for (uint32_t depth = 8; depth <= (codes ? 8 : 16); depth += 8) {
            char what[64];
            snprintf(what, sizeof what, "load %s %s", info->v4l2_name,
                     codes        ? "codes"
                     : depth == 8 ? "8"
                                  : "16");
            slots += table_count;
            if (time_them)
                time_load((enum zcs_pixfmt)f, depth, what);
            else
                one_load((enum zcs_pixfmt)f, depth, what);
        }
    }
}

int main(int argc, char **argv)
{
    const int time_them = argc > 1 && strcmp(argv[1], "--time") == 0;
    table_count = all_tables(tables);
    for (uint32_t i = 0; i < 5; i++)
        pages[i] = guarded_new(1 << 17);
    prepare();
    walk_loads(time_them);
    walk_ops(time_them);
    walk_stencils(time_them);
    walk_reduces(time_them);
    for (uint32_t i = 0; i < 4; i++)
        free(curves[i].data);
    printf("%u slots of %u variants\n", slots, table_count);
    return 0;
}
