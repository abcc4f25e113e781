/* SPDX-License-Identifier: MIT */
/* The plan's ops on four neighbouring pixels. */
#ifndef ZCK_CUDA_OPS_CUH
#define ZCK_CUDA_OPS_CUH

#include "kernels/ccm_pixel.h"
#include "kernels/cuda_load.cuh"
#include "kernels/gain_pixel.h"
#include "kernels/gray_pixel.h"
#include "kernels/scale_pixel.h"

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

/* x, which q begins at, is even: columns of a mosaic alternate from there. */
static __device__ __forceinline__ void op_gain(const zci_op &op, const uint32_t *gain, uint32_t y,
                                               zck_quad &q)
{
    const uint32_t max = ZCK_MAX((uint32_t)op.in.depth);
    const bool rgba = op.in.layout == ZCI_RGBA, bayer = op.in.layout == ZCI_BAYER;
    const uint32_t even = gain[rgba ? 0 : bayer ? zck_cfa_color(0, y, op.in.cfa) : 1];
    const uint32_t odd = gain[rgba ? 0 : bayer ? zck_cfa_color(1, y, op.in.cfa) : 1];
#pragma unroll
    for (int k = 0; k < 4; k++) {
        q.c[0][k] = zck_gain(q.c[0][k], k % 2 ? odd : even, max);
        if (rgba) {
            q.c[1][k] = zck_gain(q.c[1][k], gain[1], max);
            q.c[2][k] = zck_gain(q.c[2][k], gain[2], max);
        }
    }
}

/* `mask`: what lies beyond the picture is computed as well, and may be anything. */
static __device__ __forceinline__ uint32_t look_up(const void *table, bool deep, uint32_t mask,
                                                   uint32_t v)
{
    v &= mask;
    return deep ? __ldg((const uint16_t *)table + v) : __ldg((const uint8_t *)table + v);
}

static __device__ __forceinline__ void op_table(const zci_op &op, const void *table, zck_quad &q)
{
    const bool deep = op.out.depth == 16;
    const uint32_t mask = ZCK_MAX((uint32_t)op.in.depth);
#pragma unroll
    for (int k = 0; k < 4; k++) {
        q.c[0][k] = look_up(table, deep, mask, q.c[0][k]);
        if (op.in.layout == ZCI_RGBA) {
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

/* The pass's ops, where all threads of the block read them at once. */
struct zck_ops {
    zci_op op[ZCI_MAX_OPS];
};

static __device__ __forceinline__ void fetch_ops(const zck_cuda_pass &p, zck_ops &ops)
{
    const uint32_t words = p.op_count * (uint32_t)sizeof(zci_op) / 4;
    for (uint32_t i = threadIdx.x; i < words; i += blockDim.x)
        ((uint32_t *)ops.op)[i] = ((const uint32_t *)p.ops)[i];
}

/* Ops [first, last) of the pass on `count` quads, quad i in row y[i]. */
template <int count>
static __device__ __forceinline__ void apply_ops(const zck_cuda_pass &p, const zck_ops &ops,
                                                 uint32_t first, uint32_t last,
                                                 const uint32_t (&y)[count], zck_quad (&q)[count])
{
    for (uint32_t i = first; i < last; i++) {
        const zci_op &op = ops.op[i];
        const zci_dynamic *state = p.finish.board->states + (op.state >= 0 ? op.state : 0);
        const bool rgba = op.in.layout == ZCI_RGBA;
        if (op.kind == ZCI_OP_SCALE) {
            const zci_scale scale = op.state >= 0 ? state->scale : op.u.scale;
#pragma unroll
            for (int n = 0; n < count; n++)
                op_scale(scale, rgba, q[n]);
        } else if (op.kind == ZCI_OP_GAIN) {
#pragma unroll
            for (int n = 0; n < count; n++)
                op_gain(op, op.state >= 0 ? state->gain : op.u.gain, y[n], q[n]);
        } else if (op.kind == ZCI_OP_TABLE) {
#pragma unroll
            for (int n = 0; n < count; n++)
                op_table(op, p.tables[op.u.table], q[n]);
        } else if (op.kind == ZCI_OP_CCM) {
#pragma unroll
            for (int n = 0; n < count; n++)
                op_ccm(op, q[n]);
        } else {
#pragma unroll
            for (int n = 0; n < count; n++)
                op_gray(op, q[n]);
        }
    }
}

#endif
