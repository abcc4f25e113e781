/* SPDX-License-Identifier: MIT */
/* Lanes of the host backend: see backend.h for what each function promises. */
#ifndef ZCI_BACKEND_HOST_LANE_H
#define ZCI_BACKEND_HOST_LANE_H

#include "backend/backend.h"

zcs_status zci_host_lane_create(struct zci_backend *backend, const struct zci_team *team,
                                struct zci_bell *bell, int *culprit, struct zci_lane **out);
zcs_status zci_host_lane_submit(struct zci_lane *lane, const struct zci_job *job);
zcs_status zci_host_lane_poll(struct zci_lane *lane, struct zci_job_result *out);
zcs_status zci_host_lane_wait(struct zci_lane *lane, int64_t timeout_ns);
void zci_host_lane_destroy(struct zci_lane **lane);

#endif
