/* SPDX-License-Identifier: MIT */
/* Waiting for a descriptor or a moment, ended early by signals. */
#ifndef ZCI_SOURCE_WAIT_H
#define ZCI_SOURCE_WAIT_H

#include "zcstream/base.h"

/* ZCS_OK: `fd` is readable, or reading it would fail or give its end. ZCS_AGAIN: `deadline_ns` of
 * core/clock.h has passed, or a signal came. ZCS_ERR_IO: errno says why; not logged. */
zcs_status zci_wait_readable(int fd, int64_t deadline_ns);

/* ZCS_OK: CLOCK_MONOTONIC has reached `when_ns`. ZCS_AGAIN as above. */
zcs_status zci_wait_until(int64_t when_ns, int64_t deadline_ns);

#endif
