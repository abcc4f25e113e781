/* SPDX-License-Identifier: MIT */
/* After fork: a child that closes the source it inherited does not disturb the parent's capture. */
#include "unit/v4l2_setup.h"

#include <sys/wait.h>

static void take(int frames)
{
    for (int i = 0; i < frames; i++) {
        const struct zcs_frame *frame = NULL;
        CHECK_EQ(zcs_source_next(source, 5000000000, &frame), ZCS_OK);
        zcs_frame_unref(&frame);
    }
}

/* What the driver was asked to do; in the child, by the child. */
static int in_child(void)
{
    const struct zcs_frame *frame = NULL;
    const uint32_t calls = s.calls_made;
    const zcs_status status = zcs_source_next(source, 0, &frame);
    zcs_source_close(&source);
    zcs_close(&ctx);
    return status == ZCS_ERR_DEVICE && s.calls_made == calls && s.stream_off_count == 0 ? 0 : 1;
}

static void fork_with(enum zcs_path path)
{
    const struct zcs_v4l2_params params = {.path = path};
    int status = 0;
    script_init(&s);
    s.udmabuf = 1;
    set_up(&params);
    take(5);
    const pid_t child = fork();
    CHECK(child >= 0);
    if (child == 0)
        _exit(in_child());
    CHECK_EQ(waitpid(child, &status, 0), child);
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    take(20);
    tear_down();
}

int main(void)
{
    fork_with(ZCS_PATH_USERPTR);
    fork_with(ZCS_PATH_DMABUF);
    fork_with(ZCS_PATH_REGISTERED);
    fork_with(ZCS_PATH_COPIED);
    return 0;
}
