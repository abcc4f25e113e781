/* SPDX-License-Identifier: MIT */
/* Times every format's load and every stage of the tables: on one core, on all cores, and on GPUs where
 * there are any, in turn, medians. bench [--json FILE] [--size WxH] [--rounds N] [--round-ms N] [TEXT]:
 * with TEXT only the rows that have it in their name. */
#include "bench/measure.h"
#include "check.h"

struct bench {
    struct side sides[MAX_SIDES];
    unsigned side_count, rounds;
    uint32_t width, height;
    int64_t round_ns;
    const char *only;
    FILE *json;
    unsigned rows;
};

/* --- sides --- */

static void add_side(struct bench *bench, enum zcs_backend backend, uint32_t threads)
{
    struct side *side = &bench->sides[bench->side_count];
    const struct zcs_params params = {.backend = backend, .host_threads = threads};
    struct zcs_device_info info;
    if (zcs_open(&params, &side->ctx) != ZCS_OK)
        return;
    CHECK_EQ(zcs_device_info(side->ctx, 0, &info), ZCS_OK);
    side->clock = threads == 1 ? CLOCK_PROCESS_CPUTIME_ID : CLOCK_MONOTONIC;
    if (backend == ZCS_BACKEND_CUDA)
        snprintf(side->name, sizeof side->name, "%u x %.20s", zcs_device_count(side->ctx),
                 info.name);
    else
        snprintf(side->name, sizeof side->name, threads == 1 ? "a core's time" : "%u cores",
                 info.units);
    if (bench->side_count == 1 && info.units <= 1 && backend == ZCS_BACKEND_HOST)
        zcs_close(&side->ctx); /* one core is all there are */
    else
        bench->side_count++;
}

/* --- rows --- */

static void print_head(const struct bench *bench)
{
    printf("%ux%u, %u rounds, medians; MB of source\n\n%-59s", bench->width, bench->height,
           bench->rounds, "");
    for (unsigned s = 0; s < bench->side_count; s++)
        printf(" %22s", bench->sides[s].name);
    printf("\n%-52s %-6s", "", "gives");
    for (unsigned s = 0; s < bench->side_count; s++)
        printf(" %12s %9s", "Mpixel/s", "MB/s");
    printf("\n");
}

static void print_json(struct bench *bench, const char *kind, const char *format, const char *chain,
                       const struct measured *m)
{
    const double pixels = (double)m->image.width * m->image.height;
    fprintf(bench->json, "%s\n  {\"kind\": \"%s\", \"format\": \"%s\", \"stages\": \"%s\"",
            bench->rows > 0 ? "," : "", kind, format, chain);
    fprintf(bench->json, ", \"result\": \"%s\", \"sides\": {", zcs_pixfmt_info(m->result)->name);
    for (unsigned s = 0; s < bench->side_count; s++)
        fprintf(bench->json, "%s\"%s\": {\"mpixel_per_s\": %.1f, \"mb_per_s\": %.1f}",
                s > 0 ? ", " : "", bench->sides[s].name, pixels / m->seconds[s] * 1e-6,
                (double)m->image.size_bytes / m->seconds[s] * 1e-6);
    fprintf(bench->json, "}}");
}

static void row(struct bench *bench, const char *kind, enum zcs_pixfmt format, const char *chain)
{
    const struct zcs_pattern_params pattern = {
        .name = "zone", .format = format, .width = bench->width, .height = bench->height};
    const char *name = zcs_pixfmt_info(format)->v4l2_name;
    struct measured m;
    char text[160];
    snprintf(text, sizeof text, "%s %s", name, chain);
    if ((bench->only != NULL && strstr(text, bench->only) == NULL) ||
        !measure(bench->sides, bench->side_count, bench->rounds, bench->round_ns, &pattern, chain,
                 &m))
        return;
    printf("%-52s %-6s", text, zcs_pixfmt_info(m.result)->name);
    for (unsigned s = 0; s < bench->side_count; s++)
        printf(" %12.0f %9.0f", (double)m.image.width * m.image.height / m.seconds[s] * 1e-6,
               (double)m.image.size_bytes / m.seconds[s] * 1e-6);
    printf("\n");
    fflush(stdout);
    if (bench->json != NULL)
        print_json(bench, kind, name, chain, &m);
    bench->rows++;
}

static void rows_of_formats(struct bench *bench)
{
    printf("\nFormats: unpacking alone\n");
    for (int f = ZCS_PIXFMT_NONE + 1; f < ZCS_PIXFMT_COUNT; f++)
        if (zcs_pixfmt_info((enum zcs_pixfmt)f)->model != ZCS_MODEL_JPEG)
            row(bench, "load", (enum zcs_pixfmt)f, "none");
}

