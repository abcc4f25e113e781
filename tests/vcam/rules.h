/* SPDX-License-Identifier: MIT */
/* The statements that say what goes wrong: calls that fail, frames that are not as they should be. */
#ifndef VCAM_RULES_H
#define VCAM_RULES_H

#include "vcam/script.h"
#include "vcam/words.h"

/* Both add to the script; 0: the words make no sense. */
int vcam_rule_fail(struct vcam_script *s, const struct vcam_words *w);
int vcam_rule_frame(struct vcam_script *s, const struct vcam_words *w);

#endif
