/* SPDX-License-Identifier: MIT */
/* Finds the stride of raw frames whose rows have padding: with the right one, rows that are close
 * to each other are alike. */
#include "source/replay/stride_guess.h"

#include <stdlib.h>
#include <string.h>

#include "core/format.h"

#define SAMPLED_ROWS 48u
#define SAMPLED_BYTES 512u
#define MIN_HEIGHT 16u /* smaller pictures say too little */
#define MIN_ROW_BYTES 96u
#define MAX_ALIGN 4096u /* rows are padded to multiples of a power of two up to this */
#define MAX_FRAMES 64u  /* of a file whose stride follows from its size */
#define MAX_PADDING 4u  /* a row with padding is at most so many times as long */
#define MAX_CANDIDATES 96u

struct guess {
    struct zci_reader *reader;
    const struct zcs_image *image;
    const struct zci_raw_span *span;
    size_t row_bytes; /* without padding */
    int words;        /* samples are 16-bit words */
    int big_endian;
    int mosaic; /* rows two apart have the same colours */
    size_t candidates[MAX_CANDIDATES];
    size_t count;
};

/* Rows compared: the mean difference of their samples, and the range of all samples. */
struct difference {
    uint64_t sum, samples;
    uint32_t min, max;
};

static int fills_file(const struct guess *g, size_t stride)
{
    struct zcs_image image;
    const uint64_t bytes = g->span->end - g->span->first + g->span->between;
    return zcs_image_init(&image, g->image->format, g->image->width, g->image->height, stride) ==
               ZCS_OK &&
           bytes >= image.size_bytes + g->span->between &&
           bytes % (image.size_bytes + g->span->between) == 0;
}

/* Not a multiple of the stride that is there: a picture with stripes would match too. */
static void add_candidate(struct guess *g, uint64_t stride)
{
    if (stride % g->row_bytes == 0 || stride <= g->row_bytes ||
        stride > (uint64_t)MAX_PADDING * g->row_bytes + MAX_ALIGN || g->count == MAX_CANDIDATES ||
        !fills_file(g, (size_t)stride))
        return;
    for (size_t i = 0; i < g->count; i++)
        if (g->candidates[i] == stride)
            return;
    g->candidates[g->count++] = (size_t)stride;
}

/* Rows rounded up to an alignment; of formats with one plane also rows that fill the file with a
 * small number of frames. */
static void find_candidates(struct guess *g)
{
    const uint64_t bytes = g->span->end - g->span->first + g->span->between;
    for (uint64_t align = 4; align <= MAX_ALIGN; align *= 2)
        add_candidate(g, (g->row_bytes + align - 1) / align * align);
    for (uint64_t frames = 1; frames <= MAX_FRAMES && g->image->planes == 1; frames++) {
        const uint64_t rows = frames * g->image->height, padding = frames * g->span->between;
        if (bytes > padding && (bytes - padding) % rows == 0)
            add_candidate(g, (bytes - padding) / rows);
    }
}

static uint32_t sample(const struct guess *g, const uint8_t *at)
{
    if (!g->words)
        return at[0];
    return g->big_endian ? (uint32_t)at[0] << 8 | at[1] : (uint32_t)at[1] << 8 | at[0];
}

static void compare(const struct guess *g, const uint8_t *a, const uint8_t *b, size_t bytes,
                    struct difference *out)
{
    const size_t step = g->words ? 2 : 1;
    for (size_t i = 0; i + step <= bytes; i += step) {
        const uint32_t x = sample(g, a + i), y = sample(g, b + i);
        out->sum += x > y ? x - y : y - x;
        out->samples++;
        out->min = x < out->min ? x : out->min;
        out->max = x > out->max ? x : out->max;
    }
}

