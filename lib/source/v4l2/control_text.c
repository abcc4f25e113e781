/* SPDX-License-Identifier: MIT */
/* Controls as people write them: names and values. */
#include "source/v4l2/control_text.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <strings.h>

void zci_control_spell(const char *title, char *out, size_t bytes)
{
    size_t used = 0;
    int gap = 0;
    for (; *title != '\0' && used + 2 < bytes; title++) {
        const unsigned char c = (unsigned char)*title;
        if (!isalnum(c)) {
            gap = used > 0;
            continue;
        }
        if (gap)
            out[used++] = '_';
        out[used++] = (char)tolower(c);
        gap = 0;
    }
    out[used] = '\0';
}

int zci_control_number(const char *text, int64_t *out)
{
    char *end = NULL;
    const int hex = text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
    if (!isdigit((unsigned char)text[text[0] == '-' || text[0] == '+']))
        return -1;
    errno = 0;
    const long long value = strtoll(text, &end, hex ? 16 : 10);
    if (end == text || *end != '\0' || errno != 0)
        return -1;
    *out = value;
    return 0;
}

int zci_control_truth(const char *text, int64_t *out)
{
    static const char *const words[][4] = {{"0", "off", "false", "no"}, {"1", "on", "true", "yes"}};
    for (int truth = 0; truth < 2; truth++)
        for (int i = 0; i < 4; i++)
            if (strcasecmp(text, words[truth][i]) == 0) {
                *out = truth;
                return 0;
            }
    return -1;
}
