/* SPDX-License-Identifier: MIT */
/* Makes the sample frames: scenes as cameras deliver them, and the truth beside them.
 *
 *     make_samples FOLDER
 *
 * writes FOLDER/SCENE_FORMAT_WIDTHxHEIGHT.raw, frames back to back, and FOLDER/SCENE_truth.png. The same
 * bytes on every run. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "samples/pack.h"
#include "samples/png_file.h"
#include "samples/scene.h"
#include "samples/sensor.h"

enum { PIXELS = SCENE_WIDTH * SCENE_HEIGHT };

enum from { FROM_SENSOR, FROM_DISPLAY, FROM_LIGHT };

/* A file to make; of `pack` and its kin the one that `from` says. */
struct sample {
    enum scene scene;
    const char *format; /* V4L2's fourcc */
    enum from from;
    unsigned cfa, frames;
    size_t bytes; /* of a frame */
    void (*pack)(const uint16_t *codes, uint8_t *out);
    void (*pack_display)(const uint8_t *rgb, uint8_t *out);
    void (*pack_light)(const float *light, uint8_t *out);
};

// clang-format off
#define SENSOR(scene, format, cfa, bytes, pack) \
    {SCENE_##scene, format, FROM_SENSOR, cfa, 3, bytes, pack, NULL, NULL},
#define DISPLAY(scene, format, bytes, pack) \
    {SCENE_##scene, format, FROM_DISPLAY, 0, 1, bytes, NULL, pack, NULL},
#define LIGHT(scene, format, bytes, pack) \
    {SCENE_##scene, format, FROM_LIGHT, 0, 1, bytes, NULL, NULL, pack},
static const struct sample samples[] = {
    SENSOR(CHART,    "pRAA", 0, PIXELS * 5 / 4, pack_raw10)
    SENSOR(ZONE,     "pgAA", 1, PIXELS * 5 / 4, pack_raw10)
    SENSOR(EDGE,     "pGAA", 2, PIXELS * 5 / 4, pack_raw10)
    SENSOR(TEXT,     "pBAA", 3, PIXELS * 5 / 4, pack_raw10)
    SENSOR(GRADIENT, "RG10", 0, PIXELS * 2, pack_words)
    DISPLAY(CHART,   "NV12", PIXELS * 3 / 2, pack_nv12)
    DISPLAY(TEXT,    "YUYV", PIXELS * 2, pack_yuyv)
    DISPLAY(EDGE,    "GREY", PIXELS, pack_grey)
    LIGHT(GRADIENT,  "Y16", PIXELS * 2, pack_y16)
};
// clang-format on

static void make_frame(const struct sample *sample, const float *light, const uint8_t *truth,
                       uint64_t *noise, uint8_t *out)
{
    static uint16_t codes[PIXELS];
    switch (sample->from) {
    case FROM_SENSOR:
        sensor_expose(light, sample->cfa, noise, codes);
        sample->pack(codes, out);
        break;
    case FROM_DISPLAY:
        sample->pack_display(truth, out);
        break;
    case FROM_LIGHT:
        sample->pack_light(light, out);
        break;
    }
}

static int write_sample(const char *folder, const struct sample *sample, const float *light,
                        const uint8_t *truth)
{
    char path[4096];
    uint64_t noise = 1 + (uint64_t)sample->scene; /* other noise in every scene and frame */
    snprintf(path, sizeof path, "%s/%s_%s_%dx%d.raw", folder, scene_name(sample->scene),
             sample->format, SCENE_WIDTH, SCENE_HEIGHT);
    FILE *file = fopen(path, "wb");
    uint8_t *bytes = malloc(sample->bytes);
    int good = file != NULL && bytes != NULL;
    for (unsigned i = 0; i < sample->frames && good; i++) {
        make_frame(sample, light, truth, &noise, bytes);
        good = fwrite(bytes, 1, sample->bytes, file) == sample->bytes;
    }
    if (file != NULL && fclose(file) != 0)
        good = 0;
    if (!good)
        perror(path);
    free(bytes);
    return good ? 0 : -1;
}

static int write_scene(const char *folder, enum scene scene)
{
    char path[4096];
    int result = -1;
    float *light = scene_render(scene, SCENE_BLUR);
    uint8_t *truth = light != NULL ? scene_truth(light) : NULL;
    snprintf(path, sizeof path, "%s/%s_truth.png", folder, scene_name(scene));
    if (truth != NULL)
        result = png_file_write(path, truth, SCENE_WIDTH, SCENE_HEIGHT);
    else
        perror(path);
    for (size_t i = 0; i < sizeof samples / sizeof *samples && result == 0; i++)
        if (samples[i].scene == scene)
            result = write_sample(folder, &samples[i], light, truth);
    free(truth);
    free(light);
    return result;
}

int main(int argc, char **argv)
{
    if (argc != 2) {
        fprintf(stderr, "usage: make_samples FOLDER\n");
        return 2;
    }
    for (int scene = 0; scene < SCENE_COUNT; scene++)
        if (write_scene(argv[1], (enum scene)scene) != 0)
            return 1;
    printf("%s\n", sensor_stages);
    return 0;
}
