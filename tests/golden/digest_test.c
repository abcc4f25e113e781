/* SPDX-License-Identifier: MIT */
/* Golden digests: every format's default chain and a set of stages at both depths, a digest a frame, against
 * golden/digests.txt beside this file. `golden_digest_test --write FILE` makes that file anew. */
#include "stream_setup.h"

#ifndef GOLDEN_FILE
#error "GOLDEN_FILE names digests.txt"
#endif

#define LINE_BYTES 160

static const char *const bayer_chains[] = {
    "none", "demosaic=bilinear", "black=2,wb,demosaic,ccm,gamma", "crop=41x23+1+3,flip,demosaic",
    "crop=40x24+3+2,demosaic"};
static const char *const mono_chains[] = {"none", "gamma=1.8", "stretch,flip=v"};
static const char *const color_chains[] = {"none", "gray", "wb,crop=40x20+3+1,flip=both"};

static void append(FILE *out, zcs_context *ctx, enum zcs_pixfmt format, const char *chain,
                   enum zcs_depth depth)
{
    char stages[LINE_BYTES];
    zcs_source *source = NULL;
    zcs_stream *stream = NULL;
    const struct zcs_pattern_params pattern = {
        .name = "zone", .format = format, .width = 155, .height = 49, .frames = 2};
    const struct zcs_stream_params params = {.stages = stages, .depth = depth};
    snprintf(stages, sizeof stages, "%s%sdigest", strcmp(chain, "none") ? chain : "",
             strcmp(chain, "none") ? "," : "");
    CHECK_EQ(zcs_source_open_pattern(ctx, &pattern, &source), ZCS_OK);
    CHECK_EQ(zcs_stream_create(ctx, source, &params, &stream), ZCS_OK);
    const struct zcs_frame *frame = NULL;
    fprintf(out, "%s %s %d", zcs_pixfmt_info(format)->v4l2_name, stages, (int)depth);
    while (zcs_stream_next(stream, -1, &frame) == ZCS_OK) {
        fprintf(out, " %016" PRIx64, frame->digest);
        zcs_frame_unref(&frame);
    }
    fputc('\n', out);
    zcs_stream_destroy(&stream);
    zcs_source_close(&source);
}

static void append_format(FILE *out, zcs_context *ctx, enum zcs_pixfmt format)
{
    static const struct {
        const char *const *chains;
        size_t count;
    } sets[] = {
        [ZCS_MODEL_MONO] = {mono_chains, sizeof mono_chains / sizeof mono_chains[0]},
        [ZCS_MODEL_BAYER] = {bayer_chains, sizeof bayer_chains / sizeof bayer_chains[0]},
        [ZCS_MODEL_YUV] = {color_chains, sizeof color_chains / sizeof color_chains[0]},
        [ZCS_MODEL_RGB] = {color_chains, sizeof color_chains / sizeof color_chains[0]},
        [ZCS_MODEL_JPEG] = {NULL, 0},
    };
    const enum zcs_model model = zcs_pixfmt_info(format)->model;
    for (size_t i = 0; i < sets[model].count; i++) {
        append(out, ctx, format, sets[model].chains[i], ZCS_DEPTH_8);
        append(out, ctx, format, sets[model].chains[i], ZCS_DEPTH_16);
    }
}

static int compare(FILE *made, FILE *golden)
{
    char ours[LINE_BYTES], theirs[LINE_BYTES];
    int differences = 0, lines = 0;
    while (fgets(ours, sizeof ours, made) != NULL) {
        const int there = fgets(theirs, sizeof theirs, golden) != NULL;
        lines++;
        if (there && strcmp(ours, theirs) == 0)
            continue;
        differences++;
        fprintf(stderr, "made:   %sgolden: %s", ours, there ? theirs : "(nothing)\n");
    }
    CHECK(fgets(theirs, sizeof theirs, golden) == NULL);
    CHECK(lines > 400);
    return differences;
}

int main(int argc, char **argv)
{
    zcs_context *ctx = setup_context(2, NULL);
    const int write = argc == 3 && strcmp(argv[1], "--write") == 0;
    FILE *made = write ? fopen(argv[2], "w") : tmpfile();
    CHECK(made != NULL);
    for (int format = 1; format < ZCS_PIXFMT_COUNT; format++)
        append_format(made, ctx, (enum zcs_pixfmt)format);
    zcs_close(&ctx);
    int differences = 0;
    if (!write) {
        FILE *golden = fopen(GOLDEN_FILE, "r");
        CHECK(golden != NULL);
        rewind(made);
        differences = compare(made, golden);
        fclose(golden);
    }
    CHECK_EQ(fclose(made), 0);
    CHECK_EQ(differences, 0);
    return 0;
}
