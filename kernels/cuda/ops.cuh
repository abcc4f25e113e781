/* SPDX-License-Identifier: MIT */
/* The plan's ops on four neighbouring pixels. */
#ifndef ZCK_CUDA_OPS_CUH
#define ZCK_CUDA_OPS_CUH

#include "kernels/point_pixel.h"
#include "kernels/cuda/quad.cuh"

static __device__ __forceinline__ void op_scale(const zci_scale s, bool rgba, zck_quad &q)
{
#pragma unroll
    for (int k = 0; k < 4; k++) {
        q.c[0][k] = zck_scale(q.c[0][k], s);
        if (rgba) {
            q.c[1][k] = zck_scale(q.c[1][k], s);
            q.c[2][k] = zck_scale(q.c[2][k], s);
        }
    }
}

struct zck_gains {
    uint32_t of[3];
};

/* x, the first column of q, is even. So the columns alternate between green and the row's own
 * colour. */
static __device__ __forceinline__ void op_gain(const zci_pixel in, const zck_gains &gain,
                                               uint32_t y, zck_quad &q)
{
    const uint32_t max = ZCK_MAX((uint32_t)in.depth), blue = (y ^ in.cfa >> 1) & 1u;
    const uint32_t own = blue ? gain.of[2] : gain.of[0], green = gain.of[1];
    const bool bayer = in.layout == ZCI_BAYER, own_first = ((in.cfa ^ blue) & 1u) == 0;
    const uint32_t even = bayer && own_first ? own : green;
    const uint32_t odd = bayer && !own_first ? own : green;
#pragma unroll
    for (int k = 0; k < 4; k++)
        q.c[0][k] = zck_gain(q.c[0][k], k % 2 ? odd : even, max);
}

static __device__ __forceinline__ void op_gain_rgba(const zci_pixel in, const zck_gains &gain,
                                                    zck_quad &q)
{
    const uint32_t max = ZCK_MAX((uint32_t)in.depth);
#pragma unroll
    for (int k = 0; k < 4; k++) {
#pragma unroll
        for (int c = 0; c < 3; c++)
            q.c[c][k] = zck_gain(q.c[c][k], gain.of[c], max);
    }
}

/* `mask`: pixels beyond the image are computed, too, and their values are undefined. */
static __device__ __forceinline__ uint32_t look_up(const void *table, bool deep, uint32_t mask,
                                                   uint32_t v)
{
    v &= mask;
    return deep ? __ldg((const uint16_t *)table + v) : __ldg((const uint8_t *)table + v);
}

static __device__ __forceinline__ void op_table(const zci_op &op, const void *table, bool rgba,
                                                zck_quad &q)
{
    const bool deep = op.out.depth == 16;
    const uint32_t mask = ZCK_MAX((uint32_t)op.in.depth);
#pragma unroll
    for (int k = 0; k < 4; k++) {
        q.c[0][k] = look_up(table, deep, mask, q.c[0][k]);
        if (rgba) {
            q.c[1][k] = look_up(table, deep, mask, q.c[1][k]);
            q.c[2][k] = look_up(table, deep, mask, q.c[2][k]);
        }
    }
}

static __device__ __forceinline__ void op_ccm(const zci_op &op, zck_quad &q)
{
    const int32_t *m = op.u.ccm;
    const uint32_t max = ZCK_MAX((uint32_t)op.in.depth);
#pragma unroll
    for (int k = 0; k < 4; k++) {
        const uint32_t r = q.c[0][k], g = q.c[1][k], b = q.c[2][k];
        q.c[0][k] = zck_ccm(m[0], m[1], m[2], r, g, b, max);
        q.c[1][k] = zck_ccm(m[3], m[4], m[5], r, g, b, max);
        q.c[2][k] = zck_ccm(m[6], m[7], m[8], r, g, b, max);
    }
}

static __device__ __forceinline__ void op_gray(const zci_op &op, zck_quad &q)
{
#pragma unroll
    for (int k = 0; k < 4; k++)
        q.c[0][k] =
            zck_gray(q.c[0][k], q.c[1][k], q.c[2][k], op.u.gray[0], op.u.gray[1], op.u.gray[2]);
}

/* The pass's ops in shared memory: all threads of the block read the same one at the same time. */
struct zck_ops {
    zci_op op[ZCI_MAX_OPS];
};

static __device__ __forceinline__ void fetch_ops(const zck_cuda_pass &p, zck_ops &ops)
{
    const uint32_t words = p.op_count * (uint32_t)sizeof(zci_op) / 4;
    for (uint32_t i = threadIdx.x; i < words; i += blockDim.x)
        ((uint32_t *)ops.op)[i] = ((const uint32_t *)p.ops)[i];
}

/* The factors of an op: its own, or those that a reduction of the frame made. The two branches
 * read from different memories; that is faster than one read through a generic address. */
static __device__ __forceinline__ zck_gains gains_of(const zck_cuda_pass &p, const zci_op &op)
{
    if (op.state < 0)
        return {{op.u.gain[0], op.u.gain[1], op.u.gain[2]}};
    const uint32_t *gain = p.finish.state->states[op.state].gain;
    return {{gain[0], gain[1], gain[2]}};
}

static __device__ __forceinline__ zci_scale scale_of(const zck_cuda_pass &p, const zci_op &op)
{
    if (op.state < 0)
        return op.u.scale;
    return p.finish.state->states[op.state].scale;
}

/* Applies ops [first, last) of the pass to `count` quads; quad i is in row y[i]. `mosaic`:
 * samples for a stencil, of which a thread has more than two quads; code for RGBA is left out. */
template <int count, bool mosaic>
static __device__ __forceinline__ void apply_ops(const zck_cuda_pass &p, const zck_ops &ops,
                                                 uint32_t first, uint32_t last,
                                                 const uint32_t (&y)[count], zck_quad (&q)[count])
{
    for (uint32_t i = first; i < last; i++) {
        const zci_op &op = ops.op[i];
        const zci_pixel in = op.in;
        const bool rgba = !mosaic && in.layout == ZCI_RGBA;
        if (op.kind == ZCI_OP_SCALE) {
            const zci_scale scale = scale_of(p, op);
#pragma unroll
            for (int n = 0; n < count; n++)
                op_scale(scale, rgba, q[n]);
        } else if (op.kind == ZCI_OP_GAIN && rgba) {
            const zck_gains gains = gains_of(p, op);
#pragma unroll
            for (int n = 0; n < count; n++)
                op_gain_rgba(in, gains, q[n]);
        } else if (op.kind == ZCI_OP_GAIN) {
            const zck_gains gains = gains_of(p, op);
#pragma unroll
            for (int n = 0; n < count; n++)
                op_gain(in, gains, y[n], q[n]);
        } else if (op.kind == ZCI_OP_TABLE) {
#pragma unroll
            for (int n = 0; n < count; n++)
                op_table(op, p.tables[op.u.table], rgba, q[n]);
        } else if (!mosaic && op.kind == ZCI_OP_CCM) {
#pragma unroll
            for (int n = 0; n < count; n++)
                op_ccm(op, q[n]);
        } else if (!mosaic) {
#pragma unroll
            for (int n = 0; n < count; n++)
                op_gray(op, q[n]);
        }
    }
}

#endif
