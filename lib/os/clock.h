/* SPDX-License-Identifier: MIT */
/* Monotonic time and deadlines. */
#ifndef ZCI_OS_CLOCK_H
#define ZCI_OS_CLOCK_H

#include <stdint.h>

/* CLOCK_MONOTONIC in nanoseconds. */
int64_t zci_now_ns(void);

/* The time `timeout_ns` from now; INT64_MAX for a negative timeout, which means for ever. */
int64_t zci_deadline_ns(int64_t timeout_ns);

/* The time left until `deadline_ns` as a timeout: 0 when it has passed, -1 for INT64_MAX. */
int64_t zci_left_ns(int64_t deadline_ns);

#endif
