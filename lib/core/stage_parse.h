/* SPDX-License-Identifier: MIT */
/* A chain of stages from its text form. */
#ifndef ZCI_CORE_STAGE_PARSE_H
#define ZCI_CORE_STAGE_PARSE_H

#include "core/stage.h"

/* Fills `out` from `text`, in which the names of `custom` are known beside the built-in ones. Presets are
 * filled in. On ZCS_ERR_FORMAT `message` (may be NULL) gets one printable line that names the place, the
 * key, the value and what is permitted. No allocation; any text is safe. */
zcs_status zci_chain_parse(const char *text, const struct zcs_custom_stage *custom,
                           uint32_t custom_count, struct zci_chain *out, char *message,
                           size_t message_bytes);

#endif
