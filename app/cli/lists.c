/* SPDX-License-Identifier: MIT */
/* The --list-... options: formats, stages, one camera, all devices. */
#include "app/cli/lists.h"

#include <glob.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include "zcstream/camera.h"
#include "zcstream/device.h"

#include "app/cli/status.h"
#include "app/run/input.h"
#include "app/run/json.h"
#include "app/run/session.h"

#define MAX_LISTED 4096u /* formats, sizes or rates: a faulty driver may enumerate without end */
#define VALUE_BYTES 256
#define MAX_FORMATS 256u
#define LIST_BYTES 600

static const char *model_name(enum zcs_model model)
{
    static const char *const names[] = {
        [ZCS_MODEL_MONO] = "mono", [ZCS_MODEL_BAYER] = "bayer", [ZCS_MODEL_YUV] = "yuv",
        [ZCS_MODEL_RGB] = "rgb",   [ZCS_MODEL_JPEG] = "jpeg",
    };
    return names[model];
}

void list_formats(void)
{
    printf("%-8s %-10s %4s  %-6s %s\n", "name", "V4L2 name", "bits", "model", "default stages");
    for (int i = ZCS_PIXFMT_NONE + 1; i < ZCS_PIXFMT_COUNT; i++) {
        const struct zcs_pixfmt_info *info = zcs_pixfmt_info((enum zcs_pixfmt)i);
        printf("%-8s %-10s %4u  %-6s %s\n", info->name, info->v4l2_name, info->bits,
               model_name(info->model),
               info->model == ZCS_MODEL_JPEG ? "(no decoder in this build)"
                                             : zcs_stage_default((enum zcs_pixfmt)i));
    }
}

static void list_key(const struct zcs_stage_key *key)
{
    const char *default_value = key->default_value != NULL ? key->default_value : "";
    printf("    %s=%s%s%s%s  %s\n", key->name, key->values, default_value[0] != '\0' ? " [" : "",
           default_value, default_value[0] != '\0' ? "]" : "", key->help != NULL ? key->help : "");
}

void list_stages(void)
{
    const struct zcs_stage_info *stage;
    fputs(
        "A chain is stages joined by commas: levels:low=17899:high=19192,flip=v\n"
        "A stage is NAME, NAME=VALUE (sets its first key), NAME:KEY=VALUE:KEY=VALUE or\n"
        "NAME=VALUE:KEY=VALUE. Below are the keys of each stage, their values and [defaults].\n\n",
        stdout);
    for (uint32_t i = 0; (stage = zcs_stage_info(i)) != NULL; i++) {
        printf("%-10s %s\n", stage->name, stage->help);
        for (uint32_t k = 0; k < stage->key_count; k++)
            list_key(&stage->keys[k]);
    }
}

/* --- one camera: formats --- */

/* Opens the camera to query it; this needs no GPU. The caller closes both. 0, or an exit status
 * after one line of error. */
static int open_camera(const struct options *options, struct console *console, zcs_context **ctx,
                       zcs_camera **camera)
{
    struct options plain = *options;
    plain.backend = ZCS_BACKEND_HOST;
    plain.threads = 1;
    const unsigned errors = console_errors(console);
    const int status = session_open_context(&plain, console, ctx);
    if (status != 0)
        return status;
    const zcs_status opened = zcs_camera_open(*ctx, options->input, camera);
    if (opened == ZCS_OK)
        return 0;
    zcs_close(ctx);
    (void)session_failure(console, errors, options->input, opened);
    return ZCAPP_UNAVAILABLE;
}

