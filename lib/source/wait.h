/* SPDX-License-Identifier: MIT */
/* Waiting for a descriptor or for a moment; a signal ends the wait. */
#ifndef ZCI_SOURCE_WAIT_H
#define ZCI_SOURCE_WAIT_H

#include "zcstream/base.h"

/* ZCS_OK: `fd` is readable, at its end, or in an error state. ZCS_AGAIN: `deadline_ns` (os/clock.h)
 * has passed, or a signal came. ZCS_ERR_IO: errno has the cause; it is not logged. */
zcs_status zci_wait_readable(int fd, int64_t deadline_ns);

/* ZCS_OK: CLOCK_MONOTONIC has reached `when_ns`. ZCS_AGAIN: as above. */
zcs_status zci_wait_until(int64_t when_ns, int64_t deadline_ns);

#endif
