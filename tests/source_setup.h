/* SPDX-License-Identifier: MIT */
/* What the source tests share: a context whose log lines are kept, and a folder of their own. */
#ifndef ZCS_TESTS_SOURCE_SETUP_H
#define ZCS_TESTS_SOURCE_SETUP_H

#include <fcntl.h>
#include <unistd.h>

#include "check.h"
#include "zcstream/zcstream.h"

/* The lines since the last setup_forget. */
struct setup_lines {
    int count;
    char last[1200];
};

static inline void setup_keep(void *user, enum zcs_log_level level, const char *line)
{
    struct setup_lines *lines = user;
    (void)level;
    lines->count++;
    snprintf(lines->last, sizeof lines->last, "%s", line);
}

static inline void setup_forget(struct setup_lines *lines)
{
    lines->count = 0;
    lines->last[0] = '\0';
}

static inline zcs_context *setup_context(struct setup_lines *lines)
{
    zcs_context *ctx = NULL;
    const struct zcs_params params = {.backend = ZCS_BACKEND_HOST,
                                      .host_threads = 1,
                                      .log = setup_keep,
                                      .log_user = lines,
                                      .log_level = ZCS_LOG_WARNING};
    setup_forget(lines);
    CHECK_EQ(zcs_open(&params, &ctx), ZCS_OK);
    return ctx;
}

/* One line came, and it has `text` in it. */
#define CHECK_LINE(lines, text)                                                                    \
    do {                                                                                           \
        if ((lines)->count != 1 || strstr((lines)->last, text) == NULL) {                          \
            fprintf(stderr, "%s:%d: failed: one line with \"%s\"; %d lines, the last \"%s\"\n",    \
                    __FILE__, __LINE__, text, (lines)->count, (lines)->last);                      \
            exit(1);                                                                               \
        }                                                                                          \
        setup_forget(lines);                                                                       \
    } while (0)

/* Makes a new folder and goes there; setup_remove_folder removes it with all it holds. */
static inline void setup_folder(char folder[64])
{
    snprintf(folder, 64, "/tmp/zcs-test-XXXXXX");
    CHECK(mkdtemp(folder) != NULL);
    CHECK(chdir(folder) == 0);
}

static inline void setup_remove_folder(const char *folder)
{
    char command[96];
    snprintf(command, sizeof command, "rm -rf '%s'", folder);
    CHECK(chdir("/") == 0 && system(command) == 0);
}

/* Byte i of the tests' files: no two frames alike, at no period that is a power of two. */
static inline uint8_t setup_byte(uint64_t i)
{
    return (uint8_t)(i * 37 + i / 251 * 11 + i / 65521);
}

static inline void setup_file(const char *name, uint64_t first, size_t bytes)
{
    uint8_t *data = malloc(bytes + 1);
    CHECK(data != NULL);
    for (size_t i = 0; i < bytes; i++)
        data[i] = setup_byte(first + i);
    const int fd = open(name, O_WRONLY | O_CREAT | O_TRUNC, 0644);
    CHECK(fd >= 0 && write(fd, data, bytes) == (ssize_t)bytes && close(fd) == 0);
    free(data);
}

/* The frame holds the bytes that setup_file wrote from `first` on. */
static inline void setup_check_frame(const struct zcs_frame *frame, uint64_t first)
{
    const uint8_t *data = frame->host;
    for (size_t i = 0; i < frame->image.size_bytes; i++)
        if (data[i] != setup_byte(first + i)) {
            fprintf(stderr, "frame %" PRIu64 ", byte %zu: %d instead of %d\n", frame->sequence, i,
                    data[i], setup_byte(first + i));
            exit(1);
        }
}

#endif
