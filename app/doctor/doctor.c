/* SPDX-License-Identifier: MIT */
/* zcapp doctor: runs the sections of a table, and shows their findings as text and JSON. */
#include "app/doctor/doctor.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/doctor/camera.h"
#include "app/doctor/sections.h"
#include "app/run/input.h"
#include "app/run/json.h"
#include "app/run/session.h"
#include "app/cli/signals.h"
#include "app/cli/status.h"

struct section {
    const char *name, *title;
    int (*applies)(const struct doctor *doctor); /* NULL: always */
    void (*fill)(struct doctor *doctor, struct findings *findings);
};

static const struct section sections[] = {
    {"system", "This computer", NULL, doctor_machine},
    {"gpu", "GPUs", NULL, doctor_gpus},
    {"memory", "Memory that can be shared", NULL, doctor_memory},
    {"rates", "Rates at a camera's frame sizes", NULL, doctor_rates},
    {"auto", "What auto comes to", doctor_auto_applies, doctor_auto},
};
#define SECTIONS (sizeof sections / sizeof *sections)

struct result {
    const struct doctor *doctor;
    int is_camera; /* `camera` has findings on INPUT */
    struct findings camera;
    struct findings findings[SECTIONS];
    int filled[SECTIONS];
};

/* Saves the reason for a missing GPU. The library logs it at ZCS_LOG_INFO if that is no failure. */
static void on_log(void *user, enum zcs_log_level level, const char *line)
{
    struct doctor *doctor = user;
    const char *reason = strstr(line, "backend cuda: ");
    if (reason != NULL)
        snprintf(doctor->why_no_cuda, sizeof doctor->why_no_cuda, "%s",
                 reason + strlen("backend cuda: "));
    if (level == ZCS_LOG_ERROR)
        snprintf(doctor->last_error, sizeof doctor->last_error, "%s", line);
    if (level <= doctor->console->level && !doctor->muted)
        console_log(doctor->console, level, line);
}

static zcs_status open_context(struct doctor *doctor, enum zcs_backend backend)
{
    const struct zcs_params params = {
        .backend = backend,
        .host_threads = (uint32_t)doctor->options->threads,
        .log = on_log,
        .log_user = doctor,
        .log_level = doctor->console->level > ZCS_LOG_INFO ? doctor->console->level : ZCS_LOG_INFO,
    };
    sigset_t before;
    signals_block(&before);
    const zcs_status status = zcs_open(&params, &doctor->ctx);
    signals_restore(&before);
    return status;
}

/* If the requested GPU is missing, that is a finding, and the other sections use the processor. */
static zcs_status open_all(struct doctor *doctor)
{
    struct zcs_device_info info;
    const enum zcs_backend backend = (enum zcs_backend)doctor->options->backend;
    zcs_status status = open_context(doctor, backend);
    if (status != ZCS_OK && backend == ZCS_BACKEND_CUDA) {
        doctor->failed = zcapp_status_of(status);
        status = open_context(doctor, ZCS_BACKEND_HOST);
    }
    if (status == ZCS_OK)
        status = zcs_device_info(doctor->ctx, 0, &info);
    if (status == ZCS_OK && info.backend == ZCS_BACKEND_CUDA)
        doctor->cuda_devices = zcs_device_count(doctor->ctx);
    if (status == ZCS_OK)
        status = zcs_measure_open(doctor->ctx, 0, DOCTOR_BYTES, &doctor->measure);
    return status;
}

static void put_section(struct json *json, const struct section *section,
                        const struct findings *findings)
{
    json_begin(json, NULL, '{');
    json_string(json, "name", section->name);
    json_string(json, "title", section->title);
    json_begin(json, "facts", '{');
    findings_put_facts(json, findings);
    json_end(json, '}');
    findings_put_advice(json, findings);
    json_end(json, '}');
}

