/* SPDX-License-Identifier: MIT */
/* What an unknown pixel format may mean: the names of other tools, and the closest names. */
#include "app/cli/format_hint.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "zcstream/format.h"

#define FULL_RANGE "with --color range=full"
#define MAX_NAME 24 /* longer texts are no typing errors */
#define MAX_CLOSE 4 /* proposals in one message */

// clang-format off
const struct format_name format_names[] = {
    {"ffmpeg", "gray", "GREY", NULL},
    {"ffmpeg", "gray8", "GREY", NULL},
    {"ffmpeg", "gray10", "Y10", NULL},
    {"ffmpeg", "gray12", "Y12", NULL},
    {"ffmpeg", "gray14", "Y14", NULL},
    {"ffmpeg", "gray16", "Y16", NULL},
    {"ffmpeg", "gray16be", "Y16_BE", NULL},
    {"ffmpeg", "yuyv422", "YUYV", NULL},
    {"ffmpeg", "uyvy422", "UYVY", NULL},
    {"ffmpeg", "yvyu422", "YVYU", NULL},
    {"ffmpeg", "yuv420p", "YU12", NULL},
    {"ffmpeg", "yuvj420p", "YU12", FULL_RANGE},
    {"ffmpeg", "yuvj422p", "422P", FULL_RANGE},
    {"ffmpeg", "yuv444p", "YM24", NULL},
    {"ffmpeg", "yuvj444p", "YM24", FULL_RANGE},
    {"ffmpeg", "yuv420p10le", "I010", NULL},
    {"ffmpeg", "yuv420p12le", "I012", NULL},
    {"ffmpeg", "yuv420p14le", "I014", NULL},
    {"ffmpeg", "yuv420p16le", "I016", NULL},
    {"ffmpeg", "yuv422p10le", "I210", NULL},
    {"ffmpeg", "yuv422p12le", "I212", NULL},
    {"ffmpeg", "yuv422p14le", "I214", NULL},
    {"ffmpeg", "yuv422p16le", "I216", NULL},
    {"ffmpeg", "yuv444p10le", "I410", NULL},
    {"ffmpeg", "yuv444p12le", "I412", NULL},
    {"ffmpeg", "yuv444p14le", "I414", NULL},
    {"ffmpeg", "yuv444p16le", "I416", NULL},
    {"ffmpeg", "p010le", "P010", NULL},
    {"ffmpeg", "rgba", "AB24", NULL},
    {"ffmpeg", "bgra", "AR24", NULL},
    {"ffmpeg", "argb", "BA24", NULL},
    {"ffmpeg", "abgr", "RA24", NULL},
    {"ffmpeg", "rgb0", "XB24", NULL},
    {"ffmpeg", "bgr0", "XR24", NULL},
    {"ffmpeg", "0rgb", "BX24", NULL},
    {"ffmpeg", "0bgr", "RX24", NULL},
    {"ffmpeg", "rgb565le", "RGBP", NULL},
    {"ffmpeg", "rgb565be", "RGBR", NULL},
    {"ffmpeg", "rgba64le", "AB48", NULL},
    {"ffmpeg", "bayer_rggb8", "RGGB", NULL},
    {"ffmpeg", "bayer_grbg8", "GRBG", NULL},
    {"ffmpeg", "bayer_gbrg8", "GBRG", NULL},
    {"ffmpeg", "bayer_bggr8", "BA81", NULL},
    {"ffmpeg", "bayer_rggb16", "RG16", NULL},
    {"ffmpeg", "bayer_grbg16", "GR16", NULL},
    {"ffmpeg", "bayer_gbrg16", "GB16", NULL},
    {"ffmpeg", "bayer_bggr16", "BYR2", NULL},
    {"GStreamer", "GRAY10_LE16", "Y10", NULL},
    {"GStreamer", "GRAY16_LE", "Y16", NULL},
    {"GStreamer", "GRAY16_BE", "Y16_BE", NULL},
    {"GStreamer", "YUY2", "YUYV", NULL},
    {"GStreamer", "I420", "YU12", "perhaps with --stride gstreamer"},
    {"GStreamer", "Y42B", "422P", "perhaps with --stride gstreamer"},
    {"GStreamer", "Y444", "YM24", "perhaps with --stride gstreamer"},
    {"GStreamer", "I420_10LE", "I010", NULL},
    {"GStreamer", "I420_12LE", "I012", NULL},
    {"GStreamer", "I422_10LE", "I210", NULL},
    {"GStreamer", "I422_12LE", "I212", NULL},
    {"GStreamer", "Y444_10LE", "I410", NULL},
    {"GStreamer", "Y444_12LE", "I412", NULL},
    {"GStreamer", "Y444_16LE", "I416", NULL},
    {"GStreamer", "P010_10LE", "P010", NULL},
    {"GStreamer", "RGB", "RGB3", NULL},
    {"GStreamer", "BGR", "BGR3", NULL},
    {"GStreamer", "RGBx", "XB24", NULL},
    {"GStreamer", "BGRx", "XR24", NULL},
    {"GStreamer", "xRGB", "BX24", NULL},
    {"GStreamer", "xBGR", "RX24", NULL},
    {"GStreamer", "RGB16", "RGBP", NULL},
    {"GStreamer", "bggr", "BA81", NULL},
    {"GStreamer", "rggb10", "RG10", NULL},
    {"GStreamer", "grbg10", "BA10", NULL},
    {"GStreamer", "gbrg10", "GB10", NULL},
    {"GStreamer", "bggr10", "BG10", NULL},
    {"GStreamer", "rggb12", "RG12", NULL},
    {"GStreamer", "grbg12", "BA12", NULL},
    {"GStreamer", "gbrg12", "GB12", NULL},
    {"GStreamer", "bggr12", "BG12", NULL},
    {"libcamera", "R8", "GREY", NULL},
    {"libcamera", "R10", "Y10", NULL},
    {"libcamera", "R12", "Y12", NULL},
    {"libcamera", "R14", "Y14", NULL},
    {"libcamera", "R16", "Y16", NULL},
    {"libcamera", "R10_CSI2P", "Y10P", NULL},
    {"libcamera", "R12_CSI2P", "Y12P", NULL},
    {"libcamera", "SRGGB10_CSI2P", "pRAA", NULL},
    {"libcamera", "SGRBG10_CSI2P", "pgAA", NULL},
    {"libcamera", "SGBRG10_CSI2P", "pGAA", NULL},
    {"libcamera", "SBGGR10_CSI2P", "pBAA", NULL},
    {"libcamera", "SRGGB12_CSI2P", "pRCC", NULL},
    {"libcamera", "SGRBG12_CSI2P", "pgCC", NULL},
    {"libcamera", "SGBRG12_CSI2P", "pGCC", NULL},
    {"libcamera", "SBGGR12_CSI2P", "pBCC", NULL},
    {"libcamera", "SRGGB14_CSI2P", "pREE", NULL},
    {"libcamera", "SGRBG14_CSI2P", "pgEE", NULL},
    {"libcamera", "SGBRG14_CSI2P", "pGEE", NULL},
    {"libcamera", "SBGGR14_CSI2P", "pBEE", NULL},
    {"libcamera", "RGB888", "BGR3", NULL},
    {"libcamera", "BGR888", "RGB3", NULL},
    {"libcamera", "XRGB8888", "XR24", NULL},
    {"libcamera", "ARGB8888", "AR24", NULL},
    {"libcamera", "XBGR8888", "XB24", NULL},
    {"libcamera", "ABGR8888", "AB24", NULL},
    {"libcamera", "RGBX8888", "RX24", NULL},
    {"libcamera", "RGBA8888", "RA24", NULL},
    {"libcamera", "YUV444", "YM24", NULL},
    {"GenICam", "Mono8", "GREY", NULL},
    {"GenICam", "Mono10", "Y10", NULL},
    {"GenICam", "Mono12", "Y12", NULL},
    {"GenICam", "Mono14", "Y14", NULL},
    {"GenICam", "Mono16", "Y16", NULL},
    {"GenICam", "BayerRG8", "RGGB", NULL},
    {"GenICam", "BayerGR8", "GRBG", NULL},
    {"GenICam", "BayerGB8", "GBRG", NULL},
    {"GenICam", "BayerBG8", "BA81", NULL},
    {"GenICam", "BayerRG10", "RG10", NULL},
    {"GenICam", "BayerGR10", "BA10", NULL},
    {"GenICam", "BayerGB10", "GB10", NULL},
    {"GenICam", "BayerBG10", "BG10", NULL},
    {"GenICam", "BayerRG12", "RG12", NULL},
    {"GenICam", "BayerGR12", "BA12", NULL},
    {"GenICam", "BayerGB12", "GB12", NULL},
    {"GenICam", "BayerBG12", "BG12", NULL},
    {"GenICam", "BayerRG16", "RG16", NULL},
    {"GenICam", "BayerGR16", "GR16", NULL},
    {"GenICam", "BayerGB16", "GB16", NULL},
    {"GenICam", "BayerBG16", "BYR2", NULL},
    {"GenICam", "RGB8", "RGB3", NULL},
    {"GenICam", "BGR8", "BGR3", NULL},
    {"GenICam", "RGBa8", "AB24", NULL},
    {"GenICam", "BGRa8", "AR24", NULL},
    {"GenICam", "YUV422_8", "YUYV", NULL},
    {"GenICam", "YUV422_8_UYVY", "UYVY", NULL},
    {"Windows", "Y800", "GREY", NULL},
    {"Windows", "Y8", "GREY", NULL},
    {"Windows", "IYUV", "YU12", NULL},
    {"RealSense", "Z16", "Y16", NULL},
};