struct camera_fourcc camera_fourcc(uint32_t fourcc)
{
    struct camera_fourcc out = {""};
    const struct zcs_pixfmt_info *info = zcs_pixfmt_info(zcs_pixfmt_from_fourcc(fourcc));
    if (info != NULL) {
        snprintf(out.text, sizeof out.text, "%.7s", info->name);
        return out;
    }
    for (int i = 0; i < 4; i++) {
        const char c = (char)(fourcc >> (8 * i) & 127);
        out.text[i] = c > ' ' && c < 127 ? c : i == 3 && c == ' ' ? '\0' : '.';
    }
    if (fourcc >> 31) /* V4L2 sets this bit for big-endian formats */
        memcpy(out.text + strlen(out.text), "-BE", sizeof "-BE");
    return out;
}

/* "30" or "29.97", in frames per second. */
struct rate_text {
    char text[24];
};

static struct rate_text rate_text(uint32_t num, uint32_t den)
{
    struct rate_text out;
    if (den != 0 && num % den == 0)
        snprintf(out.text, sizeof out.text, "%u", num / den);
    else
        snprintf(out.text, sizeof out.text, "%.4g", den != 0 ? (double)num / den : 0.0);
    return out;
}

static void put_rates(zcs_camera *camera, uint32_t fourcc, uint32_t width, uint32_t height)
{
    struct zcs_camera_rate rate;
    uint32_t count = 0;
    for (; count < MAX_LISTED &&
           zcs_camera_rate(camera, fourcc, width, height, count, &rate) == ZCS_OK;
         count++) {
        const int range = rate.min_num != rate.max_num || rate.min_den != rate.max_den;
        printf("%s%s", count == 0 ? "  " : ", ", rate_text(rate.min_num, rate.min_den).text);
        if (range)
            printf(" to %s", rate_text(rate.max_num, rate.max_den).text);
    }
    printf("%s\n", count > 0 ? " fps" : "  no list of rates");
}

/* Returns 1 if the driver accepts this size. */
static int put_size(zcs_camera *camera, uint32_t fourcc, const struct zcs_camera_size *size)
{
    const uint32_t width = size->max_width, height = size->max_height;
    if (!zcs_camera_would_give(camera, fourcc, width, height))
        return 0;
    if (size->step_width == 0)
        printf("    %ux%u", width, height);
    else
        printf("    %ux%u to %ux%u in steps of %ux%u", size->min_width, size->min_height, width,
               height, size->step_width, size->step_height);
    put_rates(camera, fourcc, width, height);
    return 1;
}

static void put_format(zcs_camera *camera, const struct zcs_camera_format *format)
{
    struct zcs_camera_size size;
    uint32_t count = 0, accepted = 0;
    printf("%-8s %s%s%s\n", camera_fourcc(format->fourcc).text, format->text,
           format->emulated ? "  (emulated: converted from another format)" : "",
           format->readable                    ? ""
           : format->pixfmt != ZCS_PIXFMT_NONE ? "  (compressed: no decoder in this build)"
                                               : "  (unknown format)");
    for (; count < MAX_LISTED && zcs_camera_size(camera, format->fourcc, count, &size) == ZCS_OK;
         count++)
        accepted += (uint32_t)put_size(camera, format->fourcc, &size);
    if (count == 0)
        printf("    no list of sizes\n");
    else if (accepted < count)
        printf("    (%u more that the driver lists but does not accept)\n", count - accepted);
}

int list_camera_formats(const struct options *options, struct console *console)
{
    zcs_context *ctx = NULL;
    zcs_camera *camera = NULL;
    struct zcs_camera_format format;
    uint32_t count = 0;
    const int status = open_camera(options, console, &ctx, &camera);
    if (status != 0)
        return status;
    for (; count < MAX_LISTED && zcs_camera_format(camera, count, &format) == ZCS_OK; count++)
        put_format(camera, &format);
    zcs_camera_close(&camera);
    zcs_close(&ctx);
    if (count > 0)
        return 0;
    console_error(console, "%s: lists no formats, so it cannot capture pictures", options->input);
    return ZCAPP_UNAVAILABLE;
}

/* --- one camera: controls --- */

