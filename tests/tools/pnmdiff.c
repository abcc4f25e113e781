/* SPDX-License-Identifier: MIT */
/* The greatest difference of two binary PGM or PPM files of the same kind: pnmdiff A B prints it. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct head {
    char kind;
    unsigned width, height, max;
};

static FILE *open_picture(const char *name, struct head *head)
{
    FILE *file = fopen(name, "rb");
    if (file == NULL ||
        fscanf(file, "P%c %u %u %u", &head->kind, &head->width, &head->height, &head->max) != 4 ||
        fgetc(file) == EOF) {
        fprintf(stderr, "pnmdiff: %s: no PGM or PPM\n", name);
        exit(2);
    }
    return file;
}

static int sample(FILE *file, unsigned max)
{
    const int high = max > 255 ? fgetc(file) : 0, low = fgetc(file);
    if (high == EOF || low == EOF) {
        fprintf(stderr, "pnmdiff: a picture ends early\n");
        exit(2);
    }
    return high << 8 | low;
}

int main(int argc, char **argv)
{
    struct head a = {0}, b = {0};
    if (argc != 3)
        return 2;
    FILE *first = open_picture(argv[1], &a), *second = open_picture(argv[2], &b);
    if (a.kind != b.kind || a.width != b.width || a.height != b.height || a.max != b.max) {
        fprintf(stderr, "pnmdiff: %s and %s are not alike\n", argv[1], argv[2]);
        return 2;
    }
    unsigned long count = (unsigned long)a.width * a.height * (a.kind == '6' ? 3 : 1);
    int greatest = 0;
    while (count-- > 0) {
        const int difference = abs(sample(first, a.max) - sample(second, b.max));
        greatest = difference > greatest ? difference : greatest;
    }
    printf("%d\n", greatest);
    fclose(first);
    fclose(second);
    return 0;
}
