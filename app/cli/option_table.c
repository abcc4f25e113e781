/* SPDX-License-Identifier: MIT */
/* The table of options: name, type of value, member of struct options, help text. */
#include "app/cli/option_table.h"

#include <stddef.h>
#include <string.h>

#include "app/cli/format_hint.h"
#include "app/cli/number.h"
#include "app/run/input.h"

#define FPS_MAX 1000000u
#define MAX_SECONDS 86400u
#define MAX_SYNC_US UINT64_C(3600000000) /* one hour */
#define HELP_COLUMN 30

/* --- reading values --- */

static int read_output(struct options *options, const char *text, char *why, size_t why_bytes)
{
    output_finish(&options->target);
    return output_parse(&options->target, text, why, why_bytes);
}

/* One picture file, of any type. */
static int read_latest(struct options *options, const char *text, char *why, size_t why_bytes)
{
    struct output_target target = {.text = NULL};
    const int parsed = output_parse(&target, text, why, why_bytes) == 0;
    if (parsed) {
        output_finish(&options->latest);
        options->latest = target;
        options->latest.single = 1;
    }
    if (parsed && target.kind != NULL && !target.to_stdout && !target.name.numbered &&
        (target.kind->head == NULL && strcmp(target.kind->ending, ".raw") != 0))
        return 0;
    snprintf(why, why_bytes, "not one picture file, .png, .ppm or .pgm, such as latest.png");
    return -1;
}

static int read_keep(struct options *options, const char *text, char *why, size_t why_bytes)
{
    if (retention_limit_parse(&options->retention, text) == 0)
        return 0;
    snprintf(why, why_bytes, "not a number of files, such as 100, or of bytes: 500M, 2G");
    return -1;
}

static int read_size(struct options *options, const char *text, char *why, size_t why_bytes)
{
    if (zcs_size_parse(text, &options->width, &options->height) == ZCS_OK)
        return 0;
    snprintf(why, why_bytes, "a size is WIDTHxHEIGHT, such as 640x480, both from 1 to %u",
             ZCS_MAX_DIMENSION);
    return -1;
}

static int parse_format(const char *text, enum zcs_pixfmt *out, char *why, size_t why_bytes)
{
    if (zcs_pixfmt_parse(text, out) != ZCS_OK) {
        const int used = snprintf(why, why_bytes, "unknown format; ");
        if (used > 0 && (size_t)used < why_bytes)
            format_hint(text, why + used, why_bytes - (size_t)used);
    } else if (zcs_pixfmt_info(*out)->model == ZCS_MODEL_JPEG)
        snprintf(why, why_bytes, "compressed formats are not supported");
    else
        return 0;
    return -1;
}

static int read_format(struct options *options, const char *text, char *why, size_t why_bytes)
{
    options->format_text = text;
    return parse_format(text, &options->format, why, why_bytes);
}

static int read_treat_as(struct options *options, const char *text, char *why, size_t why_bytes)
{
    return parse_format(text, &options->treat_as, why, why_bytes);
}

/* Reads up to three numbers joined by commas. Returns how many; 0: malformed. */
static unsigned read_planes(const char *text, uint64_t min, uint64_t out[ZCS_MAX_PLANES])
{
    for (unsigned i = 0; i < ZCS_MAX_PLANES; i++, text++) {
        if (number_scan(&text, min, UINT32_MAX, &out[i]) != 0)
            return 0;
        if (*text == '\0')
            return i + 1;
        if (*text != ',')
            return 0;
    }
    return 0;
}

static int read_stride(struct options *options, const char *text, char *why, size_t why_bytes)
{
    uint64_t strides[ZCS_MAX_PLANES] = {0};
    const int gstreamer = strcmp(text, "gstreamer") == 0;
    const unsigned count = gstreamer ? 0 : read_planes(text, 1, strides);
    if (!gstreamer && count == 0) {
        snprintf(
            why, why_bytes,
            "not a whole number of bytes from 1 to %u, one for each plane joined by commas, or "
            "gstreamer",
            UINT32_MAX);
        return -1;
    }
    options->layout = gstreamer ? ZCS_LAYOUT_GSTREAMER : ZCS_LAYOUT_V4L2;
    options->stride_bytes = strides[0];
    for (unsigned p = 1; p < ZCS_MAX_PLANES; p++)
        options->chroma_strides[p - 1] = strides[p];
    options->planes_given |= gstreamer || count > 1;
    return 0;
}

