/* SPDX-License-Identifier: MIT */
/* Lanes of the CUDA backend, of one device or of several that share each frame.
 *
 *   bands   every device brings its rows of the source and makes its rows of the result in the one
 *           result; what reductions add up is combined on each device
 *   relay   a device takes the image over from the one before it, and what reductions have made
 *
 * Whatever a device needs of another is ordered by events that their streams wait for: the host waits for
 * nothing but the reports of all. */
#ifndef ZCI_BACKEND_CUDA_TEAM_H
#define ZCI_BACKEND_CUDA_TEAM_H

#include "backend/backend.h"

/* The backend's functions of these names. */
zcs_status zci_cuda_team_create(struct zci_backend *backend, const struct zci_team *team,
                                struct zci_bell *bell, int *culprit, struct zci_lane **out);
zcs_status zci_cuda_team_submit(struct zci_lane *lane, const struct zci_job *job);
zcs_status zci_cuda_team_poll(struct zci_lane *lane, struct zci_job_result *out);
zcs_status zci_cuda_team_wait(struct zci_lane *lane, int64_t timeout_ns);
void zci_cuda_team_destroy(struct zci_lane **lane);

#endif
