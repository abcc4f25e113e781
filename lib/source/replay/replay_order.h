/* SPDX-License-Identifier: MIT */
/* The order in which the files of a directory are played. */
#ifndef ZCI_SOURCE_REPLAY_REPLAY_ORDER_H
#define ZCI_SOURCE_REPLAY_REPLAY_ORDER_H

/* < 0, 0, > 0 as strcmp, except that digits in a row are a number and compared by its value: f2 before f10, and
 * 1, 02, 003. Names that differ in zeros before a number alone are as strcmp has them. */
int zci_replay_order(const char *a, const char *b);

#endif
