/* SPDX-License-Identifier: MIT */
/* A lane of one device, as the tests of backends want it. */
#ifndef ZCS_TESTS_TEAM_H
#define ZCS_TESTS_TEAM_H

#include "backend/backend.h"

static inline zcs_status lane_alone(struct zci_backend *backend, uint32_t device,
                                    const struct zci_plan *plan, struct zci_bell *bell,
                                    struct zci_lane **out)
{
    struct zci_team team;
    int culprit = -1;
    zci_team_one(plan, device, &team);
    return backend->ops->lane_create(backend, &team, bell, &culprit, out);
}

#endif
