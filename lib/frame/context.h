/* SPDX-License-Identifier: MIT */
/* The context: a backend and a log, shared by sources and streams. In this layer, so that sources and
 * streams can both have it. */
#ifndef ZCI_FRAME_CONTEXT_H
#define ZCI_FRAME_CONTEXT_H

#include "backend/backend.h"

struct zcs_context {
    struct zci_backend *backend;
    struct zci_log log;
};

#endif