static int read_plane_offsets(struct options *options, const char *text, char *why,
                              size_t why_bytes)
{
    uint64_t offsets[ZCS_MAX_PLANES] = {0};
    if (read_planes(text, 0, offsets) == 0) {
        snprintf(why, why_bytes, "not up to %d numbers of bytes from 0 to %u joined by commas",
                 ZCS_MAX_PLANES, UINT32_MAX);
        return -1;
    }
    memcpy(options->plane_offsets, offsets, sizeof offsets);
    options->planes_given = 1;
    return 0;
}

static int read_fps(struct options *options, const char *text, char *why, size_t why_bytes)
{
    uint64_t num = 0, den = 1;
    int bad = number_scan(&text, 1, FPS_MAX, &num) != 0;
    if (!bad && *text == '/') {
        text++;
        bad = number_scan(&text, 1, FPS_MAX, &den) != 0;
    }
    if (bad || *text != '\0') {
        snprintf(why, why_bytes, "a rate is N or N/D, such as 25 or 30000/1001, both from 1 to %u",
                 FPS_MAX);
        return -1;
    }
    options->fps_num = (uint32_t)num;
    options->fps_den = (uint32_t)den;
    return 0;
}

static int read_color(struct options *options, const char *text, char *why, size_t why_bytes)
{
    if (zcs_color_parse(text, &options->color) == ZCS_OK)
        return 0;
    snprintf(why, why_bytes,
             "known are matrix=bt601|bt709|bt2020, range=limited|full and transfer=srgb|linear, "
             "joined by commas");
    return -1;
}

static int read_stages(struct options *options, const char *text, char *why, size_t why_bytes)
{
    if (options->chain_count == ZCS_MAX_CHAINS) {
        snprintf(why, why_bytes, "at most %d chains", ZCS_MAX_CHAINS);
        return -1;
    }
    options->chains[options->chain_count++] = text;
    options->stages = options->chains[0];
    return zcs_stage_parse(text, why, why_bytes) == ZCS_OK ? 0 : -1;
}

static int read_inject(struct options *options, const char *text, char *why, size_t why_bytes)
{
    options->inject = text;
    return zcs_inject_parse(text, why, why_bytes) == ZCS_OK ? 0 : -1;
}

static int read_devices(struct options *options, const char *text, char *why, size_t why_bytes)
{
    options->device_count = 0;
    if (strcmp(text, "all") == 0)
        return 0;
    for (;; text++) {
        uint64_t device = 0;
        if (options->device_count == ZCS_MAX_DEVICES ||
            number_scan(&text, 0, UINT32_MAX, &device) != 0 || (*text != ',' && *text != '\0'))
            break;
        options->devices[options->device_count++] = (uint32_t)device;
        if (*text == '\0')
            return 0;
    }
    snprintf(why, why_bytes, "not 'all' or up to %d device numbers joined by commas",
             ZCS_MAX_DEVICES);
    return -1;
}

static int read_path(struct options *options, const char *text, char *why, size_t why_bytes)
{
    options->require_path = text;
    for (int path = ZCS_PATH_NONE + 1; path <= ZCS_PATH_PATTERN; path++)
        if (strcmp(text, zcs_path_name((enum zcs_path)path)) == 0)
            return 0;
    int used = snprintf(why, why_bytes, "the paths are");
    for (int path = ZCS_PATH_NONE + 1; path <= ZCS_PATH_PATTERN; path++)
        if (used > 0 && (size_t)used < why_bytes)
            used += snprintf(why + used, why_bytes - (size_t)used, " %s",
                             zcs_path_name((enum zcs_path)path));
    return -1;
}

/* Reads a number that follows `sign`. */
static int scan_after(const char **text, char sign, uint64_t min, uint32_t *out)
{
    uint64_t number = 0;
    if (sign != '\0' && *(*text)++ != sign)
        return -1;
    if (number_scan(text, min, ZCS_MAX_DIMENSION, &number) != 0)
        return -1;
    *out = (uint32_t)number;
    return 0;
}

