/* SPDX-License-Identifier: MIT */
/* Frames for other libraries without a copy, as DLPack tensors: PyTorch, CuPy, NumPy, JAX and others take
 * them. Not part of zcstream.h. Needs no header of DLPack's; <dlpack/dlpack.h> may stand beside it. */
#ifndef ZCSTREAM_DLPACK_H
#define ZCSTREAM_DLPACK_H

#include "zcstream/frame.h"

#ifdef __cplusplus
extern "C" {
#endif

/* DLPack's own, as versions 0.2 to 1.x have it; in Python a capsule named "dltensor". */
struct DLManagedTensor;

/* One plane of a frame: of a result plane 0 is all there is.
 *   shape     {rows, columns} or {rows, columns, channels}: RGBA 4, RGB 3, U and V together 2, packed
 *             4:2:2 2; packed sensor formats (10P, 12P, 14P): {rows, bytes of a row}; big-endian words
 *             are pairs of bytes
 *   type      unsigned, 8 or 16 bits
 *   strides   given always, in elements
 *   device    kDLCUDA with CUDA's number for results that stayed on a GPU, else kDLCPU. PyTorch refuses
 *             kDLCUDAHost, so pinned host memory is called that only with ZCS_DLPACK_PINNED
 * The tensor holds a reference on the frame until its deleter is called, once, on any thread; it may
 * outlive everything else, as frames may. Nothing has to be waited for: results are complete. Treat the
 * data as read-only: others may hold the same frame. ZCS_ERR_ARG: no such plane or flag. ZCS_ERR_UNSUPPORTED:
 * compressed, or 16-bit samples with a stride or a place that is no whole number of them. Any thread. */
enum zcs_dlpack_flag { ZCS_DLPACK_PINNED = 1u << 0 };
zcs_status zcs_frame_dlpack(const struct zcs_frame *frame, uint32_t plane, uint32_t flags,
                            struct DLManagedTensor **out) ZCS_MUST_CHECK;

#ifdef __cplusplus
}
#endif
#endif
