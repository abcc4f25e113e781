/* SPDX-License-Identifier: MIT */
/* Reads `fail` and `frame`. */
#include "vcam/rules.h"

#include <stdio.h>
#include <string.h>

/* fail REQUEST ERRNO [TIMES|always] [after TIMES] */
int vcam_rule_fail(struct vcam_script *s, const struct vcam_words *w)
{
    if (s->fail_count == VCAM_FAILS)
        return 0;
    struct vcam_fail *fail = &s->fails[s->fail_count++];
    int64_t times = 1, after = 0;
    int at = 3;
    if (!vcam_word_request(w->word[1], &fail->request) ||
        !vcam_word_errno(w->word[2], &fail->error))
        return 0;
    if (at < w->count && strcmp(w->word[at], "always") == 0) {
        times = VCAM_ALWAYS;
        at++;
    } else if (at < w->count && vcam_word_number(w->word[at], 1, UINT32_MAX, &times)) {
        at++;
    }
    if (at + 1 < w->count && strcmp(w->word[at], "after") == 0 &&
        vcam_word_number(w->word[at + 1], 0, UINT32_MAX, &after))
        at += 2;
    fail->times = (uint32_t)times;
    fail->after = (uint32_t)after;
    return at == w->count;
}

/* N, N.., N..M, each with /EVERY behind it where not every frame is meant. */
static int read_frames(const char *text, struct vcam_rule *rule)
{
    char word[64];
    int64_t value;
    if ((size_t)snprintf(word, sizeof word, "%s", text) >= sizeof word)
        return 0;
    rule->every = 1;
    char *slash = strchr(word, '/');
    if (slash != NULL) {
        *slash = '\0';
        if (!vcam_word_number(slash + 1, 1, UINT32_MAX, &value))
            return 0;
        rule->every = (uint64_t)value;
    }
    char *dots = strstr(word, "..");
    const char *last = dots != NULL ? dots + 2 : word;
    if (dots != NULL)
        *dots = '\0';
    if (!vcam_word_number(word, 0, INT64_MAX, &value))
        return 0;
    rule->first = (uint64_t)value;
    rule->last = UINT64_MAX;
    if (*last != '\0' && !vcam_word_number(last, 0, INT64_MAX, &value))
        return 0;
    if (*last != '\0')
        rule->last = (uint64_t)value;
    return rule->last >= rule->first;
}

/* frame WHICH ACTION [VALUE] */
int vcam_rule_frame(struct vcam_script *s, const struct vcam_words *w)
{
    static const struct {
        const char *name;
        enum vcam_action action;
        int valued; /* 1: a value is needed, 2: it may be left out */
    } actions[] = {
        {"error", VCAM_ERROR, 0}, {"bytes", VCAM_BYTES, 1},
        {"lost", VCAM_LOST, 0},   {"unwritten", VCAM_UNWRITTEN, 0},
        {"half", VCAM_HALF, 0},   {"eio", VCAM_EIO, 0},
        {"again", VCAM_AGAIN, 0}, {"sequence", VCAM_SEQUENCE, 1},
        {"time", VCAM_TIME, 1},   {"fatal", VCAM_FATAL, 0},
        {"pause", VCAM_PAUSE, 1}, {"silence", VCAM_SILENCE, 0},
        {"gone", VCAM_GONE, 2},   {"source-change", VCAM_SOURCE, 2},
        {"early", VCAM_EARLY, 1},
    };
    if (s->rule_count == VCAM_RULES)
        return 0;
    struct vcam_rule *rule = &s->rules[s->rule_count++];
    if (!read_frames(w->word[1], rule))
        return 0;
    for (size_t i = 0; i < sizeof actions / sizeof actions[0]; i++) {
        if (strcmp(w->word[2], actions[i].name) != 0)
            continue;
        rule->action = actions[i].action;
        if (w->count == 3)
            return actions[i].valued != 1;
        return actions[i].valued != 0 && w->count == 4 &&
               vcam_word_number(w->word[3], 0, INT64_MAX, &rule->value);
    }
    return 0;
}
