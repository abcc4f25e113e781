/* SPDX-License-Identifier: MIT */
/* Parts of zcapp: file names, numbers, UTF-8, JSON, retention limits, latencies, file descriptors.
 * */
#include "check.h"
#include "zcstream/latency.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <sys/resource.h>
#include <unistd.h>

#include "app/cli/number.h"
#include "app/cli/utf8.h"
#include "app/cli/console.h"
#include "app/output/outfile.h"
#include "app/output/outname.h"
#include "app/output/retention.h"
#include "app/run/json.h"

static void expect_name(const char *pattern, uint64_t number, const char *expected)
{
    char why[256] = "";
    struct outname name = {0};
    if (outname_parse(&name, pattern, why, sizeof why) != 0)
        fprintf(stderr, "%s: %s\n", pattern, why);
    CHECK(name.head != NULL);
    char *made = outname_make(&name, number);
    if (strcmp(made, expected) != 0)
        fprintf(stderr, "%s gave %s instead of %s\n", pattern, made, expected);
    CHECK(strcmp(made, expected) == 0);
    free(made);
    outname_finish(&name);
}

static void refuse_name(const char *pattern)
{
    char why[256] = "";
    struct outname name = {0};
    if (outname_parse(&name, pattern, why, sizeof why) == 0)
        fprintf(stderr, "%s was taken\n", pattern);
    CHECK(name.head == NULL);
    CHECK(why[0] != '\0');
}

