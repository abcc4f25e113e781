/* SPDX-License-Identifier: MIT */
/* Every enum of every public params struct is refused with ZCS_ERR_ARG when it is out of range. The
 * headers are read too, so that a new member without a case here is a failure. */
#include "source_setup.h"

#include "zcstream/camera.h"
#include "zcstream/measure.h"

static struct setup_lines lines;
static zcs_context *ctx;
static zcs_source *pattern;

static const char *replayed; /* a recording, or a file of grey bytes */

static zcs_status drop_source(zcs_status status, zcs_source **source)
{
    zcs_source_close(source);
    return status;
}

static zcs_status open_context(const struct zcs_params *params)
{
    zcs_context *made = NULL;
    const zcs_status status = zcs_open(params, &made);
    zcs_close(&made);
    return status;
}

static zcs_status open_replay(struct zcs_replay_params *params)
{
    zcs_source *source = NULL;
    params->path = replayed;
    return drop_source(zcs_source_open_replay(ctx, params, &source), &source);
}

static zcs_status open_pattern(const struct zcs_pattern_params *params)
{
    zcs_source *source = NULL;
    return drop_source(zcs_source_open_pattern(ctx, params, &source), &source);
}

static zcs_status open_v4l2(struct zcs_v4l2_params *params)
{
    zcs_source *source = NULL;
    params->device = "no-such-camera";
    return drop_source(zcs_source_open_v4l2(ctx, params, &source), &source);
}

static zcs_status create_stream(const struct zcs_stream_params *params)
{
    zcs_stream *stream = NULL;
    const zcs_status status = zcs_stream_create(ctx, pattern, params, &stream);
    zcs_stream_destroy(&stream);
    return status;
}

static struct zcs_image grey(void)
{
    struct zcs_image image;
    CHECK_EQ(zcs_image_init(&image, ZCS_PIXFMT_GREY, 2, 1, 0), ZCS_OK);
    return image;
}

static zcs_status open_push(const struct zcs_image *image)
{
    zcs_source *source = NULL;
    const struct zcs_push_params params = {.image = *image};
    return drop_source(zcs_source_open_push(ctx, &params, &source), &source);
}

static zcs_status create_recorder(const struct zcs_image *image)
{
    zcs_recorder *recorder = NULL;
    const struct zcs_recorder_params params = {.path = "refused.zcr", .image = *image};
    const zcs_status status = zcs_recorder_create(ctx, &params, &recorder);
    if (status == ZCS_OK)
        CHECK_EQ(zcs_recorder_finish(&recorder), ZCS_OK);
    return status;
}

/* One function per member: it sets the member to `value` and calls what takes the struct. */
#define MEMBER(name, params, call, member, type)                                                   \
    static zcs_status name(int value)                                                              \
    {                                                                                              \
        params;                                                                                    \
        p.member = (enum type)value;                                                               \
        return call(&p);                                                                           \
    }
