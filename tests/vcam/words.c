/* SPDX-License-Identifier: MIT */
/* Words of scripts: numbers, sizes, formats, errors, requests. */
#include "vcam/words.h"

#include <errno.h>
#include <linux/videodev2.h>
#include <stdlib.h>
#include <string.h>

#include "vcam/script.h"

static const struct {
    const char *name;
    uint32_t request;
} requests[] = {
#define REQUEST(name)                                                                              \
    {                                                                                              \
#name, (uint32_t)VIDIOC_##name                                                             \
    }
    {"open", VCAM_OPEN},
    REQUEST(QUERYCAP),
    REQUEST(ENUM_FMT),
    REQUEST(G_FMT),
    REQUEST(S_FMT),
    REQUEST(TRY_FMT),
    REQUEST(ENUM_FRAMESIZES),
    REQUEST(ENUM_FRAMEINTERVALS),
    REQUEST(G_PARM),
    REQUEST(S_PARM),
    REQUEST(ENUMINPUT),
    REQUEST(G_INPUT),
    REQUEST(S_INPUT),
    REQUEST(REQBUFS),
    REQUEST(QUERYBUF),
    REQUEST(PREPARE_BUF),
    REQUEST(QBUF),
    REQUEST(DQBUF),
    REQUEST(STREAMON),
    REQUEST(STREAMOFF),
    REQUEST(QUERYCTRL),
    REQUEST(QUERY_EXT_CTRL),
    REQUEST(QUERYMENU),
    REQUEST(G_CTRL),
    REQUEST(S_CTRL),
    REQUEST(G_EXT_CTRLS),
    REQUEST(S_EXT_CTRLS),
    REQUEST(TRY_EXT_CTRLS),
    REQUEST(SUBSCRIBE_EVENT),
    REQUEST(UNSUBSCRIBE_EVENT),
    REQUEST(DQEVENT),
    REQUEST(G_PRIORITY),
    REQUEST(S_PRIORITY),
#undef REQUEST
};

static const struct {
    const char *name;
    int error;
} errors[] = {
    {"EACCES", EACCES}, {"EAGAIN", EAGAIN}, {"EBUSY", EBUSY},   {"EFAULT", EFAULT},
    {"EINTR", EINTR},   {"EINVAL", EINVAL}, {"EIO", EIO},       {"ENODEV", ENODEV},
    {"ENOENT", ENOENT}, {"ENOMEM", ENOMEM}, {"ENOSPC", ENOSPC}, {"ENOTTY", ENOTTY},
    {"ENXIO", ENXIO},   {"EPERM", EPERM},   {"EPIPE", EPIPE},   {"EPROTO", EPROTO},
};

void vcam_words_cut(char *line, struct vcam_words *out)
{
    out->count = 0;
    for (char *at = line; out->count < VCAM_WORDS;) {
        at += strspn(at, " \r\n");
        if (*at == '\0' || *at == '#')
            return;
        const char *end = " \r\n";
        if (*at == '"') {
            at++;
            end = "\"\n";
        }
        out->word[out->count++] = at;
        at += strcspn(at, end);
        if (*at != '\0')
            *at++ = '\0';
    }
}

int vcam_word_number(const char *text, int64_t min, int64_t max, int64_t *out)
{
    char *end;
    errno = 0;
    const long long value = strtoll(text, &end, 0);
    if (errno != 0 || end == text || *end != '\0' || value < min || value > max)
        return 0;
    *out = value;
    return 1;
}

int vcam_word_size(const char *text, uint32_t *width, uint32_t *height)
{
    char first[16];
    int64_t w, h;
    const char *x = strchr(text, 'x');
    if (x == NULL || (size_t)(x - text) >= sizeof first)
        return 0;
    memcpy(first, text, (size_t)(x - text));
    first[x - text] = '\0';
    if (!vcam_word_number(first, 1, 16384, &w) || !vcam_word_number(x + 1, 1, 16384, &h))
        return 0;
    *width = (uint32_t)w;
    *height = (uint32_t)h;
    return 1;
}

int vcam_word_fourcc(const char *text, uint32_t *out)
{
    char c[4] = {' ', ' ', ' ', ' '};
    size_t length = strlen(text);
    const int big = length > 3 && strcmp(text + length - 3, "-BE") == 0;
    length -= big ? 3 : 0;
    if (length < 3 || length > 4)
        return 0;
    memcpy(c, text, length);
    *out = v4l2_fourcc(c[0], c[1], c[2], c[3]) | (big ? 1u << 31 : 0);
    return 1;
}

int vcam_word_errno(const char *text, int *out)
{
    for (size_t i = 0; i < sizeof errors / sizeof errors[0]; i++)
        if (strcmp(text, errors[i].name) == 0) {
            *out = errors[i].error;
            return 1;
        }
    return 0;
}

int vcam_word_request(const char *text, uint32_t *out)
{
    for (size_t i = 0; i < sizeof requests / sizeof requests[0]; i++)
        if (strcmp(text, requests[i].name) == 0) {
            *out = requests[i].request;
            return 1;
        }
    return 0;
}

const char *vcam_request_name(uint32_t request)
{
    for (size_t i = 0; i < sizeof requests / sizeof requests[0]; i++)
        if (request == requests[i].request)
            return requests[i].name;
    return NULL;
}