static int read_crop(struct options *options, const char *text, char *why, size_t why_bytes)
{
    uint32_t width, height, x, y;
    if (scan_after(&text, '\0', 1, &width) != 0 || scan_after(&text, 'x', 1, &height) != 0 ||
        scan_after(&text, '+', 0, &x) != 0 || scan_after(&text, '+', 0, &y) != 0 || *text != '\0') {
        snprintf(why, why_bytes, "a crop is WIDTHxHEIGHT+X+Y, such as 640x480+320+0, up to %u",
                 ZCS_MAX_DIMENSION);
        return -1;
    }
    options->crop_width = width;
    options->crop_height = height;
    options->crop_x = x;
    options->crop_y = y;
    return 0;
}

static int read_seconds(const char *text, uint64_t *seconds, char *why, size_t why_bytes)
{
    if (number_parse(text, 0, MAX_SECONDS, seconds) == 0)
        return 0;
    snprintf(why, why_bytes, "not a whole number of seconds from 0 to %u", MAX_SECONDS);
    return -1;
}

static int read_stall(struct options *options, const char *text, char *why, size_t why_bytes)
{
    uint64_t seconds = 0;
    if (read_seconds(text, &seconds, why, why_bytes) != 0)
        return -1;
    options->stall_ns = seconds > 0 ? (int64_t)seconds * 1000000000 : -1;
    return 0;
}

static int read_reconnect(struct options *options, const char *text, char *why, size_t why_bytes)
{
    uint64_t seconds = 0;
    if (read_seconds(text, &seconds, why, why_bytes) != 0)
        return -1;
    options->reconnect_ns = (int64_t)seconds * 1000000000;
    return 0;
}

/* Only the camera knows whether it has such a control. */
static int read_set(struct options *options, const char *text, char *why, size_t why_bytes)
{
    if (text[0] == '\0' || text[0] == '=') {
        snprintf(
            why, why_bytes,
            "not NAME=VALUE, such as brightness=128; --list-controls DEVICE lists the controls");
        return -1;
    }
    if (options->control_count == MAX_CONTROLS) {
        snprintf(why, why_bytes, "more than %u controls", MAX_CONTROLS);
        return -1;
    }
    options->controls[options->control_count++] = text;
    return 0;
}

/* "5ms", "500us", "1s"; a plain number is in milliseconds. */
static int read_sync(struct options *options, const char *text, char *why, size_t why_bytes)
{
    static const struct {
        const char *unit;
        uint64_t us;
    } units[] = {{"", 1000}, {"ms", 1000}, {"us", 1}, {"s", 1000000}};
    uint64_t number = 0;
    if (number_scan(&text, 0, MAX_SYNC_US, &number) == 0)
        for (size_t i = 0; i < sizeof units / sizeof *units; i++)
            if (strcmp(text, units[i].unit) == 0 && number <= MAX_SYNC_US / units[i].us) {
                options->sync = 1;
                options->sync_ns = (int64_t)(number * units[i].us * 1000);
                return 0;
            }
    snprintf(why, why_bytes, "not a time such as 5ms, 500us or 1s, up to an hour");
    return -1;
}

/* --- the table --- */

// clang-format off
#define AT(field) offsetof(struct options, field)
#define HEADING(text) {.kind = OPTION_HEADING, .help = text},
#define FLAG(letter_, name_, field, text) \
    {.kind = OPTION_FLAG, .letter = letter_, .name = name_, .help = text, .offset = AT(field)},
#define ACTION(letter_, name_, action_, text) \
    {.kind = OPTION_ACTION, .letter = letter_, .name = name_, .help = text, .min = action_},
#define NUMBER(letter_, name_, arg_, field, min_, max_, text) \
    {.kind = OPTION_NUMBER, .letter = letter_, .name = name_, .arg = arg_, .help = text, \
     .offset = AT(field), .min = min_, .max = max_},
#define NUMBER_GIVEN(letter_, name_, arg_, field, min_, max_, given_field, text) \
    {.kind = OPTION_NUMBER, .letter = letter_, .name = name_, .arg = arg_, .help = text, \
     .offset = AT(field), .min = min_, .max = max_, .given = AT(given_field)},
#define CHOICE(name_, words, field, text) \
    {.kind = OPTION_CHOICE, .name = name_, .arg = words, .help = text, .offset = AT(field)},
#define TEXT(name_, arg_, field, text) \
    {.kind = OPTION_TEXT, .name = name_, .arg = arg_, .help = text, .offset = AT(field)},
#define READ(letter_, name_, arg_, read_, text) \
    {.kind = OPTION_READ, .letter = letter_, .name = name_, .arg = arg_, .help = text, \
     .read = read_},

