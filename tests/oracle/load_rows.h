/* SPDX-License-Identifier: MIT */
/* Loads rows with the library's tables, every plane and the output ending right before a page that
 * nobody may touch. */
#ifndef ZCS_TESTS_LOAD_ROWS_H
#define ZCS_TESTS_LOAD_ROWS_H

#ifndef _DEFAULT_SOURCE
#error "define _DEFAULT_SOURCE first, for MAP_ANONYMOUS"
#endif

#include <sys/mman.h>
#include <unistd.h>

#include "check.h"
#include "core/format.h"
#include "kernels/cpu/table.h"
#include "zcstream/format.h"

/* Sanitizers make the tests slow and find nothing new in the last few sizes and values: steps over them. */
#if SANITIZED
#define STEP(n) (n)
#else
#define STEP(n) 1
#endif

/* `bytes` of memory whose end is also the end of what may be read. */
struct guarded {
    uint8_t *end;
    size_t bytes;
};

static inline struct guarded guarded_new(size_t bytes)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE), whole = (bytes + page - 1) / page * page;
    uint8_t *map =
        mmap(NULL, whole + page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    CHECK(map != MAP_FAILED);
    CHECK(mprotect(map + whole, page, PROT_NONE) == 0);
    return (struct guarded){map + whole, whole};
}

/* The tables that this processor runs; the scalar one is the first. */
static inline uint32_t all_tables(const struct zck_table *tables[3])
{
    uint32_t count = 0;
    tables[count++] = zck_table_scalar();
    tables[count++] = zck_table_base();
    if (zck_table_v3() && zck_table_best() == zck_table_v3())
        tables[count++] = zck_table_v3();
    return count;
}

static inline void load_row(const struct zck_table *table, const struct zci_load *load,
                            const uint8_t *const plane[ZCS_MAX_PLANES], uint32_t y, void *out)
{
    const zck_load_fn fn = table->load[load->unpack][load->pixel.depth == 16];
    CHECK(fn);
    fn(load, plane, y, out);
}

/* The bytes of a plane that may be read: its last row ends with the least, or with whole groups where
 * the stride holds those (zcs_image_check tells). */
static inline size_t plane_bytes(const struct zcs_image *image, uint32_t p)
{
    struct zcs_image tight = *image;
    const size_t rows = zcs_image_rows(image->format, image->height, p);
    const size_t min = zcs_image_min_stride(image->format, image->width, p);
    size_t bytes = (rows - 1) * image->stride_bytes[p] + min;
    if (p + 1 == image->planes)
        for (tight.size_bytes = image->offset_bytes[p] + bytes; zcs_image_check(&tight) != ZCS_OK;
             tight.size_bytes++)
            bytes++;
    return bytes;
}

#endif