/* Names that say too little, or that no format here stands for. */
static const struct {
    const char *name, *answer;
} answers[] = {
    {"RAW8", "the order of the colours is missing: RGGB, GRBG, GBRG or BA81; GREY for grey"},
    {"RAW10", "the order of the colours is missing: "
              "pRAA, pgAA, pGAA or pBAA if packed, RG10, BA10, GB10 or BG10 in 16-bit words"},
    {"RAW12", "the order of the colours is missing: "
              "pRCC, pgCC, pGCC or pBCC if packed, RG12, BA12, GB12 or BG12 in 16-bit words"},
    {"RAW14", "the order of the colours is missing: "
              "pREE, pgEE, pGEE or pBEE if packed, RG14, GR14, GB14 or BG14 in 16-bit words"},
    {"RAW16", "the order of the colours is missing: RG16, GR16, GB16 or BYR2"},
    {"YUV422", "the order is missing: YUYV or UYVY if packed, 422P if planar"},
    {"H264", "compressed formats are not supported"},
    {"H265", "compressed formats are not supported"},
    {"HEVC", "compressed formats are not supported"},
    {"MJPEG2", "compressed formats are not supported"},
};
// clang-format on

const size_t format_name_count = sizeof format_names / sizeof *format_names;

/* Finds the name itself, or else the name without an ending "le" or "_le". NULL: not found. */
static const struct format_name *find_known(const char *text)
{
    for (size_t i = 0; i < format_name_count; i++)
        if (strcasecmp(text, format_names[i].name) == 0)
            return &format_names[i];
    for (size_t i = 0; i < format_name_count; i++) {
        const size_t length = strlen(format_names[i].name);
        if (strncasecmp(text, format_names[i].name, length) == 0 &&
            (strcasecmp(text + length, "le") == 0 || strcasecmp(text + length, "_le") == 0))
            return &format_names[i];
    }
    return NULL;
}

