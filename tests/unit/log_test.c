/* SPDX-License-Identifier: MIT */
/* The log: levels, silence, and one printable line whatever stands in a name. */
#include "check.h"

#include <errno.h>

#include "core/log.h"

static char last[2048];
static int count;

static void keep(void *user, enum zcs_log_level level, const char *line)
{
    CHECK(user == &count && level >= ZCS_LOG_ERROR);
    snprintf(last, sizeof last, "%s", line);
    count++;
    errno = EINVAL;
}

int main(void)
{
    const struct zci_log log = {.fn = keep, .user = &count, .level = ZCS_LOG_WARNING};
    const struct zci_log silent = {.level = ZCS_LOG_DEBUG};
    char name[4000];
    errno = ENOENT;
    CHECK_EQ(zci_fail(&log, ZCS_ERR_IO, "%s: %d", "a\nb\t\033[2J\x7f", 7), ZCS_ERR_IO);
    CHECK(count == 1 && strcmp(last, "a?b??[2J?: 7") == 0 && errno == ENOENT);
    zci_log(&log, ZCS_LOG_WARNING,
            "gr\xc3\xb6\xc3\x9f"
            "e");
    CHECK(count == 2 && strcmp(last, "gr\xc3\xb6\xc3\x9f"
                                     "e") == 0);
    zci_log(&log, ZCS_LOG_INFO, "more than is wanted");
    zci_log(&silent, ZCS_LOG_ERROR, "to nobody");
    zci_log(NULL, ZCS_LOG_ERROR, "to nobody");
    CHECK_EQ(count, 2);
    memset(name, '\n', sizeof name - 1);
    name[sizeof name - 1] = '\0';
    zci_log(&log, ZCS_LOG_ERROR, "%s", name);
    CHECK(count == 3 && strspn(last, "?") == strlen(last) && strlen(last) > 100);
    return 0;
}