/* The words of a CHOICE are in the order of the library's enum. */
const struct option_row option_rows[] = {
HEADING("Output")
READ('o', "output", "PATTERN", read_output,
     "where the results go. The ending selects the file type: .png, .ppm,\n"
     ".pgm, .pnm, .y4m or .raw. With a number in the name, %u, %d or %i with\n"
     "optional 0 and width, each frame gets its own file: out/%06u.png. The\n"
     "number is the position of the frame in the source, so a lost frame\n"
     "leaves a gap. Without a number, one file holds all frames (not .png).\n"
     "'-': Y4M to standard output. 'none': no files [frames/frame-%06u.png]")
NUMBER(0, "png-level", "0..9", png_level, 0, 9,
     "PNG compression. 0: none. 1: fast, and good for camera frames.\n"
     "9: slowest, tries all filters [1]")
NUMBER(0, "writers", "N", writers, 1, 64,
     "number of threads that write files [one per CPU core, at most 8]")
TEXT("record", "FILE.zcr", record,
     "also record the captured frames, unprocessed. INPUT can be such a file")
READ(0, "latest", "FILE", read_latest,
     "also write the newest picture to FILE (.png, .ppm or .pgm). Each new\n"
     "picture replaces the whole file. Frames that come too fast are skipped")
READ(0, "keep", "N|BYTES", read_keep,
     "keep only the newest N output files, or the newest that fit into BYTES\n"
     "(500M, 2G). Older files are deleted, also files of earlier runs with\n"
     "such names. Parts of a single output file and of a recording are\n"
     "counted in the same way (see SIGHUP below)")
TEXT("json", "FILE", json,
     "write a report at the end, also after a failure; '-': standard output")
HEADING("Frames")
NUMBER_GIVEN('n', "frames", "N", frames, 0, UINT64_MAX, frames_given,
     "stop after N results. 0: at the end of the input [0; a pattern: 100]")
NUMBER(0, "skip", "N", skip, 0, UINT64_MAX, "skip the first N frames [0]")
NUMBER(0, "every", "N", every, 1, UINT64_MAX, "then process one frame of every N [1]")
NUMBER_GIVEN(0, "loop", "N", loop, 0, UINT32_MAX - 1, loop_given,
     "play files N times. 0: without end [1]")
FLAG(0, "pace", pace,
     "play files and patterns in real time: at the recorded times, or at the\n"
     "rate of --fps")
READ(0, "fps", "N[/D]", read_fps,
     "frames per second. For cameras: the rate to ask for. For files and\n"
     "patterns: the rate from which frame times are computed")
READ(0, "inject", "FAULT,...", read_inject,
     "simulate the faults of a bad camera, with files and patterns: drop=5%,\n"
     "error=1%, short=1%, stall=200ms[/N], gone=N, seed=N")
READ(0, "sync", "TIME", read_sync,
     "with several INPUTs: use only frames that were captured together, at\n"
     "most TIME apart (5ms, 500us, 1s; a plain number is in ms). The files of\n"
     "one match have the same number, and -n counts matches")
HEADING("Input format (raw files need -f and -s; other files contain them)")
READ('f', "format", "NAME", read_format,
     "pixel format, by V4L2 fourcc or name: YUYV, pRAA, SRGGB10P ...")
READ('s', "size", "WxH", read_size, "width and height in pixels")
READ(0, "stride", "BYTES[,...]", read_stride,
     "bytes from one row of the first plane to the next [no padding]. For raw\n"
     "frames also one number for each plane, joined by commas, or 'gstreamer':\n"
     "rows and planes are padded as GStreamer does by default")
READ(0, "plane-offsets", "BYTES,...", read_plane_offsets,
     "raw frames: where each plane begins in the frame [without gaps]")
NUMBER_GIVEN(0, "shift", "BITS", shift, 0, 15, shift_given,
     "samples in 16-bit words are shifted left by BITS [0]")
NUMBER(0, "offset", "BYTES", offset, 0, INT64_MAX,
     "raw frames: skip BYTES at the beginning of each file [0]. With --offset,\n"
     "--frame-header or --frame-footer any file is read as raw frames")
NUMBER(0, "frame-header", "BYTES", frame_header, 0, UINT32_MAX,
     "raw frames: skip BYTES before each frame [0]")
NUMBER(0, "frame-footer", "BYTES", frame_footer, 0, UINT32_MAX,
     "raw frames: skip BYTES after each frame [0]")
READ(0, "color", "KEY=VALUE,...", read_color,
     "matrix=bt601|bt709|bt2020,range=limited|full,transfer=srgb|linear\n"
     "[what the input says. If it does not say: Y'CbCr is bt601, limited and\n"
     "srgb; all others have full range, and are linear if they are Bayer or\n"
     "have more than 8 bits per sample, else srgb]")
HEADING("Cameras")
TEXT("input", "NAME", camera_input,
     "the input to use, by name or number, of a camera with several inputs\n"
     "[the one that is selected now]")
READ(0, "crop", "WxH+X+Y", read_crop, "capture only this part of the sensor [as the camera is set]")
FLAG(0, "accept-nearest", accept_nearest,
     "accept what the driver offers instead of the requested format, size,\n"
     "stride or crop, with a warning; without this option it is an error")
READ(0, "treat-as", "NAME", read_treat_as,
     "interpret the buffers as this format, for a camera that announces one\n"
     "format and sends another: for example it announces YUYV and sends Y10")
READ(0, "set", "CONTROL=VALUE", read_set,
     "set a control of the camera; can be repeated. For a menu, VALUE is a\n"
     "number or the text of an item. There is a warning if the driver sets\n"
     "another value. The control stays set after the run. See --list-controls")
READ(0, "stall", "SECONDS", read_stall,
     "if no frame comes for this time, streaming is restarted once; if that\n"
     "does not help, the camera has failed. 0: never [30 frame periods, at\n"
     "least 2 seconds]")
READ(0, "reconnect", "SECONDS", read_reconnect,
     "how long to wait until an unplugged camera comes back. It must be the\n"
     "same camera: the same serial number or, without one, the same port.\n"
     "Then the run continues as before [0: the run ends]")
HEADING("Processing")
READ(0, "stages", "CHAIN", read_stages,
     "the processing stages, joined by commas. A stage is NAME, NAME=VALUE\n"
     "(sets its first key) or NAME:KEY=VALUE:KEY=VALUE. Example:\n"
     "levels:low=17899:high=19192,flip=v\n"
     "'none': only unpack the pixels. Can be repeated with --dispatch\n"
     "broadcast. See --list-stages [see --list-formats]")
CHOICE("depth", "auto|8|16", depth,
     "bits per sample of the result. auto: 16 if the result is linear (sensor\n"
     "data without gamma) and has more than 8 significant bits, else 8 [auto]")
CHOICE("backend", "auto|host|cuda", backend,
     "where to compute: on the CPU (host) or on GPUs (cuda). auto: on a GPU if\n"
     "there is one [auto]")
READ(0, "devices", "all|0,1,...", read_devices,
     "the devices to use; a device that is named twice counts as two [all]")
CHOICE("dispatch", "frames|bands|relay|broadcast", dispatch,
     "how the work is divided between devices. frames: each frame goes to the\n"
     "least busy device. bands (row split): the rows of each frame are split\n"
     "over all devices. relay (pipeline): each device runs some of the stages.\n"
     "broadcast (fan-out): each frame goes through several chains, and each\n"
     "chain has its own folder for files: out/chain-1/000000.png [frames]")
CHOICE("route", "auto|mapped|staged|whole", route,
     "how kernels get the frames. mapped: they read the host memory directly.\n"
     "staged: rows are copied in chunks while earlier chunks are processed.\n"
     "whole: the frame is copied, then processed. auto: measured [auto]")
TEXT("route-cache", "FILE", route_cache,
     "save the measured routes in FILE, so that later runs need not measure")
FLAG(0, "low-latency", low_latency,
     "return each result as soon as possible. A persistent kernel reserves\n"
     "three quarters of the GPU's multiprocessors for this")
CHOICE("memory", "auto|wc|cached", memory,
     "memory for captured frames: write-combined, or cached by the CPU [auto]")
READ(0, "require-path", "NAME", read_path,
     "end with status 3 if a frame is captured by another path than this:\n"
     "userptr, dmabuf, direct, read, pattern ...")
NUMBER(0, "buffers", "N", buffers, 1, 256, "number of frames between source and kernels [4]")
CHOICE("policy", "wait|drop-newest|latest", policy,
     "what to do when processing or writing is too slow. wait: capture waits,\n"
     "and the driver may lose frames. drop-newest: drop new frames. latest:\n"
     "process the newest frame and drop older ones [wait]")
NUMBER(0, "threads", "N", threads, 1, 1024,
     "number of threads of the host backend [one per CPU core]")
HEADING("Information")
ACTION(0, "list-devices", ACTION_LIST_DEVICES,
     "list the devices that can compute, and the cameras; with --json FILE as\n"
     "JSON")
ACTION(0, "list-formats", ACTION_LIST_FORMATS,
     "list the pixel formats and their default stages. With a camera as INPUT:\n"
     "list the formats, sizes and frame rates of that camera")
ACTION(0, "list-controls", ACTION_LIST_CONTROLS,
     "list the controls of the camera INPUT, their ranges and values")
ACTION(0, "list-stages", ACTION_LIST_STAGES, "list the stages, their keys, values and defaults")
FLAG('q', "quiet", quiet, "print errors only")
FLAG('v', "verbose", verbose,
     "also print what was chosen, and why. Given twice: a line for each frame")
ACTION('h', "help", ACTION_HELP, "print this text")
ACTION(0, "version", ACTION_VERSION, "print the version")
};
// clang-format on

