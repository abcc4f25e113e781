/* SPDX-License-Identifier: MIT */
/* The tables of zcapp bench that compare primitives: the library's benchmarks. */
#include "app/bench/tables.h"

#include <stdio.h>
#include <string.h>

#define VGA 614400u   /* 640x480 YUYV */
#define HD 4147200u   /* 1920x1080 YUYV */
#define UHD 16588800u /* 3840x2160 YUYV */
#define MIB ((size_t)1 << 20)

struct row {
    const char *table, *group, *name;
    enum zcs_benchmark benchmark;
    size_t bytes;
};

// clang-format off
#define IN(group, bytes) \
    {"copy", group, "pageable", ZCS_BENCHMARK_IN_PAGEABLE, bytes}, \
    {"copy", group, "pinned", ZCS_BENCHMARK_IN_PINNED, bytes}, \
    {"copy", group, "mapped: a kernel reads it in place", ZCS_BENCHMARK_READ_PINNED, bytes},
#define REGISTER(group, bytes) \
    {"register", group, "copy of it, pinned", ZCS_BENCHMARK_IN_PINNED, bytes}, \
    {"register", group, "register it", ZCS_BENCHMARK_REGISTER, bytes}, \
    {"register", group, "unregister it", ZCS_BENCHMARK_UNREGISTER, bytes}, \
    {"register", group, "find it among registered ones", ZCS_BENCHMARK_KNOWN, bytes}, \
    {"register", group, "a slot of a pool instead", ZCS_BENCHMARK_SLOT, bytes},
#define DOT(group, bytes) \
    {"dot", group, "pageable copy, kernel", ZCS_BENCHMARK_DOT_PAGEABLE, bytes}, \
    {"dot", group, "pinned copy, kernel", ZCS_BENCHMARK_DOT_PINNED, bytes}, \
    {"dot", group, "mapped: the kernel reads in place", ZCS_BENCHMARK_DOT_MAPPED, bytes},

static const struct row rows[] = {
    IN("to the GPU, 640x480 YUYV", VGA)
    IN("to the GPU, 1920x1080 YUYV", HD)
    IN("to the GPU, 3840x2160 YUYV", UHD)
    IN("to the GPU, 64 MiB", 64 * MIB)
    {"copy", "from the GPU, 64 MiB", "pageable", ZCS_BENCHMARK_OUT_PAGEABLE, 64 * MIB},
    {"copy", "from the GPU, 64 MiB", "pinned", ZCS_BENCHMARK_OUT_PINNED, 64 * MIB},
    {"call", "pageable, 64 MiB", "until the copy is done", ZCS_BENCHMARK_IN_PAGEABLE, 64 * MIB},
    {"call", "pageable, 64 MiB", "until the call returns", ZCS_BENCHMARK_CALL_PAGEABLE, 64 * MIB},
    {"call", "pinned, 64 MiB", "until the copy is done", ZCS_BENCHMARK_IN_PINNED, 64 * MIB},
    {"call", "pinned, 64 MiB", "until the call returns", ZCS_BENCHMARK_CALL_PINNED, 64 * MIB},
    {"devices", "pageable, 64 MiB to each", "one GPU", ZCS_BENCHMARK_IN_PAGEABLE, 64 * MIB},
    {"devices", "pageable, 64 MiB to each", "two GPUs", ZCS_BENCHMARK_TWO_IN_PAGEABLE, 64 * MIB},
    {"devices", "pinned, 64 MiB to each", "one GPU", ZCS_BENCHMARK_IN_PINNED, 64 * MIB},
    {"devices", "pinned, 64 MiB to each", "two GPUs", ZCS_BENCHMARK_TWO_IN_PINNED, 64 * MIB},
    DOT("of two vectors of 128 KiB", MIB / 4)
    DOT("of two vectors of 2 MiB", 4 * MIB)
    DOT("of two vectors of 32 MiB", 64 * MIB)
    REGISTER("640x480 YUYV", VGA)
    REGISTER("1920x1080 YUYV", HD)
    REGISTER("3840x2160 YUYV", UHD)
    {"streams", "copy in, kernel, copy out, 32 MiB each way", "one stream",
     ZCS_BENCHMARK_ONE_STREAM, 32 * MIB},
    {"streams", "copy in, kernel, copy out, 32 MiB each way", "four streams",
     ZCS_BENCHMARK_FOUR_STREAMS, 32 * MIB},
    {"wc", "copy to the GPU, 3840x2160 YUYV", "cached", ZCS_BENCHMARK_IN_PINNED, UHD},
    {"wc", "copy to the GPU, 3840x2160 YUYV", "write-combined", ZCS_BENCHMARK_IN_WC, UHD},
    {"wc", "a kernel reads it in place", "cached", ZCS_BENCHMARK_READ_PINNED, UHD},
    {"wc", "a kernel reads it in place", "write-combined", ZCS_BENCHMARK_READ_WC, UHD},
    {"wc", "the CPU writes it", "cached", ZCS_BENCHMARK_CPU_WRITE, UHD},
    {"wc", "the CPU writes it", "write-combined", ZCS_BENCHMARK_CPU_WRITE_WC, UHD},
    {"wc", "the CPU reads it", "cached", ZCS_BENCHMARK_CPU_READ, UHD},
    {"wc", "the CPU reads it", "write-combined", ZCS_BENCHMARK_CPU_READ_WC, UHD},
    {"kernels", "Malvar-He-Cutler of 8-bit Bayer, one thread", "scalar",
     ZCS_BENCHMARK_KERNEL_SCALAR, 2 * MIB},
    {"kernels", "Malvar-He-Cutler of 8-bit Bayer, one thread", "base",
     ZCS_BENCHMARK_KERNEL_BASE, 2 * MIB},
    {"kernels", "Malvar-He-Cutler of 8-bit Bayer, one thread", "v3",
     ZCS_BENCHMARK_KERNEL_V3, 2 * MIB},
};
// clang-format on

zcs_status bench_fill_primitives(struct bench *bench, struct bench_table *table)
{
    const char *group = "";
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct row *row = &rows[i];
        if (strcmp(row->table, table->name) != 0)
            continue;
        if (strcmp(row->group, group) != 0)
            bench_group(table, row->group);
        group = row->group;
        bench_add_benchmark(bench, table, row->name, row->benchmark, row->bytes);
    }
    return ZCS_OK;
}

static double of_first(const struct bench_table *table, unsigned group, unsigned series)
{
    const struct bench_group *g = &table->groups[group];
    return series < g->count ? bench_median_us(g, series) / bench_median_us(g, 0) : 0;
}

void bench_conclude_overlap(struct bench_table *table)
{
    snprintf(table->note, sizeof table->note,
             "two at once take %.2f of the time of one pageable, %.2f pinned: 1 is side by side, 2 "
             "one after the other",
             of_first(table, 0, 1), of_first(table, 1, 1));
}

/* The series of a group are in the order of REGISTER. */
void bench_conclude_register(struct bench_table *table)
{
    const struct bench_group *last = &table->groups[table->count - 1];
    if (last->count < 5)
        return;
    const double both = bench_median_us(last, 1) + bench_median_us(last, 2);
    snprintf(
        table->note, sizeof table->note,
        "%s: registering and unregistering for one frame takes %.1f times its copy; finding it "
        "registered is %.0f times as cheap, a pool's slot %.0f times",
        last->title, both / bench_median_us(last, 0), both / bench_median_us(last, 3),
        both / bench_median_us(last, 4));
}