/* Compares rows of the first frame that are `distance` rows apart. 0: the file cannot be read. */
static int measure(const struct guess *g, size_t stride, uint32_t distance, struct difference *out)
{
    uint8_t row[SAMPLED_BYTES];
    const size_t bytes = g->row_bytes < sizeof row ? g->row_bytes : sizeof row;
    const uint32_t rows = g->image->height - distance;
    *out = (struct difference){.min = UINT32_MAX};
    for (uint32_t r = 0; r < SAMPLED_ROWS; r++) {
        const uint64_t y = (uint64_t)r * rows / SAMPLED_ROWS;
        const uint64_t x = (g->row_bytes - bytes) * r / SAMPLED_ROWS / 8 * 8;
        const uint64_t at = g->span->first + g->image->offset_bytes[0] + y * stride + x;
        const uint8_t *data;
        size_t got;
        if (zci_reader_peek(g->reader, at, bytes, INT64_MAX, &data, &got) != ZCS_OK || got < bytes)
            return 0;
        memcpy(row, data, bytes);
        if (zci_reader_peek(g->reader, at + distance * stride, bytes, INT64_MAX, &data, &got) !=
                ZCS_OK ||
            got < bytes)
            return 0;
        compare(g, row, data, bytes, out);
    }
    return out->samples > 0;
}

static double mean(const struct difference *d)
{
    return (double)d->sum / (double)d->samples;
}

/* The difference of rows with the stride of the image: the second least of several distances,
 * because at one of them rows are alike by chance: a multiple of this stride can be one of the
 * right stride. < 0: rows are alike, or the file cannot be read. */
static double measure_given(const struct guess *g)
{
    double least = -1, second = -1;
    for (uint32_t i = 1; i <= 4; i++) {
        struct difference d;
        if (!measure(g, g->image->stride_bytes[0], g->mosaic ? 2 * i : i, &d))
            return -1;
        const double difference = mean(&d);
        if (difference * 64 < (double)(d.max - d.min) && i == 1)
            return -1;
        if (least < 0 || difference < least) {
            second = least;
            least = difference;
        } else if (second < 0 || difference < second) {
            second = difference;
        }
    }
    return second;
}

/* The difference of rows with a candidate. Rows of other formats than mosaics are alike at every
 * distance; with a fraction or a multiple of the right stride only at some. < 0: not known. */
static double measure_candidate(const struct guess *g, size_t stride, double *noise)
{
    struct difference d;
    double most = -1;
    for (uint32_t distance = g->mosaic ? 2 : 1; distance <= 2; distance++) {
        if (!measure(g, stride, distance, &d))
            return -1;
        most = mean(&d) > most ? mean(&d) : most;
    }
    *noise = (double)(d.max - d.min) / 32;
    return most;
}

/* The shortest stride whose rows differ by less than `limit`, unless a longer one is much better.
 * 0: none. */
static size_t best_candidate(const struct guess *g, double limit)
{
    double best = limit;
    size_t found = 0;
    for (size_t i = 0; i < g->count; i++) {
        double noise = 0;
        const double difference = measure_candidate(g, g->candidates[i], &noise);
        const double needed = found == 0 ? best : best * 0.6 - noise;
        if (difference < 0 || difference >= needed)
            continue;
        best = difference;
        found = g->candidates[i];
    }
    return found;
}

static int by_size(const void *a, const void *b)
{
    const size_t x = *(const size_t *)a, y = *(const size_t *)b;
    return x < y ? -1 : x > y;
}

size_t zci_stride_guess(struct zci_reader *reader, const struct zcs_image *image,
                        const struct zci_raw_span *span)
{
    const struct zci_format *row = zci_format(image->format);
    struct guess g = {.reader = reader,
                      .image = image,
                      .span = span,
                      .row_bytes = zcs_image_min_stride(image->format, image->width, 0),
                      .words = row->unpack == ZCI_UNPACK_U16 || row->unpack == ZCI_UNPACK_U16BE ||
                               row->unpack == ZCI_UNPACK_PLANAR16 ||
                               row->unpack == ZCI_UNPACK_SEMI10,
                      .big_endian = row->unpack == ZCI_UNPACK_U16BE,
                      .mosaic = row->info.model == ZCS_MODEL_BAYER};
    if (image->height < MIN_HEIGHT || g.row_bytes < MIN_ROW_BYTES || span->end <= span->first)
        return 0;
    find_candidates(&g);
    if (g.count == 0)
        return 0;
    qsort(g.candidates, g.count, sizeof *g.candidates, by_size);
    /* Where the frames do not fill the file as they are, less evidence is enough. */
    const double given = measure_given(&g);
    const double share = fills_file(&g, image->stride_bytes[0]) ? 0.5 : 0.75;
    return given > 0 ? best_candidate(&g, given * share) : 0;
}