const unsigned option_row_count = sizeof option_rows / sizeof *option_rows;

/* --- --help --- */

static void help_row(FILE *file, const struct option_row *row)
{
    char left[64];
    if (row->letter != 0)
        snprintf(left, sizeof left, "  -%c, --%s %s", row->letter, row->name,
                 row->arg != NULL ? row->arg : "");
    else
        snprintf(left, sizeof left, "      --%s %s", row->name, row->arg != NULL ? row->arg : "");
    const char *line = row->help;
    if (strlen(left) + 2 > HELP_COLUMN) {
        fprintf(file, "%s\n", left);
        left[0] = '\0';
    }
    for (;; line++) {
        const size_t bytes = strcspn(line, "\n");
        fprintf(file, "%-*s%.*s\n", HELP_COLUMN, left, (int)bytes, line);
        line += bytes;
        left[0] = '\0';
        if (*line == '\0')
            break;
    }
}

void option_table_help(FILE *file)
{
    fprintf(file,
            "usage: zcapp [OPTIONS] INPUT...\n"
            "       zcapp doctor [OPTIONS] [INPUT]        check this machine or a camera, suggest "
            "improvements\n"
            "       zcapp bench [NAME...] [--json FILE]   measure this machine\n"
            "Processes camera frames from INPUT and writes pictures or video.\n\n"
            "INPUT is one of:\n"
            "%s"
            "  a file of frames: a recording (.zcr), Y4M, PGM, PPM, PNG, the output of v4l2-ctl,\n"
            "    or raw frames without headers\n"
            "  a folder of such files, in the order of their names (numbers by value);\n"
            "    texts, tables and the like beside them are left out\n"
            "  a numbered series of such files: in-%%06u.raw\n"
            "  '-': standard input\n"
            "  a generated test pattern: ",
            ZCAPP_CAMERAS ? "  a camera: /dev/videoN\n" : "");
    for (const char *const *name = zcs_pattern_names(); *name != NULL; name++)
        fprintf(file, "pattern:%s%s", *name, name[1] != NULL ? ", " : "\n");
    fputs("With several INPUTs, each has its own folder for files: -o out/%06u.png makes\n"
          "out/video0/000000.png and out/video2/000000.png. If one fails, the others continue.\n"
          "Defaults are in [brackets].\n",
          file);
    for (unsigned i = 0; i < option_row_count; i++)
        if (option_rows[i].kind == OPTION_HEADING)
            fprintf(file, "\n%s:\n", option_rows[i].help);
        else
            help_row(file, &option_rows[i]);
    if (!ZCAPP_CAMERAS)
        fputs("\nThis build does not support cameras (/dev/videoN).\n", file);
    fputs(
        "\nExit status: 0: done. 1: failed while running. 2: wrong command line. 3: a required\n"
        "path, backend or device is not available, or this build cannot read such input.\n"
        "Signals: SIGINT and SIGTERM end the run with the frames in flight and status 0; a second\n"
        "signal ends it at once. SIGHUP, sent to a run without a terminal, starts the next part\n"
        "of a single output file and of a recording: take-2.y4m. Numbered files continue.\n"
        "A picture or a single output file (.y4m, .ppm, .pgm, .raw) gets its name only when it is\n"
        "complete.\n",
        file);
}
