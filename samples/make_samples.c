/* SPDX-License-Identifier: MIT */
/* Makes the sample recordings and, beside them, the true pictures.
 *
 *     make_samples FOLDER
 *
 * writes FOLDER/SCENE_FORMAT.zcr and FOLDER/SCENE_truth.png, with the same bytes on every run. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "zcstream/zcstream.h"

#include "samples/pack.h"
#include "samples/png_file.h"
#include "samples/scene.h"
#include "samples/sensor.h"
#include "samples/zcr_clock.h"

enum { PIXELS = SCENE_WIDTH * SCENE_HEIGHT };

#define FPS 25

enum from { FROM_SENSOR, FROM_DISPLAY, FROM_LIGHT };

/* A file to make. `from` says which of the pack functions is used. */
struct sample {
    enum scene scene;
    enum zcs_pixfmt format;
    enum from from;
    unsigned cfa, frames;
    void (*pack)(const uint16_t *codes, uint8_t *out);
    void (*pack_display)(const uint8_t *rgb, uint8_t *out);
    void (*pack_light)(const float *light, uint8_t *out);
};

// clang-format off
#define SENSOR(scene, format, cfa, pack) \
    {SCENE_##scene, ZCS_PIXFMT_##format, FROM_SENSOR, cfa, 3, pack, NULL, NULL},
#define DISPLAY(scene, format, pack) \
    {SCENE_##scene, ZCS_PIXFMT_##format, FROM_DISPLAY, 0, 1, NULL, pack, NULL},
#define LIGHT(scene, format, pack) \
    {SCENE_##scene, ZCS_PIXFMT_##format, FROM_LIGHT, 0, 1, NULL, NULL, pack},
static const struct sample samples[] = {
    SENSOR(CHART,    SRGGB10P, 0, pack_raw10)
    SENSOR(ZONE,     SGRBG10P, 1, pack_raw10)
    SENSOR(EDGE,     SGBRG10P, 2, pack_raw10)
    SENSOR(TEXT,     SBGGR10P, 3, pack_raw10)
    SENSOR(GRADIENT, SRGGB10,  0, pack_words)
    DISPLAY(CHART,   NV12, pack_nv12)
    DISPLAY(TEXT,    YUYV, pack_yuyv)
    DISPLAY(EDGE,    GREY, pack_grey)
    LIGHT(GRADIENT,  Y16,  pack_y16)
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

static zcs_status record(zcs_recorder *recorder, const struct sample *sample,
                         const struct zcs_image *image, const float *light, const uint8_t *truth)
{
    uint64_t noise = 1 + (uint64_t)sample->scene; /* each scene and frame has other noise */
    zcs_status status = ZCS_OK;
    uint8_t *bytes = malloc(image->size_bytes);
    struct zcs_frame frame = {.image = *image, .host = bytes, .clock = ZCS_CLOCK_MEDIA};
    if (bytes == NULL)
        return ZCS_ERR_NOMEM;
    for (unsigned i = 0; i < sample->frames && status == ZCS_OK; i++) {
        make_frame(sample, light, truth, &noise, bytes);
        frame.sequence = i;
        frame.time_ns = (int64_t)i * 1000000000 / FPS;
        status = zcs_recorder_write(recorder, &frame);
    }
    free(bytes);
    return status;
}

static int write_sample(zcs_context *ctx, const char *folder, const struct sample *sample,
                        const float *light, const uint8_t *truth)
{
    char path[4096], source[64];
    struct zcs_recorder_params params = {
        .path = path, .fps_num = FPS, .fps_den = 1, .source = source};
    zcs_recorder *recorder = NULL;
    snprintf(path, sizeof path, "%s/%s_%s.zcr", folder, scene_name(sample->scene),
             zcs_pixfmt_info(sample->format)->v4l2_name);
    snprintf(source, sizeof source, "make_samples: %s", scene_name(sample->scene));
    if (sample->from == FROM_SENSOR)
        params.text = sensor_stages;
    zcs_status status = zcs_image_init(&params.image, sample->format, SCENE_WIDTH, SCENE_HEIGHT, 0);
    if (status == ZCS_OK)
        status = zcs_recorder_create(ctx, &params, &recorder);
    if (status == ZCS_OK)
        status = record(recorder, sample, &params.image, light, truth);
    const zcs_status finished = zcs_recorder_finish(&recorder);
    if (status == ZCS_OK)
        status = finished;
    if (status == ZCS_OK && zcr_clock_clear(path) == 0)
        return 0;
    fprintf(stderr, "%s: %s\n", path, status != ZCS_OK ? zcs_strerror(status) : strerror(errno));
    return -1;
}

static int write_scene(zcs_context *ctx, const char *folder, enum scene scene)
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
            result = write_sample(ctx, folder, &samples[i], light, truth);
    free(truth);
    free(light);
    return result;
}

int main(int argc, char **argv)
{
    zcs_context *ctx = NULL;
    if (argc != 2) {
        fprintf(stderr, "usage: make_samples FOLDER\n");
        return 2;
    }
    int result =
        zcs_open(&(struct zcs_params){.backend = ZCS_BACKEND_HOST}, &ctx) == ZCS_OK ? 0 : -1;
    for (int scene = 0; scene < SCENE_COUNT && result == 0; scene++)
        result = write_scene(ctx, argv[1], (enum scene)scene);
    zcs_close(&ctx);
    return result == 0 ? 0 : 1;
}
