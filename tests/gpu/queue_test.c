/* SPDX-License-Identifier: MIT */
/* Which lanes put their copies on the same CUDA stream: those of one plan on one device, a resident one's alone on its
 * own. CUDA is a stand-in. */
#include "check.h"

#include "backend/cuda/hold.h"
#include "backend/cuda/lane.h"
#include "core/share.h"
#include "gpu/fake_api.h"

static struct zci_plan plan_of(const char *stages)
{
    const struct zci_log quiet = {.fn = NULL};
    const struct zci_plan_params params = {.stages = stages};
    struct zcs_image image;
    struct zci_plan plan;
    CHECK_EQ(zcs_image_init(&image, ZCS_PIXFMT_GREY, 640, 480, 0), ZCS_OK);
    CHECK_EQ(zci_plan_init(&plan, &image, &params, &quiet), ZCS_OK);
    return plan;
}

static struct zci_cuda_lane *make(struct zci_backend *cuda, const struct zci_plan *plan,
                                  uint32_t device)
{
    struct zci_team team;
    struct zci_lane *lane = NULL;
    zci_team_one(plan, device, &team);
    CHECK_EQ(zci_cuda_lane_create(cuda, &team, 0, &lane), ZCS_OK);
    return (struct zci_cuda_lane *)lane;
}

static void destroy(struct zci_cuda_lane *lane)
{
    struct zci_lane *base = &lane->base;
    zci_cuda_lane_destroy(&base);
}

static void hold(struct zci_cuda_lane *lane)
{
    struct zci_hold held;
    CHECK_EQ(zci_cuda_lane_hold(&lane->base, &held), ZCS_OK);
    CHECK(held.units > 0);
}

int main(void)
{
    const struct zci_log quiet = {.fn = NULL};
    struct zci_backend *cuda = NULL;
    struct zci_plan one = plan_of("none"), two = plan_of("digest");
    fake_state.devices = 2;
    CHECK_EQ(zci_cuda_open(&fake_cuda, &quiet, &cuda), ZCS_OK);
    struct zci_cuda_lane *first = make(cuda, &one, 0), *second = make(cuda, &one, 0),
                         *other = make(cuda, &two, 0), *there = make(cuda, &one, 1);
    void *const shared = first->copies->stream, *const others = other->copies->stream;
    CHECK(second->copies->stream == shared);
    CHECK(others != shared);
    CHECK(there->copies->stream != shared && there->copies->stream != others);
    CHECK(first->queue->stream != second->queue->stream);

    hold(first);
    void *const own = first->copies->stream;
    CHECK(own != shared && own != others);
    CHECK(second->copies->stream == shared);
    CHECK(first->resident->queue->stream != own);

    /* What nobody uses goes to whoever comes; what one lane still uses does not. */
    destroy(first);
    struct zci_cuda_lane *third = make(cuda, &one, 0);
    CHECK(third->copies->stream == shared);
    destroy(second);
    struct zci_cuda_lane *fourth = make(cuda, &two, 0);
    CHECK(fourth->copies->stream == others);
    destroy(third);
    struct zci_plan three = plan_of("none");
    struct zci_cuda_lane *fifth = make(cuda, &three, 0), *sixth = make(cuda, &one, 0);
    CHECK(fifth->copies->stream != sixth->copies->stream);
    CHECK(fifth->copies->stream == shared || fifth->copies->stream == own);
    CHECK(sixth->copies->stream == shared || sixth->copies->stream == own);

    destroy(other), destroy(there), destroy(fourth), destroy(fifth), destroy(sixth);
    zci_plan_finish(&one), zci_plan_finish(&two), zci_plan_finish(&three);
    zci_backend_unref(&cuda);
    CHECK_EQ(fake_state.alive, 0);
    return 0;
}
