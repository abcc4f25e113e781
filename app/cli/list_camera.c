/* SPDX-License-Identifier: MIT */
/* Looking at one camera: --list-formats with a device, and what other lists share. */
#include "app/cli/list_camera.h"

#include <string.h>

#include "app/run/session.h"
#include "app/cli/status.h"

#define MAX_LISTED 4096u /* of anything: a driver may count for ever */

/* Looking needs no GPU. */
int list_camera_open(const struct options *options, struct console *console, zcs_context **ctx,
                     zcs_camera **camera)
{
    struct options plain = *options;
    plain.backend = ZCS_BACKEND_HOST;
    plain.threads = 1;
    const unsigned errors = console_errors(console);
    const int status = session_open_context(&plain, console, ctx);
    if (status != 0)
        return status;
    const zcs_status opened = zcs_camera_open(*ctx, options->input, camera);
    if (opened == ZCS_OK)
        return 0;
    zcs_close(ctx);
    (void)session_failure(console, errors, options->input, opened);
    return ZCAPP_UNAVAILABLE;
}

struct camera_fourcc camera_fourcc(uint32_t fourcc)
{
    struct camera_fourcc out = {""};
    const struct zcs_pixfmt_info *info = zcs_pixfmt_info(zcs_pixfmt_from_fourcc(fourcc));
    if (info != NULL) {
        snprintf(out.text, sizeof out.text, "%.7s", info->name);
        return out;
    }
    for (int i = 0; i < 4; i++) {
        const char c = (char)(fourcc >> (8 * i) & 127);
        out.text[i] = c > ' ' && c < 127 ? c : i == 3 && c == ' ' ? '\0' : '.';
    }
    if (fourcc >> 31) /* V4L2's mark for big-endian */
        memcpy(out.text + strlen(out.text), "-BE", sizeof "-BE");
    return out;
}

struct camera_rate_text camera_rate_text(uint32_t num, uint32_t den)
{
    struct camera_rate_text out;
    if (den != 0 && num % den == 0)
        snprintf(out.text, sizeof out.text, "%u", num / den);
    else
        snprintf(out.text, sizeof out.text, "%.4g", den != 0 ? (double)num / den : 0.0);
    return out;
}

static void put_rates(zcs_camera *camera, uint32_t fourcc, uint32_t width, uint32_t height)
{
    struct zcs_camera_rate rate;
    uint32_t count = 0;
    for (; count < MAX_LISTED &&
           zcs_camera_rate(camera, fourcc, width, height, count, &rate) == ZCS_OK;
         count++) {
        const int range = rate.min_num != rate.max_num || rate.min_den != rate.max_den;
        printf("%s%s", count == 0 ? "  " : ", ", camera_rate_text(rate.min_num, rate.min_den).text);
        if (range)
            printf(" to %s", camera_rate_text(rate.max_num, rate.max_den).text);
    }
    printf("%s\n", count > 0 ? " fps" : "  no list of rates");
}

/* Returns 1 if the driver would give it. */
static int put_size(zcs_camera *camera, uint32_t fourcc, const struct zcs_camera_size *size)
{
    const uint32_t width = size->max_width, height = size->max_height;
    if (!zcs_camera_would_give(camera, fourcc, width, height))
        return 0;
    if (size->step_width == 0)
        printf("    %ux%u", width, height);
    else
        printf("    %ux%u to %ux%u in steps of %ux%u", size->min_width, size->min_height, width,
               height, size->step_width, size->step_height);
    put_rates(camera, fourcc, width, height);
    return 1;
}

static void put_format(zcs_camera *camera, const struct zcs_camera_format *format)
{
    struct zcs_camera_size size;
    uint32_t count = 0, given = 0;
    printf("%-8s %s%s%s\n", camera_fourcc(format->fourcc).text, format->text,
           format->emulated ? "  (made of another one)" : "",
           format->readable                    ? ""
           : format->pixfmt != ZCS_PIXFMT_NONE ? "  (compressed: no decoder in this build)"
                                               : "  (not known here)");
    for (; count < MAX_LISTED && zcs_camera_size(camera, format->fourcc, count, &size) == ZCS_OK;
         count++)
        given += (uint32_t)put_size(camera, format->fourcc, &size);
    if (count == 0)
        printf("    no list of sizes\n");
    else if (given < count)
        printf("    (%u more that the driver lists, but would not give)\n", count - given);
}

int list_camera_formats(const struct options *options, struct console *console)
{
    zcs_context *ctx = NULL;
    zcs_camera *camera = NULL;
    struct zcs_camera_format format;
    uint32_t count = 0;
    const int status = list_camera_open(options, console, &ctx, &camera);
    if (status != 0)
        return status;
    for (; count < MAX_LISTED && zcs_camera_format(camera, count, &format) == ZCS_OK; count++)
        put_format(camera, &format);
    zcs_camera_close(&camera);
    zcs_close(&ctx);
    if (count > 0)
        return 0;
    console_error(console, "%s: lists no formats: it delivers no pictures", options->input);
    return ZCAPP_UNAVAILABLE;
}
