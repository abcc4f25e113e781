/* SPDX-License-Identifier: MIT */
/* zcapp bench: its command line, the list of tables, and their run. */
#include "app/bench/bench.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/bench/tables.h"
#include "app/run/json.h"
#include "app/cli/signals.h"
#include "app/cli/status.h"

// clang-format off
static const struct bench_table all_tables[] = {
    {.name = "copy", .title = "pageable against pinned copies", .rates = 1, .needs_cuda = 1,
     .fill = bench_fill_primitives},
    {.name = "call", .title = "how long the asynchronous copy call blocks the CPU", .needs_cuda = 1,
     .fill = bench_fill_primitives},
    {.name = "devices", .title = "two GPUs' copies, overlapping or not", .needs_cuda = 2,
     .fill = bench_fill_primitives, .conclude = bench_conclude_overlap},
    {.name = "dot", .title = "a dot product: mapped against copy and kernel", .needs_cuda = 1,
     .fill = bench_fill_primitives},
    {.name = "register", .title = "registering a frame's memory against a pool", .needs_cuda = 1,
     .fill = bench_fill_primitives, .conclude = bench_conclude_register},
    {.name = "streams", .title = "four streams against one", .needs_cuda = 1,
     .fill = bench_fill_primitives},
    {.name = "wc", .title = "write-combined against cached pinned memory", .rates = 1,
     .needs_cuda = 1, .fill = bench_fill_primitives},
    {.name = "routes", .title = "mapped, staged and whole by size, one frame at a time",
     .needs_cuda = 1, .fill = bench_fill_routes, .conclude = bench_conclude_routes},
    {.name = "latency", .title = "one frame, from push to result, by wait mode", .needs_cuda = 1,
     .fill = bench_fill_latency},
    {.name = "memory", .title = "copies within the computer's memory", .rates = 1,
     .fill = bench_fill_memory},
    {.name = "kernels", .title = "variants of the processor's kernels", .rates = 1,
     .fill = bench_fill_primitives},
    {.name = "threads", .title = "the default chain on the processor, by threads", .rates = 1,
     .fill = bench_fill_threads},
    {.name = "png", .title = "writing PNG files", .rates = 1, .fill = bench_fill_png},
};
// clang-format on
#define TABLES (sizeof all_tables / sizeof *all_tables)

struct request {
    int wanted[TABLES];
    const char *json; /* NULL: none */
    int help;
};

static void help(void)
{
    fputs(
        "usage: zcapp bench [NAME...] [--json FILE]\n"
        "Measures what copies, kernels, registering and routes cost on this machine, each beside\n"
        "what it is compared with: in turn, medians. All tables take less than a minute. '--json "
        "-'\n"
        "writes to standard output, and no pictures.\n\n",
        stdout);
    for (size_t i = 0; i < TABLES; i++)
        printf("  %-10s %s%s\n", all_tables[i].name, all_tables[i].title,
               all_tables[i].needs_cuda == 2   ? " (needs two GPUs)"
               : all_tables[i].needs_cuda == 1 ? " (needs a GPU)"
                                               : "");
}

static int unknown(const char *name, struct console *console)
{
    char names[256] = "";
    for (size_t i = 0; i < TABLES; i++) {
        const size_t used = strlen(names);
        snprintf(names + used, sizeof names - used, " %s", all_tables[i].name);
    }
    console_error(console, "bench: '%s': no such table; there are%s", name, names);
    return ZCAPP_USAGE;
}

static int choose(struct request *request, const char *name, struct console *console)
{
    for (size_t i = 0; i < TABLES; i++)
        if (strcmp(name, all_tables[i].name) == 0) {
            request->wanted[i] = 1;
            return 0;
        }
    return unknown(name, console);
}

static int parse(struct request *request, int argc, char **argv, struct console *console)
{
    int named = 0;
    *request = (struct request){.json = NULL};
    for (int i = 1; i < argc; i++) {
        const char *arg = argv[i];
        if (strcmp(arg, "-h") == 0 || strcmp(arg, "--help") == 0) {
            request->help = 1;
        } else if (strncmp(arg, "--json=", 7) == 0) {
            request->json = arg + 7;
        } else if (strcmp(arg, "--json") == 0) {
            if (i + 1 == argc) {
                console_error(console, "bench: --json: a value is missing (FILE)");
                return ZCAPP_USAGE;
            }
            request->json = argv[++i];
        } else if (arg[0] == '-') {
            console_error(console, "bench: %s: no such option (see zcapp bench --help)", arg);
            return ZCAPP_USAGE;
        } else if (choose(request, arg, console) != 0) {
            return ZCAPP_USAGE;
        } else {
            named = 1;
        }
    }
    for (size_t i = 0; i < TABLES && !named; i++)
        request->wanted[i] = 1;
    return 0;
}

/* --- running --- */

static zcs_status open_all(struct bench *bench)
{
    struct zcs_params params = {.log = console_log, .log_user = bench->console};
    sigset_t before;
    signals_block(&before);
    zcs_status status = zcs_open(&params, &bench->ctx);
    params.backend = ZCS_BACKEND_HOST;
    if (status == ZCS_OK)
        status = zcs_open(&params, &bench->host);
    signals_restore(&before);
    if (status == ZCS_OK)
        status = zcs_device_info(bench->ctx, 0, &bench->device);
    if (status == ZCS_OK && bench->device.backend == ZCS_BACKEND_CUDA)
        bench->cuda_devices = zcs_device_count(bench->ctx);
    if (status == ZCS_OK)
        status = zcs_measure_open(bench->ctx, 0, BENCH_MAX_BYTES, &bench->measure);
    return status;
}

