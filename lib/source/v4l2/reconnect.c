/* SPDX-License-Identifier: MIT */
/* Waiting for a camera: when it is looked for, when it is given up, and what is told. */
#include "source/v4l2/reconnect.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "os/clock.h"
#include "source/v4l2/capture.h"
#include "source/v4l2/reopen.h"
#include "source/wait.h"

#define SECOND_NS INT64_C(1000000000)
#define LOOK_NS (SECOND_NS / 10)      /* from one look at the nodes to the next */
#define FOUND_LOOK_NS (SECOND_NS / 2) /* the same where it was found, but not to be had */

static void soften(void *user, enum zcs_log_level level, const char *line)
{
    const struct zci_log *log = user;
    if (level == ZCS_LOG_ERROR)
        level = ZCS_LOG_WARNING;
    zci_log(log, level, "%s", line);
}

static void keep(void *user, enum zcs_log_level level, const char *line)
{
    struct zci_v4l2_reconnect *reconnect = user;
    (void)level;
    if (reconnect->why[0] == '\0')
        snprintf(reconnect->why, sizeof reconnect->why, "%s", line);
}

static char *copy_text(const char *text)
{
    const size_t bytes = strlen(text) + 1;
    char *copy = malloc(bytes);
    if (copy != NULL)
        memcpy(copy, text, bytes);
    return copy;
}

zcs_status zci_v4l2_reconnect_init(struct zci_v4l2_camera *camera,
                                   const struct zcs_v4l2_params *params,
                                   const struct zci_v4l2_calls *calls)
{
    struct zci_v4l2_reconnect *reconnect = &camera->reconnect;
    reconnect->limit_ns = params->reconnect_ns;
    reconnect->gentle = (struct zci_log){soften, &camera->head.log, camera->head.log.level};
    reconnect->silent = (struct zci_log){keep, reconnect, ZCS_LOG_ERROR};
    reconnect->device = copy_text(params->device);
    reconnect->input = params->input != NULL ? copy_text(params->input) : NULL;
    const int unread = reconnect->limit_ns != 0 &&
                       zci_v4l2_values_read(&reconnect->values, &camera->dev.port) != 0;
    if (unread || reconnect->device == NULL || (params->input != NULL && reconnect->input == NULL))
        return zci_fail(&camera->head.log, ZCS_ERR_NOMEM, "%s: no memory for what it is",
                        params->device);
    reconnect->wanted = *params;
    reconnect->wanted.device = reconnect->device;
    reconnect->wanted.input = reconnect->input;
    if (reconnect->limit_ns != 0)
        zci_v4l2_identity_of(calls, params->device, &reconnect->identity);
    return ZCS_OK;
}

void zci_v4l2_reconnect_finish(struct zci_v4l2_camera *camera)
{
    zci_v4l2_values_finish(&camera->reconnect.values);
    free(camera->reconnect.device);
    free(camera->reconnect.input);
    camera->reconnect.device = camera->reconnect.input = NULL;
}

const struct zci_log *zci_v4l2_reconnect_log(const struct zci_v4l2_camera *camera)
{
    return camera->reconnect.limit_ns != 0 ? &camera->reconnect.gentle : &camera->head.log;
}

uint64_t zci_v4l2_reconnect_missed(struct zci_v4l2_camera *camera)
{
    struct zci_v4l2_reconnect *reconnect = &camera->reconnect;
    const int64_t now_ns = zci_now_ns(), passed_ns = now_ns - reconnect->frame_ns;
    const uint32_t num = camera->agreed.fps_num, den = camera->agreed.fps_den;
    const int counts = reconnect->back && reconnect->frame_ns != 0 && num != 0 && den != 0;
    reconnect->back = 0;
    reconnect->frame_ns = now_ns;
    if (!counts)
        return 0;
    const double periods = (double)passed_ns / 1e9 * num / den;
    const uint64_t missed = periods > 1.5 ? (uint64_t)(periods - 0.5) : 0;
    zci_log(&camera->head.log, ZCS_LOG_WARNING, "%s: %" PRIu64 " frames were missed meanwhile",
            camera->dev.path, missed);
    return missed;
}

