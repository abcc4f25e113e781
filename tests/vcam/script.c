/* SPDX-License-Identifier: MIT */
/* Reading scripts: one statement a line, a table of statements. */
#include "vcam/script.h"

#include <inttypes.h>
#include <linux/videodev2.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "vcam/rules.h"
#include "vcam/words.h"

/* What a statement does with its words, of which word[0] is its name. 0: they make no sense. */
typedef int statement_fn(struct vcam_script *s, const struct vcam_words *w);

static int copy_text(char *to, size_t room, const char *from)
{
    return (size_t)snprintf(to, room, "%s", from) < room;
}

static int add_cap(const char *text, uint32_t *caps)
{
    static const struct {
        const char *name;
        uint32_t bit;
    } names[] = {
        {"capture", V4L2_CAP_VIDEO_CAPTURE}, {"capture-multi", V4L2_CAP_VIDEO_CAPTURE_MPLANE},
        {"output", V4L2_CAP_VIDEO_OUTPUT},   {"m2m", V4L2_CAP_VIDEO_M2M},
        {"metadata", V4L2_CAP_META_CAPTURE}, {"readwrite", V4L2_CAP_READWRITE},
        {"streaming", V4L2_CAP_STREAMING}};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (strcmp(text, names[i].name) == 0) {
            *caps |= names[i].bit;
            return 1;
        }
    return 0;
}

static int st_caps(struct vcam_script *s, const struct vcam_words *w)
{
    uint32_t *caps = strcmp(w->word[0], "caps") == 0 ? &s->caps : &s->sibling_caps;
    *caps = 0;
    for (int i = 1; i < w->count; i++)
        if (!add_cap(w->word[i], caps))
            return 0;
    s->multi = (s->caps & V4L2_CAP_VIDEO_CAPTURE_MPLANE) != 0;
    return 1;
}

static int st_names(struct vcam_script *s, const struct vcam_words *w)
{
    if (strcmp(w->word[0], "driver") == 0)
        return copy_text(s->driver, sizeof s->driver, w->word[1]);
    if (strcmp(w->word[0], "card") == 0)
        return copy_text(s->card, sizeof s->card, w->word[1]);
    return copy_text(s->bus, sizeof s->bus, w->word[1]);
}

static int st_memory(struct vcam_script *s, const struct vcam_words *w)
{
    s->mmap = s->userptr = s->dmabuf = 0;
    for (int i = 1; i < w->count; i++) {
        const char *word = w->word[i];
        if (strcmp(word, "mmap") == 0)
            s->mmap = 1;
        else if (strcmp(word, "userptr") == 0)
            s->userptr = 1;
        else if (strcmp(word, "dmabuf") == 0)
            s->dmabuf = 1;
        else if (strcmp(word, "untold") == 0)
            s->untold = 1;
        else if (strcmp(word, "no-orphans") == 0)
            s->no_orphans = 1;
        else
            return 0;
    }
    return 1;
}

static int st_buffers(struct vcam_script *s, const struct vcam_words *w)
{
    int64_t min, max;
    if (!vcam_word_number(w->word[1], 1, 32, &min) || !vcam_word_number(w->word[2], min, 32, &max))
        return 0;
    s->min_buffers = (uint32_t)min;
    s->max_buffers = (uint32_t)max;
    return 1;
}

static int st_mode(struct vcam_script *s, const struct vcam_words *w)
{
    if (s->mode_count == VCAM_MODES || w->count - 3 > VCAM_RATES)
        return 0;
    struct vcam_mode *mode = &s->modes[s->mode_count];
    if (!vcam_word_fourcc(w->word[1], &mode->fourcc) ||
        !vcam_word_size(w->word[2], &mode->width, &mode->height))
        return 0;
    for (int i = 3; i < w->count; i++) {
        int64_t fps;
        if (!vcam_word_number(w->word[i], 1, 10000, &fps))
            return 0;
        mode->fps[mode->fps_count++] = (uint32_t)fps;
    }
    s->mode_count++;
    return 1;
}

/* The words that are a name and one number. */
static int st_number(struct vcam_script *s, const struct vcam_words *w)
{
    static const struct {
        const char *name;
        size_t at;
    } places[] = {{"stride", offsetof(struct vcam_script, stride)},
                  {"size", offsetof(struct vcam_script, size)},
                  {"field", offsetof(struct vcam_script, field)},
                  {"padding", offsetof(struct vcam_script, padding)}};
    int64_t value;
    if (!vcam_word_number(w->word[1], 0, 1 << 30, &value))
        return 0;
    for (size_t i = 0; i < sizeof places / sizeof places[0]; i++)
        if (strcmp(w->word[0], places[i].name) == 0)
            *(uint32_t *)(void *)((char *)s + places[i].at) = (uint32_t)value;
    return 1;
}