/* `name`, or with values where its presets would change nothing. */
static void stage_text(const struct bench *bench, const char *name, char text[96])
{
    static const char *const given[][2] = {
        {"black", "black=16"},
        {"wb=manual", "wb:r=1.9:b=1.6"},
        {"ccm", "ccm=1.5/-0.3/-0.2/-0.2/1.4/-0.2/0/-0.5/1.5"},
        {"levels", "levels:low=16:high=200"},
    };
    snprintf(text, 96, "%s", name);
    for (size_t i = 0; i < sizeof given / sizeof *given; i++)
        if (strcmp(name, given[i][0]) == 0)
            snprintf(text, 96, "%s", given[i][1]);
    if (strcmp(name, "crop") == 0)
        snprintf(text, 96, "crop=%ux%u+2+2", bench->width - 4, bench->height - 4);
}

static void rows_of_chain(struct bench *bench, const char *chain)
{
    static const enum zcs_pixfmt formats[] = {ZCS_PIXFMT_GREY,   ZCS_PIXFMT_Y16,
                                              ZCS_PIXFMT_SRGGB8, ZCS_PIXFMT_SRGGB12,
                                              ZCS_PIXFMT_RGBA32, ZCS_PIXFMT_RGBA64};
    for (size_t f = 0; f < sizeof formats / sizeof *formats; f++)
        row(bench, "stage", formats[f], chain);
}

/* A stage whose first key takes one of several words has a row for each. */
static void rows_of_stage(struct bench *bench, const struct zcs_stage_info *stage)
{
    char name[64], text[96];
    const char *words = stage->key_count > 0 ? stage->keys[0].values : "";
    const int choice = strchr(words, '|') != NULL && strpbrk(words, "0123456789.") == NULL;
    do {
        const size_t bytes = choice ? strcspn(words, "|") : 0;
        snprintf(name, sizeof name, "%s%s%.*s", stage->name, choice ? "=" : "", (int)bytes, words);
        stage_text(bench, name, text);
        rows_of_chain(bench, text);
        words += bytes;
    } while (choice && *words++ == '|');
}

static void rows_of_stages(struct bench *bench)
{
    const struct zcs_stage_info *stage;
    printf("\nStages: each alone, unpacking included\n");
    for (uint32_t i = 0; (stage = zcs_stage_info(i)) != NULL; i++)
        rows_of_stage(bench, stage);
}

static void rows_of_defaults(struct bench *bench)
{
    static const enum zcs_pixfmt formats[] = {ZCS_PIXFMT_YUYV, ZCS_PIXFMT_NV12, ZCS_PIXFMT_SRGGB10,
                                              ZCS_PIXFMT_SRGGB10P, ZCS_PIXFMT_SRGGB12};
    printf("\nDefault chains\n");
    for (size_t f = 0; f < sizeof formats / sizeof *formats; f++)
        row(bench, "default", formats[f], zcs_stage_default(formats[f]));
}

/* --- the command line --- */

static void usage(void)
{
    fprintf(stderr, "usage: bench [--json FILE] [--size WxH] [--rounds N] [--round-ms N] [TEXT]\n");
    exit(2);
}

static unsigned number(const char *text, unsigned max)
{
    char *end;
    const unsigned long value = strtoul(text, &end, 10);
    if (end == text || *end != '\0' || value < 1 || value > max)
        usage();
    return (unsigned)value;
}

static void read_options(struct bench *bench, int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        const char *value = i + 1 < argc ? argv[i + 1] : NULL;
        if (argv[i][0] != '-') {
            bench->only = argv[i];
            continue;
        }
        if (value == NULL)
            usage();
        if (strcmp(argv[i], "--json") == 0)
            bench->json = fopen(value, "w");
        else if (strcmp(argv[i], "--rounds") == 0)
            bench->rounds = number(value, MAX_ROUNDS);
        else if (strcmp(argv[i], "--round-ms") == 0)
            bench->round_ns = number(value, 60000) * INT64_C(1000000);
        else if (strcmp(argv[i], "--size") != 0 ||
                 zcs_size_parse(value, &bench->width, &bench->height) != ZCS_OK)
            usage();
        if (strcmp(argv[i], "--json") == 0 && bench->json == NULL) {
            fprintf(stderr, "bench: %s cannot be written\n", value);
            exit(1);
        }
        i++;
    }
}

int main(int argc, char **argv)
{
    struct bench bench = {.rounds = 7, .width = 1920, .height = 1080, .round_ns = 20000000};
    read_options(&bench, argc, argv);
    if (bench.width < 8 || bench.height < 8)
        usage();
    add_side(&bench, ZCS_BACKEND_HOST, 1);
    add_side(&bench, ZCS_BACKEND_HOST, 0);
    add_side(&bench, ZCS_BACKEND_CUDA, 0);
    print_head(&bench);
    if (bench.json != NULL)
        fprintf(bench.json, "{\"width\": %u, \"height\": %u, \"rounds\": %u, \"rows\": [",
                bench.width, bench.height, bench.rounds);
    rows_of_formats(&bench);
    rows_of_stages(&bench);
    rows_of_defaults(&bench);
    int bad = bench.rows == 0;
    if (bench.json != NULL) {
        fprintf(bench.json, "\n]}\n");
        bad |= fclose(bench.json) != 0;
    }
    for (unsigned s = 0; s < bench.side_count; s++)
        zcs_close(&bench.sides[s].ctx);
    return bad;
}
