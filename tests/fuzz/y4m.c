/* SPDX-License-Identifier: MIT */
/* Fuzzes the headers of Y4M: that of the stream, and that of the frame after it. */
#include "fuzz.h"

#include "source/replay/y4m.h"

static void check_head(const uint8_t *data, size_t size, int bytes, const struct zci_y4m *y4m)
{
    struct zcs_image image;
    struct zci_y4m again = {0};
    char why[200] = "";
    CHECK((size_t)bytes <= size && data[bytes - 1] == '\n');
    CHECK_EQ(zcs_image_init(&image, y4m->format, y4m->width, y4m->height, 0), ZCS_OK);
    CHECK(y4m->bits <= image.bits && (y4m->fps_num == 0) == (y4m->fps_den == 0));
    CHECK_EQ(zci_y4m_head(data, (size_t)bytes, &again, why, sizeof why), bytes);
    CHECK(again.format == y4m->format && again.width == y4m->width &&
          again.fps_num == y4m->fps_num);
    CHECK_EQ(zci_y4m_head(data, (size_t)bytes - 1, &again, why, sizeof why), 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct zci_y4m y4m = {.width = 77};
    char why[200] = "";
    const int bytes = zci_y4m_head(data, size, &y4m, why, sizeof why);
    CHECK(bytes >= -1 && (bytes != -1 || why[0] != '\0') && (bytes > 0 || y4m.width == 77));
    if (bytes <= 0)
        return 0;
    check_head(data, size, bytes, &y4m);
    why[0] = '\0';
    const int line = zci_y4m_frame(data + bytes, size - (size_t)bytes, why, sizeof why);
    CHECK(line >= -1 && (line != -1 || why[0] != '\0'));
    CHECK(line <= 0 || ((size_t)line <= size - (size_t)bytes && data[bytes + line - 1] == '\n'));
    return 0;
}