static void close_all(struct bench *bench)
{
    zcs_measure_close(&bench->measure);
    zcs_close(&bench->host);
    zcs_close(&bench->ctx);
}

static const char *missing(const struct bench *bench, const struct bench_table *table)
{
    if (table->needs_cuda > 0 && bench->cuda_devices == 0)
        return "there is no GPU that CUDA can use, or this build is without CUDA";
    if (table->needs_cuda > 1 && bench->cuda_devices == 1)
        return "there is one GPU, and it takes two";
    return NULL;
}

static void end_groups(struct bench_table *table, unsigned from)
{
    for (unsigned g = from; g < table->count; g++)
        for (unsigned i = 0; i < table->groups[g].count; i++) {
            struct bench_series *series = &table->groups[g].series[i];
            if (series->end != NULL && series->user != NULL)
                series->end(series);
        }
}

/* Removes the groups that an interrupted run did not measure. */
static void truncate_table(struct bench_table *table, unsigned done)
{
    if (done > 0)
        snprintf(table->note, sizeof table->note, "interrupted: %u of %u groups measured", done,
                 table->count);
    else
        table->skipped = "interrupted";
    table->count = done;
    table->interrupted = 1;
}

static zcs_status run_table(struct bench *bench, struct bench_table *table)
{
    table->skipped = missing(bench, table);
    if (table->skipped != NULL)
        return ZCS_OK;
    if (signals_stop()) {
        truncate_table(table, 0);
        return ZCS_OK;
    }
    const int64_t begin_ns = bench_now_ns();
    zcs_status status = table->fill(bench, table);
    unsigned done = 0;
    while (status == ZCS_OK && done < table->count && !signals_stop())
        status = bench_time(&table->groups[done++]);
    end_groups(table, done);
    table->seconds = (double)(bench_now_ns() - begin_ns) / 1e9;
    if (status == ZCS_OK && done < table->count)
        truncate_table(table, done);
    else if (status == ZCS_OK && table->conclude != NULL)
        table->conclude(table);
    return status;
}

struct document {
    const struct bench *bench;
    const struct bench_table *tables;
    unsigned count;
};

static void put_all(struct json *json, const void *what)
{
    const struct document *document = what;
    const struct bench *bench = document->bench;
    json_begin(json, NULL, '{');
    json_string(json, "version", zcs_version());
    json_string(json, "device", bench->device.name);
    json_string(json, "backend", bench->cuda_devices > 0 ? "cuda" : "host");
    json_uint(json, "cuda_devices", bench->cuda_devices);
    json_uint(json, "driver", bench->device.driver);
    json_begin(json, "tables", '[');
    for (unsigned i = 0; i < document->count; i++)
        bench_put(json, &document->tables[i]);
    json_end(json, ']');
    json_string(json, "outcome",
                bench_interrupted(document->tables, document->count) ? "interrupted" : "done");
    json_end(json, '}');
}

static int fail(struct console *console, unsigned errors, const char *what, zcs_status status)
{
    if (console_errors(console) == errors)
        console_error(console, "bench: %s: %s", what, zcs_strerror(status));
    return ZCAPP_FAILED;
}

static int run_all(struct bench *bench, const struct request *request, struct bench_table *tables)
{
    struct document document = {bench, tables, 0};
    const unsigned errors = console_errors(bench->console);
    const int quiet = request->json != NULL && strcmp(request->json, "-") == 0;
    zcs_status status = open_all(bench);
    if (status != ZCS_OK)
        return fail(bench->console, errors, "opening", status);
    if (!quiet) {
        printf("%s; xN: times the first of its group\n", bench->device.name);
        fflush(stdout);
    }
    for (size_t i = 0; i < TABLES; i++) {
        struct bench_table *table = &tables[document.count];
        if (!request->wanted[i])
            continue;
        *table = all_tables[i];
        document.count++;
        status = run_table(bench, table);
        if (status != ZCS_OK)
            return fail(bench->console, errors, table->name, status);
        if (!quiet && table->skipped == NULL)
            bench_show(table);
    }
    if (!quiet)
        bench_show_skipped(tables, document.count);
    bench_show_interrupted(tables, document.count, bench->console);
    if (request->json != NULL &&
        jsonfile_write(request->json, put_all, &document, bench->console) != 0)
        return ZCAPP_FAILED;
    return 0;
}

int bench_main(int argc, char **argv, struct console *console)
{
    struct request request;
    int status = parse(&request, argc, argv, console);
    if (status != 0)
        return status;
    if (request.help) {
        help();
    } else if (jsonfile_check(request.json, console) != 0) {
        return ZCAPP_FAILED;
    } else {
        struct bench bench = {.console = console};
        struct bench_table *tables = calloc(TABLES, sizeof *tables);
        if (tables == NULL) {
            console_error(console, "bench: no memory");
            return ZCAPP_FAILED;
        }
        status = run_all(&bench, &request, tables);
        close_all(&bench);
        free(tables);
    }
    return console_end_output(console, status);
}
