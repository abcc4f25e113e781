/* SPDX-License-Identifier: MIT */
/* Reads and writes PNG files of 8-bit R, G, B for the programs in samples/. */
#include "samples/png_file.h"

#include <png.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

uint8_t *png_file_read(const char *path, uint32_t *width, uint32_t *height)
{
    png_image image;
    memset(&image, 0, sizeof image);
    image.version = PNG_IMAGE_VERSION;
    if (png_image_begin_read_from_file(&image, path)) {
        image.format = PNG_FORMAT_RGB;
        uint8_t *rgb = malloc(PNG_IMAGE_SIZE(image));
        if (rgb != NULL && png_image_finish_read(&image, NULL, rgb, 0, NULL)) {
            *width = image.width;
            *height = image.height;
            return rgb;
        }
        free(rgb);
    }
    fprintf(stderr, "%s: %s\n", path, image.message);
    png_image_free(&image);
    return NULL;
}

/* The state is in memory that survives libpng's longjmp. */
static int write_rows(FILE *file, png_structp png, png_infop info, const uint8_t *rgb,
                      uint32_t width, uint32_t height)
{
    if (setjmp(png_jmpbuf(png)) != 0)
        return -1;
    png_init_io(png, file);
    png_set_IHDR(png, info, width, height, 8, PNG_COLOR_TYPE_RGB, PNG_INTERLACE_NONE,
                 PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
    png_set_compression_level(png, 9);
    png_set_filter(png, PNG_FILTER_TYPE_BASE, PNG_ALL_FILTERS);
    png_set_sRGB_gAMA_and_cHRM(png, info, PNG_sRGB_INTENT_PERCEPTUAL);
    png_write_info(png, info);
    for (uint32_t y = 0; y < height; y++)
        png_write_row(png, rgb + (size_t)3 * y * width);
    png_write_end(png, NULL);
    return 0;
}

int png_file_write(const char *path, const uint8_t *rgb, uint32_t width, uint32_t height)
{
    FILE *file = fopen(path, "wb");
    png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, NULL, NULL, NULL);
    png_infop info = png != NULL ? png_create_info_struct(png) : NULL;
    int result = -1;
    if (file != NULL && info != NULL)
        result = write_rows(file, png, info, rgb, width, height);
    if (file != NULL && fclose(file) != 0)
        result = -1;
    if (result != 0)
        perror(path);
    png_destroy_write_struct(&png, &info);
    return result;
}
