/* SPDX-License-Identifier: MIT */
/* Controls and lists under failing allocations and driver calls: an error that is logged, or
 * success; never a leak or a crash. */
#include "unit/v4l2_script_controls.h"

#include "fault/wrap.h"

static struct cam c;
static struct script_log text;
static uint32_t fail_at; /* the n-th call to the driver fails; 0: none */
static int fail_error;

static void begin(void)
{
    cam_init(&c);
    c.s.fail_at = fail_at;
    c.s.fail_error = fail_error;
    text.text[0] = '\0';
}

static zcs_status open_context(zcs_context **ctx)
{
    const struct zcs_params params = {
        .backend = ZCS_BACKEND_HOST, .host_threads = 1, .log = script_log, .log_user = &text};
    return zcs_open(&params, ctx);
}

/* What --list-controls and --set do on a camera without capture. */
static zcs_status look(void)
{
    zcs_context *ctx = NULL;
    zcs_camera *camera = NULL;
    struct zcs_control control = {.id = 0};
    struct zcs_control_item item;
    char value[64];
    begin();
    zcs_status status = open_context(&ctx);
    if (status == ZCS_OK)
        status = zci_v4l2_camera_open(ctx, "/dev/video7", &c.s.calls, &camera);
    while (status == ZCS_OK &&
           (status = zcs_control_next(camera, control.id, &control)) == ZCS_OK) {
        status = zcs_control_item(camera, &control, 0, &item);
        if (status >= 0)
            status = zcs_control_get(camera, &control, value, sizeof value);
        if (status == ZCS_ERR_UNSUPPORTED)
            status = ZCS_OK;
    }
    if (status == ZCS_EOF)
        status = zcs_control_set(camera, "label=right", value, sizeof value);
    if (status == ZCS_OK)
        status = zcs_control_set(camera, "power_line_frequency=auto", value, sizeof value);
    zcs_camera_close(&camera);
    zcs_close(&ctx);
    return status;
}

/* Controls of a capturing camera: when it is opened, and later. */
static zcs_status capture(void)
{
    static const char *const controls[] = {"gain=3", "horizontal_flip=1", "label=left"};
    const struct zcs_v4l2_params params = {
        .device = "/dev/video7", .controls = controls, .control_count = 3};
    zcs_context *ctx = NULL;
    zcs_source *source = NULL;
    const struct zcs_frame *frame = NULL;
    begin();
    zcs_status status = open_context(&ctx);
    if (status == ZCS_OK)
        status = zci_v4l2_open(ctx, &params, &c.s.calls, &source);
    if (status == ZCS_OK)
        status = zcs_control_set(zcs_source_camera(source), "gain=4", NULL, 0);
    if (status == ZCS_OK)
        status = zcs_source_next(source, 100000000, &frame);
    zcs_frame_unref(&frame);
    zcs_source_close(&source);
    zcs_close(&ctx);
    return status;
}

static void allocations(zcs_status (*scene)(void))
{
    for (uint64_t n = 1; n < 1000; n++) {
        const int64_t before = wrap_outstanding().allocations;
        wrap_fail_nth(WRAP_ALLOC, n, WRAP_ONCE, ENOMEM);
        const zcs_status status = scene();
        const uint64_t failed = wrap_failed();
        wrap_reset();
        CHECK_EQ(wrap_outstanding().allocations, before);
        CHECK_EQ(c.s.open_count, 0);
        if (failed == 0) {
            CHECK_EQ(status, ZCS_OK);
            return;
        }
    }
    CHECK(!"the end of the allocations was reached");
}

static void calls(zcs_status (*scene)(void), int error)
{
    for (fail_at = 1; fail_at < 2000; fail_at++) {
        const int64_t before = wrap_outstanding().allocations;
        fail_error = error;
        const zcs_status status = scene();
        CHECK_EQ(wrap_outstanding().allocations, before);
        CHECK_EQ(c.s.open_count, 0);
        CHECK(status >= 0 || text.text[0] != '\0');
        if (c.s.calls_made < fail_at) {
            CHECK_EQ(status, ZCS_OK);
            fail_at = 0;
            return;
        }
    }
    CHECK(!"the end of the calls was reached");
}

int main(void)
{
    static const int errors[] = {EIO, ENODEV, ENOTTY, EINVAL, EACCES};
    allocations(look);
    allocations(capture);
    for (size_t i = 0; i < sizeof errors / sizeof *errors; i++) {
        calls(look, errors[i]);
        calls(capture, errors[i]);
    }
    return 0;
}
