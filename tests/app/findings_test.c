/* SPDX-License-Identifier: MIT */
/* zcapp doctor's findings as JSON: numbers, names with several facts, advice, and more than fits. */
#include "check.h"

#include "app/doctor/findings.h"

static void test_json(void)
{
    static const char expected[] = "{\n  \"formats\": [\n    \"first\",\n    \"second\",\n"
                                   "    \"third\"\n  ],\n  \"cores\": 2,\n  \"rate\": 1.250,\n"
                                   "  \"usb\": \"480\",\n  \"advice\": [\n    \"a 1\"\n  ]\n}\n";
    struct findings findings = {.fact_count = 0};
    char *text = NULL;
    size_t size = 0;
    FILE *file = open_memstream(&text, &size);
    CHECK(file != NULL);
    struct json json = {.file = file};
    findings_fact(&findings, "formats", "%s", "first");
    findings_fact(&findings, "formats", "second");
    findings_number(&findings, "cores", 2, "");
    findings_number(&findings, "rate", 1.25, "GB/s");
    findings_fact(&findings, "usb", "%d", 480);
    findings_fact(&findings, "formats", "third"); /* not beside the others */
    findings_advice(&findings, "a %d", 1);
    CHECK(strcmp(findings.facts[2].text, "2") == 0);
    CHECK(strcmp(findings.facts[3].text, "1.25 GB/s") == 0);
    json_begin(&json, NULL, '{');
    findings_put_facts(&json, &findings);
    findings_put_advice(&json, &findings);
    json_end(&json, '}');
    CHECK(fclose(file) == 0);
    if (strcmp(text, expected) != 0)
        fprintf(stderr, "%s\n", text);
    CHECK(strcmp(text, expected) == 0);
    free(text);
}

static void test_overflow(void)
{
    struct findings findings = {.fact_count = 0};
    for (int i = 0; i < FINDINGS_FACTS + 3; i++)
        findings_fact(&findings, "fact", "%d", i);
    for (int i = 0; i < FINDINGS_ADVICE + 2; i++)
        findings_advice(&findings, "%d", i);
    CHECK_EQ(findings.fact_count, FINDINGS_FACTS);
    CHECK_EQ(findings.advice_count, FINDINGS_ADVICE);
    CHECK_EQ(findings.dropped, 5);
}

int main(void)
{
    test_json();
    test_overflow();
    return 0;
}
