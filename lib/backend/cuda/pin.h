/* SPDX-License-Identifier: MIT */
/* Registering one range with CUDA, and letting it go: what takes long, so never under ranges.lock. */
#ifndef ZCI_BACKEND_CUDA_PIN_H
#define ZCI_BACKEND_CUDA_PIN_H

#include "backend/cuda/cuda.h"

/* Fills `foreign` and `seen`. ZCS_ERR_NOMEM, not logged: perhaps when something else is let go.
 * ZCS_ERR_ARG, logged: a part of it is registered by somebody else, so that CUDA would not even copy it.
 * ZCS_ERR_DEVICE: CUDA cannot register such memory, which is logged at `level`, or does not work. */
zcs_status zci_cuda_pin(struct zci_cuda *cuda, struct zci_cuda_range *range,
                        enum zcs_log_level level);

/* Waits for the GPU. Without a word, whatever fails. */
void zci_cuda_unpin(struct zci_cuda *cuda, const struct zci_cuda_range *range);

/* 1: CUDA knows the byte at `memory` as pinned, by whomever. */
int zci_cuda_is_pinned(struct zci_cuda *cuda, const void *memory);

#endif
