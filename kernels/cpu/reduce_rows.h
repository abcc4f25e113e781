/* SPDX-License-Identifier: MIT */
/* Row functions of the reductions for samples of type SAMPLE with BITS bits; reduce.c includes this
 * file once for each depth, hence no guard. */
#define GLUE2_(name, bits) name##_##bits
#define GLUE_(name, bits) GLUE2_(name, bits)
#define HERE(name) GLUE_(name, BITS)
#define ROW_(kind, bits) ZCK_REDUCE(kind, bits)
#define ROW(kind) ROW_(kind, BITS)

/* Sums over the 2x2 cells of rows y - 1 and y, one for each place in the cell; the caller maps
 * places to colours. */
static void HERE(wb_cells)(const SAMPLE *restrict above, const SAMPLE *restrict row, uint32_t first,
                           uint32_t last, uint32_t place[4], uint32_t *count)
{
    const uint32_t limit = zck_wb_limit(ZCK_MAX(BITS));
    uint32_t a = 0, b = 0, c = 0, d = 0, n = 0;
    for (uint32_t i = first; i < last; i++) {
        const uint32_t v0 = above[2 * i], v1 = above[2 * i + 1];
        const uint32_t v2 = row[2 * i], v3 = row[2 * i + 1];
        const uint32_t mask = zck_wb_mask(v0, v1, v2, v3, limit);
        a += v0 & mask;
        b += v1 & mask;
        c += v2 & mask;
        d += v3 & mask;
        n += mask & 1u;
    }
    place[0] = a;
    place[1] = b;
    place[2] = c;
    place[3] = d;
    *count = n;
}

static void HERE(wb_bayer)(const struct zci_reduce *reduce, const SAMPLE *above, const SAMPLE *row,
                           struct zci_sums *sums)
{
    const uint32_t cells = reduce->width / 2;
    for (uint32_t i = 0, end; i < cells; i = end) {
        uint32_t place[4], count;
        end = piece_end(i, cells);
        HERE(wb_cells)(above, row, i, end, place, &count);
        for (uint32_t p = 0; p < 4; p++)
            sums->sum[zck_cfa_color(p & 1u, p >> 1, reduce->pixel.cfa)] += place[p];
        sums->count += count;
    }
}

static void HERE(wb_rgba)(const SAMPLE *row, uint32_t width, struct zci_sums *sums)
{
    const uint32_t limit = zck_wb_limit(ZCK_MAX(BITS));
    for (uint32_t x = 0, end; x < width; x = end) {
        uint32_t r = 0, g = 0, b = 0, n = 0;
        end = piece_end(x, width);
        for (uint32_t i = x; i < end; i++) {
            const SAMPLE *p = row + 4 * (size_t)i;
            const uint32_t mask = zck_wb_mask(p[0], p[1], p[2], p[2], limit);
            r += p[0] & mask;
            g += p[1] & mask;
            b += p[2] & mask;
            n += mask & 1u;
        }
        sums->sum[0] += r;
        sums->sum[1] += g;
        sums->sum[2] += b;
        sums->count += n;
    }
}

ROW(wb)
{
    (void)y;
    if (reduce->pixel.layout == ZCI_RGBA)
        HERE(wb_rgba)(row, reduce->width, sums);
    else if (above != NULL)
        HERE(wb_bayer)(reduce, above, row, sums);
}

ROW(range)
{
    (void)above, (void)y;
    const SAMPLE *v = row;
    SAMPLE min = ZCK_MAX(BITS), max = 0;
    if (reduce->pixel.layout == ZCI_RGBA)
        for (uint32_t x = 0; x < reduce->width; x++)
            for (uint32_t c = 0; c < 3; c++) {
                const SAMPLE s = v[4 * (size_t)x + c];
                min = s < min ? s : min;
                max = s > max ? s : max;
            }
    else
        for (uint32_t x = 0; x < reduce->width; x++) {
            min = v[x] < min ? v[x] : min;
            max = v[x] > max ? v[x] : max;
        }
    sums->min = min < sums->min ? min : sums->min;
    sums->max = max > sums->max ? max : sums->max;
}

ROW(digest)
{
    (void)above;
    const SAMPLE *v = row;
    uint64_t digest = 0;
    if (reduce->pixel.layout == ZCI_RGBA)
        for (uint32_t x = 0; x < reduce->width; x++, v += 4)
            digest +=
                zck_digest(x, y, 0, v[0]) + zck_digest(x, y, 1, v[1]) + zck_digest(x, y, 2, v[2]);
    else
        for (uint32_t x = 0; x < reduce->width; x++)
            digest += zck_digest(x, y, 0, v[x]);
    sums->digest += digest;
}

#undef GLUE2_
#undef GLUE_
#undef HERE
#undef ROW_
#undef ROW