static int min3(int a, int b, int c)
{
    const int least = a < b ? a : b;
    return least < c ? least : c;
}

/* The number of characters to add, remove, replace or exchange with the next one. */
static int edits(const char *a, const char *b)
{
    int rows[3][MAX_NAME + 1];
    const int n = (int)strlen(a), m = (int)strlen(b);
    for (int j = 0; j <= m; j++)
        rows[0][j] = j;
    for (int i = 1; i <= n; i++) {
        int *now = rows[i % 3], *before = rows[(i + 2) % 3], *earlier = rows[(i + 1) % 3];
        now[0] = i;
        for (int j = 1; j <= m; j++) {
            now[j] = min3(before[j] + 1, now[j - 1] + 1, before[j - 1] + (a[i - 1] != b[j - 1]));
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] &&
                earlier[j - 2] + 1 < now[j])
                now[j] = earlier[j - 2] + 1;
        }
    }
    return rows[n % 3][m];
}

static void to_lower(const char *text, char out[MAX_NAME + 1])
{
    size_t i = 0;
    for (; text[i] != '\0' && i < MAX_NAME; i++)
        out[i] = (char)(text[i] >= 'A' && text[i] <= 'Z' ? text[i] - 'A' + 'a' : text[i]);
    out[i] = '\0';
}

