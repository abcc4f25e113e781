/* SPDX-License-Identifier: MIT */
/* A frame context of one device, as the tests of backends want it. */
#ifndef ZCS_TESTS_TEAM_H
#define ZCS_TESTS_TEAM_H

#include "backend/backend.h"

static inline zcs_status frame_ctx_alone(struct zci_backend *backend, uint32_t device,
                                         const struct zci_plan *plan, struct zci_notifier *notifier,
                                         struct zci_frame_ctx **out)
{
    struct zci_group group;
    int failed_device = -1;
    zci_group_one(plan, device, &group);
    return backend->ops->frame_ctx_create(backend, &group, notifier, &failed_device, out);
}

#endif
