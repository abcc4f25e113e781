/* SPDX-License-Identifier: MIT */
/* vcam: runs a program and answers for the cameras of a script.
 *
 *   vcam [-v] SCRIPT [-e STATEMENT]... -- PROGRAM [ARGUMENT...]
 *
 * -e adds a line to the script, -v tells each request on standard error. The status is the program's; 98 if it
 * broke a rule of V4L2's that the script watches, 77 where the kernel does not let us, 2 for a script that
 * makes no sense. docs/virtual-camera.md has the words of scripts. */
#define _GNU_SOURCE /* pipe2, pidfd_getfd by syscall */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "vcam/filter.h"
#include "vcam/ready.h"
#include "vcam/supervise.h"
#include "vcam/target.h"

#define STATUS_RULE 98
#define STATUS_SKIP 77
#define STATUS_USAGE 2

static int usage(void)
{
    fputs("usage: vcam [-v] SCRIPT [-e STATEMENT]... -- PROGRAM [ARGUMENT...]\n", stderr);
    return STATUS_USAGE;
}

/* Descriptors of cameras have high numbers. */
static void allow_descriptors(void)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur >= VCAM_FD_END)
        return;
    limit.rlim_cur = limit.rlim_max < VCAM_FD_END ? limit.rlim_max : VCAM_FD_END;
    (void)setrlimit(RLIMIT_NOFILE, &limit);
}

/* In the child: the filter, its listener's number to the parent, and when that has it, the program. */
static void become(int talk, int guard, char **program)
{
    char go;
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    allow_descriptors();
    const int listener = vcam_filter_install(guard);
    if (write(talk, &listener, sizeof listener) != sizeof listener || listener < 0 ||
        read(talk, &go, 1) != 1)
        _exit(STATUS_SKIP);
    close(listener);
    execvp(program[0], program);
    fprintf(stderr, "vcam: %s: %s\n", program[0], strerror(errno));
    _exit(127);
}

/* 0, or the status to end with. */
static int start(struct vcam_supervisor *v, int guard, char **program)
{
    int talk[2], listener;
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, talk) != 0)
        return 1;
    v->program = fork();
    if (v->program < 0)
        return 1;
    if (v->program == 0) {
        close(talk[0]);
        become(talk[1], guard, program);
    }
    close(talk[1]);
    if (read(talk[0], &listener, sizeof listener) != sizeof listener || listener < 0) {
        fprintf(stderr, "vcam: no seccomp notification: %s\n", strerror(-listener));
        return STATUS_SKIP;
    }
    const int error = vcam_ready_prepare();
    if (error != 0) {
        fprintf(stderr, "vcam: no loopback interface: %s\n", strerror(-error));
        return STATUS_SKIP;
    }
    v->listener = vcam_target_descriptor(v->program, listener);
    if (v->listener < 0 || write(talk[0], "g", 1) != 1) {
        fprintf(stderr, "vcam: cannot reach into a program of our own: %s\n",
                strerror(-v->listener));
        return STATUS_SKIP;
    }
    close(talk[0]);
    return 0;
}

static int catch_signals(void)
{
    sigset_t mine;
    sigemptyset(&mine);
    sigaddset(&mine, SIGCHLD);
    sigaddset(&mine, SIGINT);
    sigaddset(&mine, SIGTERM);
    sigaddset(&mine, SIGHUP);
    sigaddset(&mine, SIGUSR1);
    sigprocmask(SIG_BLOCK, &mine, NULL);
    return signalfd(-1, &mine, SFD_CLOEXEC | SFD_NONBLOCK);
}

/* The script with what -e adds, as one text. */
static FILE *gather(const char *script, char **extra, int extra_count)
{
    char bytes[4096];
    size_t got;
    FILE *from = fopen(script, "re"), *to = from != NULL ? tmpfile() : NULL;
    while (to != NULL && (got = fread(bytes, 1, sizeof bytes, from)) > 0)
        fwrite(bytes, 1, got, to);
    for (int i = 0; to != NULL && i < extra_count; i++)
        fprintf(to, "\n%s\n", extra[i]);
    if (from != NULL)
        fclose(from);
    if (to != NULL)
        rewind(to);
    return to;
}

static int run(struct vcam_supervisor *v, const struct vcam_script *scripts, char **program)
{
    int guard = 0, broken = 0;
    for (uint32_t i = 0; i < v->camera_count; i++) {
        guard |= scripts[i].guard;
        if (!vcam_camera_init(&v->cameras[i], &scripts[i]))
            return 1;
    }
    const int signals = catch_signals();
    const int error = start(v, guard, program);
    if (error != 0)
        return error;
    prctl(PR_SET_TIMERSLACK, 1UL, 0UL, 0UL, 0UL);
    const int status = vcam_supervise(v, signals);
    for (uint32_t i = 0; i < v->camera_count; i++) {
        broken |= v->cameras[i].violations;
        vcam_camera_finish(&v->cameras[i]);
    }
    if (broken)
        return STATUS_RULE;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

int main(int argc, char **argv)
{
    static struct vcam_script scripts[VCAM_CAMERAS];
    static struct vcam_supervisor v;
    char *extra[16], message[256];
    int extra_count = 0, at = 1;
    if (at < argc && strcmp(argv[at], "-v") == 0)
        v.verbose = at++;
    const char *script = at < argc ? argv[at++] : NULL;
    while (at + 1 < argc && strcmp(argv[at], "-e") == 0 && extra_count < 16) {
        extra[extra_count++] = argv[at + 1];
        at += 2;
    }
    if (script == NULL || at + 1 >= argc || strcmp(argv[at], "--") != 0)
        return usage();
    FILE *text = gather(script, extra, extra_count);
    if (text == NULL) {
        fprintf(stderr, "vcam: %s: %s\n", script, strerror(errno));
        return STATUS_USAGE;
    }
    v.camera_count = vcam_script_read(text, script, scripts, message, sizeof message);
    fclose(text);
    if (v.camera_count == 0) {
        fprintf(stderr, "vcam: %s\n", message);
        return STATUS_USAGE;
    }
    return run(&v, scripts, argv + at + 1);
}