static void put_all(struct json *json, const void *what)
{
    const struct result *result = what;
    json_begin(json, NULL, '{');
    json_string(json, "version", zcs_version());
    json_string(json, "input", result->doctor->options->input);
    if (result->is_camera) {
        json_begin(json, "camera", '{');
        findings_put_facts(json, &result->camera);
        findings_put_advice(json, &result->camera);
        json_end(json, '}');
    }
    json_begin(json, "sections", '[');
    for (size_t i = 0; i < SECTIONS; i++)
        if (result->filled[i])
            put_section(json, &sections[i], &result->findings[i]);
    json_end(json, ']');
    json_end(json, '}');
}

static int is_quiet(const struct options *options)
{
    return options->json != NULL && strcmp(options->json, "-") == 0;
}

/* 0, or an exit status if the camera gives no frames: then the sections are skipped. */
static int examine_camera(const struct options *options, struct result *result)
{
    result->is_camera = 1;
    const int status = doctor_camera(options, &result->camera);
    if (!is_quiet(options))
        findings_print_page(&result->camera);
    return status;
}

static void examine_sections(struct doctor *doctor, struct result *result)
{
    const int quiet = is_quiet(doctor->options);
    unsigned advice = 0;
    for (size_t i = 0; i < SECTIONS && !signals_stop(); i++) {
        if (sections[i].applies != NULL && !sections[i].applies(doctor))
            continue;
        sections[i].fill(doctor, &result->findings[i]);
        result->filled[i] = 1;
        advice += result->findings[i].advice_count;
        if (!quiet)
            findings_print_section(&result->findings[i], sections[i].title);
    }
    if (!quiet && advice > 0)
        printf("\n%u thing%s could be better: the lines with '-'\n", advice,
               advice == 1 ? "" : "s");
}

/* Examines everything but the camera. 0, or an exit status after one error line. */
static int examine_machine(struct doctor *doctor, struct result *result)
{
    const unsigned errors = console_errors(doctor->console);
    const zcs_status status = open_all(doctor);
    if (status == ZCS_OK)
        examine_sections(doctor, result);
    zcs_measure_close(&doctor->measure);
    zcs_close(&doctor->ctx);
    if (status != ZCS_OK)
        return session_failure(doctor->console, errors, "doctor", status);
    return doctor->failed;
}

void doctor_help(FILE *file)
{
    fputs(
        "usage: zcapp doctor [OPTIONS] [INPUT]\n"
        "Looks at this computer, its GPUs, the kinds of memory and their rates, and at what auto "
        "comes\n"
        "to for INPUT; of a camera first at what it can do here. Lines with '-' say what could be\n"
        "better. It takes some seconds, writes no file but a temporary one of 64 KiB, and changes\n"
        "nothing.\n\n"
        "INPUT is what zcapp takes; without one a drawn frame is looked at. OPTIONS are zcapp's: "
        "those\n"
        "that say what the input is, such as -f and -s, which raw files need, and how it is "
        "processed,\n"
        "such as --stages and --backend. zcapp --help has them all.\n\n"
        "      --json FILE             what was found as JSON; '-' is standard output, without "
        "text\n\n"
        "Exit status: 0 whatever is found, 1 INPUT could not be opened or gave no frame, 2 usage,\n"
        "3 the camera gives no frames, or --backend cuda and there is no GPU, with the rest told,\n"
        "whatever INPUT comes to.\n",
        file);
}

int doctor_main(const struct options *options, struct console *console)
{
    struct doctor doctor = {.options = options, .console = console};
    if (jsonfile_check(options->json, console) != 0)
        return ZCAPP_FAILED;
    struct result *result = calloc(1, sizeof *result);
    int status = 0;
    if (result == NULL) {
        console_error(console, "doctor: no memory");
        return ZCAPP_FAILED;
    }
    result->doctor = &doctor;
    if (options->input != NULL && input_is_camera(options->input))
        status = examine_camera(options, result);
    if (status == 0)
        status = examine_machine(&doctor, result);
    if (options->json != NULL && jsonfile_write(options->json, put_all, result, console) != 0 &&
        status == 0)
        status = ZCAPP_FAILED;
    free(result);
    return status != 0 ? status : console_end_output(console, status);
}
