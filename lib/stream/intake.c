/* SPDX-License-Identifier: MIT */
/* Intake: which frames are taken from the source, which are skipped, and which the policy drops. */
#include "stream/intake.h"

#include "os/clock.h"
#include "os/work_limit.h"

void zci_intake_init(struct zci_intake *intake, zcs_source *source,
                     const struct zcs_stream_params *params)
{
    *intake = (struct zci_intake){
        .source = source,
        .policy = source->live ? params->policy : ZCS_POLICY_WAIT,
        .skip = params->skip,
        .every = params->every ? params->every : 1,
        .limit = params->frames,
    };
}

void zci_intake_stop(struct zci_intake *intake, zcs_status why)
{
    if (intake->end == ZCS_OK)
        intake->end = why;
    if (intake->pending != NULL) {
        intake->dropped++;
        zci_slot_unref(intake->pending);
        intake->pending = NULL;
    }
}

/* If the source can seek, skipped frames are not read. */
static void seek(struct zci_intake *intake, uint64_t *count)
{
    if (*count == 0 || intake->source->ops->skip == NULL)
        return;
    const uint64_t passed = intake->source->ops->skip(intake->source, *count);
    *count -= passed;
    intake->captured += passed;
    intake->skipped += passed;
}

static int pass_over(struct zci_intake *intake)
{
    uint64_t *const count = intake->skip ? &intake->skip : &intake->until_next;
    if (*count == 0)
        return 0;
    --*count;
    intake->skipped++;
    return 1;
}

/* The next frame. ZCS_OK with *out NULL: `skip` or `every` passed over it. */
static zcs_status next_wanted(struct zci_intake *intake, struct zci_slot **out)
{
    struct zci_slot *slot = NULL;
    seek(intake, &intake->skip);
    seek(intake, &intake->until_next);
    const zcs_status status = intake->source->ops->next(intake->source, 0, &slot);
    if (status != ZCS_OK) {
        if (status != ZCS_AGAIN)
            intake->end = status;
        return status;
    }
    intake->captured++;
    if (pass_over(intake)) {
        zci_slot_unref(slot);
        slot = NULL;
    } else {
        intake->until_next = intake->every - 1;
    }
    *out = slot;
    return ZCS_OK;
}

static void drop(struct zci_intake *intake, struct zci_slot *slot)
{
    intake->dropped++;
    zci_slot_unref(slot);
}

/* Drops all waiting frames but the newest, which becomes pending. Frames may come faster than they
 * are dropped: then the newest so far. */
static void keep_latest(struct zci_intake *intake)
{
    struct zci_work_limit limit = zci_work_limit(0);
    struct zci_slot *slot = NULL;
    while (intake->end == ZCS_OK && next_wanted(intake, &slot) == ZCS_OK) {
        if (slot != NULL && intake->pending != NULL)
            drop(intake, intake->pending);
        if (slot != NULL)
            intake->pending = slot;
        if (zci_work_is_over(&limit))
            return;
    }
}

static zcs_status give(struct zci_intake *intake, struct zci_slot *slot, struct zci_slot **out)
{
    *out = slot;
    if (++intake->taken == intake->limit) {
        zci_intake_stop(intake, ZCS_EOF);
        intake->end = ZCS_EOF; /* frames after the last one do not matter */
    }
    return ZCS_OK;
}

zcs_status zci_intake_take(struct zci_intake *intake, int can_submit, struct zci_slot **out)
{
    struct zci_slot *slot = NULL;
    if (intake->policy == ZCS_POLICY_LATEST) {
        keep_latest(intake);
        slot = can_submit ? intake->pending : NULL;
        if (slot == NULL)
            return intake->pending != NULL || intake->end == ZCS_OK ? ZCS_AGAIN : intake->end;
        intake->pending = NULL;
        return give(intake, slot, out);
    }
    if (intake->end != ZCS_OK)
        return intake->end;
    if (!can_submit && intake->policy == ZCS_POLICY_WAIT)
        return ZCS_AGAIN;
    const zcs_status status = next_wanted(intake, &slot);
    if (status != ZCS_OK || slot == NULL)
        return status;
    if (can_submit)
        return give(intake, slot, out);
    drop(intake, slot);
    return ZCS_AGAIN;
}

void zci_intake_undo(struct zci_intake *intake, struct zci_slot *slot)
{
    if (intake->taken-- == intake->limit)
        intake->end = ZCS_OK;
    intake->captured--;
    zci_slot_unref(slot);
}

struct zci_intake_wait zci_intake_wait(const struct zci_intake *intake, int can_submit)
{
    const zcs_source *source = intake->source;
    const struct zci_source_ops *ops = source->ops;
    struct zci_intake_wait wait = {.ready = can_submit && intake->pending != NULL};
    const int wants = can_submit || intake->policy != ZCS_POLICY_WAIT;
    if (wait.ready || intake->end != ZCS_OK || !wants || (ops->starved && ops->starved(source)))
        return wait;
    wait.descriptor = ops->fd != NULL && ops->fd(source) >= 0;
    wait.due_ns = ops->due_ns != NULL ? ops->due_ns(source) : 0;
    wait.ready = !wait.descriptor && wait.due_ns <= zci_now_ns();
    return wait;
}