/* The words that stand alone. */
static int st_switch(struct vcam_script *s, const struct vcam_words *w)
{
    static const struct {
        const char *name;
        size_t at;
    } places[] = {{"stubborn", offsetof(struct vcam_script, stubborn)},
                  {"no-stride", offsetof(struct vcam_script, no_stride)},
                  {"no-rate", offsetof(struct vcam_script, no_rate)},
                  {"at-queue", offsetof(struct vcam_script, at_queue)},
                  {"drops", offsetof(struct vcam_script, drops)},
                  {"strict", offsetof(struct vcam_script, strict)},
                  {"guard", offsetof(struct vcam_script, guard)}};
    for (size_t i = 0; i < sizeof places / sizeof places[0]; i++)
        if (strcmp(w->word[0], places[i].name) == 0)
            *(int *)(void *)((char *)s + places[i].at) = 1;
    return 1;
}

static int st_color(struct vcam_script *s, const struct vcam_words *w)
{
    for (int i = 0; i < 4; i++) {
        int64_t value;
        if (!vcam_word_number(w->word[1 + i], 0, 255, &value))
            return 0;
        s->color[i] = (uint32_t)value;
    }
    return 1;
}

static int st_clock(struct vcam_script *s, const struct vcam_words *w)
{
    s->clock_flags = 0;
    for (int i = 1; i < w->count; i++) {
        if (strcmp(w->word[i], "monotonic") == 0)
            s->clock_flags |= V4L2_BUF_FLAG_TIMESTAMP_MONOTONIC;
        else if (strcmp(w->word[i], "copy") == 0)
            s->clock_flags |= V4L2_BUF_FLAG_TIMESTAMP_COPY;
        else if (strcmp(w->word[i], "start") == 0)
            s->clock_flags |= V4L2_BUF_FLAG_TSTAMP_SRC_SOE;
        else if (strcmp(w->word[i], "unknown") != 0)
            return 0;
    }
    return 1;
}

static int st_content(struct vcam_script *s, const struct vcam_words *w)
{
    const char *kind = w->word[1];
    if (strcmp(kind, "number") == 0 || strcmp(kind, "flood") == 0) {
        s->content = strcmp(kind, "flood") == 0 ? VCAM_FLOOD : VCAM_NUMBER;
        return w->count == 2;
    }
    if (strcmp(kind, "file") == 0) {
        s->content = VCAM_FILE;
        return w->count == 3 && copy_text(s->file, sizeof s->file, w->word[2]);
    }
    s->content = VCAM_HEX;
    s->hex_bytes = 0;
    for (int i = 2; i < w->count && s->hex_bytes < sizeof s->hex; i++) {
        char *end;
        const unsigned long byte = strtoul(w->word[i], &end, 16);
        if (*end != '\0' || byte > 255)
            return 0;
        s->hex[s->hex_bytes++] = (uint8_t)byte;
    }
    return strcmp(kind, "hex") == 0 && s->hex_bytes > 0;
}

/* control NAME ID LEAST MOST STEP PRESET [flips FOURCC | ITEM...]; 0 to 1 is a switch. */
static int st_control(struct vcam_script *s, const struct vcam_words *w)
{
    if (s->control_count == VCAM_CONTROLS)
        return 0;
    struct vcam_control *c = &s->controls[s->control_count++];
    int64_t v[5];
    static const int64_t min[] = {1, INT32_MIN, INT32_MIN, 1, INT32_MIN};
    for (int i = 0; i < 5; i++)
        if (!vcam_word_number(w->word[2 + i], min[i], INT32_MAX, &v[i]))
            return 0;
    c->id = (uint32_t)v[0];
    c->min = (int32_t)v[1];
    c->max = (int32_t)v[2];
    c->step = (int32_t)v[3];
    c->default_value = (int32_t)v[4];
    c->type = c->min == 0 && c->max == 1 ? V4L2_CTRL_TYPE_BOOLEAN : V4L2_CTRL_TYPE_INTEGER;
    if (w->count > 8 && strcmp(w->word[7], "flips") == 0)
        return copy_text(c->name, sizeof c->name, w->word[1]) &&
               vcam_word_fourcc(w->word[8], &c->flipped);
    for (int i = 7; i < w->count && i - 7 < VCAM_MENU; i++) {
        c->type = V4L2_CTRL_TYPE_MENU;
        if (!copy_text(c->menu[i - 7], sizeof c->menu[0], w->word[i]))
            return 0;
    }
    return copy_text(c->name, sizeof c->name, w->word[1]);
}

