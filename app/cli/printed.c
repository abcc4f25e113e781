/* SPDX-License-Identifier: MIT */
/* The end of text on standard output: help, lists, tables. Of frames there the writer sees to it. */
#include "app/cli/printed.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "app/cli/status.h"

/* Of a pipe or a socket. Asked of itself, as the write that failed may have been an earlier one. */
static int reader_is_gone(void)
{
    struct pollfd out = {.fd = STDOUT_FILENO, .events = POLLOUT};
    return poll(&out, 1, 0) == 1 && (out.revents & (POLLERR | POLLHUP)) != 0;
}

int printed_end(int status, struct console *console)
{
    if (fflush(stdout) == 0 && !ferror(stdout))
        return status;
    const int error = errno;
    if (error == EPIPE || reader_is_gone())
        return status;
    console_error(console, "standard output: %s", strerror(error));
    return ZCAPP_FAILED;
}