static void put_flags(uint32_t flags)
{
    static const struct {
        uint32_t flag;
        const char *word;
    } words[] = {
        {ZCS_CONTROL_DISABLED, "disabled"},         {ZCS_CONTROL_READ_ONLY, "read-only"},
        {ZCS_CONTROL_WRITE_ONLY, "write-only"},     {ZCS_CONTROL_INACTIVE, "inactive"},
        {ZCS_CONTROL_VOLATILE, "volatile"},         {ZCS_CONTROL_GRABBED, "grabbed"},
        {ZCS_CONTROL_LAYOUT, "changes the format"},
    };
    int any = 0;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (flags & words[i].flag) {
            printf("%s%s", any ? ", " : "  (", words[i].word);
            any = 1;
        }
    if (any)
        printf(")");
}

static void put_range(const struct zcs_control *control)
{
    switch (control->type) {
    case ZCS_CONTROL_INTEGER:
        printf("  %" PRId64 "..%" PRId64, control->min, control->max);
        if (control->step != 1)
            printf(" step %" PRIu64, control->step);
        printf(" [%" PRId64 "]", control->default_value);
        break;
    case ZCS_CONTROL_BITMASK:
        printf("  0x%08" PRIx64 " [0x%08" PRIx64 "]", (uint64_t)control->max,
               (uint64_t)control->default_value);
        break;
    case ZCS_CONTROL_STRING:
        printf("  %" PRId64 "..%" PRId64 " bytes", control->min, control->max);
        break;
    case ZCS_CONTROL_BOOLEAN:
    case ZCS_CONTROL_MENU:
    case ZCS_CONTROL_INTEGER_MENU:
        printf("  [%" PRId64 "]", control->default_value);
        break;
    default:
        break;
    }
}

/* The current value; for a menu also the text of the item. */
static void put_value(zcs_camera *camera, const struct zcs_control *control)
{
    char value[VALUE_BYTES];
    struct zcs_control_item item = {0};
    if (zcs_control_get(camera, control, value, sizeof value) != ZCS_OK)
        return;
    printf(control->type == ZCS_CONTROL_STRING ? "  = '%s'" : "  = %s", value);
    const uint32_t index = (uint32_t)strtoul(value, NULL, 10);
    if (zcs_control_item(camera, control, index, &item) == ZCS_OK && item.index == index)
        printf(" (%s)", item.text);
}

static void put_control(zcs_camera *camera, const struct zcs_control *control)
{
    struct zcs_control_item item = {0};
    printf("%-32s 0x%08x  %-8s", control->name, control->id, control->kind);
    put_range(control);
    put_value(camera, control);
    put_flags(control->flags);
    printf("\n");
    for (uint32_t from = 0; zcs_control_item(camera, control, from, &item) == ZCS_OK;
         from = item.index + 1)
        printf("    %" PRIu32 ": %s\n", item.index, item.text);
}

int list_camera_controls(const struct options *options, struct console *console)
{
    zcs_context *ctx = NULL;
    zcs_camera *camera = NULL;
    struct zcs_control control = {.id = 0};
    const int status = open_camera(options, console, &ctx, &camera);
    if (status != 0)
        return status;
    uint32_t count = 0;
    for (; zcs_control_next(camera, control.id, &control) == ZCS_OK; count++)
        put_control(camera, &control);
    if (count == 0)
        printf("%s has no controls\n", options->input);
    zcs_camera_close(&camera);
    zcs_close(&ctx);
    return 0;
}

/* --- devices and camera nodes --- */

struct node {
    const char *path;
    int opened; /* 1: the members below are valid */
    struct zcs_camera_info info;
    ino_t device;              /* inode of the device in sysfs; 0: not known */
    char formats[LIST_BYTES];  /* the readable ones, separated by spaces */
    char siblings[LIST_BYTES]; /* other nodes of the same device */
};

static void add_word(char *list, const char *word)
{
    const size_t used = strlen(list);
    snprintf(list + used, LIST_BYTES - used, "%s%s", used > 0 ? " " : "", word);
}

