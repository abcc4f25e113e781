/* SPDX-License-Identifier: MIT */
/* The ways of measure.h that take a GPU. */
#ifndef ZCI_BACKEND_CUDA_MEASURE_H
#define ZCI_BACKEND_CUDA_MEASURE_H

#include "backend/measure.h"

extern const struct zci_measure_ops zci_cuda_measure;

#endif