static void test_names(void)
{
    expect_name("out/%06u.png", 7, "out/000007.png");
    expect_name("%u.png", 18446744073709551615u, "18446744073709551615.png");
    expect_name("a%4d.png", 42, "a  42.png");
    expect_name("a%04i.PNG", 123456, "a123456.PNG");
    expect_name("100%%/%u-%%u.png", 3, "100%/3-%u.png");
    expect_name("plain.png", 9, "plain.png");
    expect_name("f%020u.png", 1, "f00000000000000000001.png");
    static const char *const bad[] = {
        "%s.png",   "%n%u.png", "%u%u.png", "%*u.png",  "%021u.png",
        "%-3u.png", "%lu.png",  "%.png",    "%+u.png",  "%u.png%",
        "%1$u.png", "%x.png",   "%05.png",  "%5%u.png", "%99999999999999999999u.png",
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        refuse_name(bad[i]);
}

static void test_numbers(void)
{
    uint64_t value = 77;
    CHECK(number_parse("0", 0, 9, &value) == 0 && value == 0);
    CHECK(number_parse("18446744073709551615", 0, UINT64_MAX, &value) == 0 && value == UINT64_MAX);
    static const char *const bad[] = {"",   " 1", "+1",  "-1",
                                      "1 ", "1x", "0x1", "18446744073709551616",
                                      "4",  "9",  "1.0", "99999999999999999999999"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        CHECK(number_parse(bad[i], 5, 8, &value) != 0);
    CHECK(value == UINT64_MAX);
}

static void test_utf8(void)
{
    CHECK_EQ(utf8_bytes("a"), 1);
    CHECK_EQ(utf8_bytes(""), 0);
    CHECK_EQ(utf8_bytes("\xc3\xa4"), 2);
    CHECK_EQ(utf8_bytes("\xe2\x82\xac"), 3);
    CHECK_EQ(utf8_bytes("\xf0\x9f\x98\x80"), 4);
    static const char *const bad[] = {"\x80",         "\xc0\xaf",     "\xc3",
                                      "\xe0\x80\x80", "\xed\xa0\x80", "\xf4\x90\x80\x80",
                                      "\xe2\x82",     "\xff"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        CHECK_EQ(utf8_bytes(bad[i]), 0);
}

static void test_json(void)
{
    static const char expected[] =
        "{\n  \"a\\\"b\": \"x\\\\\\u0001\\u000a\xc3\xa4\\ufffdy\",\n"
        "  \"n\": 18446744073709551615,\n"
        "  \"r\": 1.500,\n  \"nan\": null,\n"
        "  \"list\": [\n    null,\n    \"z\"\n  ],\n  \"empty\": {}\n}\n";
    char text[512] = "";
    FILE *file = tmpfile();
    CHECK(file != NULL);
    struct json json = {.file = file};
    json_begin(&json, NULL, '{');
    json_string(&json, "a\"b", "x\\\x01\n\xc3\xa4\xffy");
    json_uint(&json, "n", UINT64_MAX);
    json_real(&json, "r", 1.5, 3);
    json_real(&json, "nan", (double)0 / (double)(text[0]), 3);
    json_begin(&json, "list", '[');
    json_null(&json, NULL);
    json_string(&json, NULL, "z");
    json_end(&json, ']');
    json_begin(&json, "empty", '{');
    json_end(&json, '}');
    json_end(&json, '}');
    rewind(file);
    CHECK(fread(text, 1, sizeof text - 1, file) > 0);
    fclose(file);
    if (strcmp(text, expected) != 0)
        fprintf(stderr, "%s\n", text);
    CHECK(strcmp(text, expected) == 0);
}

/* The number in a file name; -1: the name does not match the pattern. */
static int64_t number_of(const char *pattern, const char *base)
{
    char why[256] = "";
    struct outname name = {0};
    uint64_t number = 0;
    CHECK_EQ(outname_parse(&name, pattern, why, sizeof why), 0);
    const int is = outname_number(&name, base, &number) == 0;
    outname_finish(&name);
    return is ? (int64_t)number : -1;
}

static void test_numbers_of_names(void)
{
    CHECK_EQ(number_of("a/x-%03u.png", "x-007.png"), 7);
    CHECK_EQ(number_of("a/x-%03u.png", "x-1000.png"), 1000);
    CHECK_EQ(number_of("a/x-%03u.png", "x-7.png"), -1);
    CHECK_EQ(number_of("a/x-%03u.png", "x-0007.png"), -1);
    CHECK_EQ(number_of("a/x-%03u.png", "x-007.pngx"), -1);
    CHECK_EQ(number_of("a/x-%03u.png", "ax-007.png"), -1);
    CHECK_EQ(number_of("a/x-%03u.png", "x-.png"), -1);
    CHECK_EQ(number_of("a/x-%03u.png", "x--07.png"), -1);
    CHECK_EQ(number_of("%4u.png", "   7.png"), 7);
    CHECK_EQ(number_of("%4u.png", "  7.png"), -1);
    CHECK_EQ(number_of("%u.png", "18446744073709551616.png"), -1);
    CHECK_EQ(number_of("%u/x.png", "7"), -1);
    CHECK_EQ(number_of("one.png", "one.png"), -1);
}

static void expect_limit(const char *text, int result, uint64_t files, uint64_t bytes)
{
    struct retention_limit limit = {0};
    CHECK_EQ(retention_limit_parse(&limit, text), result);
    CHECK_EQ(limit.files, files);
    CHECK_EQ(limit.bytes, bytes);
}

static void test_limits(void)
{
    expect_limit("100", 0, 100, 0);
    expect_limit("2K", 0, 0, 2048);
    expect_limit("3T", 0, 0, UINT64_C(3) << 40);
    expect_limit("4294967295T", -1, 0, 0);
    expect_limit("2g", -1, 0, 0);
    expect_limit("K", -1, 0, 0);
}

/* Each duration is in a bucket whose upper end is not below it, and at most 1.6 percent above it.
 * */
static void test_latency_error(void)
{
    for (int64_t value = 0; value < INT64_MAX / 32; value = value * 17 / 16 + 1) {
        struct zcs_histogram latency = {.count = 0};
        zcs_histogram_add(&latency, value);
        zcs_histogram_add(&latency, INT64_MAX);
        const uint64_t got = zcs_histogram_percentile(&latency, 50);
        CHECK(got >= (uint64_t)value);
        CHECK((got - (uint64_t)value) * 64 <= (uint64_t)value);
        CHECK(zcs_histogram_percentile(&latency, 100) == INT64_MAX);
    }
}

static void test_latency_rank(void)
{
    struct zcs_histogram latency = {.count = 0};
    CHECK_EQ(zcs_histogram_percentile(&latency, 50), 0);
    zcs_histogram_add(&latency, -5);
    CHECK_EQ(zcs_histogram_percentile(&latency, 100), 0);
    for (int64_t i = 1; i < 100; i++)
        zcs_histogram_add(&latency, i); /* with the 0 from above: 100 durations */
    CHECK_EQ(zcs_histogram_percentile(&latency, 50), 49);
    CHECK_EQ(zcs_histogram_percentile(&latency, 95), 94);
    CHECK_EQ(zcs_histogram_percentile(&latency, 99), 98);
    CHECK_EQ(zcs_histogram_percentile(&latency, 100), 99);
    CHECK_EQ(latency.count, 100);

    struct zcs_histogram other = {.count = 0};
    for (int64_t i = 0; i < 300; i++)
        zcs_histogram_add(&other, 1000000);
    zcs_histogram_merge(&other, &latency);
    CHECK(other.count == 400 && other.max_ns == 1000000);
    CHECK_EQ(zcs_histogram_percentile(&other, 25), 99);
    CHECK_EQ(zcs_histogram_percentile(&other, 26), 1000000);
    zcs_histogram_merge(&latency, &other);
    CHECK(latency.count == 500 && latency.max_ns == 1000000);
}

/* Naming a nameless file needs a second descriptor. If there is none, errno says so. */
static void test_descriptors(void)
{
    char folder[] = "/tmp/zcapp-parts-XXXXXX", path[64], why[256];
    struct rlimit limit, none;
    struct outfile out;
    CHECK(mkdtemp(folder) != NULL);
    snprintf(path, sizeof path, "%s/file", folder);
    CHECK_EQ(outfile_open(&out, path, 0, why, sizeof why), 0);
    CHECK(fputs("x", out.file) > 0);
    CHECK_EQ(getrlimit(RLIMIT_NOFILE, &limit), 0);
    const int next = fcntl(STDIN_FILENO, F_DUPFD, 0);
    CHECK(next > 0);
    close(next);
    none = limit;
    none.rlim_cur = (rlim_t)next;
    CHECK_EQ(setrlimit(RLIMIT_NOFILE, &none), 0);
    const int nameless = out.nameless, result = outfile_commit(&out, why, sizeof why);
    CHECK_EQ(setrlimit(RLIMIT_NOFILE, &limit), 0);
    CHECK(nameless ? result != 0 && strcmp(why, strerror(EMFILE)) == 0 : result == 0);
    CHECK((unlink(path) == 0) == (result == 0));
    CHECK_EQ(rmdir(folder), 0);
}

/* What the progress line shows: updates of a run at 100 frames a second. */
static void progress_after(uint64_t total, const struct progress_state *last, char *out,
                           size_t bytes)
{
    struct console console;
    console_init(&console);
    console.terminal = 1;
    struct progress progress = {.console = &console, .total = total};
    const int before = dup(STDERR_FILENO);
    FILE *file = tmpfile();
    CHECK(before >= 0 && file != NULL && dup2(fileno(file), STDERR_FILENO) == STDERR_FILENO);
    const struct progress_state first = {.frames = 1};
    progress_update(&progress, INT64_C(1000000000), &first);
    progress_update(&progress, INT64_C(1100000000), last); /* too early for a line */
    progress_update(&progress, INT64_C(2000000000), last);
    fflush(stderr);
    CHECK(dup2(before, STDERR_FILENO) == STDERR_FILENO);
    rewind(file);
    out[fread(out, 1, bytes - 1, file)] = '\0';
    fclose(file);
    close(before);
    console_finish(&console);
}

static void test_progress(void)
{
    char line[512];
    struct progress_state state = {.frames = 101, .latency_ns = 16340000, .to_file = 1};
    progress_after(1801, &state, line, sizeof line);
    CHECK(strcmp(line, "\r101/1801 frames, 100.0/s, 16.3 ms capture to file, 17 s left") == 0);
    state.lost = 2;
    state.to_file = 0;
    progress_after(0, &state, line, sizeof line);
    CHECK(strcmp(line, "\r101 frames, 100.0/s, 16.3 ms capture to result, 2 lost") == 0);
    progress_after(60101, &state, line, sizeof line);
    CHECK(strstr(line, "101/60101 frames, ") != NULL && strstr(line, ", 10 min left") != NULL);
    progress_after(101, &state, line, sizeof line);
    CHECK(strstr(line, "101/101 frames, ") != NULL && strstr(line, "left") == NULL);
}

int main(void)
{
    test_progress();
    test_names();
    test_numbers();
    test_utf8();
    test_json();
    test_numbers_of_names();
    test_limits();
    test_latency_error();
    test_latency_rank();
    test_descriptors();
    return 0;
}
