/* SPDX-License-Identifier: MIT */
/* Pinned memory for frame contexts' reports, kept when a frame context ends: a frame context that is made because a device has failed
 * should not depend on pinning memory, which all devices of the process take part in. */
#ifndef ZCI_BACKEND_CUDA_SPARE_H
#define ZCI_BACKEND_CUDA_SPARE_H

#include "backend/backend.h"

struct zci_cuda;
struct zci_cuda_spare;

#define ZCI_CUDA_REPORT_BYTES 256u

/* ZCI_CUDA_REPORT_BYTES for a frame context of `device`, content undefined. Not logged. */
zcs_status zci_cuda_spare_take(struct zci_cuda *cuda, uint32_t device, struct zci_memory *out);

/* Accepts memory without bytes. */
void zci_cuda_spare_give(struct zci_cuda *cuda, struct zci_memory *memory);

/* Frees what was given. */
void zci_cuda_spares_finish(struct zci_cuda *cuda);

#endif