static void read_formats(zcs_camera *camera, struct node *node)
{
    struct zcs_camera_format format;
    for (uint32_t i = 0; i < MAX_FORMATS && zcs_camera_format(camera, i, &format) == ZCS_OK; i++)
        if (format.readable)
            add_word(node->formats, camera_fourcc(format.fourcc).text);
}

/* Identifies the device that a node belongs to; 0: not known. */
static ino_t device_of(const char *path)
{
    struct stat there;
    char device[96];
    if (stat(path, &there) != 0)
        return 0;
    snprintf(device, sizeof device, "/sys/dev/char/%u:%u/device", major(there.st_rdev),
             minor(there.st_rdev));
    return stat(device, &there) == 0 ? there.st_ino : 0;
}

static void query_node(zcs_context *ctx, const char *path, struct node *out)
{
    zcs_camera *camera = NULL;
    *out = (struct node){.path = path, .device = device_of(path)};
    if (zcs_camera_open(ctx, path, &camera) != ZCS_OK)
        return;
    out->opened = 1;
    zcs_camera_info(camera, &out->info);
    if (out->info.kind == ZCS_CAMERA_CAPTURE && out->info.streaming)
        read_formats(camera, out);
    zcs_camera_close(&camera);
}

/* Sorts /dev/video9 before /dev/video10. */
static int by_number(const void *a, const void *b)
{
    const char *const *first = a, *const *second = b;
    const size_t length = strlen(*first), other = strlen(*second);
    if (length != other)
        return length < other ? -1 : 1;
    return strcmp(*first, *second);
}

/* One camera can have several nodes: capture, metadata, output. A driver may also put several
 * cameras into one device; these differ in the bus name. */
static void read_siblings(struct node *nodes, size_t count, size_t at)
{
    for (size_t i = 0; i < count; i++)
        if (i != at && nodes[at].device != 0 && nodes[i].device == nodes[at].device &&
            strcmp(nodes[i].info.bus, nodes[at].info.bus) == 0)
            add_word(nodes[at].siblings, nodes[i].path);
}

/* Calls `show` for each node; returns the number of nodes. */
static size_t each_node(zcs_context *ctx, void (*show)(void *user, const struct node *node),
                        void *user)
{
    glob_t found;
    if (!ZCAPP_CAMERAS || glob("/dev/video*", 0, NULL, &found) != 0)
        return 0;
    const size_t count = found.gl_pathc;
    struct node *nodes = calloc(count, sizeof *nodes);
    qsort(found.gl_pathv, count, sizeof *found.gl_pathv, by_number);
    for (size_t i = 0; i < count && nodes != NULL; i++)
        query_node(ctx, found.gl_pathv[i], &nodes[i]);
    for (size_t i = 0; i < count && nodes != NULL; i++) {
        read_siblings(nodes, count, i);
        show(user, &nodes[i]);
    }
    free(nodes);
    globfree(&found);
    return count;
}

static const char *kind_name(enum zcs_camera_kind kind)
{
    static const char *const names[] = {
        [ZCS_CAMERA_CAPTURE] = "camera", [ZCS_CAMERA_METADATA] = "metadata",
        [ZCS_CAMERA_OUTPUT] = "output",  [ZCS_CAMERA_CODEC] = "codec",
        [ZCS_CAMERA_OTHER] = "other",
    };
    return names[kind];
}

static void print_node(void *user, const struct node *node)
{
    const struct zcs_camera_info *info = &node->info;
    (void)user;
    if (!node->opened) {
        printf("camera  %s  cannot be opened\n", node->path);
        return;
    }
    printf("%s  %s  %s  driver %s  bus %s", kind_name(info->kind), node->path, info->card,
           info->driver, info->bus);
    if (info->serial[0] != '\0')
        printf("  serial %s", info->serial);
    if (node->siblings[0] != '\0')
        printf("  same device %s", node->siblings);
    if (info->kind == ZCS_CAMERA_CAPTURE && !info->streaming)
        printf("  read() only");
    else if (info->kind == ZCS_CAMERA_CAPTURE)
        printf("  formats %s",
               node->formats[0] != '\0' ? node->formats : "none that are supported");
    printf("\n");
}