#define COLORS(prefix, params, call, color)                                                        \
    MEMBER(prefix##_matrix, params, call, color.matrix, zcs_matrix)                                \
    MEMBER(prefix##_range, params, call, color.range, zcs_range)                                   \
    MEMBER(prefix##_transfer, params, call, color.transfer, zcs_transfer)

#define CONTEXT struct zcs_params p = {.backend = ZCS_BACKEND_HOST}
#define REPLAY struct zcs_replay_params p = {.width = 0}
#define PATTERN struct zcs_pattern_params p = {.frames = 1}
#define V4L2 struct zcs_v4l2_params p = {.width = 0}
#define STREAM struct zcs_stream_params p = {.stages = NULL}
#define IMAGE struct zcs_image p = grey()

MEMBER(params_backend, CONTEXT, open_context, backend, zcs_backend)
MEMBER(params_log_level, CONTEXT, open_context, log_level, zcs_log_level)
MEMBER(replay_format, REPLAY, open_replay, format, zcs_pixfmt)
MEMBER(replay_layout, REPLAY, open_replay, layout, zcs_layout)
COLORS(replay, REPLAY, open_replay, color)
MEMBER(pattern_format, PATTERN, open_pattern, format, zcs_pixfmt)
COLORS(pattern, PATTERN, open_pattern, color)
MEMBER(v4l2_format, V4L2, open_v4l2, format, zcs_pixfmt)
MEMBER(v4l2_treat_as, V4L2, open_v4l2, treat_as, zcs_pixfmt)
MEMBER(v4l2_path, V4L2, open_v4l2, path, zcs_path)
COLORS(v4l2, V4L2, open_v4l2, color)
MEMBER(push_format, IMAGE, open_push, format, zcs_pixfmt)
COLORS(push, IMAGE, open_push, color)
MEMBER(recorder_format, IMAGE, create_recorder, format, zcs_pixfmt)
COLORS(recorder, IMAGE, create_recorder, color)
MEMBER(stream_depth, STREAM, create_stream, depth, zcs_depth)
MEMBER(stream_dispatch, STREAM, create_stream, dispatch, zcs_dispatch)
MEMBER(stream_route, STREAM, create_stream, route, zcs_route)
MEMBER(stream_memory, STREAM, create_stream, memory, zcs_memory_policy)
MEMBER(stream_wait, STREAM, create_stream, wait, zcs_wait)
MEMBER(stream_policy, STREAM, create_stream, policy, zcs_policy)

static zcs_status push_clock(int value)
{
    static uint8_t pixels[4096];
    zcs_source *source = NULL;
    const struct zcs_push_params params = {.image = grey()};
    const struct zcs_push_meta meta = {.clock = (enum zcs_clock)value};
    CHECK_EQ(zcs_source_open_push(ctx, &params, &source), ZCS_OK);
    return drop_source(zcs_source_push(source, pixels, &meta, NULL, NULL), &source);
}

/* A frame of the application's own: its enums come from outside too. */
static zcs_status recorded_frame(struct zcs_frame *frame)
{
    zcs_recorder *recorder = NULL;
    const struct zcs_recorder_params params = {.path = "frame.zcr", .image = grey()};
    frame->host = "ab";
    CHECK_EQ(zcs_recorder_create(ctx, &params, &recorder), ZCS_OK);
    const zcs_status status = zcs_recorder_write(recorder, frame);
    CHECK_EQ(zcs_recorder_finish(&recorder), ZCS_OK);
    return status;
}

#define FRAME struct zcs_frame p = {.image = grey()}
MEMBER(frame_clock, FRAME, recorded_frame, clock, zcs_clock)
MEMBER(frame_format, FRAME, recorded_frame, image.format, zcs_pixfmt)
COLORS(frame, FRAME, recorded_frame, image.color)

static zcs_status memory_role(int value)
{
    void *memory = NULL;
    const zcs_status status = zcs_memory_alloc(ctx, (enum zcs_role)value, 1, &memory);
    zcs_memory_free(ctx, &memory);
    return status;
}

static zcs_status measured(int value)
{
    zcs_measure *measure = NULL;
    int64_t ns;
    CHECK_EQ(zcs_measure_open(ctx, 0, 4096, &measure), ZCS_OK);
    const zcs_status status = zcs_measure_run(measure, (enum zcs_benchmark)value, 4096, &ns);
    zcs_measure_close(&measure);
    return status;
}

static zcs_status image_init(int value)
{
    struct zcs_image image;
    CHECK(zcs_pixfmt_info((enum zcs_pixfmt)value) == NULL);
    CHECK_EQ(zcs_image_min_stride((enum zcs_pixfmt)value, 2, 0), 0);
    CHECK_EQ(zcs_image_rows((enum zcs_pixfmt)value, 2, 0), 0);
    CHECK(zcs_stage_default((enum zcs_pixfmt)value) != NULL);
    return zcs_image_init(&image, (enum zcs_pixfmt)value, 2, 1, 0);
}

/* `first` is the least value that is out of range. */
static const struct {
    const char *structure, *member;
    zcs_status (*set)(int value);
    int first;
} cases[] = {
    {"zcs_params", "backend", params_backend, ZCS_BACKEND_CUDA + 1},
    {"zcs_params", "log_level", params_log_level, ZCS_LOG_DEBUG + 1},
    {"zcs_replay_params", "format", replay_format, ZCS_PIXFMT_COUNT},
    {"zcs_replay_params", "layout", replay_layout, ZCS_LAYOUT_GSTREAMER + 1},
    {"zcs_replay_params", "color", replay_matrix, ZCS_MATRIX_BT2020 + 1},
    {"zcs_replay_params", "color", replay_range, ZCS_RANGE_FULL + 1},
    {"zcs_replay_params", "color", replay_transfer, ZCS_TRANSFER_POWER + 1},
    {"zcs_pattern_params", "format", pattern_format, ZCS_PIXFMT_COUNT},
    {"zcs_pattern_params", "color", pattern_matrix, ZCS_MATRIX_BT2020 + 1},
    {"zcs_pattern_params", "color", pattern_range, ZCS_RANGE_FULL + 1},
    {"zcs_pattern_params", "color", pattern_transfer, ZCS_TRANSFER_POWER + 1},
    {"zcs_v4l2_params", "format", v4l2_format, ZCS_PIXFMT_COUNT},
    {"zcs_v4l2_params", "treat_as", v4l2_treat_as, ZCS_PIXFMT_COUNT},
    {"zcs_v4l2_params", "path", v4l2_path, ZCS_PATH_PATTERN + 1},
    {"zcs_v4l2_params", "color", v4l2_matrix, ZCS_MATRIX_BT2020 + 1},
    {"zcs_v4l2_params", "color", v4l2_range, ZCS_RANGE_FULL + 1},
    {"zcs_v4l2_params", "color", v4l2_transfer, ZCS_TRANSFER_POWER + 1},
    {"zcs_push_params", "image", push_format, ZCS_PIXFMT_COUNT},
    {"zcs_push_params", "image", push_matrix, ZCS_MATRIX_BT2020 + 1},
    {"zcs_push_params", "image", push_range, ZCS_RANGE_FULL + 1},
    {"zcs_push_params", "image", push_transfer, ZCS_TRANSFER_POWER + 1},
    {"zcs_push_meta", "clock", push_clock, ZCS_CLOCK_UNKNOWN + 1},
    {"zcs_recorder_params", "image", recorder_format, ZCS_PIXFMT_COUNT},
    {"zcs_recorder_params", "image", recorder_matrix, ZCS_MATRIX_BT2020 + 1},
    {"zcs_recorder_params", "image", recorder_range, ZCS_RANGE_FULL + 1},
    {"zcs_recorder_params", "image", recorder_transfer, ZCS_TRANSFER_POWER + 1},
    {"zcs_stream_params", "depth", stream_depth, ZCS_DEPTH_16 + 1},
    {"zcs_stream_params", "dispatch", stream_dispatch, ZCS_DISPATCH_BROADCAST + 1},
    {"zcs_stream_params", "route", stream_route, ZCS_ROUTE_WHOLE + 1},
    {"zcs_stream_params", "memory", stream_memory, ZCS_MEMORY_POLICY_CACHED + 1},
    {"zcs_stream_params", "wait", stream_wait, ZCS_WAIT_BLOCK + 1},
    {"zcs_stream_params", "policy", stream_policy, ZCS_POLICY_LATEST + 1},
    {"zcs_frame", "clock", frame_clock, ZCS_CLOCK_UNKNOWN + 1},
    {"zcs_frame", "image", frame_format, ZCS_PIXFMT_COUNT},
    {"zcs_frame", "image", frame_matrix, ZCS_MATRIX_BT2020 + 1},
    {"zcs_frame", "image", frame_range, ZCS_RANGE_FULL + 1},
    {"zcs_frame", "image", frame_transfer, ZCS_TRANSFER_POWER + 1},
    {"zcs_memory_alloc", "role", memory_role, ZCS_ROLE_DEVICE + 1},
    {"zcs_measure_run", "benchmark", measured, ZCS_BENCHMARK_COUNT},
    {"zcs_image_init", "format", image_init, ZCS_PIXFMT_COUNT},
};

#define CASES (sizeof cases / sizeof *cases)

static void check_cases(void)
{
    for (size_t i = 0; i < CASES; i++) {
        const int values[] = {cases[i].first, cases[i].first + 1000, -1, INT32_MIN, INT32_MAX};
        for (size_t v = 0; v < sizeof values / sizeof *values; v++) {
            const zcs_status status = cases[i].set(values[v]);
            if (status != ZCS_ERR_ARG) {
                fprintf(stderr, "%s, %s = %d, input %s: status %d\n", cases[i].structure,
                        cases[i].member, values[v], replayed, (int)status);
                exit(1);
            }
        }
    }
}

static int has_case(const char *structure, const char *member)
{
    for (size_t i = 0; i < CASES; i++)
        if (strcmp(cases[i].structure, structure) == 0 && strcmp(cases[i].member, member) == 0)
            return 1;
    return 0;
}

static int ends_with(const char *text, const char *end)
{
    const size_t length = strlen(text), wanted = strlen(end);
    return length >= wanted && strcmp(text + length - wanted, end) == 0;
}

/* Checks that each enum, colour and image of the header's params structs has a case. Returns how
 * many. */
static int walk_header(const char *name)
{
    char path[512], line[512], structure[64] = "", type[64], member[64];
    int found = 0;
    snprintf(path, sizeof path, "%s/include/zcstream/%s", PROJECT_DIR, name);
    FILE *file = fopen(path, "r");
    CHECK(file != NULL);
    while (fgets(line, sizeof line, file) != NULL) {
        if (line[0] == '}')
            structure[0] = '\0';
        if (sscanf(line, "struct %63[a-z0-9_] {", structure) == 1)
            continue;
        const int from_outside = ends_with(structure, "params") || ends_with(structure, "_meta");
        const int is_enum = sscanf(line, " enum %63[a-z0-9_] %63[a-z0-9_];", type, member) == 2;
        const int is_struct =
            sscanf(line, " struct %63[a-z0-9_] %63[a-z0-9_];", type, member) == 2 &&
            (strcmp(type, "zcs_color") == 0 || strcmp(type, "zcs_image") == 0);
        if (!from_outside || (!is_enum && !is_struct))
            continue;
        found++;
        if (!has_case(structure, member)) {
            fprintf(stderr, "%s: no case for %s.%s\n", name, structure, member);
            exit(1);
        }
    }
    fclose(file);
    return found;
}

static void check_headers(void)
{
    static const char *const names[] = {"base.h",    "camera.h", "format.h", "frame.h",
                                        "latency.h", "memory.h", "record.h", "measure.h",
                                        "set.h",     "source.h", "stream.h"};
    int found = 0;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        found += walk_header(names[i]);
    CHECK(found >= 19);
}

int main(void)
{
    char folder[64];
    const struct zcs_pattern_params params = {.width = 2, .height = 1};
    const struct zcs_image image = grey();
    zcs_recorder *recorder = NULL;
    const struct zcs_recorder_params recorded = {.path = "take.zcr", .image = image};
    const struct zcs_frame frame = {.image = image, .host = "ab"};
    setup_folder(folder);
    ctx = setup_context(&lines);
    CHECK_EQ(zcs_source_open_pattern(ctx, &params, &pattern), ZCS_OK);
    CHECK_EQ(zcs_recorder_create(ctx, &recorded, &recorder), ZCS_OK);
    CHECK_EQ(zcs_recorder_write(recorder, &frame), ZCS_OK);
    CHECK_EQ(zcs_recorder_finish(&recorder), ZCS_OK);
    FILE *pgm = fopen("a.pgm", "wb");
    CHECK(pgm != NULL && fputs("P5 2 1 255\nab", pgm) >= 0 && fclose(pgm) == 0);
    static const char *const inputs[] = {"take.zcr", "a.pgm"};
    for (size_t i = 0; i < 2; i++) {
        replayed = inputs[i];
        check_cases();
    }
    check_headers();
    zcs_source_close(&pattern);
    zcs_close(&ctx);
    setup_remove_folder(folder);
    return 0;
}
