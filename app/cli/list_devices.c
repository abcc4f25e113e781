/* SPDX-License-Identifier: MIT */
/* --list-devices: what can compute, and the camera nodes, told apart. */
#include "app/cli/list_devices.h"

#include <glob.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include "zcstream/device.h"

#include "app/run/input.h"
#include "app/run/jsonfile.h"
#include "app/cli/list_camera.h"
#include "app/run/session.h"
#include "app/cli/status.h"

#define MAX_FORMATS 256u
#define LIST_BYTES 600

struct node {
    const char *path;
    int seen; /* it could be looked at, and the rest says something */
    struct zcs_camera_info info;
    ino_t device;             /* 0: not known */
    char formats[LIST_BYTES]; /* that can be captured */
    char beside[LIST_BYTES];  /* other nodes of the same device */
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

/* Which device the system has the node at; 0: not known. */
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

static void look_at(zcs_context *ctx, const char *path, struct node *out)
{
    zcs_camera *camera = NULL;
    *out = (struct node){.path = path, .device = device_of(path)};
    if (zcs_camera_open(ctx, path, &camera) != ZCS_OK)
        return;
    out->seen = 1;
    zcs_camera_info(camera, &out->info);
    if (out->info.kind == ZCS_CAMERA_CAPTURE && out->info.streaming)
        read_formats(camera, out);
    zcs_camera_close(&camera);
}

/* /dev/video10 behind /dev/video9. */
static int by_number(const void *a, const void *b)
{
    const char *const *first = a, *const *second = b;
    const size_t length = strlen(*first), other = strlen(*second);
    if (length != other)
        return length < other ? -1 : 1;
    return strcmp(*first, *second);
}

/* A camera has its pictures, metadata and outputs at nodes of their own. Some drivers have several cameras in one
 * device, on buses of their own. */
static void read_siblings(struct node *nodes, size_t count, size_t at)
{
    for (size_t i = 0; i < count; i++)
        if (i != at && nodes[at].device != 0 && nodes[i].device == nodes[at].device &&
            strcmp(nodes[i].info.bus, nodes[at].info.bus) == 0)
            add_word(nodes[at].beside, nodes[i].path);
}

/* Calls `tell` for each node; returns how many there are. */
static size_t each_node(zcs_context *ctx, void (*tell)(void *user, const struct node *node),
                        void *user)
{
    glob_t found;
    if (!ZCAPP_CAMERAS || glob("/dev/video*", 0, NULL, &found) != 0)
        return 0;
    const size_t count = found.gl_pathc;
    struct node *nodes = calloc(count, sizeof *nodes);
    qsort(found.gl_pathv, count, sizeof *found.gl_pathv, by_number);
    for (size_t i = 0; i < count && nodes != NULL; i++)
        look_at(ctx, found.gl_pathv[i], &nodes[i]);
    for (size_t i = 0; i < count && nodes != NULL; i++) {
        read_siblings(nodes, count, i);
        tell(user, &nodes[i]);
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
    if (!node->seen) {
        printf("camera  %s  cannot be looked at\n", node->path);
        return;
    }
    printf("%s  %s  %s  driver %s  bus %s", kind_name(info->kind), node->path, info->card,
           info->driver, info->bus);
    if (info->serial[0] != '\0')
        printf("  serial %s", info->serial);
    if (node->beside[0] != '\0')
        printf("  beside %s", node->beside);
    if (info->kind == ZCS_CAMERA_CAPTURE && !info->streaming)
        printf("  read() only");
    else if (info->kind == ZCS_CAMERA_CAPTURE)
        printf("  gives %s", node->formats[0] != '\0' ? node->formats : "no raw format");
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
    json_string(json, "kind", node->seen ? kind_name(info->kind) : NULL);
    json_string(json, "name", node->seen ? info->card : NULL);
    json_string(json, "driver", node->seen ? info->driver : NULL);
    json_string(json, "bus", node->seen ? info->bus : NULL);
    json_string(json, "serial", info->serial[0] != '\0' ? info->serial : NULL);
    put_words(json, "beside", node->beside);
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