static void put_words(struct json *json, const char *key, const char *words)
{
    char word[32];
    json_begin(json, key, '[');
    for (words += strspn(words, " "); *words != '\0'; words += strspn(words, " ")) {
        const size_t length = strcspn(words, " ");
        snprintf(word, sizeof word, "%.*s", (int)length, words);
        json_string(json, NULL, word);
        words += length;
    }
    json_end(json, ']');
}

static void put_node(void *user, const struct node *node)
{
    struct json *json = user;
    const struct zcs_camera_info *info = &node->info;
    json_begin(json, NULL, '{');
    json_string(json, "node", node->path);
    json_string(json, "kind", node->opened ? kind_name(info->kind) : NULL);
    json_string(json, "name", node->opened ? info->card : NULL);
    json_string(json, "driver", node->opened ? info->driver : NULL);
    json_string(json, "bus", node->opened ? info->bus : NULL);
    json_string(json, "serial", info->serial[0] != '\0' ? info->serial : NULL);
    put_words(json, "beside", node->siblings);
    put_words(json, "formats", node->formats);
    json_end(json, '}');
}

static void print_device(uint32_t index, const struct zcs_device_info *info)
{
    const int cuda = info->backend == ZCS_BACKEND_CUDA;
    printf("%u  %s  %s  %u %s", index, cuda ? "cuda" : "host", info->name, info->units,
           cuda ? "multiprocessors" : "threads");
    if (info->memory_bytes != 0)
        printf("  %.1f GiB", (double)info->memory_bytes / (1 << 30));
    printf("%s\n", info->integrated && cuda ? "  shares the host's memory" : "");
}

static void put_device(struct json *json, const struct zcs_device_info *info)
{
    json_begin(json, NULL, '{');
    json_string(json, "backend", info->backend == ZCS_BACKEND_CUDA ? "cuda" : "host");
    json_string(json, "name", info->name);
    json_uint(json, "units", info->units);
    json_uint(json, "memory_bytes", info->memory_bytes);
    json_end(json, '}');
}

static void put_all(struct json *json, const void *what)
{
    zcs_context *const *ctx = what;
    struct zcs_device_info info;
    json_begin(json, NULL, '{');
    json_string(json, "version", zcs_version());
    json_begin(json, "devices", '[');
    for (uint32_t i = 0; i < zcs_device_count(*ctx); i++)
        if (zcs_device_info(*ctx, i, &info) == ZCS_OK)
            put_device(json, &info);
    json_end(json, ']');
    json_begin(json, "cameras", '[');
    each_node(*ctx, put_node, json);
    json_end(json, ']');
    json_end(json, '}');
}

static void print_all(zcs_context *ctx)
{
    struct zcs_device_info info;
    for (uint32_t i = 0; i < zcs_device_count(ctx); i++)
        if (zcs_device_info(ctx, i, &info) == ZCS_OK)
            print_device(i, &info);
    if (!ZCAPP_CAMERAS)
        printf("cameras: live capture is not in this build\n");
    else if (each_node(ctx, print_node, NULL) == 0)
        printf("cameras: none (/dev/video*)\n");
}

int list_devices(const struct options *options, struct console *console)
{
    zcs_context *ctx = NULL;
    int status = session_open_context(options, console, &ctx);
    if (status != 0)
        return status;
    if (options->json == NULL)
        print_all(ctx);
    else if (jsonfile_write(options->json, put_all, &ctx, console) != 0)
        status = ZCAPP_FAILED;
    zcs_close(&ctx);
    return status;
}
