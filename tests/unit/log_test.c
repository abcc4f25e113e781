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

/* The first ten lines of a kind, then the 100th and the 1000th. Digits make no kind. */
static void repeated_lines_are_counted(void)
{
    static struct zci_log_limiter limiter;
    const struct zci_log plain = {.fn = keep, .user = &count, .level = ZCS_LOG_DEBUG};
    const struct zci_log log = zci_log_limit(&limiter, &plain);
    count = 0;
    for (int i = 1; i <= 1500; i++) {
        zci_log(&log, ZCS_LOG_WARNING, "file%d.png: frame %d is damaged", i % 7, i);
        CHECK_EQ(count, i <= 10 ? i : i < 100 ? 10 : i < 1000 ? 11 : 12);
    }
    CHECK(strcmp(last, "file6.png: frame 1000 is damaged; 1000 messages like this so far") == 0);
    zci_log(&log, ZCS_LOG_WARNING, "another kind");
    CHECK(count == 13 && strcmp(last, "another kind") == 0);
    for (int i = 0; i < 100; i++)
        zci_log(&log, ZCS_LOG_INFO, "wanted by -v");
    CHECK_EQ(count, 113);
    for (int i = 0; i < 100000;
         i++) { /* all of these are different: there is an end all the same */
        char name[24];
        for (int k = 0; k < 17; k++)
            name[k] = (char)('a' + (i >> k & 1));
        name[17] = '\0';
        zci_log(&log, ZCS_LOG_ERROR, "%s: no such file", name);
    }
    CHECK(count < 300);
    const struct zci_log silent = zci_log_limit(&limiter, &(struct zci_log){.fn = NULL});
    zci_log(&silent, ZCS_LOG_ERROR, "to nobody");
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
    repeated_lines_are_counted();
    return 0;
}
