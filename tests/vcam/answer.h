/* SPDX-License-Identifier: MIT */
/* Answering calls of the program that the filter has stopped. */
#ifndef VCAM_ANSWER_H
#define VCAM_ANSWER_H

#include <stdint.h>

/* All but vcam_answer_put return nothing: a program that is gone meanwhile needs no answer. */

/* value >= 0, or a negative errno */
void vcam_answer(int listener, uint64_t id, int64_t value);
/* The kernel does the call itself. */
void vcam_answer_go_on(int listener, uint64_t id);
/* The call's result is a descriptor for the file of `ours`, under this number; -1: the lowest free one. */
void vcam_answer_file(int listener, uint64_t id, int ours, int number, int close_on_exec);
/* Puts the file of `ours` under this number, whatever was there; the call still waits. 0: it is gone. */
int vcam_answer_put(int listener, uint64_t id, int ours, int number, int close_on_exec);

#endif