/* The names at the least distance from a text. */
struct close_names {
    const char *names[MAX_CLOSE];
    int count, distance;
};

static void consider(struct close_names *close, const char *text, const char *name,
                     const char *proposal)
{
    char a[MAX_NAME + 1] = "", b[MAX_NAME + 1] = "";
    to_lower(text, a);
    to_lower(name, b);
    const int distance = edits(a, b);
    if (distance > close->distance)
        return;
    if (distance < close->distance)
        close->count = 0;
    close->distance = distance;
    for (int i = 0; i < close->count; i++)
        if (strcmp(close->names[i], proposal) == 0)
            return;
    if (close->count < MAX_CLOSE)
        close->names[close->count++] = proposal;
}

/* Our own names come before those of other tools that are as close. */
static void find_close(const char *text, struct close_names *close)
{
    const int allowed = strlen(text) > 5 ? 2 : 1;
    *close = (struct close_names){.distance = allowed};
    for (int i = 1; i < ZCS_PIXFMT_COUNT; i++) {
        const struct zcs_pixfmt_info *info = zcs_pixfmt_info((enum zcs_pixfmt)i);
        if (info->model == ZCS_MODEL_JPEG)
            continue;
        consider(close, text, info->name, info->name);
        consider(close, text, info->v4l2_name, info->v4l2_name);
    }
    if (close->count == 0 || close->distance > 1)
        for (size_t i = 0; i < format_name_count; i++)
            consider(close, text, format_names[i].name, format_names[i].ours);
}

static void propose(const char *text, char *out, size_t bytes)
{
    struct close_names close = {.count = 0};
    size_t used = 0;
    if (strlen(text) >= 2 && strlen(text) <= MAX_NAME)
        find_close(text, &close);
    for (int i = 0; i < close.count && used < bytes; i++)
        used += (size_t)snprintf(out + used, bytes - used, "%s%s",
                                 i == 0                 ? "did you mean "
                                 : i + 1 == close.count ? " or "
                                                        : ", ",
                                 close.names[i]);
    if (used < bytes)
        snprintf(out + used, bytes - used, "%s--list-formats lists all", used > 0 ? "? " : "");
}

void format_hint(const char *text, char *out, size_t bytes)
{
    for (size_t i = 0; i < sizeof answers / sizeof *answers; i++)
        if (strcasecmp(text, answers[i].name) == 0) {
            snprintf(out, bytes, "%s", answers[i].answer);
            return;
        }
    const struct format_name *known = find_known(text);
    if (known != NULL)
        snprintf(out, bytes, "%s's %s is %s here%s%s", known->tool, known->name, known->ours,
                 known->note != NULL ? ", " : "", known->note != NULL ? known->note : "");
    else
        propose(text, out, bytes);
}
