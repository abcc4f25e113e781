/* SPDX-License-Identifier: MIT */
/* Row functions of the stencils for samples of type SAMPLE with BITS bits; WHOLE_OF(r, g, b) makes
 * a pixel of type WHOLE. demosaic.c includes this file once for each depth, hence no guard. */
#define GLUE2_(name, bits) name##_##bits
#define GLUE_(name, bits) GLUE2_(name, bits)
#define HERE(name) GLUE_(name, BITS)
#define ROW_(method, bits) ZCK_DEMOSAIC(method, bits)
#define ROW(method) ROW_(method, BITS)

/* The colours of a piece of the row. `own` is the colour that the row has beside green; `has_own`
 * is all ones where a sample has that colour, else 0. */
struct HERE(piece) {
    SAMPLE own[PIECE], green[PIECE], other[PIECE];
    SAMPLE has_own[PIECE];
    SAMPLE border[5][PIECE + 2 * BORDER];
};

/* Compilers make full use of restrict on parameters, but not always on other pointers. */
typedef void (*HERE(method_fn))(const SAMPLE *const r[5], uint32_t count, const SAMPLE *has_own,
                                SAMPLE *restrict own, SAMPLE *restrict green,
                                SAMPLE *restrict other);

#define SELECT(a, b) (SAMPLE)(((uint32_t)(a)&mask) | ((uint32_t)(b) & ~mask))

static void HERE(mhc_piece)(const SAMPLE *const r[5], uint32_t count, const SAMPLE *has_own,
                            SAMPLE *restrict own, SAMPLE *restrict green, SAMPLE *restrict other)
{
    const SAMPLE *const r0 = r[0], *const r1 = r[1], *const r2 = r[2], *const r3 = r[3];
    const SAMPLE *const r4 = r[4];
    const int32_t max = ZCK_MAX(BITS);
    for (int32_t i = 0; i < (int32_t)count; i++) {
        const int32_t c = r2[i], h1 = r2[i - 1] + r2[i + 1], h2 = r2[i - 2] + r2[i + 2];
        const int32_t v1 = r1[i] + r3[i], v2 = r0[i] + r4[i];
        const int32_t d = r1[i - 1] + r1[i + 1] + r3[i - 1] + r3[i + 1];
        const uint32_t mask = has_own[i];
        own[i] = SELECT(c, zck_mhc_along(c, d, h1, h2, v2, max));
        green[i] = SELECT(zck_mhc_cross(c, h1, v1, h2, v2, max), c);
        other[i] =
            SELECT(zck_mhc_diagonal(c, d, h2, v2, max), zck_mhc_along(c, d, v1, v2, h2, max));
    }
}

static void HERE(bilinear_piece)(const SAMPLE *const r[5], uint32_t count, const SAMPLE *has_own,
                                 SAMPLE *restrict own, SAMPLE *restrict green,
                                 SAMPLE *restrict other)
{
    const SAMPLE *const r1 = r[1], *const r2 = r[2], *const r3 = r[3];
    for (int32_t i = 0; i < (int32_t)count; i++) {
        const int32_t c = r2[i], h1 = r2[i - 1] + r2[i + 1], v1 = r1[i] + r3[i];
        const int32_t d = r1[i - 1] + r1[i + 1] + r3[i - 1] + r3[i + 1];
        const uint32_t mask = has_own[i];
        own[i] = SELECT(c, zck_bilinear_two(h1));
        green[i] = SELECT(zck_bilinear_four(h1 + v1), c);
        other[i] = SELECT(zck_bilinear_four(d), zck_bilinear_two(v1));
    }
}

/* Points r at the piece's samples: in the rows, or at the ends of a row in a copy with mirrored
 * borders. */
static void HERE(fetch)(const void *const rows[5], uint32_t first, uint32_t used, uint32_t width,
                        uint32_t x, uint32_t count, struct HERE(piece) * piece, const SAMPLE *r[5])
{
    const int inside = x >= BORDER && x + count + BORDER <= width;
    for (uint32_t k = first; k < first + used; k++) {
        const SAMPLE *row = rows[k];
        r[k] = inside ? row + x : piece->border[k] + BORDER;
        for (uint32_t i = 0; !inside && i < count + 2 * BORDER; i++)
            piece->border[k][i] =
                row[zck_mirror((int32_t)(x + i) - (int32_t)BORDER, (int32_t)width)];
    }
}

static void HERE(store)(const SAMPLE *r, const SAMPLE *g, const SAMPLE *b, uint32_t count,
                        SAMPLE *restrict out)
{
    for (size_t i = 0; i < count; i++) {
        const WHOLE pixel = WHOLE_OF(r[i], g[i], b[i]);
        memcpy(out + 4 * i, &pixel, sizeof pixel);
    }
}

/* `method` reads `used` rows from rows[first] on. */
static void HERE(demosaic)(HERE(method_fn) method, uint32_t first, uint32_t used,
                           const void *const rows[5], SAMPLE *out, uint32_t width, uint32_t y,
                           uint32_t cfa)
{
    struct HERE(piece) piece;
    const SAMPLE *r[5] = {NULL, NULL, NULL, NULL, NULL};
    const int red = ((y ^ (cfa >> 1)) & 1u) == 0;
    const uint32_t own = (red ? cfa : cfa ^ 1u) & 1u;
    for (uint32_t i = 0; i < PIECE; i++)
        piece.has_own[i] = (i & 1u) == own ? (SAMPLE)ZCK_MAX(BITS) : 0;
    for (uint32_t x = 0; x < width; x += PIECE) {
        const uint32_t count = width - x < PIECE ? width - x : PIECE;
        HERE(fetch)(rows, first, used, width, x, count, &piece, r);
        method(r, count, piece.has_own, piece.own, piece.green, piece.other);
        HERE(store)
        (red ? piece.own : piece.other, piece.green, red ? piece.other : piece.own, count,
         out + 4 * (size_t)x);
    }
}

ROW(mhc)
{
    HERE(demosaic)(HERE(mhc_piece), 0, 5, rows, out, width, y, cfa);
}

ROW(bilinear)
{
    HERE(demosaic)(HERE(bilinear_piece), 1, 3, rows, out, width, y, cfa);
}

#undef SELECT
#undef GLUE2_
#undef GLUE_
#undef HERE
#undef ROW_
#undef ROW
