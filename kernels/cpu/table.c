/* SPDX-License-Identifier: MIT */
/* Which variant of the kernel table this processor runs. */
#include "kernels/cpu/table.h"

#ifdef ZCK_HAVE_V3

static int have_v3(void)
{
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi2") &&
           __builtin_cpu_supports("fma");
}

const struct zck_table *zck_table_best(void)
{
    return have_v3() ? zck_table_v3() : zck_table_base();
}

#else

const struct zck_table *zck_table_v3(void)
{
    return NULL;
}

const struct zck_table *zck_table_best(void)
{
    return zck_table_base();
}

#endif
