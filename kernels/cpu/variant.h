/* SPDX-License-Identifier: MIT */
/* The name of this compilation of the kernels: every external symbol of kernels/ is spelt ZCK_NAME(...),
 * which appends _scalar, _base or _v3. */
#ifndef ZCK_CPU_VARIANT_H
#define ZCK_CPU_VARIANT_H

#define ZCK_GLUE2_(name, variant) name##_##variant
#define ZCK_GLUE_(name, variant) ZCK_GLUE2_(name, variant)
#define ZCK_NAME(name) ZCK_GLUE_(name, ZCK_VARIANT)
#define ZCK_TEXT2_(x) #x
#define ZCK_TEXT_(x) ZCK_TEXT2_(x)
#define ZCK_VARIANT_TEXT ZCK_TEXT_(ZCK_VARIANT)

#endif
