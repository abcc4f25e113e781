/* SPDX-License-Identifier: MIT */
/* Ranges for NVIDIA's profilers (NVTX), in builds with ZCS_NVTX; no-ops in others. Without a
 * profiler a call only tests a pointer. Any thread. */
#ifndef ZCI_CORE_TRACE_H
#define ZCI_CORE_TRACE_H

#include "core/plan.h"

#ifdef ZCS_NVTX

/* A range of this thread, up to the matching pop; they nest. */
void zci_trace_push(const char *what);
/* The same, named after what the pass does: "pass 1 of 2: load gain mhc". */
void zci_trace_push_pass(const struct zci_plan *plan, uint32_t index);
void zci_trace_pop(void);

/* A range that any thread ends: "frame", with its number. Never 0. */
uint64_t zci_trace_begin(const char *what, uint64_t number);
/* Accepts 0. */
void zci_trace_end(uint64_t range);

#else

static inline void zci_trace_push(const char *what)
{
    (void)what;
}
static inline void zci_trace_push_pass(const struct zci_plan *plan, uint32_t index)
{
    (void)plan, (void)index;
}
static inline void zci_trace_pop(void) {}
static inline uint64_t zci_trace_begin(const char *what, uint64_t number)
{
    (void)what, (void)number;
    return 0;
}
static inline void zci_trace_end(uint64_t range)
{
    (void)range;
}

#endif
#endif
