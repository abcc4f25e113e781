/* SPDX-License-Identifier: MIT */
/* Looks into PNG files for the shell tests, with libpng's reader.
 *
 *   pnginfo FILE               WIDTH HEIGHT DEPTH gray|rgb, then the chunks in order, one IDAT for all
 *   pnginfo chunk FILE TYPE    the bytes of the first chunk of that type in hexadecimal
 *   pnginfo text FILE KEY      the text under that keyword
 *   pnginfo pixels FILE        a row a line, samples joined by commas, pixels by spaces
 *   pnginfo digest FILE...     a digest of size, depth, colour and samples, a line each
 *   pnginfo diff A B DX DY     of A(x, y) and B(x + DX, y + DY), inside by 4: the greatest and the mean
 *                              difference in thousandths of full range
 * Anything wrong with a file ends with status 1. */
#include <inttypes.h>
#include <png.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct picture {
    png_structp png;
    png_infop info;
    uint32_t width, height;
    int depth, channels;
    png_bytepp rows;
};

static void die(const char *file, const char *why)
{
    fprintf(stderr, "pnginfo: %s: %s\n", file, why);
    exit(1);
}

static void on_error(png_structp png, png_const_charp message)
{
    die(png_get_error_ptr(png), message);
}

static void on_warning(png_structp png, png_const_charp message)
{
    die(png_get_error_ptr(png), message);
}

static void open_picture(struct picture *p, char *name)
{
    FILE *file = fopen(name, "rb");
    if (file == NULL)
        die(name, "cannot be opened");
    p->png = png_create_read_struct(PNG_LIBPNG_VER_STRING, name, on_error, on_warning);
    p->info = png_create_info_struct(p->png);
    png_init_io(p->png, file);
    png_read_png(p->png, p->info, PNG_TRANSFORM_IDENTITY, NULL);
    p->width = png_get_image_width(p->png, p->info);
    p->height = png_get_image_height(p->png, p->info);
    p->depth = png_get_bit_depth(p->png, p->info);
    p->channels = png_get_channels(p->png, p->info);
    p->rows = png_get_rows(p->png, p->info);
    if (fgetc(file) != EOF)
        die(name, "bytes behind the end");
    fclose(file);
}

static void close_picture(struct picture *p)
{
    png_destroy_read_struct(&p->png, &p->info, NULL);
}

static unsigned sample(const struct picture *p, uint32_t x, uint32_t y, int c)
{
    const size_t i = (size_t)x * (size_t)p->channels + (size_t)c;
    const png_bytep row = p->rows[y];
    return p->depth == 16 ? (unsigned)(row[2 * i] << 8 | row[2 * i + 1]) : row[i];
}

/* The next chunk of `file`: 1, its type and data (for free()); 0 at the end. */
static int next_chunk(FILE *file, char type[5], unsigned char **data, uint32_t *bytes)
{
    unsigned char head[8], sum[4];
    if (fread(head, 1, 8, file) != 8)
        return 0;
    *bytes = png_get_uint_32(head);
    memcpy(type, head + 4, 4);
    type[4] = '\0';
    *data = malloc(*bytes + 1u);
    if (*data == NULL || fread(*data, 1, *bytes, file) != *bytes || fread(sum, 1, 4, file) != 4)
        exit(1);
    return 1;
}

static int visit_chunks(const char *name, const char *wanted)
{
    char type[5], last[5] = "";
    unsigned char *data = NULL;
    uint32_t bytes = 0;
    FILE *file = fopen(name, "rb");
    if (file == NULL || fseek(file, 8, SEEK_SET) != 0)
        die(name, "cannot be read");
    for (int found = 0; !found && next_chunk(file, type, &data, &bytes); free(data)) {
        if (wanted == NULL && !(strcmp(type, "IDAT") == 0 && strcmp(last, "IDAT") == 0))
            printf("%s%s", last[0] != '\0' ? " " : "", type);
        found = wanted != NULL && strcmp(type, wanted) == 0;
        for (uint32_t i = 0; found && i < bytes; i++)
            printf("%02x", data[i]);
        strcpy(last, type);
    }
    printf("\n");
    fclose(file);
    return 0;
}

