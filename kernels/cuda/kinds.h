/* SPDX-License-Identifier: MIT */
/* The unpack kinds that kernels are made for, a ROW of the including file's for each; a file each for sensor
 * codes and for colour, so that they compile side by side. */
#ifndef ZCK_CUDA_KINDS_H
#define ZCK_CUDA_KINDS_H

#define ZCK_SENSOR_KINDS(ROW)                                                                      \
    ROW(U8)                                                                                        \
    ROW(U16)                                                                                       \
    ROW(U16BE)                                                                                     \
    ROW(P10)                                                                                       \
    ROW(P12)                                                                                       \
    ROW(P14)

#define ZCK_COLOR_KINDS(ROW)                                                                       \
    ROW(YUV422)                                                                                    \
    ROW(SEMI8)                                                                                     \
    ROW(SEMI10)                                                                                    \
    ROW(PLANAR8)                                                                                   \
    ROW(PLANAR16)                                                                                  \
    ROW(RGB24)                                                                                     \
    ROW(RGB32)                                                                                     \
    ROW(RGB565)                                                                                    \
    ROW(RGB565BE)                                                                                  \
    ROW(RGBA64)

#endif
