/* SPDX-License-Identifier: MIT */
/* zcapp doctor DEVICE: what this camera and its driver can do here, measured, and what could be better. */
#include "app/doctor/doctor_camera.h"

#include <string.h>

#include "zcstream/camera.h"

#include "app/doctor/doctor_capture.h"
#include "app/doctor/doctor_node.h"
#include "app/cli/lists.h"
#include "app/cli/status.h"

#define MAX_FORMATS 64u
#define TOO_MANY_READABLE 3u /* then compressed formats are no loss worth a line */

static void keep_line(void *user, enum zcs_log_level level, const char *line)
{
    (void)level;
    snprintf(user, FINDING_BYTES, "%s", line);
}

static void tell_identity(const struct zcs_camera_info *info, struct findings *findings)
{
    findings_fact(findings, "camera", "%s", info->card);
    findings_fact(findings, "driver", "%s, bus %s%s%s", info->driver, info->bus,
                  info->serial[0] != '\0' ? ", serial " : "", info->serial);
    findings_fact(findings, "memory policy", "the driver fills buffers %s",
                  info->cpu_writes ? "with the CPU: cached memory, unless --memory says others"
                                   : "by DMA: write-combined memory, unless --memory says others");
}

/* Fast modes are often compressed ones only. */
static void tell_formats(zcs_camera *camera, struct findings *findings)
{
    char raw[FINDING_BYTES] = "", other[FINDING_BYTES] = "";
    struct zcs_camera_format format;
    unsigned readable = 0;
    for (uint32_t i = 0; i < MAX_FORMATS && zcs_camera_format(camera, i, &format) == ZCS_OK; i++) {
        char *list = format.readable ? raw : other;
        const size_t used = strlen(list);
        snprintf(list + used, FINDING_BYTES - used, "%s%s", used > 0 ? " " : "",
                 camera_fourcc(format.fourcc).text);
        readable += format.readable;
    }
    findings_fact(findings, "formats", "%s", raw[0] != '\0' ? raw : "none that can be read");
    if (other[0] != '\0')
        findings_fact(findings, "formats", "not readable by this build: %s", other);
    if (other[0] != '\0' && readable <= TOO_MANY_READABLE)
        findings_advice(findings,
                        "%s cannot be read here: 'zcapp --list-formats' shows whether larger or "
                        "faster modes are in them alone",
                        other);
}

static int is_capture(const struct zcs_camera_info *info, const char *device,
                      struct findings *findings)
{
    static const char *const kinds[] = {
        [ZCS_CAMERA_CAPTURE] = "a camera", [ZCS_CAMERA_METADATA] = "a metadata node",
        [ZCS_CAMERA_OUTPUT] = "an output", [ZCS_CAMERA_CODEC] = "a codec or converter",
        [ZCS_CAMERA_OTHER] = "no camera",
    };
    findings_fact(findings, "kind", "%s", kinds[info->kind]);
    if (info->kind == ZCS_CAMERA_CAPTURE)
        return 1;
    findings_advice(findings,
                    "%s is %s: zcapp --list-devices shows the node with the pictures, mostly the "
                    "one before",
                    device, kinds[info->kind]);
    return 0;
}

/* What the driver says without capturing. 1: it may be captured from. */
static int look(const char *device, struct findings *findings)
{
    char complaint[FINDING_BYTES] = "";
    const struct zcs_params params = {.backend = ZCS_BACKEND_HOST,
                                      .host_threads = 1,
                                      .log = keep_line,
                                      .log_user = complaint,
                                      .log_level = ZCS_LOG_ERROR};
    zcs_context *ctx = NULL;
    zcs_camera *camera = NULL;
    struct zcs_camera_info info;
    int good = 0;
    if (zcs_open(&params, &ctx) == ZCS_OK && zcs_camera_open(ctx, device, &camera) == ZCS_OK) {
        zcs_camera_info(camera, &info);
        good = is_capture(&info, device, findings);
        tell_identity(&info, findings);
        if (good)
            tell_formats(camera, findings);
    } else {
        findings_advice(findings, "%s", complaint[0] != '\0' ? complaint : "it cannot be opened");
    }
    zcs_camera_close(&camera);
    zcs_close(&ctx);
    return good;
}

int doctor_camera(const struct options *options, struct findings *findings)
{
    const char *device = options->input;
    if (!doctor_node(device, findings))
        return ZCAPP_UNAVAILABLE;
    const unsigned holders = doctor_holders(device, findings);
    if (holders > 0)
        findings_advice(findings,
                        "another program has the camera open (see above): only one can capture");
    const unsigned usb_mbit = doctor_usb(device, findings);
    if (!look(device, findings))
        return ZCAPP_UNAVAILABLE;
    return doctor_capture(options, usb_mbit, findings);
}