static int show(char *name)
{
    struct picture p;
    open_picture(&p, name);
    printf("%u %u %d %s\n", p.width, p.height, p.depth, p.channels == 3 ? "rgb" : "gray");
    close_picture(&p);
    return visit_chunks(name, NULL);
}

static int show_text(char *name, const char *key)
{
    struct picture p;
    png_textp texts = NULL;
    int count = 0, found = 0;
    open_picture(&p, name);
    png_get_text(p.png, p.info, &texts, &count);
    for (int i = 0; i < count; i++)
        if (strcmp(texts[i].key, key) == 0) {
            printf("%s\n", texts[i].text);
            found = 1;
        }
    close_picture(&p);
    return found ? 0 : 1;
}

static int show_pixels(char *name)
{
    struct picture p;
    open_picture(&p, name);
    for (uint32_t y = 0; y < p.height; y++)
        for (uint32_t x = 0; x < p.width; x++) {
            for (int c = 0; c < p.channels; c++)
                printf("%s%u", c > 0 ? "," : "", sample(&p, x, y, c));
            printf(x + 1 < p.width ? " " : "\n");
        }
    close_picture(&p);
    return 0;
}

static uint64_t mix(uint64_t digest, unsigned value)
{
    return (digest ^ value) * UINT64_C(0x100000001b3); /* FNV-1a */
}

static int show_digest(char *name)
{
    struct picture p;
    open_picture(&p, name);
    uint64_t digest = UINT64_C(0xcbf29ce484222325);
    digest = mix(mix(digest, p.width), p.height);
    digest = mix(mix(digest, (unsigned)p.depth), (unsigned)p.channels);
    for (uint32_t y = 0; y < p.height; y++)
        for (uint32_t x = 0; x < p.width; x++)
            for (int c = 0; c < p.channels; c++)
                digest = mix(digest, sample(&p, x, y, c));
    printf("%016" PRIx64 "\n", digest);
    close_picture(&p);
    return 0;
}

static int show_difference(char *a_name, char *b_name, int dx, int dy)
{
    struct picture a, b;
    uint64_t sum = 0, count = 0, greatest = 0;
    open_picture(&a, a_name);
    open_picture(&b, b_name);
    if (a.width != b.width || a.height != b.height || a.depth != b.depth ||
        a.channels != b.channels)
        die(b_name, "another kind of picture");
    for (uint32_t y = 4; y + 4 < a.height; y++)
        for (uint32_t x = 4; x + 4 < a.width; x++)
            for (int c = 0; c < a.channels; c++, count++) {
                const unsigned one = sample(&a, x, y, c);
                const unsigned two =
                    sample(&b, (uint32_t)((int)x + dx), (uint32_t)((int)y + dy), c);
                const unsigned d = one > two ? one - two : two - one;
                sum += d;
                greatest = d > greatest ? d : greatest;
            }
    const uint64_t full = (1u << a.depth) - 1;
    printf("%" PRIu64 " %" PRIu64 "\n", greatest * 1000 / full, sum * 1000 / (count * full));
    close_picture(&a);
    close_picture(&b);
    return 0;
}

int main(int argc, char **argv)
{
    int result = 0;
    if (argc == 2)
        return show(argv[1]);
    if (argc == 4 && strcmp(argv[1], "chunk") == 0)
        return visit_chunks(argv[2], argv[3]);
    if (argc == 4 && strcmp(argv[1], "text") == 0)
        return show_text(argv[2], argv[3]);
    if (argc == 3 && strcmp(argv[1], "pixels") == 0)
        return show_pixels(argv[2]);
    if (argc == 6 && strcmp(argv[1], "diff") == 0)
        return show_difference(argv[2], argv[3], atoi(argv[4]), atoi(argv[5]));
    if (argc >= 3 && strcmp(argv[1], "digest") == 0) {
        for (int i = 2; i < argc && result == 0; i++)
            result = show_digest(argv[i]);
        return result;
    }
    fprintf(stderr, "usage: pnginfo [chunk|text|pixels|digest|diff] FILE...\n");
    return 2;
}
