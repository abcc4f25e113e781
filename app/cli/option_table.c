/* SPDX-License-Identifier: MIT */
/* The table of options: how each is spelt, what it takes, where its value goes, and its help. */
#include "app/cli/option_table.h"

#include <inttypes.h>
#include <stddef.h>
#include <string.h>

#include "app/run/inputs.h"
#include "app/cli/number.h"
#include "app/cli/option_camera.h"

#define FPS_MAX 1000000u

static int read_output(struct options *options, const char *text, char *why, size_t why_bytes)
{
    output_finish(&options->target);
    return output_parse(&options->target, text, why, why_bytes);
}

/* One file for one picture, whatever its kind. */
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
    snprintf(why, why_bytes, "it is one picture file, .png, .ppm or .pgm, such as latest.png");
    return -1;
}

static int read_keep(struct options *options, const char *text, char *why, size_t why_bytes)
{
    if (keep_limit_parse(&options->keep, text) == 0)
        return 0;
    snprintf(why, why_bytes, "a number of files, such as 100, or of bytes: 500M, 2G");
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

static int read_format(struct options *options, const char *text, char *why, size_t why_bytes)
{
    if (zcs_pixfmt_parse(text, &options->format) != ZCS_OK) {
        snprintf(why, why_bytes, "no such format; --list-formats names them all");
        return -1;
    }
    options->format_text = text;
    if (zcs_pixfmt_info(options->format)->model != ZCS_MODEL_JPEG)
        return 0;
    snprintf(why, why_bytes, "compressed formats are not in this build");
    return -1;
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

static int read_frames(struct options *options, const char *text, char *why, size_t why_bytes)
{
    options->frames_given = 1;
    if (number_parse(text, 0, UINT64_MAX, &options->frames) == 0)
        return 0;
    snprintf(why, why_bytes, "not a whole number from 0 to %" PRIu64, UINT64_MAX);
    return -1;
}

static int read_shift(struct options *options, const char *text, char *why, size_t why_bytes)
{
    options->shift_given = 1;
    if (number_parse(text, 0, 15, &options->shift) == 0)
        return 0;
    snprintf(why, why_bytes, "not a whole number from 0 to 15");
    return -1;
}

static int read_loop(struct options *options, const char *text, char *why, size_t why_bytes)
{
    options->loop_given = 1;
    if (number_parse(text, 0, UINT32_MAX - 1, &options->loop) == 0)
        return 0;
    snprintf(why, why_bytes, "not a whole number from 0 to %u", UINT32_MAX - 1);
    return -1;
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

// clang-format off
#define AT(field) offsetof(struct options, field)
#define HEADING(text) {.kind = OPTION_HEADING, .help = text},
#define FLAG(letter_, name_, field, text) \
    {.kind = OPTION_FLAG, .letter = letter_, .name = name_, .help = text, .at = AT(field)},
#define ACTION(letter_, name_, action_, text) \
    {.kind = OPTION_ACTION, .letter = letter_, .name = name_, .help = text, .min = action_},
#define NUMBER(letter_, name_, arg_, field, min_, max_, text) \
    {.kind = OPTION_NUMBER, .letter = letter_, .name = name_, .arg = arg_, .help = text, \
     .at = AT(field), .min = min_, .max = max_},
#define CHOICE(name_, words, field, text) \
    {.kind = OPTION_CHOICE, .name = name_, .arg = words, .help = text, .at = AT(field)},
#define TEXT(name_, arg_, field, text) \
    {.kind = OPTION_TEXT, .name = name_, .arg = arg_, .help = text, .at = AT(field)},
#define READ(letter_, name_, arg_, read_, text) \
    {.kind = OPTION_READ, .letter = letter_, .name = name_, .arg = arg_, .help = text, .read = read_},

/* The words of a CHOICE stand in the order of the library's enum. */
const struct option_row option_rows[] = {
HEADING("Output")
READ('o', "output", "PATTERN", read_output,
     "a file for each frame, numbered by %u, %d or %i, with 0 and a width if\n"
     "wanted: out/%06u.png; the number is the frame's place in the source, so\n"
     "that a lost frame is a missing number. Endings: .png, .ppm, .pgm, .pnm,\n"
     ".y4m, .raw. All but .png without a number: one file for all frames.\n"
     "'-': Y4M to standard output, 'none': no files [frames/frame-%06u.png]")
NUMBER(0, "png-level", "0..9", png_level, 0, 9,
     "0: stored, 1: fast, small enough for camera frames, 9: all filters [1]")
NUMBER(0, "writers", "N", writers, 1, 64,
     "threads that write files [one for each core, 8 at most]")
TEXT("record", "FILE.zcr", record, "the captured frames as well, as they came; to be played as INPUT")
READ(0, "latest", "FILE", read_latest,
     "one picture file, .png, .ppm or .pgm, which is replaced as a whole by each\n"
     "new frame that it can keep up with")
READ(0, "keep", "N|BYTES", read_keep,
     "only the newest N files of the output, or so many bytes of them (500M, 2G):\n"
     "older ones are removed, also those of earlier runs with such names; the\n"
     "same for parts of a single file and of a recording (see SIGHUP below)")
TEXT("json", "FILE", json,
     "a report at the end, of a failed run too; '-' is standard output")
HEADING("Which frames")
READ('n', "frames", "N", read_frames,
     "end after N results; 0: at the input's end [0; of a pattern, 100]")
NUMBER(0, "skip", "N", skip, 0, UINT64_MAX, "pass over the first N frames")
NUMBER(0, "every", "N", every, 1, UINT64_MAX, "then take one frame of every N")
READ(0, "loop", "N", read_loop, "play files N times; 0: for ever")
FLAG(0, "pace", pace, "deliver at recorded times or the rate of --fps, as a camera would")
READ(0, "fps", "N[/D]", read_fps, "frames per second: gives frames their time")
READ(0, "inject", "FAULT,...", read_inject,
     "faults, to try what follows against a bad camera: drop=5%, error=1%,\n"
     "short=1%, stall=200ms[/N], gone=N, seed=N")
READ(0, "sync", "TIME", inputs_read_sync,
     "of several INPUTs only frames that were captured together: no further apart\n"
     "than TIME (5ms, 500us, 1s; a number alone is ms). Files of one match have\n"
     "one number; -n counts them")
HEADING("What the input is (raw files need -f and -s, others say it)")
READ('f', "format", "NAME", read_format, "V4L2's fourcc or name: YUYV, pRAA, SRGGB10P ...")
READ('s', "size", "WxH", read_size, "width and height in pixels")
NUMBER(0, "stride", "BYTES", stride_bytes, 1, UINT32_MAX,
     "from one row of the first plane to the next [no padding]")
READ(0, "shift", "BITS", read_shift, "samples in 16-bit words are shifted left by BITS [0]")
READ(0, "color", "KEY=VALUE,...", read_color,
     "matrix=bt601|bt709|bt2020,range=limited|full,transfer=srgb|linear\n"
     "[as the input says, else: Y'CbCr bt601 and limited, all others full; Bayer\n"
     "and more than 8 bits a sample linear, Y'CbCr and all others srgb]")
HEADING("Cameras")
TEXT("input", "NAME", camera_input, "which of several inputs, by name or number [the present one]")
READ(0, "crop", "WxH+X+Y", option_camera_crop, "this part of the sensor [as the camera is set]")
FLAG(0, "accept-nearest", accept_nearest,
     "take what the driver gives instead of -f, -s, --stride and --crop: a\n"
     "warning, no error")
READ(0, "treat-as", "NAME", option_camera_treat_as,
     "read its buffers as this format: for cameras that announce another one\n"
     "than they send, such as YUYV for Y10")
READ(0, "set", "CONTROL=VALUE", option_camera_set,
     "sets one of its controls, and warns where the driver makes another value\n"
     "of it; may be given again. Menus take a number or an item's text. It\n"
     "stays set after the run. See --list-controls")
READ(0, "stall", "SECONDS", option_camera_stall,
     "silence after which streaming is begun anew, once, before the camera is\n"
     "given up; 0: never [30 frames, at least 2 seconds]")
READ(0, "reconnect", "SECONDS", option_camera_reconnect,
     "how long a camera that was unplugged is waited for: the same one, known by\n"
     "its serial number, else by its plug; then all goes on as before [0: it ends]")
HEADING("Processing")
READ(0, "stages", "CHAIN", read_stages,
     "stages joined by commas, each NAME, NAME=VALUE (of its first key) or\n"
     "NAME:KEY=VALUE:KEY=VALUE: levels:low=17899:high=19192,flip=v. 'none', alone:\n"
     "unpack only. Several times with --dispatch broadcast. See --list-stages\n"
     "[as --list-formats has it]")
CHOICE("depth", "auto|8|16", depth,
     "bits of a sample in the result; auto: 16 where it is linear, as sensor\n"
     "data is without gamma, and has more than 8 significant bits, else 8 [auto]")
CHOICE("backend", "auto|host|cuda", backend,
     "where it is computed; auto: a GPU where there is one [auto]")
READ(0, "devices", "all|0,1,...", read_devices, "on which devices; one twice counts as two [all]")
CHOICE("dispatch", "frames|bands|relay|broadcast", dispatch,
     "how frames are spread over devices: each to the least busy one, its rows to\n"
     "all, its stages one behind the other, or each frame to several chains, whose\n"
     "files have a folder each: out/chain-1/000000.png [frames]")
CHOICE("route", "auto|mapped|staged|whole", route,
     "how kernels reach the frames [auto]")
TEXT("route-cache", "FILE", route_cache,
     "keeps measured routes from run to run, so that auto need not measure")
FLAG(0, "low-latency", low_latency,
     "the least time from a frame to its result, for multiprocessors of the\n"
     "GPU that are held meanwhile: a kernel stays there")
CHOICE("memory", "auto|wc|cached", memory, "kind of memory that frames come into [auto]")
READ(0, "require-path", "NAME", read_path,
     "end with status 3 unless frames come this way: direct, read, pattern ...")
NUMBER(0, "buffers", "N", buffers, 1, 256, "frames between source and kernels [4]")
CHOICE("policy", "wait|drop-newest|latest", policy,
     "what happens when processing or writing falls behind [wait]")
NUMBER(0, "threads", "N", threads, 1, 1024, "threads of the host backend [one for each core]")
HEADING("Information")
ACTION(0, "list-devices", ACTION_LIST_DEVICES, "what can compute, and the cameras; with --json FILE as JSON")
ACTION(0, "list-formats", ACTION_LIST_FORMATS,
     "pixel formats, and their stages by default; with a DEVICE as INPUT the\n"
     "camera's formats, sizes and rates")
ACTION(0, "list-controls", ACTION_LIST_CONTROLS,
     "the controls of the camera that INPUT names, for --set")
ACTION(0, "list-stages", ACTION_LIST_STAGES, "stages, what their keys take, and defaults")
FLAG('q', "quiet", quiet, "errors only")
FLAG('v', "verbose", verbose,
     "what was chosen and why; twice: a line for each frame too")
ACTION('h', "help", ACTION_HELP, "this text")
ACTION(0, "version", ACTION_VERSION, "the version")
};
// clang-format on

const unsigned option_row_count = sizeof option_rows / sizeof *option_rows;
