/* SPDX-License-Identifier: MIT */
/* Readiness as the state of a TCP connection. */
#define _GNU_SOURCE /* accept4, unshare, ifr_flags */
#include "vcam/ready.h"

#include <errno.h>
#include <linux/net_tstamp.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <net/if.h>
#include <sched.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

static int connect_pair(int listener, int *ours, int *theirs)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    struct sockaddr *const name = (struct sockaddr *)(void *)&address;
    socklen_t bytes = sizeof address;
    if (bind(listener, name, bytes) != 0 || listen(listener, 1) != 0 ||
        getsockname(listener, name, &bytes) != 0)
        return -errno;
    *theirs = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (*theirs < 0 || connect(*theirs, name, bytes) != 0)
        return -errno;
    *ours = accept4(listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
    return *ours < 0 ? -errno : 0;
}

static int set_up(int ours, int theirs)
{
    const int on = 1;
    const int stamps =
        SOF_TIMESTAMPING_TX_SOFTWARE | SOF_TIMESTAMPING_OPT_TSONLY | SOF_TIMESTAMPING_SOFTWARE;
    if (setsockopt(ours, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on) != 0 ||
        setsockopt(theirs, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on) != 0 ||
        setsockopt(theirs, SOL_SOCKET, SO_TIMESTAMPING, &stamps, sizeof stamps) != 0)
        return -errno;
    return 0;
}

int vcam_ready_make(int *ours, int *theirs)
{
    *ours = *theirs = -1;
    const int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (listener < 0)
        return -errno;
    int error = connect_pair(listener, ours, theirs);
    close(listener);
    if (error == 0)
        error = set_up(*ours, *theirs);
    if (error == 0)
        return 0;
    if (*ours >= 0)
        close(*ours);
    if (*theirs >= 0)
        close(*theirs);
    return error;
}

static int switch_on_loopback(void)
{
    struct ifreq request = {.ifr_name = "lo"};
    const int any = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (any < 0)
        return -errno;
    request.ifr_flags = IFF_UP;
    const int error = ioctl(any, SIOCSIFFLAGS, &request) == 0 ? 0 : -errno;
    close(any);
    return error;
}

int vcam_ready_prepare(void)
{
    int ours, theirs;
    int error = vcam_ready_make(&ours, &theirs);
    if (error != 0 && unshare(CLONE_NEWNET) == 0 && switch_on_loopback() == 0)
        error = vcam_ready_make(&ours, &theirs);
    if (error != 0)
        return error;
    close(ours);
    close(theirs);
    return 0;
}

static void drop_stamps(int theirs)
{
    char control[512];
    struct msghdr message = {.msg_control = control, .msg_controllen = sizeof control};
    while (recvmsg(theirs, &message, MSG_ERRQUEUE | MSG_DONTWAIT) >= 0)
        message.msg_controllen = sizeof control;
}

/* Bytes are read in order, and an urgent one is lost when one behind it is read: so all go, and those that
 * are wanted come anew. */
void vcam_ready_show(int ours, int theirs, unsigned shown, unsigned wanted)
{
    char byte;
    if (shown == wanted)
        return;
    if ((shown & ~wanted & (VCAM_READY_IN | VCAM_READY_PRI)) || (shown & VCAM_READY_PRI)) {
        if (shown & VCAM_READY_IN)
            (void)recv(theirs, &byte, 1, MSG_DONTWAIT);
        if (shown & VCAM_READY_PRI)
            (void)recv(theirs, &byte, 1, MSG_DONTWAIT | MSG_OOB);
        shown &= ~(VCAM_READY_IN | VCAM_READY_PRI);
    }
    if (shown & ~wanted & VCAM_READY_ERR)
        drop_stamps(theirs);
    if (wanted & ~shown & VCAM_READY_IN)
        (void)send(ours, "i", 1, MSG_NOSIGNAL);
    if (wanted & ~shown & VCAM_READY_PRI)
        (void)send(ours, "p", 1, MSG_NOSIGNAL | MSG_OOB);
    if (wanted & ~shown & VCAM_READY_ERR)
        (void)send(theirs, "e", 1, MSG_NOSIGNAL);
}

void vcam_ready_hang_up(int theirs)
{
    const struct sockaddr none = {.sa_family = AF_UNSPEC};
    (void)connect(theirs, &none, sizeof none);
}

int vcam_ready_closed(int ours)
{
    char bytes[64];
    ssize_t got;
    while ((got = recv(ours, bytes, sizeof bytes, MSG_DONTWAIT)) > 0)
        ;
    return got == 0 || (errno != EAGAIN && errno != EINTR);
}