/* file PATH LINE... */
static int st_file(struct vcam_script *s, const struct vcam_words *w)
{
    if (s->file_count == VCAM_FILES)
        return 0;
    struct vcam_file *file = &s->files[s->file_count++];
    size_t used = 0;
    for (int i = 2; i < w->count; i++) {
        const size_t room = sizeof file->text - used;
        const int more = snprintf(file->text + used, room, "%s\n", w->word[i]);
        if (more < 0 || (size_t)more >= room)
            return 0;
        used += (size_t)more;
    }
    return copy_text(file->path, sizeof file->path, w->word[1]);
}

static const struct {
    const char *name;
    int min, max; /* words */
    statement_fn *read;
} statements[] = {
    {"driver", 2, 2, st_names},
    {"card", 2, 2, st_names},
    {"bus", 2, 2, st_names},
    {"caps", 2, 8, st_caps},
    {"sibling", 2, 8, st_caps},
    {"memory", 2, 6, st_memory},
    {"buffers", 3, 3, st_buffers},
    {"mode", 3, 3 + VCAM_RATES, st_mode},
    {"stride", 2, 2, st_number},
    {"size", 2, 2, st_number},
    {"field", 2, 2, st_number},
    {"padding", 2, 2, st_number},
    {"stubborn", 1, 1, st_switch},
    {"no-stride", 1, 1, st_switch},
    {"no-rate", 1, 1, st_switch},
    {"at-queue", 1, 1, st_switch},
    {"drops", 1, 1, st_switch},
    {"strict", 1, 1, st_switch},
    {"guard", 1, 1, st_switch},
    {"color", 5, 5, st_color},
    {"clock", 2, 3, st_clock},
    {"content", 2, 258, st_content},
    {"control", 7, 7 + VCAM_MENU, st_control},
    {"fail", 3, 6, vcam_rule_fail},
    {"file", 3, 32, st_file},
    {"frame", 3, 4, vcam_rule_frame},
};

static int read_statement(struct vcam_script *s, const struct vcam_words *w)
{
    for (size_t i = 0; i < sizeof statements / sizeof statements[0]; i++)
        if (strcmp(w->word[0], statements[i].name) == 0)
            return w->count >= statements[i].min && w->count <= statements[i].max &&
                   statements[i].read(s, w);
    return 0;
}

static const struct vcam_script default_value = {
    .driver = "vcam",
    .card = "Virtual Camera",
    .bus = "platform:vcam",
    .caps = V4L2_CAP_VIDEO_CAPTURE | V4L2_CAP_STREAMING,
    .mmap = 1,
    .userptr = 1,
    .dmabuf = 1,
    .min_buffers = 2,
    .max_buffers = 32,
    .clock_flags = V4L2_BUF_FLAG_TIMESTAMP_MONOTONIC,
    .padding = -1,
};

/* Statements belong to the last camera named. */
static int read_line(struct vcam_script *cameras, uint32_t *count, const struct vcam_words *w)
{
    if (strcmp(w->word[0], "camera") != 0)
        return *count > 0 && read_statement(&cameras[*count - 1], w);
    if (*count == VCAM_CAMERAS || w->count != 2)
        return 0;
    struct vcam_script *s = &cameras[(*count)++];
    *s = default_value;
    return copy_text(s->path, sizeof s->path, w->word[1]);
}

uint32_t vcam_script_read(FILE *file, const char *name, struct vcam_script cameras[VCAM_CAMERAS],
                          char *message, size_t message_bytes)
{
    char line[4096], kept[80];
    uint32_t count = 0;
    for (int number = 1; fgets(line, sizeof line, file) != NULL; number++) {
        struct vcam_words words;
        snprintf(kept, sizeof kept, "%.*s", (int)strcspn(line, "\n"), line);
        vcam_words_cut(line, &words);
        if (words.count == 0 || read_line(cameras, &count, &words))
            continue;
        snprintf(message, message_bytes, "%s:%d: makes no sense: %s", name, number, kept);
        return 0;
    }
    for (uint32_t i = 0; i < count; i++)
        if (cameras[i].mode_count == 0 && (cameras[i].caps & V4L2_CAP_VIDEO_CAPTURE)) {
            snprintf(message, message_bytes, "%s: %s has no mode", name, cameras[i].path);
            return 0;
        }
    if (count == 0)
        snprintf(message, message_bytes, "%s: no camera", name);
    return count;
}
