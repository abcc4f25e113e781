/* SPDX-License-Identifier: MIT */
/* Which system calls of the program wait for our answer. */
#ifndef VCAM_FILTER_H
#define VCAM_FILTER_H

/* Open files of virtual cameras get these numbers, so that the filter can tell calls about them. */
#define VCAM_FD_FIRST 880
#define VCAM_FD_END 1008

/* Installs it for the calling thread and all that comes from it. With `guard` munmap waits too. Returns the
 * descriptor at which calls are heard of; a negative errno: this kernel does not let us. */
int vcam_filter_install(int guard);

#endif