static zcs_status give_up(const struct zci_v4l2_camera *camera)
{
    const struct zci_v4l2_reconnect *reconnect = &camera->reconnect;
    return zci_fail(&camera->head.log, ZCS_ERR_GONE, "%s (%s): did not come back within %.1f s%s%s",
                    camera->dev.path, camera->dev.caps.card, (double)reconnect->limit_ns / 1e9,
                    reconnect->why[0] != '\0' ? ", or not as it was: " : "", reconnect->why);
}

/* A camera that goes again before it has sent a frame has no further time. */
static zcs_status go_away(struct zci_v4l2_camera *camera)
{
    struct zci_v4l2_reconnect *reconnect = &camera->reconnect;
    const int64_t now_ns = zci_now_ns();
    zci_v4l2_capture_leave(camera);
    if (reconnect->proven || reconnect->until_ns == 0) {
        reconnect->until_ns =
            reconnect->limit_ns < INT64_MAX - now_ns ? now_ns + reconnect->limit_ns : INT64_MAX;
        zci_log(&camera->head.log, ZCS_LOG_WARNING,
                "%s: waiting for this camera to come back, up to %.1f s", camera->dev.path,
                (double)reconnect->limit_ns / 1e9);
    }
    reconnect->proven = 0;
    reconnect->since_ns = now_ns;
    reconnect->look_ns = now_ns + LOOK_NS;
    return now_ns < reconnect->until_ns ? ZCS_OK : give_up(camera);
}

/* ZCS_OK: it is back. ZCS_AGAIN: not so far. */
static zcs_status look(struct zci_v4l2_camera *camera)
{
    struct zci_v4l2_reconnect *reconnect = &camera->reconnect;
    reconnect->why[0] = '\0';
    if (zci_v4l2_reopen(camera) == ZCS_OK) {
        zci_log(&camera->head.log, ZCS_LOG_WARNING, "%s: the camera is back after %.1f s",
                camera->dev.path, (double)(zci_now_ns() - reconnect->since_ns) / 1e9);
        reconnect->since_ns = 0;
        reconnect->back = 1;
        return ZCS_OK;
    }
    const int64_t now_ns = zci_now_ns();
    if (now_ns >= reconnect->until_ns)
        return give_up(camera);
    reconnect->look_ns = now_ns + (reconnect->why[0] != '\0' ? FOUND_LOOK_NS : LOOK_NS);
    if (reconnect->look_ns > reconnect->until_ns)
        reconnect->look_ns = reconnect->until_ns;
    return ZCS_AGAIN;
}

/* ZCS_OK: it is there. ZCS_AGAIN: the deadline passed, or a signal came. */
static zcs_status wait_for(struct zci_v4l2_camera *camera, int64_t deadline_ns)
{
    const struct zci_v4l2_reconnect *reconnect = &camera->reconnect;
    while (reconnect->since_ns != 0) {
        if (zci_wait_until(reconnect->look_ns, deadline_ns) != ZCS_OK)
            return ZCS_AGAIN;
        const zcs_status status = look(camera);
        if (status < 0)
            return status;
    }
    return ZCS_OK;
}

zcs_status zci_v4l2_reconnect_next(struct zci_v4l2_camera *camera, int64_t timeout_ns,
                                   struct zci_slot **out)
{
    const int64_t deadline_ns = zci_deadline_ns(timeout_ns);
    for (;;) {
        const zcs_status waited = wait_for(camera, deadline_ns);
        if (waited != ZCS_OK)
            return waited;
        const zcs_status status = zci_v4l2_capture_next(camera, zci_left_ns(deadline_ns), out);
        camera->reconnect.proven |= status == ZCS_OK;
        if (status >= 0 || status == ZCS_ERR_FORMAT || camera->reconnect.limit_ns == 0)
            return status;
        const zcs_status left = go_away(camera);
        if (left != ZCS_OK)
            return left;
    }
}
