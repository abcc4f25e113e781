/* SPDX-License-Identifier: MIT */
/* Frames as DLPack tensors, without a copy, for PyTorch, CuPy, NumPy, JAX and others. zcstream.h
 * does not include this header. It needs no DLPack header; <dlpack/dlpack.h> may be there too. */
#ifndef ZCSTREAM_DLPACK_H
#define ZCSTREAM_DLPACK_H

#include "zcstream/frame.h"

#ifdef __cplusplus
extern "C" {
#endif

/* DLPack's type, versions 0.2 to 1.x; in Python a capsule named "dltensor". */
struct DLManagedTensor;

/* One plane of a frame. A result has plane 0 only.
 *   shape     {rows, columns} or {rows, columns, channels}: RGBA 4, RGB 3, interleaved U and V 2,
 *             packed 4:2:2 2. Packed sensor formats (10P, 12P, 14P): {rows, bytes of a row}.
 *             Big-endian words are pairs of bytes.
 *   type      unsigned, 8 or 16 bits
 *   strides   always present, in elements
 *   device    kDLCUDA and the CUDA ordinal for results on a GPU, else kDLCPU. PyTorch refuses
 *             kDLCUDAHost, so pinned host memory is reported as such only with ZCS_DLPACK_PINNED.
 * The tensor holds a reference on the frame until its deleter is called, once, on any thread. It
 * may outlive the stream, the source and the context. The result is complete: no wait is needed. Do
 * not write to the data: others may hold the same frame. ZCS_ERR_ARG: no such plane or flag.
 * ZCS_ERR_UNSUPPORTED: a compressed format, or 16-bit samples whose stride or offset is not a
 * multiple of 2 bytes. Any thread. */
enum zcs_dlpack_flag { ZCS_DLPACK_PINNED = 1u << 0 };
zcs_status zcs_frame_dlpack(const struct zcs_frame *frame, uint32_t plane, uint32_t flags,
                            struct DLManagedTensor **out) ZCS_MUST_CHECK;

#ifdef __cplusplus
}
#endif
#endif
