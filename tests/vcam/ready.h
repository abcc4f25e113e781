/* SPDX-License-Identifier: MIT */
/* A descriptor for which poll, select and epoll of the kernel's own say what the camera's driver would.
 *
 * It is one end of a TCP connection on the loopback interface, the one kind of file whose POLLIN, POLLPRI and
 * POLLERR can each be switched on and off from outside: a byte that waits is POLLIN, an urgent one POLLPRI, a
 * time stamp in the error queue POLLERR, and a connection that was reset POLLERR | POLLHUP. Calls go to
 * ordinary and forked users of it alike, and the other end learns from the kernel when the last one closed it. */
#ifndef VCAM_READY_H
#define VCAM_READY_H

#define VCAM_READY_IN 1u
#define VCAM_READY_PRI 2u
#define VCAM_READY_ERR 4u

/* Once, before the first pair: sees to a loopback interface, if need be in a network of our own, which needs
 * root. 0 or a negative errno. */
int vcam_ready_prepare(void);
/* Two ends, both closed on exec; *theirs goes to the program. 0 or a negative errno. */
int vcam_ready_make(int *ours, int *theirs);
/* What poll shall say from now on, from `shown` to `wanted`. `theirs` may be -1 where only POLLIN or POLLPRI
 * is added. */
void vcam_ready_show(int ours, int theirs, unsigned shown, unsigned wanted);
/* POLLERR | POLLHUP for ever. */
void vcam_ready_hang_up(int theirs);
/* Whether all users of the other end have closed it. */
int vcam_ready_closed(int ours);

#endif
