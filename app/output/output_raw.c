/* SPDX-License-Identifier: MIT */
/* Raw frames: rows of results as they lie in memory, without padding; replay reads them again. */
#include "app/output/output_raw.h"

#include <errno.h>
#include <string.h>

int raw_frame(FILE *file, const struct zcs_frame *frame, const struct output_style *style,
              char *why, size_t why_bytes)
{
    struct picture p;
    (void)style;
    if (picture_of_frame(&p, frame, why, why_bytes) != 0)
        return -1;
    for (uint32_t y = 0; y < p.height; y++)
        if (fwrite(p.rows + y * p.stride_bytes, 1, p.row_bytes, file) != p.row_bytes) {
            snprintf(why, why_bytes, "%s", strerror(errno));
            return -1;
        }
    return 0;
}
