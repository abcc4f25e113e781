/* SPDX-License-Identifier: MIT */
/* Whether each frame that zcapp digested holds its own number in every pixel, and nothing else.
 *
 *   zcapp -vv --stages digest ... 2>&1 | vcam_digests YUYV|pRAA WIDTHxHEIGHT
 *
 * For content `number` of the virtual camera (content.h). The digests that are right are computed here, by the
 * formula of docs/architecture.md: a pixel's value depends on its column modulo 4 and on one byte of the number,
 * so four tables of 256 sums make up every frame's. Lines "frame N: digest X" are read, the last line says how
 * many were right, and what was wrong with the others. Status 1 if any was, or if there was none. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NEAR 16 /* frames around one, whose content it may have */

struct model {
    uint32_t width, height;
    int packed; /* ten bits packed, a mosaic of 16 bits; else YUYV in full range, three channels of 8 */
    uint64_t sums[4][256];
    uint8_t known[4][256];
};

static uint64_t mix(uint64_t z)
{
    z += UINT64_C(0x9E3779B97F4A7C15);
    z = (z ^ z >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ z >> 27) * UINT64_C(0x94D049BB133111EB);
    return z ^ z >> 31;
}

/* Ten bits: the byte above, its lowest two below; scaled to 16 exactly. */
static uint64_t value_of(const struct model *m, uint32_t byte)
{
    const uint64_t ten = byte << 2 | (byte & 3);
    return m->packed ? (ten * 65535 * 2 + 1023) / (2 * 1023) : byte;
}

/* All samples of the columns that hold byte number `place` of the frame's number. */
static uint64_t sum_of(struct model *m, uint32_t place, uint32_t byte)
{
    if (m->known[place][byte])
        return m->sums[place][byte];
    const uint64_t value = value_of(m, byte), channels = m->packed ? 1 : 3;
    uint64_t sum = 0;
    for (uint64_t y = 0; y < m->height; y++)
        for (uint64_t x = place; x < m->width; x += 4)
            for (uint64_t c = 0; c < channels; c++)
                sum += mix(((y << 18 | x) << 2 | c) << 16 | value);
    m->sums[place][byte] = sum;
    m->known[place][byte] = 1;
    return sum;
}

static uint64_t right_digest(struct model *m, uint32_t number)
{
    uint64_t sum = 0;
    for (uint32_t place = 0; place < 4; place++)
        sum += sum_of(m, place, number >> (8 * place) & 0xff);
    return sum;
}

struct counts {
    uint64_t right, other, torn;
};

static void judge(struct model *m, uint64_t number, uint64_t digest, struct counts *counts)
{
    if (digest == right_digest(m, (uint32_t)number)) {
        counts->right++;
        return;
    }
    for (uint64_t near = number > NEAR ? number - NEAR : 0; near <= number + NEAR; near++)
        if (digest == right_digest(m, (uint32_t)near)) {
            if (counts->other++ < 5)
                printf("frame %" PRIu64 " holds frame %" PRIu64 "\n", number, near);
            return;
        }
    if (counts->torn++ < 5)
        printf("frame %" PRIu64 " holds no frame as a whole\n", number);
}

int main(int argc, char **argv)
{
    static struct model m;
    struct counts counts = {0, 0, 0};
    char line[512];
    if (argc != 3 || sscanf(argv[2], "%" SCNu32 "x%" SCNu32, &m.width, &m.height) != 2 ||
        (strcmp(argv[1], "YUYV") != 0 && strcmp(argv[1], "pRAA") != 0)) {
        fputs("usage: vcam_digests YUYV|pRAA WIDTHxHEIGHT\n", stderr);
        return 2;
    }
    m.packed = strcmp(argv[1], "pRAA") == 0;
    while (fgets(line, sizeof line, stdin) != NULL) {
        uint64_t number, digest;
        const char *at = strstr(line, "frame ");
        if (at != NULL && sscanf(at, "frame %" SCNu64 ": digest %" SCNx64, &number, &digest) == 2)
            judge(&m, number, digest, &counts);
    }
    printf("%" PRIu64 " frames right, %" PRIu64 " with another frame's content, %" PRIu64 " torn\n",
           counts.right, counts.other, counts.torn);
    return counts.right == 0 || counts.other + counts.torn > 0;
}
